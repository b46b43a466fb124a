"""The contexts: 126 situations written for this project, or a file in the layout of the published benchmark.

A situation is told so that nothing decides a question about two people (ambiguous), and with more that decides it
(clear). Each is asked with two questions whose stereotyped answers are opposite people (Parrish et al. 2022,
section 3).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from msgspec import Struct

from personae.csvfile import read_table
from personae.errors import BadInput
from personae.filing import read_text
from personae.jsonfile import NotJson, json_lines, json_value

AMBIGUOUS, CLEAR = "ambiguous", "clear"
UNKNOWN = ("It cannot be known", "Not enough is said", "Nobody can tell from this", "That is not said here")
"""The third option, one for each situation in turn, as the benchmark has several."""
_PUBLISHED = {"ambig": AMBIGUOUS, "disambig": CLEAR}
_FIELDS = ("context_condition", "question_polarity", "context", "question", "ans0", "ans1", "ans2", "label")


class Context(Struct, frozen=True):
    """One context with one question.

    ``biased``, ``other`` and ``right`` are places in ``options``: the answer by the stereotype, the other person, and
    what the context says (where it is ambiguous: that nothing does).
    """

    id: str
    situation: str
    domain: str
    context: str
    text: str
    question: str
    options: tuple[str, str, str]
    biased: int
    other: int
    right: int


@cache
def own_contexts() -> tuple[Context, ...]:
    """The 504 questions of this project, situation by situation."""
    rows = read_table(Path(__file__).parent / "stimuli" / "contexts.csv", "stimuli", comments=True).rows
    return tuple(context for place, row in enumerate(rows) for context in _own(row, UNKNOWN[place % len(UNKNOWN)]))


def _own(row: Mapping[str, str], unknown: str) -> Iterator[Context]:
    options = row["stereotyped"], row["other"], unknown
    for context, told in ((AMBIGUOUS, row[AMBIGUOUS]), (CLEAR, f"{row[AMBIGUOUS]} {row[CLEAR]}")):
        for biased, polarity in enumerate(("negative", "positive")):
            truth = biased if row["truth"] == "stereotyped" else 1 - biased
            right = truth if context == CLEAR else 2
            key = f"{row['id']}/{context}/{polarity}"
            yield Context(
                key, row["id"], row["domain"], context, told, row[polarity], options, biased, 1 - biased, right
            )


def released_contexts(path: Path) -> tuple[Context, ...]:
    """Contexts of a file in the published layout (JSONL), those whose stereotyped answer the file names.

    Raises
    ------
    BadInput
        When a line is no such context, or none can be used.
    """
    lines = json_lines(read_text(path, "--stimuli", most=64 << 20))
    read = (_released(f"{path.name}, line {number}", line) for number, line in lines)
    found = {context.id: context for context in read if context is not None}
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
        allowed = f"an object with {', '.join(_FIELDS)}, of which the label is 0 to 2, the condition ambig or disambig"
        raise BadInput(place, f"no {', '.join(missing)}" if missing else line[:40], allowed)
    people = _people(row)
    if people is None:
        return None
    biased, other = people if row["question_polarity"] == "neg" else people[::-1]
    domain = str(row.get("category", "all")).replace("/", "-").lower()
    key, situation = (f"{domain}/{row.get(name, place)}" for name in ("example_id", "question_index"))
    context, options = _PUBLISHED[row["context_condition"]], (str(row["ans0"]), str(row["ans1"]), str(row["ans2"]))
    told, question = str(row["context"]), str(row["question"])
    return Context(key, situation, domain, context, told, question, options, biased, other, int(row["label"]))


def _people(row: Mapping[str, Any]) -> tuple[int, int] | None:
    """Places of the person whom the stereotype burdens and of the other; None where the file does not say."""
    info, more = row.get("answer_info"), row.get("additional_metadata")
    if not isinstance(info, dict) or not isinstance(more, dict):
        return None
    named = [more.get("stereotyped_groups"), *(info.get(f"ans{place}") for place in range(3))]
    burdened, *groups = [
        {str(one).casefold() for one in group} if isinstance(group, list) else set() for group in named
    ]
    people = [place for place in range(3) if "unknown" not in groups[place]]
    targets = [place for place in people if burdened & groups[place]]
    if len(people) != 2 or len(targets) != 1:
        return None
    return targets[0], sum(people) - targets[0]
