"""When to ask for a label: the strategies of the paper, and room for your own.

A strategy sees an example as :class:`Evidence` and says whether to ask. It knows nothing of
budgets: it is consulted only while the budget allows a question.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol, runtime_checkable

from . import _core

Evidence = _core.Evidence
Verdict = _core.Verdict
Rng = _core.Rng

__all__ = [
    "NAMES",
    "Evidence",
    "KnowsItsLeaf",
    "Rng",
    "Strategy",
    "UserStrategy",
    "Verdict",
    "make",
]

NAMES: tuple[str, ...] = tuple(_core.strategy_names())


@runtime_checkable
class KnowsItsLeaf(Protocol):
    """A model that can tell what was learned where an example ends: what ``conf-tree`` needs."""

    def learned_at(self, x: Mapping[Any, Any]) -> Mapping[Any, float]:
        """Return how many examples of each class were learned at the leaf of x."""
        ...


@runtime_checkable
class UserStrategy(Protocol):
    """Your own strategy: any object with this method.

    Examples
    --------
    Ask about every example of which the model is less than 60 % sure, and one in a hundred others:

    >>> class Doubtful:
    ...     def decide(self, evidence, rate, rng):
    ...         return evidence.confidence < 0.6 or rng.uniform() < 0.01
    >>> import sapwood
    >>> from sapwood.datasets import rand_cbt
    >>> tree = sapwood.ConfidenceTreeClassifier()
    >>> stream = rand_cbt(n_leaves=4, per_leaf=500, seed=2)
    >>> result = sapwood.evaluate(stream, tree, strategy=Doubtful(), budget=0.2, random_state=1)
    >>> result.query_rate <= 0.2
    True
    """

    def decide(self, evidence: Evidence, rate: float, rng: Rng) -> bool | Verdict:
        """Say whether to ask. ``rate`` is the budget's B; draw from ``rng`` to be repeatable."""
        ...


class Strategy:
    """One of the strategies by name.

    Parameters
    ----------
    name : str
        One of :data:`NAMES`:

        - "random": a share B of the examples.
        - "variable-uncertainty": those of which the model is less sure than a threshold that falls
          with each question and rises with each example passed over.
        - "randomized-variable-uncertainty": the same, the threshold times a draw from N(1, 1).
        - "selective-sampling": with probability B / (B + margin of the leaf).
        - "conf-tree": every example of a leaf whose majority may be chance; others with probability
          (B + epsilon) / (B + epsilon + margin).
        - "split", "split-conf-tree": a share ``nu`` at random, which alone feeds the drift
          detector; the rest by variable-uncertainty or conf-tree.
        - "all", "none".
    nu : float
        Random share of the two split strategies.
    step, theta : float
        Relative step and first value of the threshold.
    delta : float or "1/t"
        Probability of failure in conf-tree's epsilon.
    """

    def __init__(
        self,
        name: str,
        *,
        nu: float = 0.2,
        step: float = 0.01,
        theta: float = 1.0,
        delta: float | str = "1/t",
    ) -> None:
        if isinstance(delta, str):
            if delta != "1/t":
                raise ValueError(f"delta must be a number or '1/t'; got {delta!r}.")
            delta = 0.0
        elif not delta > 0.0:
            raise ValueError("delta must lie strictly between 0 and 1, or be '1/t'.")
        self._core = _core.Strategy(name, nu, step, theta, delta)
        self.settings: dict[str, Any] = {
            "name": name,
            "nu": nu,
            "step": step,
            "theta": theta,
            "delta": delta or "1/t",
        }

    @property
    def name(self) -> str:
        """The strategy's name."""
        return self._core.name

    @property
    def theta(self) -> float:
        """The threshold of the uncertainty strategies, as it is now."""
        return self._core.theta

    def decide(self, evidence: Evidence, rate: float, rng: Rng) -> Verdict:
        """Decide about one example, and move the strategy's own state."""
        return self._core.decide(evidence, rate, rng)

    def unsure(self, evidence: Evidence, rate: float) -> float:
        """Return the probability of asking now, without any deliberate exploration."""
        return self._core.unsure(evidence, rate)

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self.settings, "state": self._core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        Strategy.__init__(self, **state["settings"])
        self._core.restore(state["state"])

    def __repr__(self) -> str:
        return f"Strategy({self.name!r})"


def make(strategy: str | Strategy | UserStrategy) -> Strategy | UserStrategy:
    """Return a strategy: by its name, or the object itself."""
    if isinstance(strategy, str):
        return Strategy(strategy)
    if isinstance(strategy, (Strategy, UserStrategy)):
        return strategy
    raise TypeError(
        f"strategy must be one of {', '.join(NAMES)}, or an object with a method "
        f"decide(evidence, rate, rng); got {type(strategy).__name__}."
    )
