"""The figures of Task 1 as data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from personae.studies.associations.corpus import ALL, DRAWS, CorpusScores, corpus_scores
from personae.studies.associations.explaining import explained, influence
from personae.studies.associations.explaining_chosen import Chosen, furthest_apart
from personae.studies.associations.figures_parts import (
    DIRECTION,
    MOST_MODELS,
    PARTED,
    Rows,
    by_key,
    coloured,
    encoded_with,
    figure,
    finite,
    limited,
    resting,
    title_of,
    who,
    words_figure,
    words_row,
)
from personae.studies.associations.measures_answers import DIFFERENCE, EFFECT, SPREAD, STUDY, WITH_IDENTITIES
from personae.studies.associations.measures_floor import FLOOR
from personae.studies.associations.measures_frame import CONTRAST, SHOWN, Answer, answers
from personae.studies.associations.metrics import Measure, measure_of
from personae.studies.associations.stimuli import classes
from personae.study.base import Settings
from personae.tell.saying import percent
from personae.tell.table import Row, Table
from personae.types import Figure

OWN_WORDS = "Answers are measured without the words of the identities."
AS_SAID = "By the published procedure: answers as they were said; CEAT with the interval of its random effects."
_PERSONA = (("persona",), ("user",), ("persona", "user"))


class Drawn(Struct, frozen=True):
    """What every figure needs; ``paper`` says that the numbers are the published procedure's."""

    table: Table
    found: list[Answer]
    measure: Measure
    paper: bool

    @property
    def shown(self) -> list[str]:
        """The models that figures with a panel for each show."""
        return self.table.models[:MOST_MODELS]

    @property
    def how(self) -> str:
        """How answers are measured."""
        return AS_SAID if self.paper else OWN_WORDS


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame, settings: Settings) -> list[Figure]:
    """Draw Task 1.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns, ``metric`` among them.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    drawn = Drawn(Table(estimates), answers(outcomes), measure_of(settings), settings.scoring == "paper")
    chosen = furthest_apart([one for one in drawn.found if one.model in drawn.shown])
    found = (
        _heat(drawn),
        _forest(drawn),
        _numbers(drawn),
        _personas(drawn),
        _words(drawn, chosen),
        _answers(drawn, chosen),
        _corpus(drawn.measure),
    )
    return [one for one in found if one is not None]


def ordered(rows: Sequence[Row]) -> list[Row]:
    """Rows in the order of the classes, then of the metrics."""
    order = list(classes())
    return sorted(rows, key=lambda row: order.index(row["domain"]) if row["domain"] in order else len(order))


def _effects(drawn: Drawn) -> list[Row]:
    return ordered(drawn.table.rows(EFFECT, "domain", "metric", baseline=True))


def _heat(drawn: Drawn) -> Figure | None:
    """Effect sizes: a panel for each metric, a column for each model; with one model a column for each metric."""
    rows = _effects(drawn)
    several = len(drawn.table.models) > 1
    shown: Rows = [
        {"class": title_of(row["domain"]), "model": row["model"], "metric": row["metric"], "d": finite(row["value"])}
        for metric in SHOWN
        for row in rows
        if row["metric"] == metric
    ]
    caption = (
        "Effect size d between the answers about the group that a stereotype is about and those about another group,"
        f" asked in the same words. {DIRECTION} {PARTED} {drawn.how} {resting(rows)} {encoded_with(drawn.measure)}"
    )
    encode = {"x": "model", "y": "class", "value": "d", "facet": "metric"}
    if not several:
        encode = {"x": "metric", "y": "class", "value": "d"}
    options = {"midpoint": 0.0, "titles": {"value": "effect size d", "x": "", "y": ""}}
    title = "Association with the stereotype, by identity class"
    return figure(STUDY, "heat", "heatmap", title, caption, shown, encode, options)


def _forest(drawn: Drawn) -> Figure | None:
    """Effect sizes with their intervals, and the mean of the classes."""
    overall = [{**row, "domain": "mean of the classes"} for row in drawn.table.rows(EFFECT, "metric", baseline=True)]
    rows = [row for row in (*_effects(drawn), *overall) if row["model"] in drawn.shown]
    shown: Rows = [_interval({"class": title_of(row["domain"])}, row) for row in rows]
    caption = (
        f"Effect size d with its 95 % interval{'' if drawn.paper else ' over questions'}. {drawn.how} {DIRECTION} CEAT"
        " draws one sentence of every answer at a time, which makes its d smaller than that of whole answers."
        f" {PARTED} {resting(rows)}{limited(drawn.table.models)} {encoded_with(drawn.measure)}"
    )
    encode = {"y": "class", "x": "d", "low": "low", "high": "high", "colour": "metric"}
    if len(drawn.shown) > 1:
        encode["facet"] = "model"
    options = {"titles": {"x": "effect size d"}}
    return figure(STUDY, "forest", "forest", "Effect sizes and how sure they are", caption, shown, encode, options)


def _interval(first: dict[str, Any], row: Row) -> dict[str, Any]:
    return {
        **first,
        "model": row["model"],
        "metric": row["metric"],
        "d": finite(row["value"]),
        "low": row["ci_low"],
        "high": row["ci_high"],
        "answers": row["n"],
    }


def _numbers(drawn: Drawn) -> Figure | None:
    """The numbers: d with everything that belongs beside it."""
    key = ("model", "domain", "metric")
    said = by_key(drawn.table.rows(EFFECT, "domain", "metric", level=WITH_IDENTITIES, baseline=True), *key)
    cosines = by_key(drawn.table.rows(DIFFERENCE, "domain", "metric", baseline=True), *key)
    spread = by_key(drawn.table.rows(SPREAD, "domain", "metric", baseline=True), *key)
    floor = by_key(_floor(drawn.table), "domain", "metric")
    rows = _effects(drawn)
    shown: Rows = []
    for row in rows:
        place = tuple(row[name] for name in key)
        shown.append(
            {
                **_interval({"class": title_of(row["domain"])}, row),
                "p": row["p_adjusted"],
                "cosines": _value(cosines.get(place)),
                "spread": _value(spread.get(place)),
                "said": _value(said.get(place)),
                "alone": _value(floor.get(place[1:])),
                "coverage": row["coverage"],
            }
        )
    caption = (
        f"Everything beside d. {drawn.how} {DIRECTION} p is adjusted over the whole run. Cosines: difference of mean"
        " cosines. Spread: standard deviation of CEAT's d over draws of sentences. As said: d with the words of the"
        " identities left in. Identities alone: d of the phrases that name the identities, without any answer."
        f" {encoded_with(drawn.measure)}"
    )
    encode = {"Class": "class", "Model": "model", "Metric": "metric", "d": "d", "Low": "low", "High": "high", "p": "p"}
    encode |= {"Cosines": "cosines", "Spread": "spread", "As said": "said", "Identities alone": "alone"}
    encode |= {"Answers": "answers", "Coverage": "coverage"}
    if len(drawn.table.models) < 2:
        encode.pop("Model")
    numbers = dict.fromkeys(("d", "low", "high", "spread", "said", "alone"), ".2f") | {"cosines": ".4f", "p": ".2g"}
    options = {"format": numbers | {"answers": ",.0f", "coverage": ".0%"}}
    return figure(STUDY, "numbers", "table", "Associations in numbers", caption, shown, encode, options)


def _floor(table: Table) -> list[Row]:
    """Rows of the identities alone, which are of no model."""
    return table.estimates.filter(pl.col("measure") == FLOOR).to_dicts()


def _value(row: Row | None) -> float | None:
    return None if row is None else finite(row["value"])


def _personas(drawn: Drawn) -> Figure | None:
    """What personas change, where some were asked."""
    rows = [
        row
        for names in _PERSONA
        for row in drawn.table.rows(EFFECT, "domain", "metric", *names, contrast=CONTRAST)
        if row["model"] in drawn.shown
    ]
    shown: Rows = [
        _interval(
            {"line": f"{title_of(row['domain'])}, {who(row)}", "panel": _panel(drawn, row["metric"], row["model"])}, row
        )
        for metric in SHOWN
        for row in ordered(rows)
        if row["metric"] == metric
    ]
    caption = (
        "Effect size under a persona less that without one, on the same questions; 95 % intervals over questions."
        " Above 0 the persona moves the answers about the two groups further apart, towards the stereotype."
        f" {resting(rows)} {encoded_with(drawn.measure)}"
    )
    encode = {"y": "line", "x": "d", "low": "low", "high": "high", "facet": "panel"}
    options = {"titles": {"x": "change of d"}}
    return figure(STUDY, "personas", "forest", "What personas change", caption, shown, encode, options)


def _panel(drawn: Drawn, metric: str, model: str) -> str:
    return f"{metric}, {model}" if len(drawn.shown) > 1 else metric


def _words(drawn: Drawn, chosen: Sequence[Chosen]) -> Figure | None:
    rows: Rows = []
    for model in drawn.shown:
        for domain in classes():
            mine = [one for one in chosen if (one.answer.model, one.answer.domain) == (model, domain)]
            if mine:
                found = influence([explained(one.asked, drawn.measure) for one in mine])
                rows.append(words_row(found, [], {"model": model, "class": title_of(domain)}))
    columns = {"Model": "model", "Class": "class"} if len(drawn.shown) > 1 else {"Class": "class"}
    said = (
        "Of every class the answers to the three questions on which the two groups lie furthest apart, without the"
        " words of the identities; the score is the difference of mean cosines."
    )
    return words_figure(STUDY, rows, columns, said)


def _answers(drawn: Drawn, chosen: Sequence[Chosen]) -> Figure | None:
    """The furthest answer about a target identity of each class, of the first model."""
    first: dict[str, Chosen] = {}
    for one in chosen:
        if one.answer.model == drawn.table.models[0] and one.answer.facts.side == "target":
            first.setdefault(one.answer.domain, one)
    texts = [
        (f"{title_of(domain)}: {one.answer.facts.identity} ({one.shift:+.3f})", explained(one.asked, drawn.measure))
        for domain, one in sorted(first.items(), key=lambda item: list(classes()).index(item[0]))
    ]
    caption = (
        f"Of {drawn.table.models[0]}, the answer about the target identity that lies furthest from the one about the"
        " other group (in brackets the difference, in cosines). Coloured are the words that move its association"
        f" most, by the static encoder {drawn.measure.names['static']}; solid towards the stereotype-congruent"
        " attributes, dashed away from them. The words of the identities were taken out."
    )
    return coloured(STUDY, texts, caption)


def _corpus(measure: Measure) -> Figure | None:
    """The corpus under the encoders."""
    scores = corpus_scores(measure)
    rows: Rows = [
        {
            "class": row.name,
            "sentences": row.sentences,
            "controls": row.controls,
            **{metric: finite(value) for metric, value in row.effects.items()},
            "chunks": finite(row.chunks),
            "phrases": finite(row.phrases),
            "pattern": finite(row.pattern),
        }
        for row in sorted(scores.rows, key=lambda row: row.name != ALL)
    ]
    caption = (
        "The sentences of the study's own corpus, no answer among them. d: how much nearer the names of groups lie to"
        " what is ascribed to them in patterns of bias than to what is ordinary, compared with the subjects of"
        f" neutral controls. {DIRECTION} CEAT takes names and attributes as they stand in their sentences ({DRAWS}"
        f" draws), so what is said together is near each other. {_iibs(scores)} One chunk, one phrase: share of the"
        " names of groups that a parse (spaCy) finds as a single noun chunk, and as one phrase around a noun. The"
        " sentences were written for this and show what encoders make of stated patterns, nothing of any model."
        f" {encoded_with(measure)}"
    )
    encode = {"Class": "class", "About groups": "sentences", "Controls": "controls"}
    encode |= {metric: metric for metric in SHOWN}
    encode |= {"Pattern": "pattern", "One chunk": "chunks", "One phrase": "phrases"}
    numbers = dict.fromkeys(SHOWN, ".2f") | dict.fromkeys(("pattern", "chunks", "phrases"), ".0%")
    options = {"format": numbers | {"sentences": ",.0f", "controls": ",.0f"}}
    return figure(STUDY, "corpus", "table", "The corpus under the encoders", caption, rows, encode, options)


def _iibs(scores: CorpusScores) -> str:
    """The share of sentences with a pattern, with both denominators."""
    narrow, wide = scores.among_intersectional, scores.among_all
    return (
        f"IIBS, the share of sentences with a multi-identity pattern, is {percent(narrow.value)} of the {narrow.n:,}"
        f" sentences about groups and {percent(wide.value)} of all {wide.n:,}, by design."
    )
