"""What a learner says of an example, and what becomes of an answer."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .strategies import Verdict


class Answer(enum.StrEnum):
    """What became of an answer, or of giving up a question."""

    LEARNED = "learned"
    LATE = "late"  #: the question had expired; the answer was paid for, and is learned
    REPEATED = "repeated"  #: it was answered before; nothing changes
    REFUSED = "refused"  #: its label was refunded; nothing changes
    UNASKED = "unasked"  #: the example was not asked about; nothing changes
    UNKNOWN = "unknown"  #: there is no such example, or it is too long ago; nothing changes
    EXPIRED = "expired"
    REFUNDED = "refunded"


class Why(NamedTuple):
    """The grounds of a decision."""

    verdict: Verdict | None  # None: the budget did not allow a question
    m: float | None
    budget: str
    fault: str = ""  # of an example that is passed over

    def in_words(self, ask: bool) -> str:
        """Return them as a sentence."""
        v = self.verdict
        if self.fault:
            return f"it is passed over: {self.fault}"
        if v is None:
            return f"the budget is spent ({self.budget})"
        if v.ground == "draw":
            against = f"a draw of {v.value:.3f} against a probability of {v.limit:.3f}"
            return f"{against}: {'asked' if ask else 'passed over'} by chance"
        if v.ground == "confidence":
            side = "below" if ask else "not below"
            return f"the model's confidence {v.value:.3f} is {side} the threshold {v.limit:.3f}"
        if v.ground == "margin":
            if not self.m:
                return "its leaf has learned no label yet"
            return (
                f"its leaf has learned {self.m:g} labels, and its majority may be chance: "
                f"half the margin {v.value:.3f} is within {v.limit:.3f}"
            )
        return "the strategy asks" if ask else "the strategy does not ask"


@dataclass(frozen=True)
class Decision:
    """What the learner says of an example, and whether it wants its label.

    Attributes
    ----------
    id : int
        The number of the example; pass it to ``label``.
    prediction : label or None
        None before the first label.
    probabilities : dict
        Probability of each class known.
    interval : pair of float, or None
        Bounds of the share of the leaf's most frequent class, wrong with probability 1/t at most
        for two classes and 1.5/t for more; None if the model cannot tell what its leaf learned.
    ask : bool
        Whether the label is wanted.
    reason : str
        Why, in words.
    why : Why
        The grounds, in numbers.
    """

    id: int
    prediction: Any
    probabilities: dict[Any, float]
    interval: tuple[float, float] | None
    ask: bool
    why: Why = field(compare=False)

    @property
    def reason(self) -> str:
        """Why it asks or does not, in words."""
        return self.why.in_words(self.ask)

    def __repr__(self) -> str:
        verb = "ask" if self.ask else "do not ask"
        return f"<Decision {self.id}: {self.prediction!r}, {verb}: {self.reason}>"
