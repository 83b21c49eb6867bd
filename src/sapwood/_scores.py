"""How often each class was predicted as each, over a run and in each part of it.

Only pairs of classes that occurred are kept, so that the costs grow with the rows and the classes,
and not with the square of the classes.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import _core
from ._labels import class_order

Wholes: TypeAlias = NDArray[np.int64]

#: A pair is the number of the true class, and in its lower bits 1 + that of the predicted one.
_BITS = 32
_LOW = (1 << _BITS) - 1
_UNSCORED = _LOW  # in the place of the predicted class: it is left out of the scores


class Confusion:
    """Which classes were taken for which, as the pairs that occurred.

    Parameters
    ----------
    n_classes : int
        Classes, numbered from 0.
    true, predicted, rows : arrays
        How many rows of a class were predicted as another; -1 is "no prediction".
    """

    def __init__(self, n_classes: int, true: Wholes, predicted: Wholes, rows: Wholes) -> None:
        self.n_classes = n_classes
        self.true, self.predicted, self.rows = true, predicted, rows

    def in_order(self, order: list[int]) -> Confusion:
        """Return it for the classes in another order, given as the numbers that they have now.

        Classes that never occurred may be left out.
        """
        place = np.full(self.n_classes + 1, -1)  # what is no class stays none
        place[order] = np.arange(len(order))
        true, predicted = place[self.true], place[self.predicted]
        sort = np.lexsort((predicted, true))
        return Confusion(len(order), true[sort], predicted[sort], self.rows[sort])

    def table(self) -> Wholes:
        """Return a matrix: rows are true classes, columns predicted ones, and last "none"."""
        table = np.zeros((self.n_classes, self.n_classes + 1), dtype=np.int64)
        table[self.true, self.predicted] = self.rows
        return table

    def sums(self) -> tuple[list[int], list[int], list[int]]:
        """Return how often each class was predicted rightly, came, and was predicted."""
        right, some = self.true == self.predicted, self.predicted >= 0
        n = self.n_classes
        return (
            _sums(self.true[right], self.rows[right], n).tolist(),
            _sums(self.true, self.rows, n).tolist(),
            _sums(self.predicted[some], self.rows[some], n).tolist(),
        )


class Scores:
    """The confusion of a run, by the stretches between two records of its curve.

    An example that came before the first label has no prediction, which counts as an error; unless
    it came early, before any label could be due, and is left out of the scores.
    """

    def __init__(self) -> None:
        self.classes: list[Any] = []
        self.rows = self.right = self.unscored = 0
        self.stretches = 0  # that are finished
        self._numbers: dict[Hashable, int] = {}
        self._finished: list[tuple[Wholes, Wholes, Wholes]] = []  # stretch, pair, rows
        self._latest: dict[int, int] = {}  # rows by pair, in the stretch that is not finished

    def copy(self) -> Scores:
        """Return scores that can go on by themselves."""
        scores = Scores()
        scores.__dict__.update(self.__dict__)
        for name in ("classes", "_numbers", "_finished", "_latest"):
            setattr(scores, name, getattr(self, name).copy())
        return scores

    # --- counting ---------------------------------------------------------------------------------

    def code_of(self, label: Any) -> int:
        """Return the number of a class; a new one is added."""
        number = self._numbers.setdefault(label, len(self.classes))
        if number == len(self.classes):
            self.classes.append(label)
        return number

    @property
    def accuracy(self) -> float:
        """Share of the scored rows that were predicted right; 0 if there are none."""
        return self.right / max(1, self.rows - self.unscored)

    def add_one(self, true: int, predicted: int, early: bool = False) -> None:
        """Count an example: numbers of classes, and -1 where there was no prediction."""
        unscored = early and predicted < 0
        pair = true << _BITS | (_UNSCORED if unscored else predicted + 1)
        self._latest[pair] = self._latest.get(pair, 0) + 1
        self.rows += 1
        self.unscored += unscored
        self.right += true == predicted

    def add_coded(
        self,
        codes: NDArray[np.int32],
        predicted: NDArray[np.uint32],
        truth: list[int],
        guess: list[int],
        ends: list[int],
        early: int = 0,
    ) -> None:
        """Count rows of codes and of the model's classes, with the number of each.

        ``ends`` are the rows after which there is a record, and so a note; so many rows are
        ``early``.
        """
        numbers = np.array(truth, dtype=np.int64), np.array(guess, dtype=np.int64)
        cut = min(early, len(codes))
        for part in (slice(0, cut), slice(cut, len(codes))):
            if part.start == part.stop:
                continue
            here = [end - part.start for end in ends if part.start < end <= part.stop]
            counted = _core.count_pairs(codes[part], predicted[part], *numbers, here)
            if part.start < cut:
                counted[1][counted[1] & _LOW == 0] |= _UNSCORED
            self.add_pairs(*counted, finished=len(here))

    def add_pairs(self, stretches: Wholes, pairs: Wholes, rows: Wholes, *, finished: int) -> None:
        """Count pairs by stretches from the one that is not finished yet, numbered 0.

        ``finished`` of them are finished now.
        """
        self.rows += int(rows.sum())
        self.unscored += int(rows[_is_unscored(pairs)].sum())
        self.right += int(rows[_is_right(pairs)].sum())
        cut = int(np.searchsorted(stretches, finished))
        if finished:
            self._settle()
            self._finished.append((stretches[:cut] + self.stretches, pairs[:cut], rows[:cut]))
            self.stretches += finished
        for pair, n in zip(pairs[cut:].tolist(), rows[cut:].tolist(), strict=True):
            self._latest[pair] = self._latest.get(pair, 0) + n

    def note(self) -> None:
        """Finish a stretch: what was counted until now is a point of the curve."""
        self._settle()
        self.stretches += 1

    def _settle(self) -> None:
        if self._latest:
            pairs = np.array(list(self._latest), dtype=np.int64)
            rows = np.array(list(self._latest.values()), dtype=np.int64)
            self._finished.append((np.full(len(pairs), self.stretches), pairs, rows))
            self._latest = {}

    # --- what came of it --------------------------------------------------------------------------

    def table(self) -> tuple[Wholes, Wholes, Wholes]:
        """Return all that was counted: stretches, pairs, and rows."""
        self._settle()
        if not self._finished:
            return (np.zeros(0, dtype=np.int64),) * 3
        stretches, pairs, rows = (
            np.concatenate(part) for part in zip(*self._finished, strict=True)
        )
        self._finished = [(stretches, pairs, rows)]
        return stretches, pairs, rows

    def confusion(self) -> Confusion:
        """Return the confusion of all scored rows so far."""
        _, pairs, rows = self.table()
        scored = ~_is_unscored(pairs)
        pairs, rows = pairs[scored], rows[scored]
        distinct = _distinct(pairs)
        sums = _sums(np.searchsorted(distinct, pairs), rows, len(distinct))
        return Confusion(len(self.classes), distinct >> _BITS, (distinct & _LOW) - 1, sums)

    def rarest(self) -> Any:
        """Return the class with the fewest examples; the first of equals in sorted order."""
        _, pairs, rows = self.table()
        support = _sums(pairs >> _BITS, rows, len(self.classes)).tolist()
        return self.classes[min((k for k in self.order() if support[k]), key=support.__getitem__)]

    def order(self) -> list[int]:
        """Return the numbers of the classes that came or were predicted, in sorted order."""
        _, pairs, _ = self.table()
        numbers = _distinct(np.concatenate([pairs >> _BITS, (pairs & _LOW) - 1]))
        occurred = [k for k in numbers.tolist() if 0 <= k < len(self.classes)]
        return [occurred[i] for i in class_order([self.classes[k] for k in occurred])]

    def measures(self, positive: Any) -> tuple[float, float, float]:
        """Return accuracy, F-measure and kappa of all examples so far."""
        right, true, predicted = self.confusion().sums()
        which = self._numbers.get(positive)
        f = 0.0 if which is None else f_measure(right[which], true[which], predicted[which])
        chance = sum(t * p for t, p in zip(true, predicted, strict=True))
        rows = self.rows - self.unscored
        kappa = _kappa(rows * self.right - chance, rows * rows - chance)
        return self.accuracy, f, kappa

    def curve(self, positive: Any) -> dict[str, NDArray[Any]]:
        """Return the columns of the curve that are scores, with a value after each stretch."""
        stretches, pairs, rows = self.table()
        n = self.stretches
        here = stretches < n
        stretches, pairs, rows = stretches[here], pairs[here], rows[here]
        seen = np.cumsum(_sums(stretches, rows, n))
        scored = ~_is_unscored(pairs)
        stretches, pairs, rows = stretches[scored], pairs[scored], rows[scored]
        true, predicted = pairs >> _BITS, (pairs & _LOW) - 1
        right = _is_right(pairs)

        def so_far(which: NDArray[np.bool_]) -> Wholes:
            return np.cumsum(_sums(stretches[which], rows[which], n))

        total, hits = so_far(np.ones(len(rows), dtype=bool)), so_far(right)
        number = self._numbers.get(positive, -2)  # -1 is "no prediction"
        is_true, is_predicted = true == number, predicted == number
        doubled = 2.0 * so_far(is_true & is_predicted)
        chance = _chance(stretches, true, predicted, rows, n)
        # In whole numbers, so that the order of the classes cannot change the last digit.
        sums = zip(total.tolist(), hits.tolist(), chance, strict=True)
        return {
            "accuracy": hits / np.maximum(total, 1),
            "f_measure": doubled / np.maximum(so_far(is_true) + so_far(is_predicted), 1),
            "kappa": np.array([_kappa(r * h - c, r * r - c) for r, h, c in sums]),
            "i": seen,
            "window_accuracy": np.diff(hits, prepend=0) / np.maximum(np.diff(total, prepend=0), 1),
        }


def f_measure(right: int, true: int, predicted: int) -> float:
    """Return a class's F-measure: how often it was rightly predicted, came, and was predicted."""
    return 2.0 * right / (true + predicted) if true + predicted else 0.0


