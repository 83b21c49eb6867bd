"""Page-Hinkley, ADWIN and DDM tell of drift where river's do."""

import numpy as np
import pytest

from sapwood.drift import ADWIN, DDM, PageHinkley

river_drift = pytest.importorskip("river.drift", reason="parity with river needs river")

SEEDS = range(6)
N = 20_000


def with_changes(seed):
    """0/1, real and coarse numbers (with many ties), whose mean changes now and then."""
    rng = np.random.default_rng(seed)
    parts = int(rng.integers(1, 12))
    level = np.repeat(rng.random(parts), N // parts + 1)[:N]
    bits = (rng.random(N) < level * rng.choice([0.1, 0.5, 1.0])).astype(float)
    bits[: rng.integers(0, 2000)] = 0.0
    real = rng.normal(level * rng.choice([0.5, 5.0, 50.0]), rng.choice([0.1, 1.0, 5.0]))
    coarse = np.round(rng.normal(4 * level, 1.0)) / 4
    return {"bits": bits.tolist(), "real": real.tolist(), "coarse": coarse.tolist()}


def detections(ours, theirs, values):
    """Return where each tells of drift; ours is called anew after each, as theirs."""
    found, expected = [], []
    for i, x in enumerate(values):
        if ours.update(x) == "drift":
            found.append(i)
        theirs.update(x)
        if theirs.drift_detected:
            expected.append(i)
    return found, expected


def check(make_ours, make_theirs):
    total = 0
    for seed in SEEDS:
        for values in with_changes(seed).values():
            found, expected = detections(make_ours(), make_theirs(), values)
            assert found == expected
            total += len(found)
    print(f"{total} detections on {len(SEEDS) * 3 * N} inputs")
    assert total > 0


@pytest.mark.parametrize("side", ["up", "down", "both"])
@pytest.mark.parametrize(
    "settings", [{}, {"threshold": 5.0}, {"threshold": 2.0, "delta": 0.05, "alpha": 0.99}]
)
def test_page_hinkley(settings, side):
    check(
        lambda: PageHinkley(side=side, **settings),
        lambda: river_drift.PageHinkley(mode=side, **settings),
    )


@pytest.mark.parametrize(
    ("delta", "clock", "max_buckets", "min_part", "min_examples"),
    [(0.002, 32, 5, 5, 10), (0.05, 1, 5, 5, 10), (0.3, 7, 3, 2, 20), (1e-5, 100, 10, 30, 60)],
)
def test_adwin(delta, clock, max_buckets, min_part, min_examples):
    check(
        lambda: ADWIN(delta, clock, max_buckets, min_part, min_examples),
        lambda: river_drift.ADWIN(delta, clock, max_buckets, min_part, min_examples),
    )


@pytest.mark.parametrize("warm_start", [30, 5, 200])
def test_ddm(warm_start):
    # The rules are the same but for the start: MOA's count, which ours follows, is one ahead and
    # looks at the lowest rate when it reaches min_examples, river's when it exceeds warm_start. So
    # river's is ours with two examples more.
    seen = dict.fromkeys(("in control", "warning", "drift"), 0)
    for seed in SEEDS:
        ours, theirs = DDM(warm_start + 2), river_drift.binary.DDM(warm_start)
        for x in with_changes(seed)["bits"]:
            theirs.update(x)
            level = "warning" if theirs.warning_detected else "in control"
            level = "drift" if theirs.drift_detected else level
            assert ours.update(x) == level
            seen[level] += 1
    print(f"warm_start={warm_start}: {seen}")
    assert min(seen.values()) > 0
