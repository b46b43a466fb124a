"""The project's modules, imported so that every step of theirs is counted: what a reader does with a text, as a number.

Counted are turns of loops, letters that are copied or searched by slices and methods of texts, elements that functions
like ``sorted`` go through, and the steps of regular expressions (see `matching`). The place in the source that takes a
step is kept, so that a test can name it. It is for a process of its own: `install` comes before any import of the
project.
"""

from __future__ import annotations

import ast
import json
import re
import sys
import unicodedata
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import ModuleType
from typing import Any, ClassVar

from matching import Matcher, TooManySteps

Span = tuple[int, int] | None
_BLOCK = 64
"""Letters among which one is looked for in one step."""
_SHORT = ("startswith", "endswith", "removeprefix")
"""Methods that look at no more of a text than what they are given."""
work: Counter[str] = Counter()
"""Steps by the place that takes them."""


def _size(value: object) -> int:
    return len(value) if isinstance(value, str | bytes | list | tuple | dict | set | frozenset) else 1


def _disorder(text: str) -> int:
    """What sorting marks that combine takes: the square of each run of them (UAX #15, section 13)."""
    steps = run = 0
    for sign in unicodedata.normalize("NFD", text) if len(text) < 5000 else text:
        run = run + 1 if unicodedata.combining(sign) else 0
        steps += 1 + run
    return steps


class Tally:
    """What the source calls in the place of what it says."""

    def __init__(self) -> None:
        self.loops: Counter[str] = work

    def each(self, place: str, several: Iterable[Any]) -> Iterator[Any]:
        """The elements of a loop."""
        for one in several:
            work[place] += 1
            yield one

    def turn(self, place: str) -> bool:
        """A turn of a while loop, or of a function."""
        work[place] += 1
        return True

    def sized(self, place: str, value: Any) -> Any:
        """Something that was copied or made anew."""
        work[place] += _size(value)
        return value

    def has(self, place: str, one: Any, several: Any) -> bool:
        """Whether something is in a text or a list."""
        work[place] += 1 if isinstance(several, dict | set | frozenset) else _size(several)
        return one in several

    def call(self, place: str, function: Any, /, *given: Any, **named: Any) -> Any:
        """A call; functions of the project count for themselves."""
        owner = getattr(function, "__self__", None)
        if function is unicodedata.normalize:
            work[place] += _disorder(given[1])
        elif getattr(function, "__name__", "") == "raw_decode":
            return _decoded(place, function, *given)
        elif isinstance(owner, str) and function.__name__ in _SHORT:
            work[place] += 1
        elif isinstance(owner, str):
            work[place] += len(owner) + sum(map(_size, given))
        elif type(function).__name__ in ("type", "builtin_function_or_method") and function is not bisect_left:
            work[place] += sum(map(_size, given))
        found = function(*given, **named)
        if isinstance(owner, str):
            work[place] += _size(found)
        return found


def _decoded(place: str, decode: Callable[..., Any], text: str, at: int = 0) -> Any:
    try:
        found, end = decode(text, at)
    except json.JSONDecodeError as error:
        work[place] += error.pos - at + error.pos // _BLOCK  # it counts the lines before the fault
        raise
    except RecursionError:
        work[place] += sys.getrecursionlimit()
        raise
    work[place] += end - at
    return found, end


