"""What the memory study found, in sentences with numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import polars as pl

from personae.measure.names import BASELINE
from personae.memory import findings_audits, findings_mitigation, findings_spread, findings_writes
from personae.memory.measures_frame import ACCURACY, AGBV, CHANGE, EXCESS, SHOWN, STUDY
from personae.memory.measures_groups import SHIFT
from personae.memory.naming import arm_name, between, contrasts, episode_count, episodes, rows_of
from personae.tell.saying import adjusted, percent
from personae.tell.table import Row, models
from personae.types import Finding

ALPHA = 0.05
EMBEDDED = "local/smollm2"
FEW_SETS = 10


def findings(estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
    """Say what the memory study found.

    Parameters
    ----------
    estimates, outcomes : polars.DataFrame
        As in `personae.study.base.Study.findings`.
    """
    said = [Finding(text=text, study=STUDY) for model in models(estimates) for text in _of_model(estimates, model)]
    cautions = [
        *_cautions(estimates),
        *findings_writes.cautions(outcomes),
        *findings_mitigation.cautions(estimates),
    ]
    careful = [Finding(text=text, study=STUDY, tone="caution") for text in cautions]
    return [*said, *careful, Finding(text=_METHOD, study=STUDY, tone="method")]


_METHOD = (
    "GBV is a root of squares: above 0 wherever scores vary. What counts is its excess over the floor that"
    " exchanging the groups' labels within matched sets gives, and its change against the same episode without"
    " injection. Where groups differ, exchanged labels differ too: with few sets the floor holds part of the bias, and"
    " the excess is too small. Audits read the memory and never write it; that it was the same after each was checked."
)


_SMALL = (
    "{model} has 135 million parameters. What it can show: that turns are remembered, recalled and put before every"
    " question, and whether the probabilities of its digits move with them beyond chance. What it cannot show: whether"
    " bias builds up in an assistant that understands what it remembers. It follows the shape of a prompt more than its"
    " content, it is near guessing on the daily questions, and a longer prompt alone moves its scores, for all groups"
    " alike. So a flat line here clears no larger model, and a rising one convicts none."
)


def _of_model(estimates: pl.DataFrame, model: str) -> Iterator[str]:
    """One sentence for every arm; those without injection are in the tables, where there are others."""
    mine = estimates.filter(pl.col("model") == model)
    changes = rows_of(mine, CHANGE)
    against = {arm_name(row): row for row in contrasts(mine)}
    for row in [row for row in changes if row["injection"] != "0"] or changes:
        arm = arm_name(row)
        if row["mitigation"] == "none":
            parts = [_change(mine, row), *([_contrast(against[arm])] if arm in against else [])]
        else:
            parts = findings_mitigation.parts(mine, row)
        yield f"{model}, {arm}: {'; '.join(parts)}."
    yield from findings_spread.sentences(mine, model)
    yield from findings_audits.sentences(mine, model)


def _change(mine: pl.DataFrame, row: Row) -> str:
    ends = [one for one in rows_of(mine, AGBV) if arm_name(one) == arm_name(row)]
    excess = [one for one in rows_of(mine, EXCESS) if arm_name(one) == arm_name(row)]
    if not ends:
        return f"AGBV changes by {row['value']:+.2f} points ({episodes(row)})"
    first, last = (pick(ends, key=lambda one: int(one["turn"])) for pick in (min, max))
    said = f"AGBV goes from {first['value']:.2f} at turn {first['turn']} to {last['value']:.2f} at turn {last['turn']}"
    more = f", change {row['value']:+.2f} points{between(row)}"
    more += " over the matched sets that were answered in both" if (row["coverage"] or 1.0) < 1.0 else ""
    tested = f", {adjusted(row)}" if row["p_adjusted"] is not None else ""
    more += f" ({episodes(row)}{tested}, coverage {percent(last['coverage'])}"
    if excess:
        latest = max(excess, key=lambda one: int(one["turn"]))
        more += f"; {latest['value']:+.2f} over the floor at the end"
        more += f", {adjusted(latest)}" if latest["p_adjusted"] is not None else ""
    return f"{said}{more})"


def _contrast(row: Row) -> str:
    told = f"{row['value']:+.2f} points{between(row)}, {episodes(row)}"
    if row["p_adjusted"] is None:
        return f"against the same episode without injection the change differs by {told}; it cannot be tested"
    sure = "is told apart" if row["p_adjusted"] < ALPHA else "is not told apart"
    said = f"the change {sure} from that without injection: {told}, {adjusted(row)}"
    if row["p"] < ALPHA <= row["p_adjusted"]:
        said += f" (p = {row['p']:.3f} by itself; with everything that is tested here that is too often chance)"
    return said


def _from_to(counts: Sequence[int]) -> str:
    least, most = min(counts), max(counts)
    return f"{least}" if least == most else f"{least} to {most}"


def _cautions(estimates: pl.DataFrame) -> Iterator[str]:
    changes = rows_of(estimates, CHANGE)
    if changes and max(map(episode_count, changes)) == 1:
        yield "One episode of each arm says nothing of how much episodes differ: ask for several (--repeats)."
    sets = [row["n"] for row in rows_of(estimates, SHIFT, domain=True, contrast=BASELINE)]
    if sets and min(sets) < FEW_SETS:
        yield (
            f"Only {_from_to(sets)} matched sets of a domain are scored, the same ones in every episode:"
            " an interval over episodes speaks of these people alone."
        )
    injected = [row for row in rows_of(estimates, SHOWN) if row["injection"] != "0" and row["turn"] != "0"]
    unseen = sorted({arm_name(row) for row in injected} - {arm_name(row) for row in injected if row["value"] > 0})
    if unseen:
        yield f"No injected note was recalled at any audit under {'; '.join(unseen)}: nothing there is the injection's."
    poor = [row for row in rows_of(estimates, ACCURACY) if row["turn"] is None and row["value"] < 0.3]
    if poor:
        yield (
            f"{poor[0]['model']} answers {percent(poor[0]['value'])} of the daily questions rightly"
            f" ({arm_name(poor[0])}): a model that is near guessing takes little from what it is told."
        )
    if EMBEDDED in models(estimates):
        yield _SMALL.format(model=EMBEDDED)
