"""The same settings make the same trees of the same streams, to the last byte, in every version."""

from __future__ import annotations

import json

import fence
import pytest

KEPT = json.loads(fence.KEPT.read_text())


@pytest.mark.skipif(KEPT["home"] != fence.HOME, reason=f"hashes are kept for {KEPT['home']}")
@pytest.mark.parametrize("name", fence.cases())
def test_no_saved_byte_changes(name):
    found = fence.digest(fence.cases()[name]())
    assert found == KEPT["hashes"][name], (
        "Another tree than before. If that is meant, say so in CHANGELOG under Models that change, "
        "and keep it with `python tests/formats/fence.py --update`."
    )


def test_every_kept_case_is_still_made():
    assert fence.cases().keys() == KEPT["hashes"].keys()
