"""Says of readers, in lines of JSON, where twice the text takes more than two and a half times the steps.

``python growth.py PART OF EVERY``: a part of the readers, counted from 0, against every so-manieth hostile text.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress

import counting
from matching import TooManySteps

FACTOR = 2.5
LENGTH, LONGEST = 320, 2560
"""Letters at first and at most: a reader that looks at a few hundred letters and no more is seen to stop."""
LEAST = 4
"""Steps a letter below which a place does not count."""


READ_FIRST = ("", "yes, abusive. A) 70", '{"a": 1}')


def grown(steps: Callable[[int], tuple[int, Counter[str]]]) -> str:
    """The place where the steps grow faster than the text, and by how much; empty where there is none."""
    length, found = LENGTH, ""
    size, before = steps(length)
    while length < LONGEST:
        length *= 2
        size, after = steps(length)
        floor = LEAST * size
        places = [place for place, took in after.items() if took > floor and took > FACTOR * before[place]]
        if not places:
            return ""
        worst = max(places, key=after.__getitem__)
        found = f"{worst}: {before[worst]}, then {after[worst]} steps at {length} letters"
        if after.total() > 40_000_000:
            break
        before = after
    return found


def _steps(reader: Callable[[str], object], text: str) -> tuple[int, Counter[str]]:
    counting.work.clear()
    with suppress(ValueError):  # told in words: the reader has looked at it all the same
        reader(text)
    return len(text), Counter(counting.work)


def _of_readers(part: int, of: int, every: int) -> Iterator[tuple[str, str, str]]:
    import readers
    from hostile import generated, made

    hostile = [*made(), *generated()][::every]
    for name in list(readers.READERS)[part::of]:
        reader = readers.READERS[name]
        for text in READ_FIRST:  # what is loaded once is loaded
            _steps(reader, text)
        for one in hostile:
            try:
                found = grown(lambda length, one=one, reader=reader: _steps(reader, one.text(length)))
            except TooManySteps as error:
                found = f"{error}: no end"
            if found:
                yield name, str(one), found


def main(part: int, of: int, every: int) -> None:
    """Say what grows, and at last how much was tried."""
    counting.install()
    for name, text, found in _of_readers(part, of, every):
        print(json.dumps([ascii(one) for one in (name, text, found)]), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]))
