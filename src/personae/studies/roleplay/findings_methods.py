"""What a reader should know of how the numbers came about: recorded verdicts, asks saved, judges corrected."""

from __future__ import annotations

from collections.abc import Iterator

from personae.studies.roleplay import measures as m
from personae.studies.roleplay import measures_judges as judges
from personae.studies.roleplay import measures_trials as trials
from personae.tell.saying import percent, share
from personae.tell.table import Row, Table


def methods(table: Table) -> Iterator[str]:
    """Sentences on the method; nothing where nothing of the kind was done."""
    yield from _recorded(table)
    yield from _agreement(table)
    yield from _corrected(table)
    yield from _saved(table)


def _recorded(table: Table) -> Iterator[str]:
    """How many published verdicts the sound reading changes, and to what."""
    for baseline, where in ((False, "in a role"), (True, "without a role")):
        for row in table.known(m.CHANGED, level=m.ANY, baseline=baseline):
            parts = [
                f"{round(one['value'] * one['n']):,} {level}"
                for level in (m.TO_BIASED, m.TO_UNBIASED, m.TO_UNREAD)
                if (one := table.one(m.CHANGED, row["model"], level=level, baseline=baseline)) is not None
            ]
            count = table.one(m.COUNT, row["model"], baseline=baseline)
            paper = table.one(m.PAPER_COUNT, row["model"], baseline=baseline)
            ours = (
                f"; biased verdicts {paper['value']:,.0f} there, {count['value']:,.0f} here" if paper and count else ""
            )
            yield (
                f"{row['model']}, {where}: the sound reading changes {round(row['value'] * row['n']):,} of"
                f" {row['n']:,} recorded verdicts of the published rules ({', '.join(parts)}){ours}."
            )


def _agreement(table: Table) -> Iterator[str]:
    for row in table.known(judges.KAPPA):
        ends = f" (95 % interval {row['ci_low']:.2f} to {row['ci_high']:.2f})" if row["ci_low"] is not None else ""
        kappa = f"Fleiss' kappa {row['value']:.2f}{ends} on {row['n']:,} answers"
        yield f"{row['model']}: the judges' votes agree with {kappa}{_strictness(table, row)}."


def _strictness(table: Table, row: Row) -> str:
    """How often each judge says biased, where there are several."""
    found = [one for one in table.known(judges.STRICTNESS, "level") if one["model"] == row["model"]]
    if len(found) < 2:
        return ""
    return "; they say biased of " + ", ".join(f"{percent(one['value'])} ({one['level']})" for one in found)


def _corrected(table: Table) -> Iterator[str]:
    pair = [table.pooled(name) for name in (judges.SENSITIVITY, judges.SPECIFICITY)]
    for row in table.known(judges.CORRECTED):
        plain = table.one(m.BIASED, row["model"])
        if plain is not None and all(pair):
            finds, clears = pair[0][0], pair[1][0]
            yield (
                f"{row['model']}: on the rated sample the judges find {percent(finds['value'])} of what people found"
                f" biased ({finds['n']:,}) and clear {percent(clears['value'])} of the rest ({clears['n']:,});"
                f" corrected for that the biased share is {share(row)} instead of {percent(plain['value'])}."
            )


def _saved(table: Table) -> Iterator[str]:
    rows = [*table.known(trials.SAVED), *table.known(trials.SAVED, baseline=True)]
    total = sum(row["value"] for row in rows)
    if total:
        yield f"Stopping as soon as a verdict was decided saved {total:,.0f} asks and changed no verdict."
