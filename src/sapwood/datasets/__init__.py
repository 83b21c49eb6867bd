"""Streams to learn from: random trees, streams that drift, and the real datasets of the paper.

>>> from sapwood import datasets
>>> X, y = datasets.rand_cbt(n_leaves=3, per_leaf=10, seed=1)
>>> [entry.name for entry in datasets.available()]
['electricity', 'electricity6', 'airlines', 'covertype', 'covertype7', 'codrna', 'a9a']

What is generated needs NumPy alone; the real datasets need pyarrow (``pip install
sapwood[arrow]``).
"""

from .download import FetchError
from .drifting import agrawal, change_points, hyperplane, led, random_rbf, sea, stagger
from .fingerprint import digest
from .real import Entry, available, cache_folder, fetch, load
from .synthetic import rand_cbt, rand_cbt_drift

__all__ = [
    "Entry",
    "FetchError",
    "agrawal",
    "available",
    "cache_folder",
    "change_points",
    "digest",
    "fetch",
    "hyperplane",
    "led",
    "load",
    "rand_cbt",
    "rand_cbt_drift",
    "random_rbf",
    "sea",
    "stagger",
]
