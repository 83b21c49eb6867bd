"""Why a tree is as it is: certificates of its splits, and the path of one row in words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from . import _core
from ._intake import is_missing


@dataclass(frozen=True, slots=True)
class Certificate:
    """Why a leaf was split: the evidence, the bound that it passed, and what was decided.

    Attributes
    ----------
    feature : str or int
        Name of the column, or its position where columns have no names.
    threshold : float or None
        Numbers up to it go left; None for a categorical column.
    category : str, int, float or None
        Rows with it go left; None for a numeric column.
    missing_side : {"left", "right"}
        Where rows without a value go.
    m, t, depth, d
        Examples at the leaf, the clock, the leaf's depth, and the number of columns, at that time.
    gap, epsilon : float
        Advantage over the runner-up, and half-width of the bound.
    bound, delta, c
        The bound and what it was given; None for what it does not use.
    reason : {"confident", "tie"}
        Which rule split the leaf.
    """

    feature: Any
    threshold: float | None
    category: Any
    missing_side: str
    m: float
    t: float
    depth: int
    d: int
    gap: float
    epsilon: float
    bound: str
    delta: float | None
    c: float | None
    reason: str

    @classmethod
    def of(cls, record: Mapping[str, Any]) -> Certificate:
        """Make a certificate from the core's record of a split."""
        return cls(**{name: record[name] for name in cls.__match_args__})

    @property
    def test(self) -> str:
        """The question that the split asks, in words."""
        return test_of(self.feature, self.threshold, self.category)

    @property
    def evidence(self) -> str:
        """The certificate in words."""
        times = _core.gap_factor(self.bound)
        factor = "ε" if times == 1 else f"{times:g}ε"
        if self.reason == "confident":
            return f"gap {self.gap:.4g} > {factor} = {times * self.epsilon:.4g}, m = {self.m:.10g}"
        return f"tie at ε = {self.epsilon:.4g} (gap {self.gap:.4g}), m = {self.m:.10g}"


def test_of(feature: Any, threshold: float | None, category: Any) -> str:
    """Return the question "x <= 0.5" or "colour is 'red'"."""
    name = feature if isinstance(feature, str) else f"x[{feature}]"
    return f"{name} is {category!r}" if threshold is None else f"{name} <= {threshold:.6g}"


test_of.__test__ = False  # type: ignore[attr-defined]  # a name of the domain, not a test of ours


@dataclass(frozen=True, slots=True)
class Step:
    """One split that a row passes: the question, the row's value, and where it goes."""

    certificate: Certificate
    value: Any
    goes: str

    def __str__(self) -> str:
        shown = "missing" if self.value is None else repr(self.value)
        return f"{self.certificate.test}? {shown}: {self.goes}  [{self.certificate.evidence}]"


@dataclass(frozen=True, slots=True)
class Explanation:
    """How one row is classified. Iterates over its steps; ``str()`` gives the text."""

    steps: tuple[Step, ...]
    leaf: int
    prediction: Any
    probabilities: dict[Any, float]
    learned: float

    @classmethod
    def of(cls, model: _core.Model, x: dict[Any, Any]) -> Explanation:
        """Follow a row through the model."""
        passed, leaf, learned, prediction, probabilities = model.explain(x)
        steps = []
        for fields, left in passed:
            certificate = Certificate(*fields)
            value = x.get(certificate.feature)
            if is_missing(value):
                value = None
            steps.append(Step(certificate, value, "left" if left else "right"))
        return cls(tuple(steps), leaf, prediction, probabilities, learned)

    def __iter__(self) -> Iterator[Step]:
        return iter(self.steps)

    def __str__(self) -> str:
        shown = ", ".join(f"{label!r}: {p:.3f}" for label, p in self.probabilities.items())
        lines = [str(step) for step in self.steps]
        lines.append(
            f"leaf {self.leaf}, {self.learned:.10g} learned there: predicts {self.prediction!r} "
            f"({{{shown}}})"
        )
        return "\n".join(lines)
