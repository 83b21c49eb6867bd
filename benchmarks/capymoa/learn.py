"""Run CapyMOA over a stream; started by the benchmark in CapyMOA's own environment.

python learn.py STREAM ROWS RUNS PARAMS, where STREAM ends in .arff or .npz; prints JSON.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
from typing import Any


def main(path: str, rows: int, runs: int, params: dict[str, Any]) -> list[dict[str, Any]]:
    """Test-then-train a fresh tree over the stream, several times."""
    streams: Any = importlib.import_module("capymoa.stream")
    classifiers: Any = importlib.import_module("capymoa.classifier")
    evaluation: Any = importlib.import_module("capymoa.evaluation")
    arrays = None
    if path.endswith(".npz"):
        numpy: Any = importlib.import_module("numpy")
        with numpy.load(path) as file:
            arrays = file["X"], file["y"]
    results = []
    for _ in range(runs):
        stream = streams.ARFFStream(path) if arrays is None else streams.NumpyStream(*arrays)
        tree = classifiers.HoeffdingTree(schema=stream.get_schema(), **params)
        start, thread = time.process_time(), time.thread_time()
        result = evaluation.prequential_evaluation(stream, tree, window_size=rows, optimise=True)
        process, thread = time.process_time() - start, time.thread_time() - thread
        measured = {str(m.getName()): m.getValue() for m in tree.moa_learner.getModelMeasurements()}
        cumulative = result.cumulative
        n = int(cumulative.metrics_dict()["instances"])
        results.append(
            {
                "rows_per_second": n / thread,
                "rows_per_process_second": n / process,
                "accuracy": float(cumulative.accuracy()) / 100,
                "leaves": round(float(measured["tree size (leaves)"])),
            }
        )
    return results


if __name__ == "__main__":
    stream, rows, runs, params = sys.argv[1:]
    print(json.dumps(main(stream, int(rows), int(runs), json.loads(params))))
