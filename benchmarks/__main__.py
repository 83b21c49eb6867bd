"""Measure sapwood beside its peers, and write benchmarks/RESULTS.md.

`python -m benchmarks` runs all parts, `python -m benchmarks learning files` some; each leaves
benchmarks/results/PART.json, from which the page is made (`--render` does only that). The absolute
numbers belong to the machine; the ratios are what to look at. What a part needs and does not find
(Java, a compiler, a dataset) it leaves out, and the page says so.
"""

from __future__ import annotations

import argparse
import json
import os
import time

from benchmarks import page
from benchmarks.measure import pin_to_one_core
from benchmarks.part import LeftOut, Setting, say


def main() -> None:
    """Run the parts that are named, and write the page."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(page.PARTS))
    parser.add_argument("--render", action="store_true", help="only write the page anew")
    parser.add_argument(
        "--scale",
        type=float,
        default=1.0,
        help="share of the rows, to try the benchmark itself; results go to build/bench/trial",
    )
    arguments = parser.parse_args()
    unknown = [name for name in arguments.parts if name not in page.PARTS]
    if unknown:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(page.PARTS)}")
    cores = frozenset(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else frozenset()
    core = pin_to_one_core()
    setting = Setting(core=core, cores=cores, scale=arguments.scale)
    home = page.HOME if arguments.scale == 1 else setting.folder / "trial"
    setting.folder.mkdir(parents=True, exist_ok=True)
    (home / "results").mkdir(parents=True, exist_ok=True)
    for name in [] if arguments.render else arguments.parts or page.PARTS:
        say(f"== {name}")
        start = time.perf_counter()
        part = page.load(name)
        try:
            data = part.measure(setting)
        except LeftOut as error:
            say(f"left out: {error}")
            data = {"omitted": str(error)}
        record = page.stamp(name, setting, time.perf_counter() - start) | {"data": data}
        text = json.dumps(record, indent=1, ensure_ascii=False)
        (home / "results" / f"{name}.json").write_text(text + "\n")
        page.write(home)
    page.write(home)
    say(f"wrote {home / 'RESULTS.md'}")


if __name__ == "__main__":
    main()
