"""The share of cells that grew: by hand, its null by enumeration, what missing scores and ties do."""

from __future__ import annotations

from itertools import permutations, product
from math import sqrt
from statistics import fmean, pstdev

import numpy as np
import pytest

from personae.stats.spread import NOTHING_WHOLE, Block, increases, share_of_increases, shared

DRAWS = 20_000


def rng(seed=0):
    return np.random.default_rng(seed)


def table(gap, sets=2, groups=2):
    """Sets that differ in worth, and in which the first group is better by a gap."""
    rows = np.arange(sets)[:, None] * 10.0 + np.zeros((sets, groups))
    rows[:, 0] += gap
    return rows


def block(before, after, cells=None):
    """A block of audits given by their gaps."""
    made = [np.array([table(gap) for gap in gaps]) for gaps in (before, after)]
    return Block(before=made[0], after=made[1], cells=cells or tuple(range(len(after))))


def noisy(seed, *, arms=2, sets=3, groups=3, shared=False, cells=None, moved=0.0):
    """A block of noise, in which the first group is moved in the audits after."""
    draw = rng(seed)
    worth = draw.normal(50, 10, (1, sets, 1))
    before = worth + draw.normal(0, 8, (1 if shared else arms, sets, groups))
    after = worth + draw.normal(0, 8, (arms, sets, groups))
    after[:, :, 0] += moved
    return Block(before=before, after=after, cells=cells or tuple((seed, arm) for arm in range(arms)))


def slow_gbv(rows):
    """The GBV of a list of sets, each from its own mean, in plain Python."""
    return pstdev(
        fmean(score - fmean(row) for score, row in zip(column, rows, strict=True)) for column in zip(*rows, strict=True)
    )


def slow_share(blocks, cells):
    """The share of cells that grew; a block is (list of befores, list of afters), all audits with their own before."""
    changes = {}
    for (befores, afters), names in zip(blocks, cells, strict=True):
        for before, after, name in zip(befores, afters, names, strict=True):
            if name is not None:
                changes.setdefault(name, []).append(slow_gbv(after) - slow_gbv(before))
    means = [fmean(one) for one in changes.values()]
    return fmean(0.5 if abs(one) < 1e-9 else float(one > 0) for one in means)


def listed(one):
    befores = np.broadcast_to(one.before, one.after.shape)
    return befores.tolist(), one.after.tolist()


def every_end(one):
    """A block under every exchange of before and after, a set in all audits or in none."""
    befores, afters = listed(one)
    for turned in product([False, True], repeat=len(befores[0])):
        pairs = [
            [
                [(row, other)[turn] for row, other, turn in zip(before, after, turned, strict=True)]
                for before, after in zip(first, last, strict=True)
            ]
            for first, last in ((befores, afters), (afters, befores))
        ]
        yield pairs[0], pairs[1]


def every_order(one):
    """A block under every order of all audits of a set."""
    audits = [*one.before.tolist(), *one.after.tolist()]
    orders = permutations(range(len(audits)))
    for chosen in product(list(orders), repeat=len(audits[0])):
        made = [[audits[order[place]][at] for at, order in enumerate(chosen)] for place in range(len(audits))]
        yield [made[0]] * len(one.after), made[1:]


def every_share(blocks, exchanged):
    cells = [one.cells for one in blocks]
    return np.array([slow_share(made, cells) for made in product(*(list(exchanged(one)) for one in blocks))])