def _kappa(above: int, below: int) -> float:
    return above / below if below > 0 else 0.0


def _is_right(pairs: Wholes) -> NDArray[np.bool_]:
    right: NDArray[np.bool_] = (pairs >> _BITS) == (pairs & _LOW) - 1
    return right


def _is_unscored(pairs: Wholes) -> NDArray[np.bool_]:
    unscored: NDArray[np.bool_] = pairs & _LOW == _UNSCORED
    return unscored


def _are_first(ordered: Wholes) -> NDArray[np.bool_]:
    """Say of sorted numbers which are the first of their value."""
    return np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]


def _distinct(numbers: Wholes) -> Wholes:
    """Return the distinct ones, sorted; NumPy's own function would import its masked arrays."""
    ordered: Wholes = np.sort(numbers)
    return ordered[_are_first(ordered)]


def _sums(at: NDArray[Any], rows: Wholes, n: int) -> Wholes:
    """Return the sum of the rows at each of n places."""
    sums = np.zeros(n, dtype=np.int64)
    np.add.at(sums, at, rows)
    return sums


def _chance(stretches: Wholes, true: Wholes, predicted: Wholes, rows: Wholes, n: int) -> list[int]:
    """Return, after each of n stretches, the sum of how often a class came times was predicted."""
    if int(rows.sum()) ** 2 >= 2**62:
        rows = rows.astype(object)  # beyond 64 bits
    some = predicted >= 0
    classes = np.concatenate([true, predicted[some]])
    when = np.concatenate([stretches, stretches[some]])
    came = np.concatenate([rows, 0 * rows[some]])
    said = np.concatenate([0 * rows, rows[some]])
    order = np.lexsort((when, classes))
    classes, when = classes[order], when[order]
    first = _are_first(classes)
    begins = np.flatnonzero(first)[np.cumsum(first) - 1]  # of each entry's class
    came, said = (
        sums - np.append(0, sums)[begins]
        for sums in (np.cumsum(came[order]), np.cumsum(said[order]))
    )
    # What a class adds to the sum changes where it came or was predicted, and there alone.
    product = came * said
    change = product - np.where(first, 0, np.append(0, product)[:-1])
    in_time = np.argsort(when, kind="stable")
    sums = np.append(0, np.cumsum(change[in_time]))
    chance: list[int] = sums[np.searchsorted(when[in_time], np.arange(n), side="right")].tolist()
    return chance
