"""Generated streams: the rows of a seed never change, and follow the law that their papers give."""

import hashlib

import numpy as np
import pytest

from sapwood import datasets
from sapwood.datasets import (
    agrawal,
    change_points,
    hyperplane,
    led,
    rand_cbt,
    random_rbf,
    sea,
    stagger,
)

#: SHA-256 of rows and labels. They hold on every platform: a change of one is never meant.
KEPT = {
    "sea": (sea, {"width": 300}),
    "stagger": (stagger, {"width": 100}),
    "led": (led, {}),
    "agrawal": (agrawal, {"functions": range(1, 11), "perturbation": 0.05}),
    "hyperplane": (hyperplane, {}),
    "random_rbf": (random_rbf, {"n_classes": 4}),
}
HASHES = {
    "sea": "ffc8f82568202bb6",
    "stagger": "6a7433a417c71306",
    "led": "6398faab6e06571e",
    "agrawal": "cda5eba2eb469a5c",
    "hyperplane": "1dad524d1cb3e4db",
    "random_rbf": "f82af0bea7a3ff1f",
}


def digest(X, y):
    return hashlib.sha256(X.astype("<f8").tobytes() + y.astype("<i8").tobytes()).hexdigest()[:16]


@pytest.mark.parametrize("name", KEPT)
def test_the_rows_of_a_seed_never_change(name):
    draw, settings = KEPT[name]
    assert digest(*draw(3000, **settings, seed=5)) == HASHES[name]
    assert digest(*draw(3000, **settings, seed=6)) != HASHES[name]


@pytest.mark.parametrize("name", KEPT)
def test_a_stream_is_rows_of_doubles_and_whole_labels(name):
    draw, settings = KEPT[name]
    X, y = draw(3000, **settings)
    assert X.dtype == np.float64
    assert X.flags.c_contiguous
    assert y.dtype == np.int64
    assert len(X) == len(y) == 3000
    assert np.isfinite(X).all()


def test_sea_sums_two_of_three_numbers():
    X, y = sea(4000, (8.0, 9.0), noise=0.0, seed=1)
    threshold = np.where(np.arange(4000) < 2000, 8.0, 9.0)
    assert (y == (X[:, 0] + X[:, 1] <= threshold)).all()
    assert X.min() >= 0.0
    assert X.max() < 10.0
    noisy, turned = sea(4000, (8.0, 9.0), noise=0.1, seed=1)
    assert (noisy == X).all()  # noise draws as much, so that only labels differ
    assert abs((turned != y).mean() - 0.1) < 0.02


def test_stagger_has_three_rules():
    X, y = stagger(3000, seed=2)
    size, colour, shape = X.T
    first, second, third = (slice(at, at + 1000) for at in (0, 1000, 2000))
    assert (y[first] == ((size == 0) & (colour == 0))[first]).all()
    assert (y[second] == ((colour == 1) | (shape == 0))[second]).all()
    assert (y[third] == (size > 0)[third]).all()
    assert np.allclose([(column == v).mean() for column in X.T for v in range(3)], 1 / 3, atol=0.04)


def test_led_shows_digits():
    X, y = led(6000, (0, 3), noise=0.0, seed=3)
    shown = {}
    for row, digit in zip(X[:3000, :7].tolist(), y[:3000].tolist(), strict=True):
        shown.setdefault(digit, set()).add(tuple(row))
    assert sorted(shown) == list(range(10))
    assert all(len(segments) == 1 for segments in shown.values())
    assert [sum(next(iter(shown[digit]))) for digit in range(10)] == [6, 2, 5, 5, 4, 5, 6, 3, 7, 6]
    moved = X[3000:, [7, 8, 9, 3, 4, 5, 6]]
    assert all(
        tuple(row) in shown[digit]
        for row, digit in zip(moved.tolist(), y[3000:].tolist(), strict=True)
    )
    assert abs(X[:, 10:].mean() - 0.5) < 0.01
    noisy, _ = led(6000, (0,), noise=0.1, seed=3)
    wrong = (noisy[:3000, :7] != X[:3000, :7]).mean()
    assert abs(wrong - 0.1) < 0.01


def in_group_a(row, function):
    """Tell the ten functions of Agrawal, Imielinski and Swami as their paper has them."""
    salary, commission, age, education, _, _, house, years, loan = row
    young, old = age < 40, age >= 60
    disposable = 2 * (salary + commission) / 3

    def one_of(of_young, of_middle, of_old):
        return of_young if young else of_old if old else of_middle

    earns = one_of((50e3, 100e3), (75e3, 125e3), (25e3, 75e3))
    usual = earns[0] <= salary <= earns[1]
    learned = education in one_of((0, 1), (1, 2, 3), (2, 3, 4))
    if function == 4:
        low, high = one_of(
            (25e3, 75e3) if learned else (50e3, 100e3),
            (50e3, 100e3) if learned else (75e3, 125e3),
            (50e3, 100e3) if learned else (25e3, 75e3),
        )
        return low <= salary <= high
    if function == 5:
        low, high = one_of(
            (100e3, 300e3) if usual else (200e3, 400e3),
            (200e3, 400e3) if usual else (300e3, 500e3),
            (300e3, 500e3) if usual else (100e3, 300e3),
        )
        return low <= loan <= high
    equity = house * (years - 20) / 10 if years >= 20 else 0.0
    return {
        1: young or old,
        2: usual,
        3: learned,
        6: earns[0] <= salary + commission <= earns[1],
        7: disposable - loan / 5 - 20e3 > 0,
        8: disposable - 5e3 * education - 20e3 > 0,
        9: disposable - 5e3 * education - loan / 5 - 10e3 > 0,
        10: disposable - 5e3 * education + equity / 5 - 10e3 > 0,
    }[function]


