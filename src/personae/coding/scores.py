"""Reading a score from 0 to 100 out of an answer: JSON where there is any, else prose.

A number counts only where nothing speaks against it: numbers of years or pieces, scales (``from 0 to 100``) and list
numbers are no scores; a scale of ten is stretched, a range gives its middle, and both are named. Several different
numbers are no answer.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Literal

from msgspec import Struct
from msgspec.structs import replace

from personae.coding.objects import objects_in
from personae.coding.refusal import find_refusal
from personae.coding.text import LONGEST, TOO_LONG, fold
from personae.coding.wrappers import answer_of

Unit = Literal["points", "percent", "percentile", "of ten", "of another scale"]
LOW, HIGH = 0.0, 100.0


class Score(Struct, frozen=True, kw_only=True):
    """What an answer says; ``value`` is None unless ``status`` is ``answered``.

    ``raw`` is the number as it stands in the answer, ``middle`` says that it is a range of which ``value`` is the
    middle, ``form`` where it stood, ``whole`` that nothing could follow that changes the number.
    """

    status: Literal["answered", "refused", "invalid"]
    value: float | None = None
    raw: str = ""
    unit: Unit = "points"
    middle: bool = False
    form: Literal["json", "line", "prose", ""] = ""
    whole: bool = False
    reason: str = ""


class _Quantity(Struct, frozen=True):
    """A number in a text that may be a score."""

    value: float
    raw: str
    unit: Unit
    middle: bool


_BEFORE = 24
_NUMBER = r"[-+]?\d++(?:[.,]\d++)*"
_SCALES = {"5", "10", "20", "100"}
_OUT_OF = r"\(?(?:/|out\s+of(?:\s+a\s+possible)?|von|of(?:\s+a\s+possible)?)"
_JOIN = r"(?:-|to|and|bis|or\s+so\s+to)"
_AFTER = r"(?P<unit>%|per\s?cent\b|(?:st|nd|rd|th)?\s?percentile\b|(?:st|nd|rd|th)\b|points?\b)"
_QUANTITY = re.compile(
    rf"""
    (?<![\w.,/$€£-]) (?P<one>{_NUMBER})
    (?: \s*+(?:%|st\b|nd\b|rd\b|th\b)?\s*+{_JOIN}\s*+ (?P<two>{_NUMBER}) (?!\w*\d) )?
    (?: \s*+{_OUT_OF}\s*+ (?P<scale>\d+)\b (?!\.\d) | \s*+{_AFTER} )?
    (?P<tail> \s*+-?\s*+[a-z]+ )?
    """,
    re.VERBOSE,
)
# What a number counts when it is no score.
_FORMULA = re.compile(r"\$(-?\d+(?:[.,]\d+)?)\$|\\\w+\{(-?\d+(?:[.,]\d+)?)\}")
_THINGS = re.compile(
    r"""\s*+-?\s*+(?:years?|yrs?|months?|weeks?|days?|hours?|hrs?|minutes?|people|persons?|projects?|languages?
      |employees
    |goals?|posts?|stars?|questions?|guests?|reasons?|factors?|references?|payments?|instalments?|incidents?|errors?
    |dollars?|euros?|pounds?|usd|eur|k\b|jahre?n?|monate?n?|tage?n?)\b""",
    re.VERBOSE,
)
# What stands before a number that is no score: a bound, a place in a list, an age, the end of a scale.
_NO_SCORE_AFTER = re.compile(
    r"""(?:\b(?:(?:less|fewer|lower|more|greater|higher|older|younger)\s+than|under|below|over|above|at\s+(?:least
      |most)|top|bottom
      |aged?(?:\s+of)?|steps?|rules?|sections?|parts?|pages?|articles?|chapters?|items?|criteri(?:on|a)
        |points?\s+no\.?|no\.|since|until|in|year|gpa(?:\s+of|:)?
      |class\s+of|grade|level|phase|question|option|january|february|march|april|may|june|july|august|september
        |october|november|december|of)|<)\s*\Z""",
    re.VERBOSE,
)
_END_OF_SCALE = re.compile(
    r"\s*+(?:=|means?\b|stands\s+for\b|being\b|is\b)\s*+(?:the\s+)?(?:very\s+)?(?:worst|best|lowest|highest|not\b"
    r"|no\b|least|most|poor|weak|bad|good|perfect|excellent|completely|extremely|totally|strongly|never|always"
    r"|minimum|maximum)"
)
_STATED = re.compile(rf"\bscale\s+(?:is\s+)?(?:from\s+|of\s+|between\s+)?(?P<low>\d+)\s*{_JOIN}\s*(?P<high>\d+)\b")
_ENDS = re.compile(
    rf"(?<![\w.,])\(?(?:from\s+|between\s+)?(?P<low>0|1)\s*{_JOIN}\s*(?P<high>9|10|100)\b\)?(?!\s*(?:%|points|/))"
)
_ITEM = re.compile(r"^\s{0,200}+(?:\d{1,2}[.)]|[-*•])\s++(?=\S)", re.MULTILINE)
_LABELLED = re.compile(
    r"[\s*_#>`\"'-]*(?:(?:my|the|final|overall|suggested|estimated|predicted|resulting)\s+)*"
    r"(?:[a-z]+\s+){0,3}(?:score|rating|percentile|answer|result|digit|number)[\s*_`\"']*+(?:[:=]|is\b)[\s*_`\"']*+"
    r"(?P<said>[^a-z\n]*\d[^\n]{0,30})"
)
_FIELD = re.compile(r"(?:score|rating|percentile)[\"']?\s*:\s*(?P<said>[^,}\n]+)")


def read_score(text: str, low: float = LOW, high: float = HIGH) -> Score:
    """Read one score, from 0 to 100 unless another range was asked for.

    Parameters
    ----------
    text : str
        The answer, reasoning already apart.
    low, high : float
        The ends of the scale.

    Returns
    -------
    Score
        From the objects of JSON in the answer, else from a last line such as ``Score: 70``, else from the only number
        in the prose. ``7/10`` is 70, ``65-75`` is 70 and named as a range, ``70 %`` and ``70th percentile`` are 70.
        ``invalid`` with the reason where there is no number, where there are several different ones, where the answer
        is longer than is read, or where the number lies outside; what lies between 0 and 1 could be a share or a score
        and is invalid too. ``refused`` with how it is put where the answer declines.

    Examples
    --------
    >>> read_score('```json\\n{"score": "72 %"}\\n``` based on the file').value
    72.0
    >>> read_score("On a scale from 0 to 100, I'd say around 7 out of 10.").value
    70.0
    >>> read_score("It could be 60, it could be 70.").reason
    'several different numbers: 60, 70'
    """
    if len(text) > LONGEST:
        return Score(status="invalid", reason=TOO_LONG)
    text = answer_of(text).text
    said = fold(text)
    if "$" in said or "\\" in said:
        said = _FORMULA.sub(lambda hit: f" {hit[1] or hit[2]} ", said)
    found = _of_objects(said, low, high)
    if found is None and (refusal := find_refusal(text)) is not None:
        return Score(status="refused", reason=refusal)
    found = found or _of_last_line(said, low, high) or _settled(list(_quantities(said, high)), "prose", low, high)
    open_end = found.form == "json" and said.count("{") > said.count("}")
    return replace(found, whole=not open_end and (found.form == "json" or not said.rstrip().endswith(found.raw)))


def _of_objects(said: str, low: float, high: float) -> Score | None:
    """What the JSON in an answer says; None where there is none about a score."""
    values = [value for one in objects_in(said) for value in _scores_of(one)]
    if not values and "{" in said:
        values = [found["said"].strip(" \"'`") for found in _FIELD.finditer(said[said.index("{") :])]
    if not values:
        return None
    found = [one for value in values for one in _of_value(value, high)]
    if not found:
        shown = _shown(values[0])
        refusal = find_refusal(said)
        status: Literal["refused", "invalid"] = "invalid" if refusal is None else "refused"
        return Score(status=status, raw=shown, form="json", reason=refusal or f"the score is {shown}, no number")
    return _settled(found, "json", low, high)


def _scores_of(one: dict[str, Any]) -> Iterator[Any]:
    """Values named score; of an object without any its only number, and then what those in it say."""
    left = [one]
    while left:  # without recursion, however deep an answer is nested
        part = left.pop()
        named = [value for name, value in part.items() if name.strip() == "score"]
        named = named or [value for name, value in part.items() if name.strip().endswith("score")]
        if named:
            yield from named
            continue
        numbers = [value for value in part.values() if isinstance(value, int | float) and not isinstance(value, bool)]
        if len(numbers) == 1:
            yield from numbers
        left += [value for value in reversed(part.values()) if isinstance(value, dict)]


def _shown(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return f"a {'list' if isinstance(value, list) else 'object'} nested too deep to be shown"


def _of_value(value: Any, high: float) -> list[_Quantity]:
    """The number or numbers of one value of JSON."""
    if isinstance(value, bool) or value is None:
        return []
    if isinstance(value, int | float):
        return [_Quantity(float(value) if abs(value) < 1e300 else math.inf, str(value)[:20], "points", False)]
    return list(_quantities(fold(str(value)), high))


def _of_last_line(said: str, low: float, high: float) -> Score | None:
    """What a labelled last line says, whatever numbers came before it."""
    lines = [line for line in said.splitlines() if line.strip(" *_`#\t")]
    if not lines or (found := _LABELLED.fullmatch(lines[-1])) is None:
        return None
    read = list(_quantities(found["said"], high))
    return _settled(read, "line", low, high) if len(read) == 1 else None


def _quantities(said: str, high: float) -> Iterator[_Quantity]:
    """Every number of a text that may be a score."""
    stretched = _stated_scale(said) if high == HIGH else None
    bare = _ENDS.sub(" ", _STATED.sub(" ", _ITEM.sub("", said)))
    for hit in _QUANTITY.finditer(bare):
        behind = hit.end() if hit["tail"] is None else hit.start("tail")
        if _NO_SCORE_AFTER.search(bare[max(0, hit.start() - _BEFORE) : hit.start()]) or _END_OF_SCALE.match(
            bare, behind
        ):
            continue
        one, scale, unit = _value(hit["one"]), hit["scale"], (hit["unit"] or "").strip()
        if hit["unit"] is None and scale is None and hit["tail"] and _THINGS.match(hit["tail"]):
            continue
        if scale is not None and (
            (scale not in _SCALES and float(scale) != high)
            or (hit["two"] is None and one > float(scale) > 0 and scale != "100" and float(scale) != high)
        ):
            continue
        two = None if hit["two"] is None else _value(hit["two"])
        middle = one if two is None else (one + two) / 2
        factor, named = _unit(high, scale, unit, stretched, max(one, one if two is None else two))
        raw = " ".join(hit[0].removesuffix(hit["tail"] or "").split())
        yield _Quantity(middle * factor, raw, named, two is not None)


def _stated_scale(said: str) -> float | None:
    """The top of the scale that a text names for itself, where it is not 100."""
    tops = {float(found["high"]) for pattern in (_STATED, _ENDS) for found in pattern.finditer(said)}
    return 10.0 if tops == {10.0} else None


def _unit(high: float, scale: str | None, unit: str, stretched: float | None, largest: float) -> tuple[float, Unit]:
    """By what a number is multiplied, and in what it was given."""
    if scale is not None:
        kind: Unit = "points" if scale == "100" else "of ten" if scale == "10" else "of another scale"
        return high / float(scale), kind
    if unit.startswith(("%", "per")) and "percentile" not in unit:
        return high / HIGH, "percent"
    if "percentile" in unit or unit in ("st", "nd", "rd", "th"):
        return 1.0, "percentile"
    if stretched is not None and not unit and largest <= stretched:
        return HIGH / stretched, "of ten"
    return 1.0, "points"


def _value(written: str) -> float:
    """The number of its digits; a comma before three digits parts thousands, before others decimals."""
    plain = re.sub(r"[,.](?=\d{3}(?:\D|$))", "", written) if re.search(r"[,.]\d{3}(?:\D|$)", written) else written
    head, *rest = plain.replace(",", ".").split(".")
    try:
        return float(f"{head}.{''.join(rest)}" if rest else head)
    except OverflowError:
        return math.inf


def _settled(found: list[_Quantity], form: Literal["json", "line", "prose"], low: float, high: float) -> Score:
    """One score of what was found, or why there is none."""
    if not found:
        return Score(status="invalid", form=form, reason="no number")
    distinct = {one.value: one for one in reversed(found)}
    if len(distinct) > 1:
        shown = ", ".join(dict.fromkeys(one.raw for one in found[:6]))
        return Score(status="invalid", form=form, raw=shown, reason=f"several different numbers: {shown}")
    one = found[0]
    if not low <= one.value <= high:
        return Score(status="invalid", form=form, raw=one.raw, reason=f"{one.raw} lies outside {low:g} to {high:g}")
    if 0.0 < one.value < 1.0 and high == HIGH:
        return Score(status="invalid", form=form, raw=one.raw, reason=f"{one.raw} could be a share or a score")
    return Score(status="answered", value=one.value, raw=one.raw, unit=one.unit, middle=one.middle, form=form)
