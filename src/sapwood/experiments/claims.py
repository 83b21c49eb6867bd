"""What the paper claims, what we say of it, and what it takes to say it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Literal

from ..report.words import counted, percent

__all__ = ["ENOUGH", "Claim", "Evidence", "Verdict"]

Verdict = Literal["reproduced", "partly", "not", "open"]

#: Runs that a verdict needs: of five, not even all that agree are significant (2 · ½⁵ > 0.05).
RUNS = 6
#: How long their streams must be against the paper's.
LENGTH = 0.1
#: What every verdict needs, in words.
ENOUGH = (
    f"Whatever its own rule says, a verdict is open where it rests on fewer than {RUNS}\n"
    f"independent streams, orders or seeds of a case (of {RUNS - 1}, not even all that agree are\n"
    f"significant at 5 %), or on streams of less than {percent(LENGTH, 0)} of the paper's length.\n"
    "Limits of a probability count their samples themselves."
)


@dataclass(frozen=True)
class Evidence:
    """What verdicts rest on.

    Parameters
    ----------
    runs : int, optional
        The fewest independent runs of any case; None where the rule counts them itself.
    of : str
        What they are, as one: "stream", "order" or "seed".
    length : float
        How long their streams are against the paper's.
    """

    runs: int | None = None
    of: str = "run"
    length: float = 1.0

    @property
    def lack(self) -> str:
        """What is too little to tell, in words; empty if nothing is."""
        lacks = []
        if self.runs is not None and self.runs < RUNS:
            lacks.append(f"{counted(self.runs, self.of)} of a case, where {RUNS} are needed")
        if self.length < LENGTH:
            lacks.append(f"streams of {percent(self.length)} of the paper's length")
        return ", and ".join(lacks)

    def under(self, claims: Iterable[Claim]) -> list[Claim]:
        """Return the claims, resting on it."""
        return [replace(claim, evidence=self) for claim in claims]


@dataclass(frozen=True)
class Claim:
    """One claim of the paper, judged.

    Parameters
    ----------
    where : str
        Where the paper makes it: "abstract", "Section VII-A".
    says : str
        The claim, in our words.
    verdict : {"reproduced", "partly", "not", "open"}
        Whether it held in our runs, by its own rule; "open" where that cannot say.
    measured : str
        What we found, with numbers.
    why : str
        What explains it, as far as we know.
    evidence : Evidence
        What the verdict rests on.
    """

    where: str
    says: str
    verdict: Verdict
    measured: str
    why: str = ""
    evidence: Evidence = field(default_factory=Evidence)

    def settled(self) -> Claim:
        """Return the claim as the page tells it: open if it rests on too little."""
        lack = self.evidence.lack
        return replace(self, verdict="open", why=f"Too little to tell: {lack}.") if lack else self
