"""Write the golden file of the current format: a model, and what it must say of some rows for ever.

Run it once for each new format, and commit what it writes:

    python tests/formats/make_golden.py
"""

import json
import random
from pathlib import Path

from sapwood import ActiveLearner, ConfidenceTreeClassifier
from sapwood._learner_file import to_bytes as learner_to_bytes
from sapwood.persist import to_bytes

HERE = Path(__file__).resolve().parent


def rows():
    """Numbers, categories, gaps and three classes; Python promises to keep these draws."""
    rng = random.Random(20160415)
    for _ in range(1500):
        row = {
            "height": 2 * rng.random() - 1,
            "width": rng.random(),
            "count": int(10 * rng.random()),
            "colour": ["rood", "grün", "bleu", "白"][int(4 * rng.random())],
            7: int(3 * rng.random()),
        }
        if row["colour"] == "bleu":
            label = "east" if row["height"] > 0.1 else "north"
        else:
            label = "west" if row["count"] > 6 else "north"
        if rng.random() < 0.05:
            label = ["east", "north", "west"][int(3 * rng.random())]
        for name in list(row):
            if rng.random() < 0.05:
                row[name] = None
        yield row, label


def grown():
    """Return the model, grown row by row."""
    tree = ConfidenceTreeClassifier(
        c=0.01,
        grace_period=50,
        tie_threshold=0.02,
        leaf_prediction="adaptive",
        n_bins=8,
        categorical_features=[7],
        max_depth=6,
    )
    tree.advance(3)
    for row, label in rows():
        tree.learn_one(row, label)
    return tree


def asking():
    """Return a learner amid its work: questions open and expired, and a drift behind it."""
    tree = ConfidenceTreeClassifier(c=0.01, grace_period=50, max_depth=6)
    learner = ActiveLearner(tree, "conf-tree", "window:0.3:50", "ddm", 5, recent=20)
    for i, (row, label) in enumerate(rows()):
        decision = learner.decide(row)
        if not decision.ask or i % 40 == 7:
            continue
        if i % 40 == 8:
            learner.expire(decision.id)
        elif i % 40 == 9:
            learner.expire(decision.id, refund=True)
        else:
            learner.label(decision.id, label if i < 800 else {"north": "east"}.get(label, "north"))
    return learner


def sayings(tree):
    """Return what the model says of some rows, as plain JSON."""
    asked = [row for row, _ in rows()][:60]
    asked += [{}, {"colour": "violet"}, {"unknown": 1.0}, {"height": 1e9}]
    return {
        "rows": [[[name, value] for name, value in row.items()] for row in asked],
        "predictions": [tree.predict_one(row) for row in asked],
        "probabilities": [tree.predict_proba_one(row) for row in asked],
        "t": tree.t_,
        "leaves": tree.n_leaves_,
        "splits": [[s.feature, s.threshold, s.category, s.reason] for s in tree.splits()],
    }


def main():
    """Write the three files."""
    tree = grown()
    data = to_bytes(tree)
    version = int.from_bytes(data[8:16], "little")
    path = HERE / f"golden-{version}.sapwood"
    path.write_bytes(data)
    said = json.dumps(sayings(tree), ensure_ascii=False, indent=1, sort_keys=True)
    path.with_suffix(".json").write_text(said + "\n", encoding="utf-8")
    print(f"{path.name}: {len(data)} bytes, {tree.n_leaves_} leaves")
    (HERE / f"golden-learner-{version}.sapwood").write_bytes(learner_to_bytes(asking()))


if __name__ == "__main__":
    main()
