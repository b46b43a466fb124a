"""The contexts: 126 situations written for this project, or a file in the layout of the published benchmark.

A situation is told so that nothing decides a question about two people (ambiguous), and with more that decides it
(clear). Each is asked with two questions whose stereotyped answers are opposite people (Parrish et al. 2022,
section 3).
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from personae.errors import BadInput
from personae.filing import read_text
from personae.jsonfile import NotJson, json_lines, json_value

AMBIGUOUS, CLEAR = "ambiguous", "clear"
UNKNOWN = ("It cannot be known", "Not enough is said", "Nobody can tell from this", "That is not said here")
"""The third option, one for each situation in turn, as the benchmark has several."""
_PUBLISHED = {"ambig": AMBIGUOUS, "disambig": CLEAR}
_FIELDS = ("context_condition", "question_polarity", "context", "question", "ans0", "ans1", "ans2", "label")
_MOST_BYTES = 64 << 20


class Context(Struct, frozen=True, kw_only=True):
    """One context with one question.

    ``biased``, ``other`` and ``right`` are places in ``options``: the answer by the stereotype, the other person, and
    what the context says (where it is ambiguous: that nothing does).
    """

    id: str
    situation: str
    domain: str
    context: str
    polarity: str
    text: str
    question: str
    options: tuple[str, str, str]
    biased: int
    other: int
    right: int


@cache
def own_contexts() -> tuple[Context, ...]:
    """The 504 questions of this project, situation by situation."""
    with (Path(__file__).parent / "stimuli" / "contexts.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return tuple(context for place, row in enumerate(rows) for context in _own(row, UNKNOWN[place % len(UNKNOWN)]))


def _own(row: Mapping[str, str], unknown: str) -> Iterator[Context]:
    options = (row["stereotyped"], row["other"], unknown)
    for context in (AMBIGUOUS, CLEAR):
        for polarity in ("negative", "positive"):
            biased = 0 if polarity == "negative" else 1
            truth = 0 if (row["truth"] == "stereotyped") == (polarity == "negative") else 1
            yield Context(
                id=f"{row['id']}/{context}/{polarity}",
                situation=row["id"],
                domain=row["domain"],
                context=context,
                polarity=polarity,
                text=row["ambiguous"] if context == AMBIGUOUS else f"{row['ambiguous']} {row['clear']}",
                question=row[polarity],
                options=options,
                biased=biased,
                other=1 - biased,
                right=2 if context == AMBIGUOUS else truth,
            )


def released_contexts(path: Path) -> tuple[Context, ...]:
    """Contexts of a file in the published layout (JSONL), those whose stereotyped answer the file names.

    Raises
    ------
    BadInput
        When a line is no such context, or none can be used.
    """
    text = read_text(path, "--stimuli", most=_MOST_BYTES)
    found: dict[str, Context] = {}
    for number, line in json_lines(text):
        context = _released(f"{path.name}, line {number}", line)
        if context is not None:
            found.setdefault(context.id, context)
    if not found:
        raise BadInput("--stimuli", str(path), "at least one context whose stereotyped_groups name one of its answers")
    return tuple(found.values())


def _released(place: str, line: str) -> Context | None:
    try:
        row = json_value(line)
    except NotJson as error:
        raise BadInput(place, line[:40], f"a JSON object of the published layout ({error})") from None
    missing = [name for name in _FIELDS if not isinstance(row, dict) or name not in row]
    if missing or row["context_condition"] not in _PUBLISHED or row["label"] not in (0, 1, 2):
        allowed = f"an object with the fields {', '.join(_FIELDS)}, a context_condition of {' or '.join(_PUBLISHED)}"
        raise BadInput(place, f"no {', '.join(missing)}" if missing else line[:40], f"{allowed} and a label of 0 to 2")
    target, other = _people(row)
    if target is None or other is None:
        return None
    negative = row["question_polarity"] == "neg"
    category = str(row.get("category", "all")).replace("/", "-").lower()
    situation = f"{category}-{row.get('question_index', row.get('example_id', place))}"
    return Context(
        id=f"{category}/{row.get('example_id', place)}",
        situation=situation,
        domain=category,
        context=_PUBLISHED[row["context_condition"]],
        polarity="negative" if negative else "positive",
        text=str(row["context"]),
        question=str(row["question"]),
        options=(str(row["ans0"]), str(row["ans1"]), str(row["ans2"])),
        biased=target if negative else other,
        other=other if negative else target,
        right=int(row["label"]),
    )


def _people(row: Mapping[str, Any]) -> tuple[int | None, int | None]:
    """Places of the person whom the stereotype burdens and of the other; None where the file does not say."""
    info, more = row.get("answer_info"), row.get("additional_metadata")
    if not isinstance(info, dict) or not isinstance(more, dict):
        return None, None
    burdened = {str(group).casefold() for group in more.get("stereotyped_groups") or ()}
    groups = [_groups(info.get(f"ans{place}")) for place in range(3)]
    people = [place for place in range(3) if "unknown" not in groups[place]]
    targets = [place for place in people if burdened & set(groups[place])]
    if len(people) != 2 or len(targets) != 1:
        return None, None
    return targets[0], next(place for place in people if place != targets[0])


def _groups(answer: Any) -> Sequence[str]:
    return [str(one).casefold() for one in answer] if isinstance(answer, list) else []
