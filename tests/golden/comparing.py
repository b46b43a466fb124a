"""Say in words where two tables differ: which section, which row, what was there and what is there now."""

from __future__ import annotations

import difflib
import json
import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

MOST = 20
"""Rows that are told of one section."""
CLOSE = 1e-9
"""Relative distance of numbers that are the same on another kind of computer."""
CLOSE_VECTORS = 1e-5
"""The same of numbers that come of encoders, which count with 32 bits: on every computer."""
_NUMBER = re.compile(r"(\d+(?:\.\d+)?)")

Lines = list[str]


def differences(old: Mapping[str, Lines], new: Mapping[str, Lines], close: float = 0.0) -> str:
    """What differs, for a person to read; nothing where all is the same.

    Parameters
    ----------
    old, new : mapping of str to list of str
        Lines by section; each line is a key and a value.
    close : float
        How far apart two numbers may be, relative to the larger: 0 where every digit counts.
    """
    said = [f"section {name} is {'gone' if name in old else 'new'}" for name in sorted(old.keys() ^ new.keys())]
    for name in (name for name in old if name in new and old[name] != new[name]):
        rows = list(_rows(name, old[name], new[name], close))
        if rows:
            more = f"  … and {len(rows) - MOST} more" if len(rows) > MOST else ""
            said.append("\n".join([f"{name}: {len(rows)} differ", *rows[:MOST], more]).rstrip())
    return "\n".join(said)


def _rows(section: str, old: Lines, new: Lines, close: float) -> Iterator[str]:
    was, now = ([json.loads(line) for line in lines] for lines in (old, new))
    if section.startswith(("findings", "page")):  # sentences in an order, whose keys say little
        if len(was) != len(now) or not all(same(a, b, close) for a, b in zip(was, now, strict=True)):
            yield from (f"  {line}" for line in difflib.unified_diff(old, new, "old", "new", n=0, lineterm=""))
        return
    before, after = dict(was), dict(now)
    yield from (f"  gone: {key}" for key in before if key not in after)
    yield from (f"  new: {key}" for key in after if key not in before)
    for key, value in before.items():
        if key in after and not same(value, after[key], close):
            yield f"  {key}: {'; '.join(_changes('', value, after[key], close))}"
    if close == 0.0 and before == after:
        yield "  the order of the rows, or how a number is written"


def _changes(path: str, old: Any, new: Any, close: float) -> Iterator[str]:
    """Every place within a value that differs."""
    if isinstance(old, dict) and isinstance(new, dict):
        pairs: Any = ((name, old.get(name), new.get(name)) for name in [*old, *(one for one in new if one not in old)])
    elif isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = ((place, *pair) for place, pair in enumerate(zip(old, new, strict=True)))
    else:
        yield f"{path} {old!r} -> {new!r}{_relative(old, new)}".strip()
        return
    for name, before, after in pairs:
        if not same(before, after, close):
            yield from _changes(f"{path}.{name}" if path else str(name), before, after, close)


def _relative(old: Any, new: Any) -> str:
    if not (_number(old) and _number(new)):
        return ""
    largest = max(abs(old), abs(new))
    return f" (relative {(new - old) / largest:.3g})" if math.isfinite(largest) and largest else ""


def same(old: Any, new: Any, close: float) -> bool:
    """Whether two values are the same: to the digit, or as far as `close` allows, also of numbers within a text."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old.keys() == new.keys() and all(same(old[name], new[name], close) for name in old)
    if isinstance(old, list) and isinstance(new, list):
        return len(old) == len(new) and all(same(a, b, close) for a, b in zip(old, new, strict=True))
    if close and isinstance(old, str) and isinstance(new, str):
        return _same_text(old, new, close)
    if _number(old) and _number(new):
        return repr(old) == repr(new) or (close > 0 and math.isclose(old, new, rel_tol=close, abs_tol=close))
    return type(old) is type(new) and old == new


def _number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _same_text(old: str, new: str, close: float) -> bool:
    """Texts that are the same but for numbers in them, whose last digit may be one more or less."""
    if old == new:
        return True
    was, now = _NUMBER.split(old), _NUMBER.split(new)
    if len(was) != len(now) or was[::2] != now[::2]:
        return False
    return all(
        "." in a
        and "." in b
        and abs(float(a) - float(b)) <= close * float(a) + 1.001 * 10.0 ** -len(a.partition(".")[2])
        for a, b in zip(was[1::2], now[1::2], strict=True)
        if a != b
    )
