"""Files as they should not be: small good ones, changed by chance or by malice, the same for the same seed."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable, Iterator
from copy import deepcopy
from io import StringIO
from random import Random
from typing import Any

import yaml

HOSTILE = (
    b"\0",
    b"\xff\xfe",
    b"\xef\xbb\xbf",
    b"\xed\xa0\x80",
    b"\x80",
    b"\x1b]52;c;eA==\x07",
    "\u202e".encode(),
    "\u2028".encode(),
    b"\r",
    b"\n",
    b"\t",
    b'"',
    b"'",
    b"\\",
    b"\\ud800",
    b"\\UFFFFFFFF",
    b"\\x",
    b",",
    b"#",
    b"[" * 3000,
    b'{"a":' * 500,
    b"- " * 500,
    b"]" * 50,
    b"9" * 5000,
    b"-9223372036854775809",
    b"18446744073709551616",
    b"1e999",
    b"-1e-999",
    b".nan",
    b"NaN",
    b"-.inf",
    b"1:2:3:4",
    b"0x" + b"f" * 300,
    b"2024-13-45",
    b"2024-01-01T25:61:61+99:99",
    b"null",
    b"true",
    b"no",
    b"~",
    b"=",
    b"<<: {a: b}",
    b"&a [*a]",
    b"*a",
    b"&a [&b [&c [x, x], *c, *c], *b, *b]",
    b"!!python/object/apply:os.system [x]",
    b"!!binary x",
    b"! x",
    b"\n---\n",
    b"\n...\n",
    b"%YAML 9999999999999999999999.9\n",
    b"? [a]\n: b",
    b"{{user}}",
    b"{persona}",
    b"[{user}]",
    b"../../../etc/passwd",
    b"/dev/zero",
    b"~nobody-here/x",
    b"=HYPERLINK(1)",
    b"|\n  x",
    b">-\n",
    b"a" * 300,
    b"x" * 140_000,
    b"\xf0\x9f\x8d\xb5",
    b"e\xcc\x81" * 40,
    b"@http://[::1",
    b"?bias=1e400&bias=",
    b"%00",
)
ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    2**31,
    2**63 - 1,
    2**64,
    10**400,
    1.5,
    -0.0,
    1e300,
    "",
    " ",
    "x",
    "a/b",
    "\0",
    "\ud83d",
    "{user}",
    "[" * 70,
    "y" * 5000,
    [],
    [[]],
    [None],
    ["x"] * 300,
    {},
    {"": ""},
    {"x": {"y": {"z": []}}},
)
_WORD = re.compile(rb"[^\s,:\[\]{}\"']+")


def mutated(good: bytes, random: Random) -> bytes:
    """A good file after one to four changes; most of them leave it a text, or it would be refused as none."""
    content = good
    for _ in range(random.choice((1, 1, 2, 4))):
        content = random.choice(_BYTES if random.random() < 0.1 else _CHANGES)(content, random)
    return content


def _flip(content: bytes, random: Random) -> bytes:
    changed = bytearray(content or b"\0")
    for _ in range(random.randint(1, 8)):
        changed[random.randrange(len(changed))] ^= 1 << random.randrange(8)
    return bytes(changed)


def _overwrite(content: bytes, random: Random) -> bytes:
    begin, end = _span(content, random, 40)
    return content[:begin] + random.randbytes(end - begin) + content[end:]


def _cut(content: bytes, random: Random) -> bytes:
    return content[: random.randrange(len(content) + 1)]


def _drop(content: bytes, random: Random) -> bytes:
    begin, end = _span(content, random, 200)
    return content[:begin] + content[end:]


def _repeat(content: bytes, random: Random) -> bytes:
    begin, end = _span(content, random, 120)
    return content[:end] + content[begin:end] * random.choice((1, 1, 2, 50)) + content[end:]


def _move(content: bytes, random: Random) -> bytes:
    begin, end = _span(content, random, 120)
    rest = content[:begin] + content[end:]
    place = random.randrange(len(rest) + 1)
    return rest[:place] + content[begin:end] + rest[place:]


def _insert(content: bytes, random: Random) -> bytes:
    place = random.randrange(len(content) + 1)
    return content[:place] + random.choice(HOSTILE) + content[place:]


def _replace_word(content: bytes, random: Random) -> bytes:
    words = list(_WORD.finditer(content))
    if not words:
        return _insert(content, random)
    word = random.choice(words)
    other = random.choice(HOSTILE) if random.random() < 0.7 else random.choice(words)[0]
    return content[: word.start()] + other + content[word.end() :]


def _swap_lines(content: bytes, random: Random) -> bytes:
    lines = content.split(b"\n")
    one, other = random.randrange(len(lines)), random.randrange(len(lines))
    lines[one], lines[other] = lines[other], lines[one]
    return b"\n".join(lines)


def _swap_ends(content: bytes, random: Random) -> bytes:
    return content.replace(b"\n", random.choice((b"\r\n", b"\r", b"\n\n", b"")))


def _span(content: bytes, random: Random, most: int) -> tuple[int, int]:
    begin = random.randrange(len(content) + 1)
    return begin, min(len(content), begin + random.randint(1, most))


_BYTES = _flip, _overwrite
_CHANGES: tuple[Callable[[bytes, Random], bytes], ...] = (
    _cut,
    _drop,
    _repeat,
    _move,
    _insert,
    _insert,
    _replace_word,
    _replace_word,
    _swap_lines,
    _swap_ends,
)


def mutated_yaml(good: bytes, random: Random) -> bytes:
    """YAML with wrong values in right places, or a mutated file."""
    if random.random() < 0.5:
        return mutated(good, random)
    value = misplaced(yaml.safe_load(good), random)
    return yaml.safe_dump(value, allow_unicode=random.random() < 0.5, sort_keys=False).encode("utf-8", "surrogatepass")


def mutated_json(good: bytes, random: Random) -> bytes:
    """Lines of JSON with wrong values in right places, or a mutated file."""
    if random.random() < 0.5:
        return mutated(good, random)
    lines = good.decode().splitlines()
    place = random.randrange(len(lines))
    lines[place] = json.dumps(misplaced(json.loads(lines[place]), random))
    return "\n".join(lines).encode()


def mutated_csv(good: bytes, random: Random) -> bytes:
    """A table with wrong cells in right places, or a mutated file."""
    if random.random() < 0.5:
        return mutated(good, random)
    rows = list(csv.reader(StringIO(good.decode(), newline="")))
    for _ in range(random.randint(1, 3)):
        row = random.choice(rows)
        if row:
            row[random.randrange(len(row))] = random.choice(HOSTILE).decode("utf-8", "replace")
    text = StringIO(newline="")
    csv.writer(text).writerows(rows)
    return text.getvalue().encode()


def misplaced(value: Any, random: Random) -> Any:
    """A value in one to three places of which something else stands, or nothing, or something more."""
    for _ in range(random.randint(1, 3)):
        places = [None, *_places(value)]
        place = random.choice(places)
        if place is None or random.random() < 0.02:
            value = value if places[1:] else _odd(random)
            continue
        holder, key = place
        done = random.randrange(5)
        if done == 0:
            del holder[key]
        elif done == 1:
            other = random.choice(_places(value))
            holder[key] = json.loads(json.dumps(other[0][other[1]], default=str))
        elif done == 2 and isinstance(holder, dict):
            holder[random.choice(("", "name", "text", "x", "\x1b[2J", "y" * 3000))] = _odd(random)
        else:
            holder[key] = _odd(random)
    return value


def _odd(random: Random) -> Any:
    return deepcopy(random.choice(ODD))  # what is put into a file may be changed there again


def _places(value: Any) -> list[tuple[Any, Any]]:
    return list(_walk(value))


def _walk(value: Any) -> Iterator[tuple[Any, Any]]:
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, inner in list(entries):
        yield value, key
        yield from _walk(inner)
