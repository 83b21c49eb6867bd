"""A wheel that was just installed: learn, predict, save, load. Needs NumPy alone."""

import sys
import tempfile
from pathlib import Path

import sapwood

X, y = sapwood.datasets.rand_cbt(n_leaves=4, per_leaf=2000, seed=1)
tree = sapwood.ConfidenceTreeClassifier().fit(X, y)
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "tree.sapwood"
    tree.save(path)
    again = sapwood.load(path)
assert (again.predict(X) == tree.predict(X)).all()
allowed = {"numpy", "sapwood"}
heavy = {"sklearn", "river", "pandas", "polars", "pyarrow", "matplotlib", "scipy", "typer", "rich"}
assert not heavy & set(sys.modules), heavy & set(sys.modules)
print(f"sapwood {sapwood.__version__} works: {tree.n_leaves_} leaves, {tree.score(X, y):.3f} right")
