"""Shares estimated from few tries: what the numbers are, and which way they move."""

from __future__ import annotations

import pytest

from hindcast.reason import shares
from hindcast.reason.shares import BELOW_CHANCE, share


def test_without_any_try_everything_is_equally_likely() -> None:
    """The prior is flat: its mean is a half, and a tenth of it lies below a tenth."""
    assert share(0, 0).mean == 0.5
    assert share(0, 0).least == pytest.approx(BELOW_CHANCE, abs=1e-5)


def test_one_success_is_no_certainty() -> None:
    """One success reads as two thirds, and may still be as little as a third."""
    assert share(1, 0).mean == pytest.approx(2 / 3, abs=1e-5)
    assert share(1, 0).least == pytest.approx(BELOW_CHANCE ** (1 / 2), abs=1e-5)


@pytest.mark.parametrize("failures", [1, 2, 5, 40, 0.6])
def test_the_lower_end_of_failures_alone_is_known_exactly(failures: float) -> None:
    """A Beta(1, b) lies below q with probability 1 - (1 - q)^b, which gives its lower end in closed form."""
    assert share(0, failures).least == pytest.approx(1 - (1 - BELOW_CHANCE) ** (1 / (1 + failures)), abs=1e-5)


@pytest.mark.parametrize(("hits", "misses"), [(3, 1), (7, 2), (20, 20), (0.9, 0.4), (500, 3)])
def test_the_lower_end_agrees_with_counting(hits: float, misses: float) -> None:
    """A tenth of the distribution, summed up in small steps, lies below the lower end."""
    steps = 200_000
    a, b = hits, misses
    weights = [((n + 0.5) / steps) ** a * (1 - (n + 0.5) / steps) ** b for n in range(steps)]
    below = sum(weights[: round(share(hits, misses).least * steps)])

    assert below / sum(weights) == pytest.approx(BELOW_CHANCE, abs=1e-3)


def test_more_of_the_same_makes_it_surer() -> None:
    """Ten of ten is a safer bet than one of one, though neither ever failed; one failure takes some of it away."""
    assert share(1, 0).least < share(3, 0).least < share(10, 0).least < 1
    assert share(10, 1).least < share(10, 0).least
    assert share(10, 1).mean < share(10, 0).mean


def test_a_negative_count_is_a_bug() -> None:
    """Nobody can have tried something less than never."""
    with pytest.raises(AssertionError):
        share(-1, 0)


@pytest.mark.parametrize("hits", [0.0, 0.000001, 0.4, 1.0, 3.75, 40.0, 5_000.0])
@pytest.mark.parametrize("misses", [0.0, 0.000001, 0.25, 1.0, 7.3, 900.0])
def test_a_shortcut_to_the_lower_end_changes_no_digit(hits: float, misses: float) -> None:
    """The lower end is what halving alone would find, to the last digit."""
    a, b = 1 + hits, 1 + misses
    low, high = 0.0, 1.0
    for _ in range(shares._BISECTIONS):
        middle = (low + high) / 2
        low, high = (middle, high) if shares._below(middle, a, b) < shares.BELOW_CHANCE else (low, middle)
    plain = shares.BELOW_CHANCE ** (1 / a) if b == 1 else (low + high) / 2

    assert shares.share(hits, misses).least == round(plain, 6)