class Counted:
    """A compiled expression that does what it does, and counts what that takes."""

    _known: ClassVar[dict[tuple[str, int, str, str, int, int], tuple[int, Span]]] = {}

    def __init__(self, pattern: str, flags: int) -> None:
        self.real = re.compile(pattern, flags)
        self.place = f"pattern {pattern[:60]!r}"
        self.key = (pattern, int(flags))
        self._matcher: Matcher | None = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.real, name)

    def __deepcopy__(self, _: object) -> Counted:
        return self

    def _counted(self, how: str, text: str, pos: int = 0, endpos: int | None = None) -> None:
        end = len(text) if endpos is None else max(pos, min(endpos, len(text)))
        key = (*self.key, how, text, pos, end)
        if key not in self._known:
            self._known[key] = self._measured(how, text, pos, end)
        steps, span = self._known[key]
        work[self.place] += steps
        found = getattr(self.real, how)(text, pos, end)
        assert span == (found and found.span()), f"{self.place} is counted on another way than it is matched"

    def _measured(self, how: str, text: str, pos: int, end: int) -> tuple[int, Span]:
        self._matcher = self._matcher or Matcher(*self.key)
        before = self._matcher.steps
        try:
            span = self._matcher.find(text, pos, end, anywhere=how == "search", whole=how == "fullmatch")
        except TooManySteps:
            raise TooManySteps(self.place) from None
        return self._matcher.steps - before, span

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._counted("search", text, pos, endpos)
        return self.real.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._counted("match", text, pos, endpos)
        return self.real.match(text, pos, endpos)

    def fullmatch(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        self._counted("fullmatch", text, pos, endpos)
        return self.real.fullmatch(text, pos, endpos)

    def _everywhere(self, text: str) -> None:
        """The searches of one after another, as they begin where the last one ended."""
        at = 0
        for hit in self.real.finditer(text):
            self._counted("search", text, at)
            # An empty match is passed by; `re` looks there once more for one that is not.
            at = hit.end() + (hit.end() == hit.start())
        if at <= len(text):
            self._counted("search", text, at)

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        self._everywhere(text)
        return self.real.finditer(text)

    def findall(self, text: str) -> list[Any]:
        self._everywhere(text)
        return self.real.findall(text)

    def sub(self, new: Any, text: str, count: int = 0) -> str:
        self._everywhere(text)
        return self.real.sub(new, text, count)

    def subn(self, new: Any, text: str, count: int = 0) -> tuple[str, int]:
        self._everywhere(text)
        return self.real.subn(new, text, count)

    def split(self, text: str, maxsplit: int = 0) -> list[Any]:
        self._everywhere(text)
        return self.real.split(text, maxsplit)


class Expressions(ModuleType):
    """In the place of the module ``re``."""

    def __init__(self) -> None:
        super().__init__("re")
        self._compiled: dict[tuple[str, int], Counted] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(re, name)
        if name in ("search", "match", "fullmatch", "finditer", "findall", "split"):
            return lambda pattern, text, flags=0, **named: getattr(self.compile(pattern, flags), name)(text, **named)
        if name in ("sub", "subn"):
            return lambda pattern, new, text, flags=0: getattr(self.compile(pattern, flags), name)(new, text)
        return found

    def compile(self, pattern: str, flags: int = 0) -> Counted:
        """An expression, the same one for the same pattern."""
        key = (pattern, int(flags))
        if key not in self._compiled:
            self._compiled[key] = Counted(*key)
        return self._compiled[key]


expressions = Expressions()


class _Counting(ast.NodeTransformer):
    """Puts the calls of `Tally` into a module."""

    def __init__(self, module: str) -> None:
        self.module = module

    def _tally(self, name: str, node: ast.expr | ast.stmt, *given: ast.expr) -> ast.Call:
        place = ast.Constant(f"{self.module}:{node.lineno}")
        called = ast.Attribute(ast.Name("_tally", ast.Load()), name, ast.Load())
        made = ast.Call(called, [place, *given], [])
        return ast.fix_missing_locations(ast.copy_location(made, node))

    def visit_Import(self, node: ast.Import) -> Any:
        if [alias.name for alias in node.names] == ["re"]:
            call = self._tally("turn", node)
            call.func = ast.Name("_expressions", ast.Load())
            assigned = ast.Assign([ast.Name("re", ast.Store())], call.func)
            return ast.fix_missing_locations(ast.copy_location(assigned, node))
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> Any:
        if node.value is not None:
            node.value = self.visit(node.value)
        return node

    def visit_FunctionDef(self, node: Any) -> Any:
        node.body = [self.visit(one) for one in node.body]
        node.decorator_list = [self.visit(one) for one in node.decorator_list]
        return node

    visit_AsyncFunctionDef = visit_FunctionDef

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        self.generic_visit(node)
        copied = isinstance(node.ctx, ast.Load) and isinstance(node.slice, ast.Slice)
        return self._tally("sized", node, node) if copied else node

    def visit_JoinedStr(self, node: ast.JoinedStr) -> Any:
        self.generic_visit(node)
        return self._tally("sized", node, node)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> Any:
        node.value = self.visit(node.value)
        return node

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        self.generic_visit(node)
        return self._tally("sized", node, node) if isinstance(node.op, ast.Add) else node

    def visit_Compare(self, node: ast.Compare) -> Any:
        self.generic_visit(node)
        if len(node.ops) != 1 or not isinstance(node.ops[0], ast.In | ast.NotIn):
            return node
        found = self._tally("has", node, node.left, node.comparators[0])
        if isinstance(node.ops[0], ast.In):
            return found
        return ast.copy_location(ast.UnaryOp(ast.Not(), found), node)

    def visit_Call(self, node: ast.Call) -> Any:
        self.generic_visit(node)
        if isinstance(node.func, ast.Name) and node.func.id in ("super", "isinstance", "len"):
            return node
        made = self._tally("call", node, node.func, *node.args)
        made.keywords = node.keywords
        return made

    def visit_While(self, node: ast.While) -> Any:
        self.generic_visit(node)
        node.test = ast.copy_location(ast.BoolOp(ast.And(), [self._tally("turn", node), node.test]), node)
        return node

    def visit_For(self, node: ast.For) -> Any:
        self.generic_visit(node)
        node.iter = self._tally("each", node, node.iter)
        return node

    def visit_comprehension(self, node: ast.comprehension) -> Any:
        self.generic_visit(node)
        if not node.is_async:
            node.iter = self._tally("each", node.iter, node.iter)
        return node


class _Loader(SourceFileLoader):
    def get_code(self, fullname: str) -> Any:
        path = self.get_filename(fullname)
        tree = _Counting(fullname).visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec")

    def exec_module(self, module: ModuleType) -> None:
        module.__dict__.update(_tally=Tally(), _expressions=expressions)
        super().exec_module(module)


class _Finder(MetaPathFinder):
    def find_spec(self, fullname: str, path: Any = None, target: ModuleType | None = None) -> ModuleSpec | None:
        if fullname.partition(".")[0] != "personae":
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is not None and type(spec.loader) is SourceFileLoader:
            spec.loader = _Loader(fullname, spec.loader.path)
        return spec


def install() -> None:
    """Count from now on; what was imported before is not counted."""
    assert not any(name.partition(".")[0] == "personae" for name in sys.modules)
    sys.setrecursionlimit(1_000_000)
    sys.meta_path.insert(0, _Finder())
