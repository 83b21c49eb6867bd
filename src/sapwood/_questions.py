"""The questions that were asked, and what became of each: the ledger of a budget, by name."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy as np

from . import _core
from .decision import Answer

_REMEMBERED = 100_000  # closed questions that are still told apart from unknown ones
_BLOCK = 1000  # closed questions that are copied at most twice for a copy of all
_KEPT_EXPIRED = 10_000  # expired questions whose late answers can still be learned


class Question(NamedTuple):
    """An example that waits for its label."""

    x: Any
    prediction: Any
    feeds: bool  # its label may feed the drift detector
    mark: float  # under which the budget knows it


class Closed:
    """What became of questions, by number, oldest first.

    Blocks between the first and the last never change, so a copy of all costs as little as one of
    few.
    """

    def __init__(self, known: Mapping[int, str] | None = None) -> None:
        self._blocks: deque[dict[int, str]] = deque([{}])
        self._n = 0
        for id, how in (known or {}).items():
            self.add(id, how)

    def __len__(self) -> int:
        return self._n

    def add(self, id: int, how: str) -> None:
        """Remember a question that was just closed."""
        if len(self._blocks[-1]) >= _BLOCK:
            self._blocks.append({})
        self._blocks[-1][id] = how
        self._n += 1

    def get(self, id: int) -> str | None:
        """Say what became of a question; None if it is not known."""
        return next((block[id] for block in self._blocks if id in block), None)

    def forget_oldest(self) -> int:
        """Forget the question that was closed first, and return its number."""
        oldest = next(iter(self._blocks[0]))
        del self._blocks[0][oldest]
        self._n -= 1
        if not self._blocks[0] and len(self._blocks) > 1:
            self._blocks.popleft()
            self._blocks[0] = self._blocks[0].copy()  # from now on it changes
        return oldest

    def items(self) -> Iterator[tuple[int, str]]:
        """Return the questions and what became of each."""
        return (item for block in self._blocks for item in block.items())

    def copy(self) -> Closed:
        """Return them as they are now."""
        same = Closed()
        same._blocks, same._n = self._blocks.copy(), self._n
        same._blocks[0], same._blocks[-1] = self._blocks[0].copy(), self._blocks[-1].copy()
        return same


class Questions:
    """Open, expired and closed questions by the number of their example."""

    def __init__(self, budget: _core.Budget) -> None:
        self._budget = budget
        self.open: dict[int, Question] = {}
        self.expired: dict[int, Question] = {}
        self.closed = Closed()
        self.forgotten = 0  # the latest closed question that is no longer told apart

    def ask(self, id: int, x: Any, prediction: Any, feeds: bool) -> None:
        """Spend a label on an example."""
        self.open[id] = Question(x, prediction, feeds, self._budget.ask())

    def find(self, id: int) -> Question | None:
        """Return the question that an answer would be learned for."""
        if not _is_number(id):
            return None
        return self.open.get(id) or self.expired.get(id)

    def answer(self, id: int) -> Answer:
        """Close a question whose answer was learned."""
        late = id in self.expired
        if late:
            del self.expired[id]
            self._budget.answer_late()
        else:
            del self.open[id]
            self._budget.answer()
        self._close(id, "answered")
        return Answer.LATE if late else Answer.LEARNED

    def expire(self, id: int) -> Answer:
        """Give up a question; its label stays spent."""
        if not _is_number(id):
            return Answer.UNKNOWN
        question = self.open.pop(id, None)
        if question is not None:
            self._budget.expire()
            self.expired[id] = question
            if len(self.expired) > _KEPT_EXPIRED:
                oldest = next(iter(self.expired))
                del self.expired[oldest]
                self._close(oldest, "forgotten")
        return Answer.EXPIRED if id in self.expired else self.status(id)

    def refund(self, id: int) -> Answer:
        """Take a question back; its label may be spent on another example."""
        question = self.find(id)
        if question is None:
            return self.status(id)
        was_expired = id in self.expired
        del (self.expired if was_expired else self.open)[id]
        self._budget.refund(question.mark, was_expired)
        self._close(id, "refunded")
        return Answer.REFUNDED

    def status(self, id: Any) -> Answer:
        """Say what an id is that no question waits for."""
        if not _is_number(id):
            return Answer.UNKNOWN
        closed = self.closed.get(id)
        if closed is not None:
            known = {"answered": Answer.REPEATED, "refunded": Answer.REFUSED}
            return known.get(closed, Answer.UNKNOWN)
        return Answer.UNASKED if self.forgotten < id <= self._budget.seen else Answer.UNKNOWN

    def _close(self, id: int, how: str) -> None:
        self.closed.add(id, how)
        if len(self.closed) > _REMEMBERED:
            self.forgotten = max(self.forgotten, self.closed.forget_oldest())


def _is_number(id: Any) -> bool:
    return isinstance(id, (int, np.integer)) and not isinstance(id, bool)
