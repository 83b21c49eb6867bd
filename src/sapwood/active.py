"""Asking people: decide about an example now, and learn from its label whenever it comes."""

from __future__ import annotations

import copy
import os
import secrets
import time
from collections import deque
from collections.abc import Mapping
from typing import Any

import numpy as np

from . import _core, _forks, strategies
from . import drift as drifts
from ._clock import moment, require_time
from ._container import write_whole
from ._labels import declared_labels
from ._learners import Learner, TreeLearner, learner_for
from ._questions import Closed, Question, Questions
from .budget import Budget
from .decision import Answer, Decision, Why
from .tree import ConfidenceTreeClassifier


class ActiveLearner:
    """A model that is taught only the labels that it asks for.

    ``decide`` never waits for a label, and ``label`` never decides: between them lie minutes or
    weeks, and answers may come in any order, twice, or not at all. Several threads may share one
    learner: calls take turns.

    Parameters
    ----------
    model : ConfidenceTreeClassifier, or a classifier of river or scikit-learn
        It is taught itself, not a copy; after a drift another takes its place (``learner.model``).
    strategy : str, Strategy or object with ``decide(evidence, rate, rng)``
        See :mod:`sapwood.strategies`.
    budget : float, str or Budget
        A number is the share of the stream that may be asked about. A Budget, like a Strategy, is
        a pattern: the learner begins its own, ``learner.budget``.
    drift : None, "ddm", "adwin", "page-hinkley", Detector or Drift
        See :mod:`sapwood.drift`. The errors fed are those of the predictions given at ``decide``.
    random_state : int or None
        Seed of the strategy's draws; None takes one from the system.
    classes : list, optional
        All classes: no other label is learned. scikit-learn's models need them; a tree that has
        learned must find those it knows among them, and if they were declared before, the same.
    recent : int
        How many of the latest examples, asked about or not, are kept for :meth:`uncertain_share`.
        They are saved with the learner; 0 keeps none.

    Examples
    --------
    >>> import sapwood
    >>> tree = sapwood.ConfidenceTreeClassifier()
    >>> learner = sapwood.ActiveLearner(tree, budget=0.5, random_state=7)
    >>> d = learner.decide({"age": 41, "city": "Bari"})
    >>> d.id, d.prediction, d.ask, d.reason
    (1, None, True, 'its leaf has learned no label yet')
    >>> learner.label(d.id, "yes")
    <Answer.LEARNED: 'learned'>
    >>> learner.decide({"age": 38, "city": "Roma"}).prediction
    'yes'
    """

    def __init__(
        self,
        model: Any,
        strategy: str | strategies.Strategy | strategies.UserStrategy = "conf-tree",
        budget: float | str | Budget = 0.1,
        drift: str | drifts.Detector | drifts.Drift | None = None,
        random_state: int | None = None,
        *,
        classes: Any = None,
        recent: int = 1000,
    ) -> None:
        classes = declared_labels(classes) if classes is not None and len(classes) else None
        self._learner: Learner = learner_for(model, classes)
        self.strategy = strategies.make(strategy)
        if isinstance(self.strategy, strategies.Strategy):
            self.strategy = strategies.Strategy(**self.strategy.settings)
        self.budget = Budget.make(budget).fresh()
        self.random_state = seed_of(random_state)
        self.drift = drifts.make(drift)
        self._classes = classes
        self._guard = None if self.drift is None else self.drift._guard()
        self._rng = _core.Rng(self.random_state)
        self._background: Learner | None = None
        self._questions = Questions(self.budget._core)
        self._recent: deque[Any] = deque(maxlen=recent)
        self._turn = _forks.new_lock()
        self._check_strategy()
        if self.drift is not None:
            self._learner.fresh()  # a model that cannot begin anew is refused now, not at the drift
        if isinstance(self._learner, TreeLearner):
            self._learner.declare()

    def _check_strategy(self) -> None:
        chosen = self.strategy
        if not isinstance(chosen, strategies.Strategy):
            return
        who = type(self._learner.model).__name__
        if chosen._core.needs_m and not self._learner.knows_leaf:
            raise TypeError(
                f"The strategy {chosen.name!r} needs a model that can tell what was learned at an "
                f"example's leaf (a method learned_at(x)), and {who} cannot. Use a "
                "ConfidenceTreeClassifier, or another strategy."
            )
        # The counts of a leaf are shares, too; how sure the model is only it can tell.
        told = self._learner.can_weigh or self._learner.knows_leaf
        needs = chosen._core.needs_confidence and not self._learner.can_weigh
        if needs or (chosen._core.needs_leaf and not told):
            raise TypeError(
                f"The strategy {chosen.name!r} needs class probabilities, and {who} gives none. "
                "Use the strategy 'random', or another model."
            )

    # --- deciding and answering -------------------------------------------------------------------

    def decide(self, x: Any, *, now: float | None = None) -> Decision:
        """Predict an example and decide whether to ask for its label.

        Parameters
        ----------
        x : mapping, or one-dimensional sequence
            The example. If it is asked about, it is kept until its question is closed.
        now : float, optional
            The time in seconds, for a budget per time; the machine's clock if not given. See
            :meth:`Budget.per_time` for the times that are refused.
        """
        with self._turn:
            return self._decide(x, now)

    def _decide(self, x: Any, now: float | None, weigh: bool = True) -> Decision:
        budget = self.budget._core
        if now is None:
            now = time.time() if budget.cap == "period" else 0.0
        now = moment(now)
        require_time(budget, now)
        row, fault = self._learner.freeze(x)
        said = self._learner.consider(row, weigh)
        self._learner.see(row)
        budget.see(now)
        evidence = self._evidence(said.probabilities, said.learned)
        verdict = None
        if not fault and budget.allows():
            given = self.strategy.decide(evidence, budget.rate, self._rng)
            verdict = given if isinstance(given, _core.Verdict) else _core.Verdict(bool(given))
        number = budget.seen
        ask = verdict is not None and verdict.ask
        if verdict is not None and ask:
            self._questions.ask(number, row, said.prediction, verdict.feeds)
        self._recent.append(row)
        return Decision(
            number,
            said.prediction,
            said.probabilities,
            None if said.learned is None else _interval(evidence, said.learned),
            ask,
            Why(
                verdict,
                None if said.learned is None else evidence.m,
                self.budget._told(),
                fault,
            ),
        )

    def label(self, id: int, y: Any) -> Answer:
        """Learn the label of an example that was asked about, and say what became of it.

        A label that cannot be a class is an error, and the question stays open.
        """
        with self._turn:
            return self._label(id, y)

    def _label(self, id: int, y: Any) -> Answer:
        question = self._questions.find(id)
        if question is None:
            return self._questions.status(id)
        self._learner.require_label(y)
        self._teach(question, y)
        return self._questions.answer(id)

    def expire(self, id: int, *, refund: bool = False) -> Answer:
        """Give up a question.

        Its label stays spent, and an answer that still comes is learned, for the latest 10,000
        such questions. With ``refund`` the label may be spent on another example, and a later
        answer is refused.
        """
        with self._turn:
            return self._questions.refund(id) if refund else self._questions.expire(id)

    def _teach(self, question: Question, y: Any) -> None:
        """Follow the guard's orders with a label; one that a learner refuses changes nothing."""
        if self._guard is None:
            self._learner.learn(question.x, y)
            return
        before = self._guard.state()
        current, background = self._learner, self._background
        try:
            orders = self._guard.on_label(question.prediction != y, question.feeds)
            if orders.renew_before:
                background = None
            # Before a swap only one of the two learns; without one, the current learner goes first,
            # so that a label which it refuses leaves the other as it was.
            if not orders.swap and orders.train_current:
                current.learn(question.x, y)
            if orders.train_background or orders.swap:
                background = self._ready_background(background)
            if orders.train_background and background is not None:
                background.learn(question.x, y)
            if orders.swap and background is not None:
                current, background = background, None
                if orders.train_current:
                    current.learn(question.x, y)
        except BaseException:
            self._guard.restore(before)
            raise
        self._learner = current
        self._background = None if orders.renew_after else background

    def _ready_background(self, background: Learner | None) -> Learner:
        """Return the background learner with the current one's names and clock."""
        if background is None:
            return self._learner.fresh()
        if isinstance(background, TreeLearner) and isinstance(self._learner, TreeLearner):
            theirs, ours = self._learner.model, background.model
            if ours._model is not None and theirs._model is not None:
                ours._model.adopt_names(theirs._model)
            ours._advance(theirs.t_ - ours.t_)
        return background

    # --- what it knows ----------------------------------------------------------------------------

    @property
    def model(self) -> Any:
        """The model as it is now; after a drift, the one that took over."""
        return self._learner.model

    @property
    def drifts(self) -> int:
        """Drifts found so far."""
        return 0 if self._guard is None else self._guard.drifts

    @property
    def questions(self) -> dict[int, Any]:
        """The open questions: examples by id, oldest first."""
        with self._turn:
            return {id: copy.copy(question.x) for id, question in self._questions.open.items()}

    def uncertain_share(self) -> float:
        """Return the part of the latest examples about which the model would still ask now.

        Over the last 1,000 examples (``recent``), whatever the budget: for "conf-tree", those whose
        leaf may still be wrong about its majority; for the uncertainty strategies, those below the
        threshold; for "random" and "selective-sampling", the probability of a question. Asking
        that only explores is left out, so 0 means that no answer would settle anything open.
        """
        with self._turn:
            if self._recent.maxlen == 0:
                raise ValueError("No examples are kept to look at: recent=0.")
            if not self._recent:
                return 1.0
            return sum(self._unsure(x) for x in self._recent) / len(self._recent)

    def _unsure(self, x: Any) -> float:
        said = self._learner.consider(x)
        evidence = self._evidence(said.probabilities, said.learned)
        if isinstance(self.strategy, strategies.Strategy):
            return self.strategy.unsure(evidence, self.budget.B)
        # Of a user's strategy only its decision is known; a copy decides, so that nothing moves.
        chosen, rng = copy.deepcopy(self.strategy), _core.Rng(self.random_state)
        verdict = chosen.decide(evidence, self.budget.B, rng)
        return float(verdict.ask if isinstance(verdict, _core.Verdict) else verdict)

    def _evidence(
        self, probabilities: Mapping[Any, float], learned: list[float] | None
    ) -> strategies.Evidence:
        shares = list(probabilities.values())
        confidence = max(shares, default=0.0)
        counts = shares if learned is None else learned
        t = self._learner.time(self.budget.seen)
        return _core.Evidence(confidence, counts, max(len(shares), len(counts)), t)

    # --- files ------------------------------------------------------------------------------------

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the learner to a file that :func:`sapwood.load` reads, open questions included.

        Only for a ConfidenceTreeClassifier with a strategy by name; others can be pickled.
        """
        from ._learner_file import to_bytes

        write_whole(path, to_bytes(self))

    def __getstate__(self) -> dict[str, Any]:
        with self._turn:
            state = self._state()
        return state | {"closed": dict(state["closed"].items())}

    def _state(self) -> dict[str, Any]:
        """Return all that it knows, as it is now: other threads may go on teaching it."""
        chosen = self.strategy
        state = {
            "model": self._learner.copied(),
            "background": None if self._background is None else self._background.copied(),
            "strategy": chosen.settings if isinstance(chosen, strategies.Strategy) else chosen,
            "budget": str(self.budget),
            "drift": None if self.drift is None else self.drift.settings,
            "random_state": self.random_state,
            "classes": self._classes,
            "memory": self._learner.memory,
            "forgotten": self._questions.forgotten,
            "open": self._questions.open.copy(),
            "expired": self._questions.expired.copy(),
            "closed": self._questions.closed.copy(),
            "recent": list(self._recent),
            "n_recent": self._recent.maxlen,
            "rng_state": self._rng.state(),
            "budget_state": self.budget._core.state(),
        }
        if isinstance(chosen, strategies.Strategy):
            state["strategy_state"] = chosen._core.state()
        if self._guard is not None:
            state["guard_state"] = self._guard.state()
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        strategy = state["strategy"]
        if isinstance(strategy, dict):
            strategy = strategies.Strategy(**strategy)
        model, classes = state["model"], state["classes"]
        has_begun = isinstance(model, ConfidenceTreeClassifier) and model._model is not None
        ActiveLearner.__init__(
            self,
            model,
            strategy,
            Budget.parse(state["budget"]),
            None if state["drift"] is None else drifts.Drift.of(state["drift"]),
            state["random_state"],
            classes=None if has_begun else classes,  # a tree that has begun was told, or was not
        )
        self._classes = classes
        self._rng.restore(state["rng_state"])
        self.budget._core.restore(state["budget_state"])
        if isinstance(self.strategy, strategies.Strategy):
            self.strategy._core.restore(state["strategy_state"])
        if self._guard is not None:
            self._guard.restore(state["guard_state"])
        if state["background"] is not None:
            self._background = learner_for(state["background"], classes)
            self._background.memory = state["memory"]
        self._learner.memory = state["memory"]
        self._questions.forgotten = state["forgotten"]
        self._questions.open, self._questions.expired = dict(state["open"]), dict(state["expired"])
        self._questions.closed = Closed(state["closed"])
        self._recent = deque(state["recent"], maxlen=state["n_recent"])

    def __repr__(self) -> str:
        return (
            f"<ActiveLearner: {type(self.model).__name__}, {self.strategy!r}, {self.budget!r}, "
            f"{self.budget.seen} seen, {self.budget.asked} asked, {self.budget.open} open>"
        )


def seed_of(random_state: int | None) -> int:
    """Return the seed: the given one, or one from the system."""
    if random_state is None:
        return secrets.randbits(32)
    whole = isinstance(random_state, (int, np.integer)) and not isinstance(random_state, bool)
    if not whole or not 0 <= random_state < 2**64:
        raise ValueError(f"random_state must be a whole number of 0 or more; got {random_state!r}.")
    return int(random_state)


def _interval(evidence: strategies.Evidence, learned: list[float]) -> tuple[float, float]:
    """Bounds of the leaf's largest class share (Theorem 5)."""
    if not evidence.m:
        return 0.0, 1.0
    share, epsilon = max(learned) / evidence.m, evidence.epsilon()
    return max(0.0, share - epsilon), min(1.0, share + epsilon)
