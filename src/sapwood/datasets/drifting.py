"""The generated streams by which learners are compared when the world moves.

Each draws ``n_rows`` rows by a seed. Where a stream has several ``concepts``, they come one after
the other and are about equally long; around each change the chance that a row is of the new one
rises from 0 to 1 over ``width`` rows, 0 being abrupt. The rows of a seed never change, on any
platform and in any version.

>>> from sapwood import datasets
>>> X, y = datasets.sea(1000, seed=1)
>>> X.shape, float(y.mean())
((1000, 3), 0.397)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .. import _core
from .._params import whole_number

__all__ = ["agrawal", "change_points", "hyperplane", "led", "random_rbf", "sea", "stagger"]

Stream = tuple[NDArray[np.float64], NDArray[np.int64]]


def sea(
    n_rows: int,
    thresholds: Sequence[float] = (8.0, 9.0, 7.0, 9.5),
    noise: float = 0.1,
    width: int = 0,
    seed: int = 0,
) -> Stream:
    """Draw SEA: of three numbers from 0 to 10, class 1 where the first two sum to few enough.

    W. N. Street and Y. Kim, "A streaming ensemble algorithm (SEA) for large-scale classification",
    KDD 2001.

    Parameters
    ----------
    n_rows : int
        Rows.
    thresholds : sequence of float
        The concepts: the largest sum that is of class 1.
    noise : float
        Share of the labels that are turned round.
    width : int
        Rows over which each change goes on.
    seed : int
        Seed of all draws.

    Returns
    -------
    X : ndarray of shape (n_rows, 3)
    y : ndarray of 0 and 1
    """
    n_rows, width = _lengths(n_rows, thresholds, "thresholds", width)
    return _core.sea(
        n_rows=n_rows,
        thresholds=[float(threshold) for threshold in thresholds],
        noise=_share("noise", noise),
        width=width,
        seed=_seed(seed),
    )


def stagger(n_rows: int, rules: Sequence[int] = (1, 2, 3), width: int = 0, seed: int = 0) -> Stream:
    """Draw STAGGER: three categories, of size, colour and shape.

    J. C. Schlimmer and R. H. Granger, "Incremental learning from noisy data", Machine Learning 1,
    1986. Size is small, medium or large (0, 1, 2), colour red, green or blue, shape circle, square
    or triangle: columns for ``categorical_features=[0, 1, 2]``.

    Parameters
    ----------
    n_rows : int
        Rows.
    rules : sequence of int
        The concepts. Class 1 is 1: small and red; 2: green, or a circle; 3: medium or large.
    width, seed : int
        As for :func:`sea`.

    Returns
    -------
    X : ndarray of shape (n_rows, 3)
    y : ndarray of 0 and 1
    """
    n_rows, width = _lengths(n_rows, rules, "rules", width)
    return _core.stagger(
        n_rows=n_rows, rules=_chosen("rules", rules, 3), width=width, seed=_seed(seed)
    )


def led(
    n_rows: int,
    moved: Sequence[int] = (0, 3, 1, 5, 7),
    noise: float = 0.1,
    irrelevant: int = 17,
    width: int = 0,
    seed: int = 0,
) -> Stream:
    """Draw LED: a digit by the seven segments of a display, among bits that mean nothing.

    L. Breiman, J. H. Friedman, R. A. Olshen and C. J. Stone, "Classification and regression trees",
    1984; with drift by exchanged columns, as in MOA.

    Parameters
    ----------
    n_rows : int
        Rows.
    moved : sequence of int
        The concepts: how many of the segments, 0 to 7, have changed places with bits that mean
        nothing.
    noise : float
        Chance that a segment is wrong.
    irrelevant : int
        Bits that mean nothing, as many as the most that are moved or more.
    width, seed : int
        As for :func:`sea`.

    Returns
    -------
    X : ndarray of shape (n_rows, 7 + irrelevant), of 0 and 1
    y : ndarray of 0 to 9
    """
    n_rows, width = _lengths(n_rows, moved, "moved", width)
    irrelevant = whole_number("irrelevant", irrelevant, 0)
    counts = [whole_number("moved", count, 0) for count in moved]
    if max(counts) > min(7, irrelevant):
        raise ValueError(
            f"moved must be at most {min(7, irrelevant)}: there are 7 segments, and {irrelevant} "
            f"other bits to change places with; got {max(counts)}."
        )
    return _core.led(
        n_rows=n_rows,
        places=[[*range(7, 7 + count), *range(count, 7)] for count in counts],
        noise=_share("noise", noise),
        irrelevant=irrelevant,
        width=width,
        seed=_seed(seed),
    )


def agrawal(
    n_rows: int,
    functions: Sequence[int] = (1, 2, 3, 4),
    perturbation: float = 0.0,
    width: int = 0,
    seed: int = 0,
) -> Stream:
    """Draw loan applicants: six numbers and three categories.

    R. Agrawal, T. Imielinski and A. Swami, "Database mining: a performance perspective", IEEE
    Transactions on Knowledge and Data Engineering 5, 1993. The columns are salary, commission, age,
    education, car, zip code, value of the house, years that it is owned, and the loan; education,
    car and zip code are categories, for ``categorical_features=[3, 4, 5]``.

    Parameters
    ----------
    n_rows : int
        Rows.
    functions : sequence of int
        The concepts: which of the ten functions, 1 to 10, tells who is in group A, class 1.
    perturbation : float
        The numbers are moved by up to this share of their range after the class is told.
    width, seed : int
        As for :func:`sea`.

    Returns
    -------
    X : ndarray of shape (n_rows, 9)
    y : ndarray of 0 and 1
    """
    n_rows, width = _lengths(n_rows, functions, "functions", width)
    return _core.agrawal(
        n_rows=n_rows,
        functions=_chosen("functions", functions, 10),
        perturbation=_share("perturbation", perturbation),
        width=width,
        seed=_seed(seed),
    )


def hyperplane(
    n_rows: int,
    n_features: int = 10,
    n_moving: int = 2,
    step: float = 0.001,
    turn: float = 0.1,
    noise: float = 0.05,
    seed: int = 0,
) -> Stream:
    """Draw points on both sides of a hyperplane that turns with every row.

    G. Hulten, L. Spencer and P. Domingos, "Mining time-changing data streams", KDD 2001; in the
    form that MOA gave it.

    Parameters
    ----------
    n_rows : int
        Rows.
    n_features : int
        Numbers, uniform on [0, 1].
    n_moving : int
        How many weights move, the first ones.
    step : float
        By how much they move with each row.
    turn : float
        Chance at each row that a weight's direction is turned round.
    noise : float
        Share of the labels that are turned round.
    seed : int
        Seed of all draws.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of 0 and 1
    """
    n_features = whole_number("n_features", n_features, 1)
    return _core.hyperplane(
        n_rows=whole_number("n_rows", n_rows, 1),
        n_features=n_features,
        n_moving=_at_most("n_moving", n_moving, n_features, "n_features"),
        step=_amount("step", step),
        turn=_share("turn", turn),
        noise=_share("noise", noise),
        seed=_seed(seed),
    )


def random_rbf(
    n_rows: int,
    n_features: int = 10,
    n_classes: int = 2,
    n_centres: int = 50,
    n_moving: int = 50,
    speed: float = 0.001,
    seed: int = 0,
) -> Stream:
    """Draw clouds of points round centres, each of one class, that wander through the unit cube.

    As MOA's RandomRBFGeneratorDrift; the distance from a centre is nearly normal.

    Parameters
    ----------
    n_rows : int
        Rows.
    n_features : int
        Numbers.
    n_classes : int
        Classes; each has a centre, so there are at most as many as centres.
    n_centres : int
        Centres.
    n_moving : int
        How many of them move.
    speed : float
        How far they move with each row.
    seed : int
        Seed of all draws.

    Returns
    -------
    X : ndarray of shape (n_rows, n_features)
    y : ndarray of 0 to n_classes - 1
    """
    n_centres = whole_number("n_centres", n_centres, 1)
    n_classes = whole_number("n_classes", n_classes, 1)
    return _core.random_rbf(
        n_rows=whole_number("n_rows", n_rows, 1),
        n_features=whole_number("n_features", n_features, 1),
        n_classes=_at_most(
            "n_classes", whole_number("n_classes", n_classes, 1), n_centres, "n_centres"
        ),
        n_centres=n_centres,
        n_moving=_at_most("n_moving", n_moving, n_centres, "n_centres"),
        speed=_amount("speed", speed),
        seed=_seed(seed),
    )


def change_points(n_rows: int, n_concepts: int) -> NDArray[np.int64]:
    """Return the first row of each new concept; the middle of the change if it is gradual.

    Examples
    --------
    >>> from sapwood.datasets import change_points
    >>> change_points(1000, 4).tolist()
    [250, 500, 750]
    """
    n = whole_number("n_concepts", n_concepts, 1)
    each, over = divmod(whole_number("n_rows", n_rows, 1), n)
    return np.array([i * each + i * over // n for i in range(1, n)], dtype=np.int64)


def _lengths(n_rows: Any, concepts: Sequence[Any], name: str, width: Any) -> tuple[int, int]:
    """Return the number of rows and the width of a change, if the concepts have room for them."""
    if not hasattr(concepts, "__len__") or len(concepts) == 0 or isinstance(concepts, str):
        raise ValueError(f"{name} lists the concepts, one at least; got {concepts!r}.")
    n_rows, width = whole_number("n_rows", n_rows, len(concepts)), whole_number("width", width, 0)
    if width > n_rows // len(concepts):
        raise ValueError(
            f"width must be at most the {n_rows // len(concepts)} rows of one concept, so that no "
            f"two changes overlap; got {width}."
        )
    return n_rows, width


def _chosen(name: str, numbers: Sequence[Any], most: int) -> list[int]:
    chosen = [whole_number(name, number, 1) for number in numbers]
    if max(chosen) > most:
        raise ValueError(f"{name} are numbered from 1 to {most}; got {max(chosen)}.")
    return chosen


def _at_most(name: str, value: Any, most: int, of: str) -> int:
    number = whole_number(name, value, 0)
    if number > most:
        raise ValueError(f"{name} must be at most {of}={most}; got {number}.")
    return number


def _share(name: str, value: float) -> float:
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} must lie between 0 and 1; got {value!r}.")
    return float(value)


def _amount(name: str, value: float) -> float:
    if not (value >= 0.0 and np.isfinite(value)):
        raise ValueError(f"{name} must be 0 or a positive number; got {value!r}.")
    return float(value)


def _seed(seed: Any) -> int:
    number = whole_number("seed", seed, 0)
    if number >= 2**64:
        raise ValueError(f"seed must be less than 2**64; got {number}.")
    return number
