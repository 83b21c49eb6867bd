"""What all tests share: where the reference lies, and how deep the property tests search."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

TESTS = Path(__file__).resolve().parent
for folder in (TESTS, TESTS.parent / "reference"):
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))

common = {
    "deadline": None,
    "database": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.differing_executors],
}
settings.register_profile("ci", derandomize=True, max_examples=60, **common)
settings.register_profile("deep", max_examples=2000, print_blob=True, **common)
settings.load_profile(os.environ.get("SAPWOOD_TEST_DEPTH", "ci"))
