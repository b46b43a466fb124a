"""Made-up figures of the kinds that `demo` has none of: curves, densities, crowded points, tables, weighed words."""

from __future__ import annotations

import math
import random
from typing import Any

from personae.types import Figure

TITLES = (
    "kindergarten teacher",
    "steel worker",
    "flight attendant",
    "investment banker",
    "librarian",
    "mechanical engineer",
    "nurse",
    "pastry chef",
    "X-ray technician",
    "magician's assistant",
    "rodeo rider",
    "<b>barber</b>",
    "novelist",
    "physician",
)
MODELS = ("sim/planted?effect=0.3", "local/smollm2", "meta-llama/Llama-3.3-70B-Instruct")
PUBLISHED = ("gpt-3.5-turbo (published)", "gpt-4o (published)", "mistral-7b-instruct (published)")
REFERENCES = ("ratings by women", "ratings by men", "statistics", "half")
PERSONAS = ("baseline", "wife", "husband", "partner")


def figures(seed: int = 5) -> tuple[Figure, ...]:
    """Give one or two figures of each of these kinds."""
    rng = random.Random(seed)
    return (*_points(rng), *_lines(rng), *_densities(rng), _heat(rng), _table(rng), _text(rng))


def _points(rng: random.Random) -> list[Figure]:
    rows: list[dict[str, Any]] = []
    for reference, many in (("ratings by women", 404), ("ratings by men", 404), ("statistics", 316)):
        for nth in range(many):
            said = rng.random()
            own = 1 / (1 + math.exp(-6 * (said - 0.6) + rng.gauss(0, 0.9)))
            rows.append({"reference": reference, "rated": said, "model": own, "occupation": TITLES[nth % len(TITLES)]})
    rows.sort(key=lambda row: -abs(row["model"] - row["rated"]))
    encode = {"x": "rated", "y": "model", "label": "occupation"}
    options = {
        "diagonal": True,
        "format": ".0%",
        "titles": {"x": "P(female), reference", "y": "P(female), model"},
    }
    one = [row for row in rows if row["reference"] == "statistics"]
    caption = "Each dot is one occupation. Above the diagonal the model says female more than the reference."
    return [
        Figure(id="many", study="companions.iat", kind="points", title="Occupations against each reference",
               caption=caption, rows=tuple(rows), encode=encode | {"facet": "reference"}, options=options),
        Figure(id="named", study="companions.iat", kind="points", title="Occupations against the statistics",
               caption=caption, rows=tuple(one), encode=encode, options=options),
    ]  # fmt: skip


def _lines(rng: random.Random) -> list[Figure]:
    curve: list[dict[str, Any]] = [
        {"reference": reference, "model": model, "bin": (nth + 0.5) / 10,
         "share": (v := min(0.98, max(0.02, rng.gauss(nth / 10, 0.05)))),
         "low": v * 0.8, "high": v + (1 - v) * 0.2}
        for reference in REFERENCES[:3] for model in MODELS[:2] for nth in range(10)
    ]  # fmt: skip
    curve[4]["share"] = None
    course = []
    for memory in ("none", "window", "vector", "mem0"):
        value = 0.0
        for turn in range(0, 101, 20):
            value += rng.uniform(-0.01, 0.05) if memory != "none" else 0.0
            course.append(
                {"memory": memory, "turn": turn, "gap": value, "low": value - 0.03, "high": value + 0.03 + turn / 4000}
            )
    return [
        Figure(id="calibration", study="companions.emotion", kind="line", title="Calibration by tenth of the reference",
               caption="On the diagonal the model says what the reference says. Bands are 95 % intervals.",
               rows=tuple(curve), options={"diagonal": True, "format": ".0%", "titles": {"x": "reference"}},
               encode={"x": "bin", "y": "share", "low": "low", "high": "high", "colour": "model",
                       "facet": "reference"}),
        Figure(id="course", study="companions.emotion", kind="line", title="Mean gap over the turns of a conversation",
               caption="Bands are the range over five seeds.", rows=tuple(course),
               options={"zero": True, "titles": {"y": "mean gap (points of 100)", "colour": "memory"}},
               encode={"x": "turn", "y": "gap", "low": "low", "high": "high", "colour": "memory"}),
    ]  # fmt: skip


