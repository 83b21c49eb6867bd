"""Law: same input, same bytes; here, in another process, and whatever Python's hash seed is."""

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path

from hypothesis import given
from streams import Column, bytes_of, grown, make_stream, streams, tree_params

import sapwood

COLUMNS = (
    Column("text", 40, missing=0.1),
    Column("continuous"),
    Column("discrete", 5, missing=0.3),
    Column("text", 4, starts=200),
)
TREES = [
    {"c": 0.01, "grace_period": 20},
    {"c": 0.01, "grace_period": 20, "leaf_prediction": "adaptive", "max_bytes": 20_000},
    {"bound": "hoeffding", "delta": 0.1, "criterion": "entropy", "numeric_splits": "gaussian"},
    {"c": 0.02, "criterion": "kearns-mansour", "numeric_splits": "exact", "tie_threshold": 0.05},
    sapwood.ConfidenceTreeClassifier.moa(delta=0.1, grace_period=50).get_params(),
]


def fingerprints() -> dict[str, list[str]]:
    """Hashes of several trees' bytes and answers over several streams."""
    found = {}
    for name, weights in (("plain", "none"), ("weighted", "fractional")):
        stream = make_stream(11, 1500, COLUMNS, n_classes=4, weights=weights, text_labels=True)
        hashes = []
        for params in TREES:
            tree = grown(params, stream)
            answers = repr([tree.predict_proba_one(x) for x in stream.rows[::50]])
            data = bytes_of(tree) + answers.encode() + repr(tree.splits()).encode()
            hashes.append(f"{tree.n_leaves_} leaves: {hashlib.sha256(data).hexdigest()}")
        found[name] = hashes
    return found


@given(streams(), tree_params())
def test_twice_in_one_process(stream, params):
    assert bytes_of(grown(params, stream)) == bytes_of(grown(params, stream))


def test_in_other_processes_with_other_hash_seeds():
    here = fingerprints()
    assert any(not text.startswith("1 leaves") for texts in here.values() for text in texts)
    code = "import json, test_same_input_same_bytes as t; print(json.dumps(t.fingerprints()))"
    folder = Path(__file__).resolve().parent
    path = os.pathsep.join([str(folder), str(folder.parent), os.environ.get("PYTHONPATH", "")])
    for seed in ("0", "1", "4711"):
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path}
        command = [sys.executable, "-c", code]
        output = subprocess.run(command, env=environment, capture_output=True, check=True)
        assert json.loads(output.stdout) == here
    print("\n".join(f"{name}: {text}" for name, texts in here.items() for text in texts))
