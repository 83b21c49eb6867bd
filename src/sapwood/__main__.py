"""A first look: ``python -m sapwood`` learns a stream and shows what came of it."""

from __future__ import annotations

from . import ConfidenceTreeClassifier, __version__, evaluate
from .datasets import rand_cbt


def main() -> None:
    """Run a synthetic stream by test-then-train; print progress, the result and the tree."""
    n_leaves, per_leaf = 8, 25_000
    print(f"sapwood {__version__}: a stream from a random tree with {n_leaves} leaves")
    print("Its labels are noise for 3 rows in 10, so no learner can be right more than 70 % of the")
    print("time. Every row is predicted first and learned afterwards.\n")
    stream = rand_cbt(n_leaves=n_leaves, n_features=5, per_leaf=per_leaf, seed=5)
    result = evaluate(stream, ConfidenceTreeClassifier(), every=per_leaf)
    print("      rows   accuracy   last 25,000   leaves")
    for record in result.curve:
        print(
            f"{record['i']:10,}   {record['accuracy']:8.4f}   {record['window_accuracy']:11.4f}"
            f"   {record['leaves']:6}"
        )
    rate = record["i"] / result.seconds / 1e6
    tree = result.model
    print(
        f"\n{rate:.1f} million rows a second, {tree.nbytes_:,} bytes. The tree, with the evidence"
    )
    print("for each split (the gap to the runner-up against what chance allows):\n")
    print(tree.export_text())


if __name__ == "__main__":
    main()
