"""A regular expression matched as `re` matches it, by backtracking, with every step counted.

Only the number of steps and the end of the match are wanted; the tests compare the latter with what `re` finds, so that
the steps are those of the same search. A place, or an alternative, whose first letter does not fit is one step.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from re import _constants as op  # type: ignore[attr-defined]
from re import _parser  # type: ignore[attr-defined]
from typing import Any

MOST = 3_000_000
"""Steps of one search; what takes more is beyond measure."""

Next = Callable[[int], int]
"""From a place to the end of the match of all that follows, -1 where there is none."""
Node = Callable[[int, Next], int]
Test = Callable[[str], bool]


class TooManySteps(Exception):
    """A search that does not come to an end."""


_CATEGORIES: dict[Any, Test] = {
    op.CATEGORY_SPACE: str.isspace,
    op.CATEGORY_DIGIT: str.isdecimal,
    op.CATEGORY_WORD: lambda sign: sign.isalnum() or sign == "_",
    op.CATEGORY_NOT_SPACE: lambda sign: not sign.isspace(),
    op.CATEGORY_NOT_DIGIT: lambda sign: not sign.isdecimal(),
    op.CATEGORY_NOT_WORD: lambda sign: not (sign.isalnum() or sign == "_"),
}
_SINGLE = {op.LITERAL, op.NOT_LITERAL, op.ANY, op.IN}


def _forms(sign: str, flags: int) -> set[str]:
    """A letter in all its cases, where case does not matter."""
    if not flags & re.IGNORECASE:
        return {sign}
    return {one for one in (sign, sign.lower(), sign.upper(), sign.swapcase()) if len(one) == 1}


def _among(items: Iterable[tuple[Any, Any]], sign: str, flags: int) -> bool:
    forms = _forms(sign, flags)
    for kind, value in items:
        if kind is op.LITERAL and any(ord(one) == value for one in forms):
            return True
        if kind is op.RANGE and any(value[0] <= ord(one) <= value[1] for one in forms):
            return True
        if kind is op.CATEGORY and _CATEGORIES[value](sign):
            return True
    return False


def _single(kind: Any, value: Any, flags: int) -> Test:
    """Whether one letter fits."""
    if kind is op.LITERAL:
        fitting = _forms(chr(value), flags)
        return fitting.__contains__
    if kind is op.NOT_LITERAL:
        other = _forms(chr(value), flags)
        return lambda sign: sign not in other
    if kind is op.ANY:
        return (lambda _: True) if flags & re.DOTALL else (lambda sign: sign != "\n")
    negated = value[0][0] is op.NEGATE
    items = value[1:] if negated else value
    return lru_cache(maxsize=None)(lambda sign: _among(items, sign, flags) is not negated)


def _first(items: list[tuple[Any, Any]], flags: int) -> Test | None:
    """Whether a letter may be the first of a match; None where a match may be empty or begins with a group again."""
    tests: list[Test] = []
    for kind, value in items:
        if kind in (op.AT, op.ASSERT, op.ASSERT_NOT):
            continue
        found, empty = _firsts(kind, value, flags)
        if found is None:
            return None
        tests.append(found)
        if not empty:
            return lru_cache(maxsize=None)(lambda sign: any(test(sign) for test in tests))
    return None


def _firsts(kind: Any, value: Any, flags: int) -> tuple[Test | None, bool]:
    """The same of one part, and whether it may be empty."""
    if kind in _SINGLE:
        return _single(kind, value, flags), False
    if kind is op.SUBPATTERN:
        return _first(list(value[3]), (flags | value[1]) & ~value[2]), False
    if kind is op.ATOMIC_GROUP:
        return _first(list(value), flags), False
    if kind is op.BRANCH:
        ways = [_first(list(one), flags) for one in value[1]]
        known = [way for way in ways if way is not None]
        return ((lambda sign: any(way(sign) for way in known)) if len(known) == len(ways) else None), False
    if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
        return _first(list(value[2]), flags), value[0] == 0
    return None, True


class Matcher:
    """One expression. ``steps`` is what all searches so far took."""

    def __init__(self, pattern: str, flags: int = 0) -> None:
        tree = _parser.parse(pattern, flags)
        self.steps = 0
        self._limit = 0
        self._text, self._end, self._begin = "", 0, 0
        self._groups: dict[int, tuple[int, int]] = {}
        self._root = self._sequence(list(tree), tree.state.flags)
        self._opening = _first(list(tree), tree.state.flags)

    def find(self, text: str, pos: int, endpos: int, *, anywhere: bool, whole: bool) -> tuple[int, int] | None:
        """Where it matches: from `pos` on or at `pos` alone, to the end of the text or not."""
        self._text, self._end, self._begin = text, endpos, pos
        self._limit = self.steps + MOST
        done: Next = (lambda at: at if at == endpos else -1) if whole else (lambda at: at)
        opening = self._opening
        for start in range(pos, endpos + 1) if anywhere else (pos,):
            self._count()
            if opening is not None and (start == endpos or not opening(text[start])):
                continue
            self._groups = {}
            if (end := self._root(start, done)) >= 0:
                return start, end
        return None

    def _count(self, steps: int = 1) -> None:
        self.steps += steps
        if self.steps > self._limit:
            raise TooManySteps

    def _sequence(self, items: list[tuple[Any, Any]], flags: int) -> Node:
        nodes = [self._node(kind, value, flags) for kind, value in items]
        if not nodes:
            return lambda at, then: then(at)
        if len(nodes) == 1:
            return nodes[0]
        first, rest = nodes[0], self._joined(nodes[1:])
        return lambda at, then: first(at, lambda to: rest(to, then))

    def _joined(self, nodes: list[Node]) -> Node:
        if len(nodes) == 1:
            return nodes[0]
        first, rest = nodes[0], self._joined(nodes[1:])
        return lambda at, then: first(at, lambda to: rest(to, then))

    def _node(self, kind: Any, value: Any, flags: int) -> Node:
        if kind in _SINGLE:
            return self._letter(_single(kind, value, flags))
        return self._compound(kind, value, flags)

    def _letter(self, fits: Test) -> Node:
        def letter(at: int, then: Next) -> int:
            self._count()
            return then(at + 1) if at < self._end and fits(self._text[at]) else -1

        return letter

    def _compound(self, kind: Any, value: Any, flags: int) -> Node:  # noqa: PLR0911
        if kind is op.SUBPATTERN:
            group, add, remove, items = value
            return self._group(group, self._sequence(list(items), (flags | add) & ~remove))
        if kind is op.BRANCH:
            ways = [list(one) for one in value[1]]
            return self._branch([(_first(one, flags), self._sequence(one, flags)) for one in ways])
        if kind in (op.MAX_REPEAT, op.MIN_REPEAT, op.POSSESSIVE_REPEAT):
            return self._repeat(kind, *value, flags)
        if kind is op.ATOMIC_GROUP:
            return self._atomic(self._sequence(list(value), flags))
        if kind is op.AT:
            return self._place(value, flags)
        if kind in (op.ASSERT, op.ASSERT_NOT):
            return self._look(
                value[0], self._sequence(list(value[1]), flags), value[1].getwidth()[0], kind is op.ASSERT
            )
        if kind is op.GROUPREF:
            return self._again(value)
        raise AssertionError(f"no counting of {kind}")

    def _group(self, group: int | None, inner: Node) -> Node:
        if group is None:
            return inner

        def grouped(at: int, then: Next) -> int:
            def close(to: int) -> int:
                before = self._groups.get(group)
                self._groups[group] = (at, to)
                if (end := then(to)) < 0:
                    self._groups.pop(group) if before is None else self._groups.update({group: before})
                return end

            return inner(at, close)

        return grouped

    def _again(self, group: int) -> Node:
        def again(at: int, then: Next) -> int:
            start, end = self._groups.get(group, (0, -1))
            self._count(1 + max(0, end - start))
            if end < start or self._text[at : at + end - start] != self._text[start:end]:
                return -1
            return then(at + end - start)

        return again

    def _branch(self, ways: list[tuple[Test | None, Node]]) -> Node:
        def branch(at: int, then: Next) -> int:
            for opening, way in ways:
                self._count()
                if opening is not None and (at >= self._end or not opening(self._text[at])):
                    continue
                if (end := way(at, then)) >= 0:
                    return end
            return -1

        return branch

    def _atomic(self, inner: Node) -> Node:
        def atomic(at: int, then: Next) -> int:
            self._count()
            end = inner(at, lambda to: to)
            return -1 if end < 0 else then(end)

        return atomic

    def _repeat(self, kind: Any, least: int, most: Any, body: Any, flags: int) -> Node:
        items = list(body)
        top = 1 << 60 if most is op.MAXREPEAT else int(most)
        if len(items) == 1 and items[0][0] in _SINGLE:
            return self._run(kind, least, top, _single(*items[0], flags))
        inner = self._sequence(items, flags)
        if kind is op.POSSESSIVE_REPEAT:
            return self._possessive(inner, least, top)
        return self._several(inner, least, top, kind is op.MAX_REPEAT)

    def _run(self, kind: Any, least: int, most: int, fits: Test) -> Node:
        """A repeat of one letter, without recursion."""

        def reach(at: int, top: int) -> int:
            to, text, last = at, self._text, min(self._end, at + top)
            while to < last and fits(text[to]):
                to += 1
            self._count(to - at + 1)
            return to

        def greedy(at: int, then: Next) -> int:
            for to in range(reach(at, most), at + least - 1, -1):
                self._count()
                if (end := then(to)) >= 0:
                    return end
            return -1

        def lazy(at: int, then: Next) -> int:
            to = reach(at, least)
            if to < at + least:
                return -1
            while True:
                self._count()
                if (end := then(to)) >= 0:
                    return end
                if to - at >= most or to >= self._end or not fits(self._text[to]):
                    return -1
                to += 1

        def possessive(at: int, then: Next) -> int:
            to = reach(at, most)
            return then(to) if to >= at + least else -1

        return {op.MAX_REPEAT: greedy, op.MIN_REPEAT: lazy, op.POSSESSIVE_REPEAT: possessive}[kind]

    def _several(self, inner: Node, least: int, most: int, greedy: bool) -> Node:
        def turn(at: int, done: int, then: Next) -> int:
            self._count()
            if done < least:
                return inner(at, lambda to: turn(to, done + 1, then))
            more: Next = lambda to: -1 if to == at else turn(to, done + 1, then)  # noqa: E731
            if not greedy and (end := then(at)) >= 0:
                return end
            end = inner(at, more) if done < most else -1
            return end if end >= 0 or not greedy else then(at)

        return lambda at, then: turn(at, 0, then)

    def _possessive(self, inner: Node, least: int, most: int) -> Node:
        def possessive(at: int, then: Next) -> int:
            done = 0
            while done < most:
                self._count()
                to = inner(at, lambda place: place)
                if to < 0 or (to == at and done >= least):
                    break
                at, done = to, done + 1
            return then(at) if done >= least else -1

        return possessive

    def _place(self, where: Any, flags: int) -> Node:
        word = _CATEGORIES[op.CATEGORY_WORD]

        def there(at: int) -> bool:
            text, end = self._text, self._end
            if where in (op.AT_BOUNDARY, op.AT_NON_BOUNDARY):
                before, after = at > 0 and word(text[at - 1]), at < end and word(text[at])
                return (before != after) is (where is op.AT_BOUNDARY)
            if where is op.AT_BEGINNING_STRING or (where is op.AT_BEGINNING and not flags & re.MULTILINE):
                return at == 0
            if where is op.AT_BEGINNING:
                return at == 0 or text[at - 1] == "\n"
            if where is op.AT_END_STRING:
                return at == end
            last = at == end or (at == end - 1 and text[at] == "\n")
            return last or bool(flags & re.MULTILINE and text[at] == "\n")

        def place(at: int, then: Next) -> int:
            self._count()
            return then(at) if there(at) else -1

        return place

    def _look(self, way: int, inner: Node, width: int, wanted: bool) -> Node:
        def look(at: int, then: Next) -> int:
            self._count()
            start = at if way > 0 else at - width
            found = start >= 0 and inner(start, lambda to: to if way > 0 or to == at else -1) >= 0
            return then(at) if found is wanted else -1

        return look
