"""Decision trees for data streams.

They grow only when they are sure, and ask for a label only when they are not.

>>> import sapwood
>>> tree = sapwood.ConfidenceTreeClassifier()
>>> tree.learn_one({"age": 41, "city": "Bari"}, "yes")
>>> tree.predict_one({"age": 38, "city": "Roma"})
'yes'
"""

import importlib
from typing import Any

from . import bounds, datasets, drift, strategies, streams
from ._sklearn import EXPECTED_FAILED_CHECKS, NotFittedError
from .active import ActiveLearner
from .budget import Budget
from .decision import Answer, Decision
from .evaluation import Evaluation
from .explain import Certificate
from .interrupted import Interrupted
from .persist import load
from .protocol import evaluate
from .results import Result
from .sweeping import sweep
from .tree import ConfidenceTreeClassifier
from .version import __version__


def __getattr__(name: str) -> Any:
    """Import what few need when it is first named."""
    if name in ("compare", "report", "river"):
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "ActiveLearner",
    "Answer",
    "Budget",
    "Certificate",
    "ConfidenceTreeClassifier",
    "Decision",
    "Evaluation",
    "Interrupted",
    "NotFittedError",
    "Result",
    "__version__",
    "bounds",
    "datasets",
    "drift",
    "evaluate",
    "load",
    "strategies",
    "streams",
    "sweep",
]