class TestShare:
    def test_it_counts_cells_that_grew(self):
        found = share_of_increases([block((4.0, 4.0, 4.0, 4.0), (8.0, 2.0, -6.0, 5.0))])
        assert (found.value, found.cells) == (0.75, 4)

    def test_one_before_may_be_shared(self):
        assert share_of_increases([block((4.0,), (8.0, 2.0, 5.0))]).value == pytest.approx(2 / 3)

    def test_a_cell_that_stays_counts_half(self):
        assert share_of_increases([block((4.0, 4.0), (8.0, 4.0))]).value == 0.75

    def test_an_audit_without_a_cell_does_not_count(self):
        found = share_of_increases([block((4.0, 4.0), (8.0, 2.0), (None, "b"))])
        assert (found.value, found.cells) == (0.0, 1)

    def test_cells_of_one_name_are_averaged_over_blocks(self):
        up, down = block((4.0,), (8.0,), ("a",)), block((4.0,), (-2.0,), ("a",))
        found = share_of_increases([up, down])
        assert (found.value, found.cells) == (1.0, 1)
        assert share_of_increases([up, down, down, down]).value == 0.0

    def test_what_is_added_to_whole_sets_makes_no_difference(self):
        one = noisy(1, arms=5)
        moved = Block(before=one.before, after=one.after + rng(2).normal(0, 30, (1, 3, 1)), cells=one.cells)
        assert increases([moved], rng(), draws=300).p == increases([one], rng(), draws=300).p

    def test_a_set_that_misses_a_score_leaves_that_cell_on_both_sides(self):
        one = block((4.0, 4.0), (8.0, 2.0))
        one.after[0, 1, 0] = np.nan
        one.before[0, 1, 0] = 500.0
        assert share_of_increases([one]).value == 0.5

    def test_a_cell_without_a_whole_set_does_not_count(self):
        one = block((4.0, 4.0), (8.0, 2.0))
        one.after[0, :, 0] = np.nan
        found = share_of_increases([one])
        assert (found.value, found.cells) == (0.0, 1)

    @pytest.mark.parametrize("measured", [share_of_increases, lambda blocks: increases(blocks, rng(), draws=100)])
    def test_without_any_there_is_a_reason(self, measured):
        one = block((4.0,), (8.0,))
        one.before[:] = np.nan
        found = measured([one])
        assert np.isnan(found.value)
        assert np.isnan(found.p)
        assert (found.cells, found.reason) == (0, NOTHING_WHOLE)


class TestNull:
    @pytest.mark.parametrize("shared", [False, True])
    def test_exchanged_ends_give_what_every_exchange_gives(self, shared):
        blocks = [noisy(n, arms=3, groups=2 + n % 2, shared=shared, moved=9.0) for n in range(3)]
        blocks[1] = Block(before=blocks[1].before, after=blocks[1].after, cells=((0, 0), None, (1, 2)))
        self.check(blocks, "ends", every_share(blocks, every_end))

    def test_exchanged_audits_give_what_every_order_gives(self):
        blocks = [noisy(n, sets=2, groups=2 + n, shared=True, moved=9.0) for n in range(2)]
        self.check(blocks, "all", every_share(blocks, every_order))

    def test_what_each_has_before_it_goes_with_it(self):
        """With all exchanged, befores that differ by hardly anything are as good as one."""
        one = noisy(4, arms=4, sets=3, shared=True)
        near = np.broadcast_to(one.before, one.after.shape) + rng(1).normal(0, 1e-7, one.after.shape)
        own = Block(before=near, after=one.after, cells=one.cells)
        found = [increases([made], rng(2), ways=("all",), draws=500) for made in (one, own)]
        assert found[0] == found[1]

    def test_missing_sets_are_exchanged_with_the_rest(self):
        one = noisy(4, arms=2, sets=3, shared=True)
        one.after[0, 1, 2] = np.nan
        found = increases([one], rng(), ways=("all",), draws=1000)
        assert found.cells == 2
        assert 0 < found.p <= 1
        assert found.null == pytest.approx(0.5, abs=0.06)

    @staticmethod
    def check(blocks, way, exact):
        found = increases(blocks, rng(1), ways=(way,), draws=DRAWS)
        assert found.value == pytest.approx(slow_share([listed(one) for one in blocks], [one.cells for one in blocks]))
        assert found.null == pytest.approx(exact.mean(), abs=4 * exact.std() / sqrt(DRAWS))
        share = (exact >= found.value - 1e-9).mean()
        assert found.p == pytest.approx(share, abs=4 * sqrt(share / DRAWS) + 1 / DRAWS)
        assert (found.null_low, found.null_high) == pytest.approx(np.quantile(exact, [0.025, 0.975]), abs=0.17)

    def test_many_draws_come_in_pieces_and_are_as_many(self, monkeypatch):
        whole = increases([noisy(1, shared=True)], rng(3), ways=("ends", "all"), draws=500)
        monkeypatch.setattr("personae.stats.spread._CELLS", 200)
        pieces = increases([noisy(1, shared=True)], rng(3), ways=("ends", "all"), draws=500)
        assert pieces.null == pytest.approx(whole.null, abs=0.06)
        assert 501 * pieces.p == pytest.approx(round(501 * pieces.p), abs=1e-9)

    def test_the_way_with_the_larger_p_holds(self):
        blocks = [noisy(n, arms=6, sets=6, shared=True, moved=4.0) for n in range(4)]
        alone = [increases(blocks, rng(5), ways=(way,), draws=4000).p for way in ("ends", "all")]
        assert increases(blocks, rng(5), ways=("ends", "all"), draws=4000).p == pytest.approx(max(alone), abs=0.03)

    def test_where_nothing_changes_half_is_what_chance_gives(self):
        one = block((4.0, 4.0), (4.0, 4.0))
        found = increases([one], rng(), draws=100)
        assert (found.value, found.null, found.p) == (0.5, 0.5, 1.0)

    def test_a_spread_is_found(self):
        blocks = [noisy(n, arms=4, sets=12, moved=14.0) for n in range(4)]
        found = increases(blocks, rng(), draws=999)
        assert found.value > found.null_high
        assert found.p < 0.01

    def test_the_same_seed_gives_the_same(self):
        blocks = [noisy(1), noisy(2)]
        assert increases(blocks, rng(4), draws=200) == increases(blocks, rng(4), draws=200)