def _densities(rng: random.Random) -> list[Figure]:
    few = [{"metric": metric, "persona": persona, "psi": min(1.0, abs(rng.gauss(0.2 + 0.1 * nth, 0.12)))}
           for metric in ("CEAT", "I-WEAT", "I-SEAT") for nth, persona in enumerate(PERSONAS[1:])
           for _ in range((25, 8, 3)[nth])]  # fmt: skip
    many = [{"persona": persona, "share": rng.betavariate(1 + nth, 2)} for nth, persona in enumerate(PERSONAS)
            for _ in range(316)]  # fmt: skip
    return [
        Figure(id="psi", study="companions.emotion", kind="density", title="Sensitivity to the persona, by metric",
               caption="Every dot is one prompt; curves are kernel estimates and only drawn over five values or more.",
               rows=tuple(few), encode={"value": "psi", "colour": "persona", "facet": "metric"},
               options={"limits": (0, None)}),
        Figure(id="shares", study="companions.emotion", kind="density", title="Shares over all occupations",
               caption="Every tick is one occupation.", rows=tuple(many),
               encode={"value": "share", "colour": "persona"}, options={"limits": (0, 1), "format": ".0%"}),
    ]  # fmt: skip


def _heat(rng: random.Random) -> Figure:
    rows = [
        {"model": model, "reference": reference, "kl": None if model == MODELS[1] else rng.uniform(0.02, 0.9),
         "published": model in PUBLISHED}
        for model in (*MODELS, *PUBLISHED) for reference in REFERENCES
        if (model, reference) != (PUBLISHED[0], "half")
    ]  # fmt: skip
    return Figure(
        id="divergence", study="companions.iat", kind="heatmap", title="Divergence from each reference",
        caption="Mean KL(reference || model) in nats; a dash: not measured.", rows=tuple(rows),
        encode={"x": "reference", "y": "model", "value": "kl"},
        options={"mark": "published", "titles": {"value": "mean KL", "x": ""}},
    )  # fmt: skip


def _table(rng: random.Random) -> Figure:
    rows = [
        {"model": model, "reference": reference, "mean": rng.uniform(0, 2), "median": rng.uniform(0, 1),
         "sd": rng.uniform(0, 0.5) if model not in PUBLISHED else None, "n": 404, "covered": rng.uniform(0.9, 1),
         "shift": rng.uniform(-0.2, 0.2), "published": model in PUBLISHED}
        for model in (*MODELS, *PUBLISHED) for reference in REFERENCES[:2]
    ]  # fmt: skip
    rows[0]["reference"] = "</td><script>alert(1)</script>"
    return Figure(
        id="table", study="companions.iat", kind="table", title="Divergence, measured and published",
        caption="KL(reference || model) in nats over the occupations of each set.", rows=tuple(rows),
        encode={"Model": "model", "Reference": "reference", "Mean": "mean", "Median": "median", "SD": "sd",
                "Items": "n", "Coverage": "covered", "Shift by persona": "shift"},
        options={"mark": "published", "format": {"mean": ".3f", "median": ".3f", "sd": ".3f", "covered": ".1%",
                                                 "shift": "+.2f"}},
    )  # fmt: skip


def _text(rng: random.Random) -> Figure:
    said = (
        "I would tell her that the kitchen needs cleaning, \nand that a man of his age should know better. "
        "</p><script>alert(1)</script> & \u202ereordered\u202c words: "
    )
    rows = [
        {"answer": f"{persona}, prompt {nth}", "piece": piece + " ",
         "weight": rng.gauss(0, 0.1) if len(piece) > 2 else None}
        for nth, persona in enumerate(PERSONAS[:3]) for piece in (said * 2).split(" ")
    ]  # fmt: skip
    return Figure(
        id="weighed", study="companions.iat", kind="text", title="Words that move the association, in the answer",
        caption="Orange with a solid line: raises it; blue with a dashed line: lowers it.", rows=tuple(rows),
        encode={"text": "piece", "weight": "weight", "facet": "answer"},
        options={"titles": {"weight": "shift of the association"}},
    )  # fmt: skip
