"""What the figures of both association studies share."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from personae.studies.associations.explaining import SAMPLES, SEEDS, TOP, Explained, Influence
from personae.studies.associations.metrics import METRICS, Measure
from personae.studies.associations.stimuli import classes, function_words, prompts
from personae.tell import drawing
from personae.tell.table import Row
from personae.types import Figure

Rows = list[dict[str, Any]]
MOST_MODELS = 4
"""With more models, figures that would have a panel for each show the first of them."""
_LARGE = 0.1
PARTED = "The average is that of three encoders without a common scale: read it with its parts."
DIRECTION = "Above 0 is nearer the stereotype-congruent attributes."


def figure(
    study: str,
    name: str,
    kind: Any,
    title: str,
    caption: str,
    rows: Rows,
    encode: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
) -> Figure | None:
    """A figure, or None where there is nothing to draw."""
    return drawing.figure(study, f"{study.replace('.', '-')}-{name}", kind, title, caption, rows, encode, options)


def encoded_with(measure: Measure) -> str:
    """Says which encoders were used."""
    return "Encoders: " + ", ".join(f"{metric} {measure.names[kind]}" for kind, metric in METRICS.items()) + "."


def resting(rows: Sequence[Row]) -> str:
    """On how many answers cells rest, and what share of what was asked they are at least."""
    counts = [row["n"] for row in rows] or [0]
    said = f"{counts[0]:,}" if min(counts) == max(counts) else f"{min(counts):,} to {max(counts):,}"
    covered = [row["coverage"] for row in rows if row["coverage"] is not None]
    lowest = f", coverage at least {math.floor(100 * min(covered))} %" if covered and min(covered) < 1 else ""
    return f"Each on {said} answers{lowest}."


def limited(models: Sequence[str]) -> str:
    """Says that not all models are shown, where that is so."""
    return f" The first {MOST_MODELS} of {len(models)} models are shown." if len(models) > MOST_MODELS else ""


def who(cell: Mapping[str, Any]) -> str:
    """Who the model is and to whom, in words."""
    persona, user = cell.get("persona"), cell.get("user")
    return (persona or "no persona") + (f", to {user}" if user else "")


def title_of(domain: str) -> str:
    """The title of an identity class."""
    known = classes().get(domain)
    return known.title if known else domain


def theme_of(domain: str) -> str:
    """The theme of a prompt."""
    known = prompts().get(domain)
    return known.theme if known else domain


def finite(value: float | None) -> float | None:
    """A number that can be drawn, or None."""
    return value if value is not None and math.isfinite(value) else None


def words_row(found: Influence, told: Sequence[str], who: Mapping[str, Any]) -> dict[str, Any]:
    """A row of the table of influential words; words that the model was told are marked with a star."""
    known = {word for phrase in told for word in phrase.casefold().replace("-", " ").split()} - function_words()
    return {
        **who,
        "towards": _listed(found.towards, known),
        "away": _listed(found.away, known),
        "answers": found.answers,
        "stability": finite(found.stability),
        "fit": finite(found.fit),
    }


def _listed(words: Sequence[tuple[str, float]], told: set[str]) -> str:
    """Words with their weights, to as many places as the largest needs; what would be 0 is left out."""
    places = 2 if max((abs(weight) for _, weight in words), default=0.0) >= _LARGE else 3
    shown = [(word, f"{weight:+.{places}f}") for word, weight in words if round(weight, places)]
    return ", ".join(f"{word}{'*' if word in told else ''} {weight}" for word, weight in shown).replace("-", "−")


def words_figure(study: str, rows: Rows, columns: Mapping[str, str], said: str) -> Figure | None:
    """The table of influential words; ``said`` is which answers were explained, and what for."""
    caption = (
        f"{said} LIME under the static encoder: {SAMPLES:,} masked copies, {TOP} words, mean of {SEEDS} seeds. Behind"
        " each word its mean weight over these answers, in units of the score; a word counts 0 in an answer without"
        " it, and function words are left out. Stability is the share of"
        f" the {TOP} words that stays under another seed, fit the weighted R² of the explanation. Weights say which"
        " words move the encoder, not what a model meant."
    )
    if any("*" in f"{row['towards']}{row['away']}" for row in rows):
        caption += " A star marks a word that the model was told."
    encode = {**columns, "Nearer the congruent": "towards", "Further from it": "away", "Answers": "answers"}
    encode |= {"Stability": "stability", "Fit": "fit"}
    options = {"format": {"stability": ".2f", "fit": ".2f", "answers": ",.0f"}}
    return figure(study, "words", "table", "Words that move the association", caption, rows, encode, options)


def coloured(study: str, texts: Sequence[tuple[str, Explained]], caption: str) -> Figure | None:
    """Answers with their influential words coloured."""
    rows = [
        {"answer": title, "piece": piece, "weight": weight}
        for title, found in texts
        for piece, weight in found.pieces()
    ]
    encode = {"text": "piece", "weight": "weight", "facet": "answer"}
    options = {"titles": {"weight": "weight of a word"}}
    return figure(study, "answers", "text", "Answers and the words that move them", caption, rows, encode, options)


def by_key(rows: Sequence[Row], *columns: str) -> dict[tuple[Any, ...], Row]:
    """Rows by their cell."""
    return {tuple(row[name] for name in columns): row for row in rows}