@pytest.mark.parametrize(
    ("change", "options", "said"),
    [
        ({"after": np.zeros((2, 3, 1))}, {}, "two groups"),
        ({"after": np.zeros((2, 4, 3))}, {}, "same sets"),
        ({"before": np.zeros((3, 3, 3))}, {}, "same sets"),
        ({"cells": ("a",)}, {}, "1 cells for 2"),
        ({"cells": (None, None)}, {}, "no cell"),
        ({}, {"draws": 50}, "draws"),
        ({}, {"level": 1.0}, "level"),
        ({}, {"ways": ()}, "no way"),
    ],
)
def test_what_does_not_fit_is_refused(change, options, said):
    one = noisy(1)
    made = Block(**{"before": one.before, "after": one.after, "cells": one.cells, **change})
    with pytest.raises(ValueError, match=said):
        increases([made], rng(), **{"draws": 100, **options})


def test_without_a_block_there_is_no_share():
    with pytest.raises(ValueError, match="no block"):
        share_of_increases([])


class TestShared:
    def test_one_before_is_shared_and_so_are_befores_that_are_the_same(self):
        one = noisy(1, arms=4, shared=True)
        repeated = np.broadcast_to(one.before, one.after.shape)
        jitter = rng(1).normal(0, 0.01, one.after.shape)
        for before in (one.before, repeated, repeated + jitter):
            assert shared([Block(before=before, after=one.after, cells=one.cells)])

    def test_befores_with_noise_of_their_own_are_not(self):
        assert not any(shared([noisy(n, arms=4, sets=6), noisy(50 + n)]) for n in range(20))

    def test_what_was_not_answered_afterwards_makes_no_difference(self):
        one = noisy(1, arms=4, shared=True)
        one.after[0, 0, 0] = one.after[2, 1, 0] = np.nan
        assert shared([one])

    def test_where_no_set_tells_they_are_taken_to_be(self):
        one = noisy(1, arms=3)
        for arm in range(3):
            one.before[arm, arm, 0] = np.nan
        assert shared([one])

    def test_where_nothing_ever_changes_they_are(self):
        assert shared([block((4.0, 4.0), (4.0, 4.0))])
