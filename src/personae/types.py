"""The words of the project as data: frozen, typed, without behaviour.

See ``docs/design.md`` for the vocabulary. Every value here encodes to JSON with msgspec.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from msgspec import Struct

Status = Literal["answered", "refused", "invalid", "truncated", "error"]
STATUSES: tuple[Status, ...] = ("answered", "refused", "invalid", "truncated", "error")
Finish = Literal["stop", "length", "content_filter", "other"]
Respond = Literal["free", "forced"]
Scoring = Literal["sound", "paper"]
Scale = Literal["quick", "standard", "paper"]


class Message(Struct, frozen=True):
    """One turn of a conversation. A last turn of the assistant is an answer already begun."""

    role: Literal["system", "user", "assistant"]
    content: str


class Trial(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question to a model, complete: what is sent, how it is sampled, what it is about.

    ``step`` and ``repeat`` name the trial inside its item. ``meta`` describes the question to simulated
    respondents and to readers of the store (options in the order shown, words to assign, condition); it is
    never sent to a real model and is no part of the fingerprint. ``to`` names another model to ask in the respondent's
    place: a judge. Where ``logprobs_needed`` is false, a model that reports no log-probabilities answers without them.
    """

    messages: tuple[Message, ...]
    step: str = "answer"
    repeat: int = 0
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    max_tokens: int = 256
    seed: int | None = None
    stop: tuple[str, ...] = ()
    top_logprobs: int = 0
    grammar: str | None = None
    to: str = ""
    logprobs_needed: bool = True
    meta: Mapping[str, Any] = {}


class TokenLogprob(Struct, frozen=True, array_like=True):
    """One generated token: its text, its log-probability, the most probable tokens in its place."""

    token: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


class Response(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What came back, word for word.

    ``text`` never repeats the begun assistant turn. ``reasoning`` holds reasoning text that the model sent
    apart or between think tags; ``finish`` is ``length`` also where a think tag was never closed.
    """

    text: str
    reasoning: str = ""
    finish: Finish = "stop"
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    logprobs: tuple[TokenLogprob, ...] = ()
    cost: float | None = None
    latency: float = 0.0


class Condition(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Who the model plays, who the user is, how it is worded. The baseline has none of it."""

    persona: str | None = None
    user: str | None = None
    persona_group: str | None = None
    user_group: str | None = None
    wording: str | None = None

    @property
    def baseline(self) -> bool:
        """Whether this is the same model without any persona."""
        return self.persona is None and self.user is None


class Item(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One stimulus under one condition.

    ``id`` is unique within its study and carries no secret of ordering: the same design gives the same ids.
    ``stimulus`` is the cluster for pairing and intervals: the same stimulus under persona and baseline carries
    the same name. ``facts`` are the design factors (domain, dataset, order, iteration …) and all that
    ``Study.run`` needs; JSON values only.
    """

    study: str
    id: str
    stimulus: str
    condition: Condition
    facts: Mapping[str, Any] = {}


class Outcome(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A coded response. ``value`` is a number, ``label`` a category; ``detail`` what the study keeps beside them."""

    status: Status
    value: float | None = None
    label: str | None = None
    reason: str = ""
    detail: Mapping[str, Any] = {}


class Estimate(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A measure in one cell.

    ``cell`` names the cell: a subset of ``domain, dataset, stimulus, persona, user, persona_group,
    user_group, wording, level`` and others a study declares; what is absent was averaged over. ``contrast`` is
    ``""`` for the measure itself and ``"baseline"`` for the paired difference from the baseline.
    ``lower`` and ``upper`` hold whatever the unanswered items would have said; ``coverage`` is the answered share.
    ``n`` counts the answers it rests on, ``clusters`` the units that its interval and its test go over, named by
    ``unit``: ``stimulus``, ``role``, ``set``, ``episode`` and so on; none where there is neither.
    An estimate that cannot be computed has ``value`` nan and a ``reason``.
    """

    study: str
    measure: str
    value: float
    model: str | None = None
    contrast: str = ""
    test: str = ""
    ci_low: float | None = None
    ci_high: float | None = None
    p: float | None = None
    p_adjusted: float | None = None
    statistic: float | None = None
    df: float | None = None
    effect_size: float | None = None
    n: int = 0
    clusters: int | None = None
    unit: str = ""
    coverage: float | None = None
    lower: float | None = None
    upper: float | None = None
    reason: str = ""
    cell: Mapping[str, str] = {}


class Finding(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A sentence for the reader of a report, with its numbers in it. ``tone``: finding, caution or method."""

    text: str
    study: str = ""
    tone: Literal["finding", "caution", "method"] = "finding"


class Figure(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A figure as data; ``report`` draws it.

    ``rows`` is the table behind the figure, ``encode`` says which column plays which part. Kinds and their parts:

    - ``bars``: x, y, colour; optional low, high (error bars), facet, zero line at 0.
    - ``forest``: y (label), x, low, high; optional colour, facet.
    - ``heatmap``: x, y, value; optional facet, midpoint and mark (in ``options``). A cell without a row is a dash.
    - ``radial``: angle (category), value, colour; optional facet.
    - ``words``: word, count; optional facet.
    - ``stack``: x, y, colour (share of each status); optional facet.
    - ``points``: x, y; optional colour, low, high, facet, label (a name written at the point: of the
      first twelve rows that have one, of the first four where facets stand abreast), diagonal (in ``options``).
    - ``line``: x (number), y; optional low, high (a band), colour, facet; diagonal and zero (in ``options``).
    - ``density``: value (numbers); optional colour, facet, limits (in ``options``: the least and largest possible
      value, None for none). Every value is shown as a dot or a tick under the curve.
    - ``table``: the parts are its headings, ``{"Mean": "kl_mean"}``, columns in this order; mark and choose (in
      ``options``).
    - ``text``: text (a piece of it: all pieces in their order), weight (number or None); optional facet (the title of
      each text). Words coloured by weight.

    ``options``: ``titles`` (part: what it is called), ``format`` (a number format such as ``.2f`` or ``.0%``, or one
    for each: of a table by column, of points and lines by ``x`` and ``y``), ``columns`` (facets abreast, 1 to 3, of
    points, lines and densities), ``zero`` (the vertical axis reaches 0), ``mark`` (a column: rows with a value in it
    are set apart, with that value as their tag), ``choose`` (``{"Arm": "arm"}``: columns by whose value the reader
    chooses which rows are seen; a list is several values). Tables and texts live in the page; as a file they are CSV.
    """

    id: str
    title: str
    caption: str
    kind: Literal["bars", "forest", "heatmap", "radial", "words", "stack", "points", "line", "density", "table", "text"]
    rows: tuple[Mapping[str, Any], ...]
    encode: Mapping[str, str]
    study: str = ""
    options: Mapping[str, Any] = {}