@pytest.mark.parametrize("function", range(1, 11))
def test_agrawals_functions(function):
    X, y = agrawal(1500, [function], seed=function)
    assert y.tolist() == [int(in_group_a(row, function)) for row in X.tolist()]
    assert len(set(y.tolist())) == 2
    moved, told = agrawal(1500, [function], perturbation=0.1, seed=function)
    assert (told == y).all()
    assert (moved[:, 3:6] == X[:, 3:6]).all()
    numbers = [0, 1, 2, 6, 7, 8]
    ranges = np.array([130e3, 65e3, 60.0, 1300e3, 29.0, 500e3])
    assert (abs(moved - X)[:, numbers] <= 0.1 * ranges + 1e-6).all()
    assert (abs(moved - X)[:, [0, 2, 6, 7, 8]] > 0).mean() > 0.9


def normal_of(X, y):
    """Return the direction in which the classes part, as least squares finds it."""
    weights, *_ = np.linalg.lstsq(X - 0.5, 2 * y - 1, rcond=None)
    return weights / np.linalg.norm(weights)


def test_a_hyperplane_parts_its_classes_and_turns():
    X, y = hyperplane(2000, 3, 0, noise=0.0, seed=4)
    assert (((X - 0.5) @ normal_of(X, y) > 0) == y).mean() > 0.95
    X, y = hyperplane(20_000, 3, 1, turn=0.0, noise=0.0, seed=4)  # the first weight grows for ever
    assert abs(normal_of(X[:1000], y[:1000])[0]) < 0.9
    assert normal_of(X[-1000:], y[-1000:])[0] > 0.99


def test_centres_of_clouds_move_and_have_all_classes():
    def way(speed):
        """Return how far the centre of the class goes that goes farthest."""
        X, y = random_rbf(5000, 2, 5, 5, 5, speed, seed=1)
        assert sorted(set(y.tolist())) == list(range(5))
        clouds = [X[y == k] for k in range(5)]
        ends = [(cloud[:200].mean(axis=0), cloud[-200:].mean(axis=0)) for cloud in clouds]
        return max(np.linalg.norm(last - first) for first, last in ends)

    assert way(0.0) < 0.25
    assert way(0.0003) > 0.4


def test_concepts_are_about_equally_long():
    assert change_points(10, 3).tolist() == [3, 6]
    assert change_points(11, 4).tolist() == [2, 5, 8]
    assert change_points(5, 1).tolist() == []
    X, y = stagger(11, (3, 1, 3, 1), seed=1)
    rule = np.searchsorted(change_points(11, 4), np.arange(11), side="right")
    small, red = X[:, 0] == 0, X[:, 1] == 0
    assert (y == np.where(rule % 2, small & red, ~small)).all()


def test_a_change_goes_on_over_its_width():
    n, width = 200_000, 60_000
    _, y = sea(n, (0.0, 20.0), noise=0.0, width=width, seed=3)  # of the old concept 0, of the new 1
    shares = y.reshape(20, -1).mean(axis=1)
    middle = (np.arange(20) + 0.5) * n / 20
    expected = np.clip(0.5 + (middle - n / 2) / width, 0.0, 1.0)
    assert np.allclose(shares, expected, atol=0.02)
    assert (sea(n, (0.0, 20.0), noise=0.0, seed=3)[1] == (np.arange(n) >= n // 2)).all()


@pytest.mark.parametrize(
    ("draw", "wrong", "words"),
    [
        (sea, {"n_rows": 0}, "n_rows"),
        (sea, {"n_rows": 3}, "n_rows"),  # four concepts
        (sea, {"n_rows": 100, "width": 26}, "width must be at most the 25 rows"),
        (sea, {"n_rows": 100, "thresholds": []}, "thresholds lists the concepts"),
        (sea, {"n_rows": 100, "noise": 1.5}, "noise must lie between 0 and 1"),
        (sea, {"n_rows": 100, "noise": float("nan")}, "noise"),
        (sea, {"n_rows": 100, "seed": -1}, "seed"),
        (sea, {"n_rows": 100, "seed": 2**64}, "seed"),
        (stagger, {"n_rows": 100, "rules": [4]}, "rules are numbered from 1 to 3; got 4"),
        (agrawal, {"n_rows": 100, "functions": [0]}, "functions must be a whole number"),
        (agrawal, {"n_rows": 100, "functions": [11]}, "1 to 10"),
        (led, {"n_rows": 100, "moved": [8]}, "moved must be at most 7"),
        (led, {"n_rows": 100, "moved": [3], "irrelevant": 2}, "moved must be at most 2"),
        (hyperplane, {"n_rows": 100, "n_features": 2, "n_moving": 3}, "n_features=2; got 3"),
        (hyperplane, {"n_rows": 100, "step": -1.0}, "step"),
        (random_rbf, {"n_rows": 100, "n_centres": 2, "n_classes": 3, "n_moving": 0}, "n_centres=2"),
        (random_rbf, {"n_rows": 100, "speed": float("inf")}, "speed"),
        (change_points, {"n_rows": 100, "n_concepts": 0}, "n_concepts"),
    ],
)
def test_what_cannot_be_drawn_is_refused_by_name(draw, wrong, words):
    with pytest.raises(ValueError, match=words.replace("(", r"\(")):
        draw(**wrong)


def test_every_generator_is_listed():
    drawn = {draw.__name__ for draw, _ in KEPT.values()} | {"rand_cbt", "rand_cbt_drift"}
    assert drawn <= set(datasets.__all__)
    assert rand_cbt in vars(datasets).values()
