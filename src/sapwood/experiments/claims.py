"""What the paper claims, and what we say of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = ["Claim", "Verdict"]

Verdict = Literal["reproduced", "partly", "not", "open"]


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
        Whether it held in our runs; "open" where these were too few or too short to say.
    measured : str
        What we found, with numbers.
    why : str
        What explains it, as far as we know.
    """

    where: str
    says: str
    verdict: Verdict
    measured: str
    why: str = ""
