"""Decision trees for data streams: they grow only when they are sure.

>>> import sapwood
>>> tree = sapwood.ConfidenceTreeClassifier()
>>> tree.learn_one({"age": 41, "city": "Bari"}, "yes")
>>> tree.predict_one({"age": 38, "city": "Roma"})
'yes'
"""

from . import bounds, datasets
from ._sklearn import EXPECTED_FAILED_CHECKS, NotFittedError
from .explain import Certificate
from .persist import load
from .protocol import Result, evaluate
from .tree import ConfidenceTreeClassifier

__version__ = "0.1.0"

__all__ = [
    "EXPECTED_FAILED_CHECKS",
    "Certificate",
    "ConfidenceTreeClassifier",
    "NotFittedError",
    "Result",
    "bounds",
    "datasets",
    "evaluate",
    "load",
]
