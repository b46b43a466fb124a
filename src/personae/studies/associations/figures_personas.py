"""The figures of Task 2 as data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import polars as pl
from msgspec import Struct

from personae.studies.associations.design import persona_set
from personae.studies.associations.explaining import LARGEST, explained, influence
from personae.studies.associations.explaining_chosen import Chosen, furthest_from_neutral
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
    theme_of,
    who,
    words_figure,
    words_row,
)
from personae.studies.associations.measures_frame import AVERAGE, CONTRAST, PERSONA, SHOWN, Answer, answers
from personae.studies.associations.measures_personas import (
    ABSOLUTE,
    BAD,
    EXPECTED,
    FLOOR_PSI,
    OVER_GENERATIONS,
    OVER_PROMPTS,
    PSI,
    WITHOUT_OWN,
)
from personae.studies.associations.measures_shifts import STUDY
from personae.studies.associations.metrics import Measure, measure_of
from personae.studies.associations.stimuli import prompts
from personae.study.base import Settings
from personae.tell.table import Row, Table
from personae.types import Figure

NOISE = "one neutral answer against the others"
TESTS = (
    "p: whether PSI, and whether the mean size of BAD, is more than answers vary by themselves (generations exchanged"
    " with neutral ones within prompts), adjusted over the whole run. By noise: what the mean size comes to in those"
    " exchanges. Bare: PSI without the words by which the persona is called."
)
PUBLISHED = "By the published procedure, which has no intervals and no tests."
_CELLS = (("persona",), ("user",), ("persona", "user"))


class Drawn(Struct, frozen=True):
    """What every figure needs.

    ``told`` is how each persona and user is called, ``groups`` their groups in order; ``paper`` says that the numbers
    are the published procedure's.
    """

    table: Table
    found: list[Answer]
    measure: Measure
    told: dict[str, str]
    groups: list[str | None]
    paper: bool

    @property
    def shown(self) -> list[str]:
        """The models that figures with a panel for each show."""
        return self.table.models[:MOST_MODELS]

    @property
    def several(self) -> bool:
        """Whether more than one model was measured."""
        return len(self.table.models) > 1

    def rows(self, measure: str, *columns: str, contrast: str = "", level: str | None = None) -> list[Row]:
        """Rows of personas in the order of their set, those of the shown models."""
        found = [
            row
            for names in _CELLS
            for row in self.table.rows(measure, *columns, "metric", *names, contrast=contrast, level=level)
            if row["model"] in self.shown
        ]
        return sorted(found, key=self._place)

    def in_order(self, chosen: Sequence[Chosen]) -> list[Chosen]:
        """Chosen answers in the order of their personas."""
        return sorted(chosen, key=lambda one: self._place(one.answer.cell))

    def _place(self, row: Mapping[str, Any]) -> list[int]:
        order = list(self.told)
        return [order.index(row[name]) if row.get(name) in order else -1 for name in PERSONA]

    def of_groups(self, measure: str) -> list[Row]:
        """Rows of groups in the order of their set, those of the shown models."""
        found = self.table.rows(measure, "persona_group", "metric", contrast=CONTRAST)
        order = {name: place for place, name in enumerate(self.groups)}
        return sorted(
            (row for row in found if row["model"] in self.shown),
            key=lambda row: order.get(row["persona_group"], len(order)),
        )


def figures(estimates: pl.DataFrame, outcomes: pl.DataFrame, settings: Settings) -> list[Figure]:
    """Draw Task 2.

    Parameters
    ----------
    estimates : polars.DataFrame
        The columns of `personae.types.Estimate` with the cell as columns, ``metric`` among them.
    outcomes : polars.DataFrame
        As in `personae.study.base.Study.estimates`.
    settings : Settings
    """
    known = persona_set(settings)
    told = {persona.name: persona.called for persona in (*known.personas, *known.users)}
    groups = list(dict.fromkeys(persona.group for persona in known.personas))
    drawn = Drawn(
        table=Table(estimates),
        found=answers(outcomes),
        measure=measure_of(settings),
        told=told,
        groups=groups,
        paper=settings.scoring == "paper",
    )
    chosen = drawn.in_order(furthest_from_neutral([one for one in drawn.found if one.model in drawn.shown]))
    found = (
        *(_heat(drawn, nth, model) for nth, model in enumerate(drawn.shown)),
        _forest(drawn),
        _numbers(drawn),
        _densities(drawn),
        _volatility(drawn),
        _words(drawn, chosen),
        _answers(drawn, chosen),
    )
    return [one for one in found if one is not None]


def _heat(drawn: Drawn, nth: int, model: str) -> Figure | None:
    """BAD of every persona and prompt, a panel for each metric."""
    rows = [row for row in drawn.rows(BAD, "domain", contrast=CONTRAST) if row["model"] == model]
    order = list(prompts())
    shown: Rows = [
        {"persona": who(row), "prompt": theme_of(row["domain"]), "metric": metric, "BAD": finite(row["value"])}
        for metric in SHOWN
        for row in sorted(rows, key=lambda one: order.index(one["domain"]) if one["domain"] in order else len(order))
        if row["metric"] == metric
    ]
    names = list(dict.fromkeys(who(row) for row in rows))
    shown.sort(key=lambda row: (SHOWN.index(row["metric"]), names.index(row["persona"])))
    caption = (
        "BAD: mean score of the answers to a prompt under a persona less that without one, in standard deviations of"
        f" the attributes' cosines. {DIRECTION} {PARTED} {resting(rows)} {encoded_with(drawn.measure)}"
    )
    encode = {"x": "prompt", "y": "persona", "value": "BAD", "facet": "metric"}
    options = {"midpoint": 0.0, "titles": {"value": "BAD", "x": "", "y": ""}}
    title = f"How far each persona moves each answer{f': {model}' if drawn.several else ''}"
    return figure(
        STUDY, f"bad-{nth + 1}" if drawn.several else "bad", "heatmap", title, caption, shown, encode, options
    )


def _forest(drawn: Drawn) -> Figure | None:
    """PSI of every persona and group, and what neutral answers come to by themselves."""
    personas = drawn.rows(PSI, contrast=CONTRAST)
    groups = drawn.of_groups(PSI)
    floors = [row for row in drawn.table.rows(FLOOR_PSI, "metric", baseline=True) if row["model"] in drawn.shown]
    shown: Rows = [_line(who(row), row) for row in personas]
    shown += [_line(f"{row['persona_group']} (mean)", row) for row in groups]
    shown += [
        {**_line(NOISE, row), "PSI": 0.0, "low": -row["value"], "high": row["value"]}
        for row in floors
        if finite(row["value"]) is not None
    ]
    noise = (
        " The last lines reach as far as one answer without a persona lies from the others of its prompt on average,"
        " either way: a persona's PSI is a mean of several answers, which vary less."
    )
    caption = (
        "PSI: mean of BAD over"
        f" prompts{'' if drawn.paper else ', with its 95 % interval over prompts and generations'}. Opposite shifts"
        f" cancel in it; the table has the mean of their sizes. {DIRECTION}{noise if floors else ''} {PARTED}"
        f" {resting(personas)}{limited(drawn.table.models)} {encoded_with(drawn.measure)}"
    )
    encode = {"y": "persona", "x": "PSI", "low": "low", "high": "high", "colour": "metric"}
    if drawn.several:
        encode["facet"] = "model"
    title = "Sensitivity to personas, beside what varies anyway"
    return figure(STUDY, "psi", "forest", title, caption, shown, encode, {"titles": {"x": "PSI"}})


def _line(name: str, row: Row) -> dict[str, Any]:
    return {
        "persona": name,
        "model": row["model"],
        "metric": row["metric"],
        "PSI": finite(row["value"]),
        "low": row["ci_low"],
        "high": row["ci_high"],
        "answers": row["n"],
    }


def _numbers(drawn: Drawn) -> Figure | None:
    """The numbers of every persona."""
    key = ("model", *PERSONA, "metric")
    beside = {
        "absolute": by_key(drawn.rows(ABSOLUTE, contrast=CONTRAST), *key),
        "noise": by_key(drawn.rows(EXPECTED), *key),
        "prompts": by_key(drawn.rows(OVER_PROMPTS), *key),
        "generations": by_key(drawn.rows(OVER_GENERATIONS), *key),
        "bare": by_key(drawn.rows(PSI, contrast=CONTRAST, level=WITHOUT_OWN), *key),
    }
    shown: Rows = []
    for row in drawn.rows(PSI, contrast=CONTRAST):
        place = tuple(row[name] for name in key)
        found = {name: table.get(place) for name, table in beside.items()}
        size = found["absolute"]
        shown.append(
            {
                **_line(who(row), row),
                **{name: None if one is None else finite(one["value"]) for name, one in found.items()},
                "p": row["p_adjusted"],
                "p of size": None if size is None else size["p_adjusted"],
                "coverage": row["coverage"],
            }
        )
    tests = PUBLISHED if drawn.paper else TESTS
    caption = (
        f"{DIRECTION} {tests} Volatility in both readings: over prompts, the standard deviation of BAD, as the paper's"
        " table 5 prints; over generations, that of the scores of a prompt, as its Algorithm 1 says."
        f" {encoded_with(drawn.measure)}"
    )
    encode = {"Persona": "persona", "Model": "model", "Metric": "metric", "PSI": "PSI", "Low": "low", "High": "high"}
    encode |= {"p": "p", "Mean |BAD|": "absolute", "By noise": "noise", "p of size": "p of size"}
    encode |= {"Over prompts": "prompts", "Over generations": "generations", "Bare": "bare", "Answers": "answers"}
    encode |= {"Coverage": "coverage"}
    if not drawn.several:
        encode.pop("Model")
    numbers = dict.fromkeys(("PSI", "low", "high", *beside), ".2f") | dict.fromkeys(("p", "p of size"), ".2g")
    options = {"format": numbers | {"answers": ",.0f", "coverage": ".0%"}}
    return figure(STUDY, "numbers", "table", "Personas in numbers", caption, shown, encode, options)


def _densities(drawn: Drawn) -> Figure | None:
    """How BAD and PSI are spread."""
    bad = [row for row in drawn.rows(BAD, "domain", contrast=CONTRAST) if finite(row["value"]) is not None]
    psi = [row for row in drawn.rows(PSI, contrast=CONTRAST) if finite(row["value"]) is not None]
    shown = [*_spread(drawn, bad, "BAD"), *_spread(drawn, psi, "PSI")]
    caption = (
        "Every persona and prompt (BAD), and every persona (PSI), as a dot; the curve is a density estimate over them."
        f" {DIRECTION}{_which(drawn)} {resting(bad)} {encoded_with(drawn.measure)}"
    )
    encode = {"value": "value", "colour": "series", "facet": "panel"}
    options = {"titles": {"value": "shift", "colour": _series(drawn)}, "columns": 1}
    return figure(STUDY, "shifts", "density", "How shifts are spread", caption, shown, encode, options)


def _volatility(drawn: Drawn) -> Figure | None:
    """How both readings of volatility are spread."""
    prompt = [row for row in drawn.rows(OVER_GENERATIONS, "domain") if finite(row["value"]) is not None]
    across = [row for row in drawn.rows(OVER_PROMPTS) if finite(row["value"]) is not None]
    shown = [
        *_spread(drawn, prompt, "over generations of a prompt (Algorithm 1)"),
        *_spread(drawn, across, "over prompts (as table 5 prints)"),
    ]
    caption = (
        "Volatility in both readings of the paper, each persona and prompt, or each persona, a dot. Standard"
        f" deviations with ddof 0.{_which(drawn)} {resting(prompt or across)} {encoded_with(drawn.measure)}"
    )
    encode = {"value": "value", "colour": "series", "facet": "panel"}
    options = {"titles": {"value": "standard deviation", "colour": _series(drawn)}, "columns": 1, "limits": (0.0, None)}
    return figure(STUDY, "volatility", "density", "How volatility is spread", caption, shown, encode, options)


def _spread(drawn: Drawn, rows: Sequence[Row], panel: str) -> Rows:
    """Values by metric; with several models the average, by model."""
    return [
        {"panel": panel, "series": row["model"] if drawn.several else row["metric"], "value": row["value"]}
        for row in rows
        if not drawn.several or row["metric"] == AVERAGE
    ]


def _series(drawn: Drawn) -> str:
    return "model" if drawn.several else "metric"


def _which(drawn: Drawn) -> str:
    return " The average of the three metrics; the heat maps have its parts." if drawn.several else f" {PARTED}"


def _words(drawn: Drawn, chosen: Sequence[Chosen]) -> Figure | None:
    rows: Rows = []
    for model in drawn.shown:
        for name in dict.fromkeys(who(one.answer.cell) for one in chosen if one.answer.model == model):
            mine = [one for one in chosen if one.answer.model == model and who(one.answer.cell) == name]
            found = influence([explained(one.asked, drawn.measure) for one in mine])
            rows.append(words_row(found, _told(drawn, mine[0].answer), {"model": model, "persona": name}))
    columns = {"Model": "model", "Persona": "persona"} if drawn.several else {"Persona": "persona"}
    said = (
        f"Of every persona the {LARGEST} answers that lie furthest from those without a persona to the same prompt;"
        " the score is the single-category effect size."
    )
    return words_figure(STUDY, rows, columns, said)


def _told(drawn: Drawn, one: Answer) -> list[str]:
    """How the persona was called when the answer was asked for."""
    if one.facts.told is not None:
        return one.facts.told
    return [drawn.told.get(name, name) for name in one.cell.values()]


def _answers(drawn: Drawn, chosen: Sequence[Chosen]) -> Figure | None:
    """The answer of each persona that was moved furthest."""
    first: dict[str, Chosen] = {}
    for one in sorted(chosen, key=lambda one: -abs(one.shift)):
        first.setdefault(who(one.answer.cell), one)
    order = dict.fromkeys(who(one.answer.cell) for one in chosen)
    texts = [
        (
            f"{name}: {theme_of(first[name].answer.domain)} ({first[name].shift:+.2f}"
            f"{f', {first[name].answer.model}' if drawn.several else ''})",
            explained(first[name].asked, drawn.measure),
        )
        for name in order
    ]
    caption = (
        "Of each persona the answer that lies furthest from those without one to the same prompt (in brackets how"
        f" far, in the units of BAD), by the static encoder {drawn.measure.names['static']}. Coloured are the words"
        " that move its score most: solid towards the stereotype-congruent attributes, dashed away from them."
    )
    return coloured(STUDY, texts, caption)
