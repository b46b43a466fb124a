"""Correction for many tests: published examples, the definitions, gaps kept in place."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import false_discovery_control

from personae.stats.multiple import adjust

# The fifteen p-values of Benjamini and Hochberg, J. R. Statist. Soc. B 57 (1995), section 4; at 5 % their procedure
# rejects the first four and Bonferroni's (hence the first step of Holm's) the first three.
PUBLISHED = [
    0.0001, 0.0004, 0.0019, 0.0095, 0.0201, 0.0278, 0.0298, 0.0344, 0.0459, 0.3240, 0.4262, 0.5719, 0.6528, 0.7590, 1.0
]  # fmt: skip


def test_the_example_of_benjamini_and_hochberg():
    assert sum(p <= 0.05 for p in adjust(PUBLISHED)) == 4
    assert sum(p <= 0.05 for p in adjust(PUBLISHED, "holm")) == 3


def test_gaps_stay_in_place_and_do_not_count():
    p = [0.01, None, 0.04, float("nan"), 0.03]
    for method in ("bh", "holm"):
        found = adjust(p, method)
        dense = adjust([0.01, 0.04, 0.03], method)
        assert found[1] is None
        assert math.isnan(found[3])
        assert [found[0], found[2], found[4]] == dense


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_bh_is_scipy_s(p):
    assert adjust(p) == pytest.approx(list(false_discovery_control(p)), abs=1e-12)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_holm_is_its_definition(p):
    order, largest, expected = sorted(range(len(p)), key=p.__getitem__), 0.0, [0.0] * len(p)
    for rank, place in enumerate(order):
        largest = max(largest, min(1.0, (len(p) - rank) * p[place]))
        expected[place] = largest
    assert adjust(p, "holm") == pytest.approx(expected, abs=1e-12)


@given(st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=20), st.sampled_from(["bh", "holm"]))
def test_no_p_value_becomes_smaller(p, method):
    for given_p, adjusted in zip(p, adjust(p, method), strict=True):
        assert (given_p is None) == (adjusted is None)
        assert given_p is None or given_p - 1e-12 <= adjusted <= 1.0


def test_misuse_is_refused():
    with pytest.raises(ValueError, match="between 0 and 1"):
        adjust([1.2])
    with pytest.raises(ValueError, match="method"):
        adjust([0.5], "hochberg")
    assert adjust([]) == []
    assert adjust([None]) == [None]
