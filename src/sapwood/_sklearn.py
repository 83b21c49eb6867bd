"""What scikit-learn expects of an estimator, without importing it.

scikit-learn's own exception and warning classes are used once it is loaded, so that its callers can
catch them; a program that does not use it never imports it.
"""

from __future__ import annotations

import sys
from typing import Any


class NotFittedError(ValueError, AttributeError):
    """The model was asked for a prediction before it knew any class."""


def not_fitted_error(message: str) -> Exception:
    """Return a NotFittedError that scikit-learn recognises too, where it is loaded."""
    exceptions = sys.modules.get("sklearn.exceptions")
    if exceptions is None:
        return NotFittedError(message)
    members = {"__reduce__": lambda self: (not_fitted_error, self.args)}
    both = type("NotFittedError", (NotFittedError, exceptions.NotFittedError), members)
    error: Exception = both(message)
    return error


def data_conversion_warning() -> type[Warning]:
    """scikit-learn's DataConversionWarning where it is loaded, else UserWarning."""
    exceptions = sys.modules.get("sklearn.exceptions")
    return getattr(exceptions, "DataConversionWarning", UserWarning)


def classifier_tags() -> Any:
    """Tags of a classifier that takes missing values, text and categories, and needs many rows."""
    from sklearn.utils import ClassifierTags, InputTags, Tags, TargetTags

    return Tags(
        estimator_type="classifier",
        target_tags=TargetTags(required=True),
        transformer_tags=None,
        regressor_tags=None,
        classifier_tags=ClassifierTags(poor_score=True),
        input_tags=InputTags(allow_nan=True, string=True, categorical=True, sparse=True),
    )


#: Checks of scikit-learn that do not apply, each with its reason; empty when all pass.
EXPECTED_FAILED_CHECKS: dict[str, str] = {}
