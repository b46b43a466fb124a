"""YAML of others, read within limits: plain values alone, each key once, and nothing that unfolds without end.

Files of the package itself are read by libyaml, which is ten times as fast; tests hold that they mean the same to both.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml
from yaml.events import AliasEvent, Event, NodeEvent, ScalarEvent
from yaml.nodes import MappingNode, Node, ScalarNode

from personae.errors import BadInput
from personae.filing import read_text
from personae.wellformed import well_formed_value

MOST_BYTES = 16 << 20
"""How large a file of YAML may be, where its reader names no other limit."""
MOST_DEEP = 64
"""How many lists and mappings may stand in one another."""
MOST_VALUES = 1_000_000
"""How many values and keys a file may hold, with every alias counted as what it stands for."""
_LONGEST_NUMBER = 64  # characters; 64 bits need 20, in the base of two 66, which nobody writes
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_NUMBERS = frozenset(f"tag:yaml.org,2002:{kind}" for kind in ("int", "float"))
_MERGE = "tag:yaml.org,2002:merge"


class _Refused(yaml.MarkedYAMLError):
    """YAML that is none of what is taken here."""

    def __init__(self, said: str, mark: Any) -> None:
        super().__init__(problem=said, problem_mark=mark)


class _Loader(yaml.SafeLoader):
    """The safe loader, within limits.

    By itself it lets the later of two equal keys win without a word, calls itself for every level, and does not count
    what aliases of aliases stand for.
    """

    def __init__(self, text: str, most: int) -> None:
        super().__init__(text)
        self._most, self._deep, self._values, self._letters = most, 0, 0, 0
        self._sizes: dict[str, tuple[int, int]] = {}  # of what an anchor names: values and letters

    def compose_node(self, parent: Node | None, index: Any) -> Node | None:
        event = self.peek_event()  # type: ignore[no-untyped-call]
        if isinstance(event, AliasEvent):
            self._count(event, *self._size(event))
            return super().compose_node(parent, index)
        self._check(event)
        before = self._values, self._letters
        self._count(event, 1, len(event.value) if isinstance(event, ScalarEvent) else 0)
        self._deep += 1
        node = super().compose_node(parent, index)
        self._deep -= 1
        if event.anchor is not None:
            self._sizes[event.anchor] = self._values - before[0], self._letters - before[1]
        return node

    def _check(self, event: NodeEvent) -> None:
        if self._deep == MOST_DEEP:
            raise _Refused(f"lists and mappings stand in one another more than {MOST_DEEP} deep", event.start_mark)
        if (tag := getattr(event, "tag", None)) is not None:
            raise _Refused(f"the tag {tag!r}; none is taken, quotation marks make a text of a value", event.start_mark)

    def _size(self, event: AliasEvent) -> tuple[int, int]:
        if event.anchor in self.anchors and event.anchor not in self._sizes:
            raise _Refused(f"the alias {event.anchor!r} stands within what it names", event.start_mark)
        return self._sizes.get(event.anchor or "", (1, 0))  # one that names nothing is refused by the library

    def _count(self, event: Event, values: int, letters: int) -> None:
        self._values += values
        self._letters += letters
        if self._values > MOST_VALUES or self._letters > self._most:
            said = f"more than {MOST_VALUES:,} values or {self._most:,} characters, counting what aliases stand for"
            raise _Refused(said, event.start_mark)

    def construct_object(self, node: Node, deep: bool = False) -> Any:
        if isinstance(node, ScalarNode) and node.tag in _NUMBERS and len(node.value) > _LONGEST_NUMBER:
            raise _Refused(f"a number of {len(node.value):,} characters", node.start_mark)
        try:
            value = super().construct_object(node, deep=deep)
        except (ValueError, OverflowError) as error:  # 2024-13-45, among others
            raise _Refused(f"{_short(node.value)} is no date or number ({error})", node.start_mark) from None
        if isinstance(value, int) and not _LOWEST <= value <= _HIGHEST:
            raise _Refused("a whole number of more than 64 bits", node.start_mark)
        return value

    def texts_once(self, node: MappingNode) -> dict[str, Any]:
        """The mapping of a node; every key is a text and stands there once."""
        found: dict[str, Any] = {}
        for key, value in node.value:
            name = self.construct_object(key, deep=True) if key.tag != _MERGE else None
            if not isinstance(name, str):
                shown = _short(key.value) if isinstance(key, ScalarNode) else "a list or mapping"
                raise _Refused(f"the key {shown} is no text: set it in quotation marks", key.start_mark)
            if name in found:
                raise _Refused(f"the key {_short(name)} stands there twice", key.start_mark)
            found[name] = self.construct_object(value, deep=True)
        return found


_Loader.add_constructor(yaml.resolver.BaseResolver.DEFAULT_MAPPING_TAG, _Loader.texts_once)


_PACKAGE = Path(__file__).parent
_FAST: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def own_yaml(text: str) -> Any:
    """The value of a file of this package."""
    return yaml.load(text, Loader=_FAST)


def load_yaml(path: Path, field: str, *, most: int = MOST_BYTES, wanted: str = "") -> Any:
    """Read a file of YAML: plain values, halves of characters replaced.

    Parameters
    ----------
    path : pathlib.Path
        The file, UTF-8.
    field : str
        The option or field that named it.
    most : int
        Bytes.
    wanted : str
        What would stand in such a file; said where it is no YAML.

    Raises
    ------
    BadInput
        When it cannot be read or is none; when a key is no text or stands there twice; when a value bears a tag, is no
        date or number though it looks like one; when lists and mappings stand in one another too deep, or it holds too
        much, counting what aliases stand for. The line is named.
    """
    text = read_text(path, field, most=most, allowed="a readable YAML file in UTF-8")
    if path.is_relative_to(_PACKAGE) and ".." not in path.parts:
        return own_yaml(text)
    try:
        return well_formed_value(_value(text, most))
    except yaml.YAMLError as error:
        more = f"; {wanted}" if wanted else ""
        raise BadInput(field, str(path), f"it is not valid YAML: {_fault(error, text)}{more}") from None


def _value(text: str, most: int) -> Any:
    loader = _Loader(text, most)
    try:
        return loader.get_single_data()
    except (ValueError, OverflowError) as error:  # an escape that is no character, a version of 5,000 digits
        raise _Refused(f"an escape or number that means nothing ({error})", loader.get_mark()) from None
    finally:
        loader.dispose()


def _fault(error: yaml.YAMLError, text: str) -> str:
    if isinstance(error, yaml.reader.ReaderError):
        before = text[: error.position]
        line, column = before.count("\n"), len(before) - before.rfind("\n") - 1
        return f"the character {chr(error.character)!r} must not stand there (line {line + 1}, column {column + 1})"
    assert isinstance(error, yaml.MarkedYAMLError)
    mark = error.problem_mark or error.context_mark
    said = ", ".join(part for part in (error.context, error.problem) if part)
    return said if mark is None else f"{said} (line {mark.line + 1}, column {mark.column + 1})"


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else text[:57] + "...")
