"""Count the instructions per row of a few fixed streams, and hold them to the numbers kept here.

Time differs from run to run; the number of instructions that valgrind counts does not. A stream
that costs more than 3 % above what ``instructions.json`` keeps for this compiler fails, and so does
one whose tree or errors are others than those kept. ``--update`` keeps what is found.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
KEPT = HERE / "instructions.json"
TOLERANCE = 0.03

#: What the processor has must not show in the numbers. The C library chooses its code by it, and is
#: told here to choose the plainest. Whatever the core chooses at run time has its place here too.
PINNED = {
    "GLIBC_TUNABLES": "glibc.cpu.hwcaps=-AVX512F,-AVX2,-AVX2_Usable,-AVX,-AVX_Usable,"
    "-AVX_Fast_Unaligned_Load,-FMA,-FMA_Usable,-FMA4,-ERMS",
    "SAPWOOD_LANES": "everywhere",
}


def build(folder: Path) -> Path:
    """Build the program as the wheel is built, and return it."""
    root = HERE.parent.parent
    options = ["-DCMAKE_BUILD_TYPE=Release", "-DSAPWOOD_PYTHON=OFF", "-DSAPWOOD_GATE=ON"]
    for command in (
        ["cmake", "-S", str(root), "-B", str(folder), "-G", "Ninja", *options],
        ["cmake", "--build", str(folder), "--target", "gate"],
    ):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode:
            sys.exit(f"{done.stdout}{done.stderr}gate: the build failed.")
    return folder / "core" / "gate" / "gate"


def count(program: Path, name: str) -> tuple[float, dict[str, int]]:
    """Run one stream. Return its instructions per row, and its rows, leaves and errors."""
    tool = ["valgrind", "--tool=callgrind", "--toggle-collect=counted"]
    command = [*tool, f"--callgrind-out-file={os.devnull}", str(program), name]
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **PINNED})
    collected = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not collected or int(collected[1]) == 0:
        sys.exit(f"{done.stdout}{done.stderr}gate: {name} could not be counted.")
    rows, leaves, errors = map(int, done.stdout.split())
    outcome = {"rows": rows, "leaves": leaves, "errors": errors}
    return round(int(collected[1]) / rows, 1), outcome


def compare(
    found: dict[str, tuple[float, dict[str, int]]],
    instructions: dict[str, float],
    outcomes: dict[str, dict[str, int]],
) -> tuple[bool, bool]:
    """Print a table. Return whether all is well, and whether anything should be kept anew."""
    well, better = True, False
    print(f"{'stream':<14}{'kept':>10}{'found':>10}{'change':>9}  instructions per row")
    for name, (cost, outcome) in found.items():
        kept = instructions.get(name)
        change = 0.0 if kept is None else cost / kept - 1.0
        remarks = []
        if kept is None:
            remarks.append("NOT KEPT")
        elif change > TOLERANCE:
            remarks.append("DEARER")
        elif change < -TOLERANCE:
            remarks.append("cheaper")
        if outcome != outcomes.get(name):
            remarks.append(f"OTHER RESULT: {outcome}, kept {outcomes.get(name)}")
        well = well and not any(remark[0].isupper() for remark in remarks)
        better = better or "cheaper" in remarks
        was = "-" if kept is None else f"{kept:.1f}"
        print(f"{name:<14}{was:>10}{cost:>10.1f}{change:>+9.1%}  {'; '.join(remarks)}".rstrip())
    return well, better


def main() -> int:
    """Count, and compare or keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--update", action="store_true", help="keep what is found")
    parser.add_argument("--build", type=Path, default=Path("build/gate"), help="folder to build in")
    given = parser.parse_args()
    if shutil.which("valgrind") is None:
        print("gate: skipped, since valgrind is not installed.")
        return 0
    kept: dict[str, Any] = json.loads(KEPT.read_text()) if KEPT.exists() else {}
    outcomes: dict[str, Any] = kept.setdefault("outcomes", {})
    per_row: dict[str, Any] = kept.setdefault("instructions_per_row", {})
    program = build(given.build)
    listed = subprocess.run([program], capture_output=True, text=True, check=True).stdout
    compiler, *names = listed.splitlines()
    if compiler not in per_row and not given.update:
        known = ", ".join(per_row) or "none"
        print(f"gate: skipped, since no numbers are kept for {compiler} (there are: {known}).")
        return 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        found = dict(zip(names, pool.map(lambda name: count(program, name), names), strict=True))
    well, better = compare(found, per_row.get(compiler, {}), outcomes)
    if given.update:
        per_row[compiler] = {name: cost for name, (cost, _) in found.items()}
        kept["outcomes"] = {name: outcome for name, (_, outcome) in found.items()}
        KEPT.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n")
        print(f"gate: kept for {compiler}.")
        return 0
    if not well:
        print("gate: FAILED. If this is meant, keep it with `make gate-update`, and say why.")
    elif better:
        print("gate: passed, and cheaper: keep that with `make gate-update`.")
    else:
        print(f"gate: passed ({compiler}).")
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
