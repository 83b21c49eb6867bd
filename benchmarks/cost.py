"""What a command costs as a whole process: CPU seconds, time, and peak memory.

A child's peak begins with what its parent held when it was started, so the command is started by a
small process: ``python -m benchmarks.cost OUTPUT COMMAND...``, which `run` does.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def run(command: list[str], output: Path) -> tuple[str, dict[str, float]]:
    """Run a command; returns its standard output, and its CPU seconds, seconds and peak bytes.

    Raises
    ------
    RuntimeError
        If it fails; with the end of what it said.
    """
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.cost", str(output), *command],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command[:6])} failed: {done.stderr[-500:]}")
    cost: dict[str, float] = json.loads(done.stdout)
    return output.read_text(), cost


def main(output: str, command: list[str]) -> int:
    """Run the command with its standard output in a file, and print its cost as JSON."""
    start = time.perf_counter()
    with Path(output).open("w") as file:
        process = subprocess.Popen(command, stdout=file)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    cost = {
        "cpu": usage.ru_utime + usage.ru_stime,
        "wall": time.perf_counter() - start,
        "peak": usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024),
    }
    print(json.dumps(cost))
    return process.returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], sys.argv[2:]))
