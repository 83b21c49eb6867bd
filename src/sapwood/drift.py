"""Drift: detectors, and what is done when they fire.

A detector is fed the errors of a learner, 1 or 0, and tells of a ``"warning"`` or a ``"drift"``.
:class:`Drift` trains a fresh learner from the warning on and puts it in the place of the old one at
the drift.
"""

from __future__ import annotations

from typing import Any

from . import _core
from ._params import whole_number

__all__ = ["ADWIN", "DDM", "NAMES", "Detector", "Drift", "PageHinkley", "make"]


class Detector:
    """A drift detector: feed it numbers with :meth:`update`."""

    _core: _core.Detector
    settings: dict[str, Any]

    def update(self, x: float) -> str:
        """Feed one number; return "in control", "warning" or "drift".

        After a drift the next number begins anew. A number that is infinite, not a number or, for
        DDM, not between 0 and 1, is a ValueError that changes nothing.
        """
        return self._core.update(float(x))

    @property
    def level(self) -> str:
        """What the last update returned."""
        return self._core.level

    def fresh(self) -> Detector:
        """Return a detector with the same settings that has seen nothing."""
        return type(self)(**self.settings)

    def __getstate__(self) -> dict[str, Any]:
        return {"settings": self.settings, "state": self._core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(**state["settings"])  # type: ignore[misc]
        self._core.restore(state["state"])

    def __repr__(self) -> str:
        inside = ", ".join(f"{name}={value!r}" for name, value in self.settings.items())
        return f"{type(self).__name__}({inside})"


class DDM(Detector):
    """The method of Gama et al. (2004), as MOA has it: for errors, 1 or 0.

    Parameters
    ----------
    min_examples : int
        Inputs before the first warning or drift.
    warning_level, drift_level : float
        Standard deviations above the lowest error rate.

    Examples
    --------
    >>> from sapwood.drift import DDM
    >>> detector = DDM()
    >>> errors = [0, 0, 0, 0, 1] * 40 + [1, 0] * 40
    >>> levels = [detector.update(e) for e in errors]
    >>> levels.index("warning"), levels.index("drift")
    (216, 240)
    """

    def __init__(
        self, min_examples: int = 30, warning_level: float = 2.0, drift_level: float = 3.0
    ) -> None:
        self._core = _core.Detector.ddm(min_examples, warning_level, drift_level)
        self.settings = {
            "min_examples": min_examples,
            "warning_level": warning_level,
            "drift_level": drift_level,
        }


class PageHinkley(Detector):
    """The test of Page (1954) for a change of the mean, as river has it. It gives no warnings.

    Parameters
    ----------
    min_examples : int
        Inputs before the first drift.
    delta, threshold, alpha : float
        Tolerance, height of the sum at which it fires, and forgetting factor.
    side : {"up", "down", "both"}
        Which changes count; errors should be watched for going up.
    """

    def __init__(
        self,
        min_examples: int = 30,
        delta: float = 0.005,
        threshold: float = 50.0,
        alpha: float = 0.9999,
        side: str = "up",
    ) -> None:
        self._core = _core.Detector.page_hinkley(min_examples, delta, threshold, alpha, side)
        self.settings = {
            "min_examples": min_examples,
            "delta": delta,
            "threshold": threshold,
            "alpha": alpha,
            "side": side,
        }


class ADWIN(Detector):
    """The adaptive window of Bifet and Gavalda (2007), as river has it. It gives no warnings.

    Parameters
    ----------
    delta : float
        Confidence of a cut.
    clock : int
        Inputs between two tests.
    max_buckets : int
        Buckets of one size before two are merged.
    min_part, min_examples : int
        Shortest part of the window that is compared, and shortest window.
    """

    def __init__(
        self,
        delta: float = 0.002,
        clock: int = 32,
        max_buckets: int = 5,
        min_part: int = 5,
        min_examples: int = 10,
    ) -> None:
        self._core = _core.Detector.adwin(delta, clock, max_buckets, min_part, min_examples)
        self.settings = {
            "delta": delta,
            "clock": clock,
            "max_buckets": max_buckets,
            "min_part": min_part,
            "min_examples": min_examples,
        }


_DETECTORS: dict[str, type[Detector]] = {"ddm": DDM, "adwin": ADWIN, "page-hinkley": PageHinkley}
NAMES: tuple[str, ...] = tuple(_DETECTORS)


class Drift:
    """What is done about drift.

    A warning begins a background learner; it is trained on every label while the warning lasts, and
    is dropped if the warning passes. At a drift it takes over, as soon as it has learned
    ``swap_after`` labels: at once after a long enough warning, else that many labels later. So the
    learner that takes over is never untrained and never left from an older warning. A detector that
    fires because errors became fewer is not heeded.

    Parameters
    ----------
    detector : str or Detector
        "ddm", "adwin", "page-hinkley", or a detector.
    swap_after : int
        Labels that a background learner must have learned before it takes over.
    compat : {"moa"}, optional
        Follow MOA's SingleClassifierDrift, which may swap in an untrained or stale learner.
    """

    def __init__(
        self, detector: str | Detector = "ddm", *, swap_after: int = 30, compat: str | None = None
    ) -> None:
        if isinstance(detector, str):
            if detector not in _DETECTORS:
                raise ValueError(
                    f"drift must be one of {', '.join(map(repr, NAMES))}; got {detector!r}."
                )
            detector = _DETECTORS[detector]()
        if not isinstance(detector, Detector):
            raise TypeError(f"detector must be a Detector; got {type(detector).__name__}.")
        if compat not in (None, "moa"):
            raise ValueError(f"compat must be 'moa' or None; got {compat!r}.")
        if detector.settings.get("side") == "down":
            raise ValueError("A detector of falling errors has no use here: side='up' or 'both'.")
        self.detector = detector
        self.swap_after = whole_number("swap_after", swap_after, 1)
        self.compat = compat
        self._guard()

    @property
    def settings(self) -> dict[str, Any]:
        """What :meth:`of` makes an equal one from."""
        name = next(n for n, kind in _DETECTORS.items() if isinstance(self.detector, kind))
        return {
            "detector": name,
            **self.detector.settings,
            "swap_after": self.swap_after,
            "compat": self.compat,
        }

    @classmethod
    def of(cls, settings: dict[str, Any]) -> Drift:
        """Return what is done about drift from its settings."""
        rest = dict(settings)
        kind, after, compat = rest.pop("detector"), rest.pop("swap_after"), rest.pop("compat")
        return cls(_DETECTORS[kind](**rest), swap_after=after, compat=compat)

    def _guard(self) -> _core.Guard:
        return _core.Guard(self.detector.fresh()._core, self.swap_after, self.compat or "none")

    def __repr__(self) -> str:
        compat = f", compat={self.compat!r}" if self.compat else ""
        return f"Drift({self.detector!r}, swap_after={self.swap_after}{compat})"


def make(drift: str | Detector | Drift | None) -> Drift | None:
    """Return what is done about drift: by a detector's name, for a detector, or as given."""
    if drift is None or isinstance(drift, Drift):
        return drift
    if isinstance(drift, (str, Detector)):
        return Drift(drift)
    raise TypeError(
        f"drift must be None, one of {', '.join(map(repr, NAMES))}, a Detector or a Drift; "
        f"got {type(drift).__name__}."
    )
