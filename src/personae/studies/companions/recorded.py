"""The recorded answers of paper 000, in the layout its authors released, as items of the three experiments.

What was asked is read from the printed messages, never from the ``attributes`` column, which gives the words in
another order than the prompt. A row's columns, not its place in the tree, say what it is, so one model's folder,
one experiment's or the whole tree can be read.
"""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from personae.coding.text import squeeze
from personae.errors import BadInput
from personae.personas import condition_id
from personae.studies.companions.design import TEMPERATURE, default_personas
from personae.studies.companions.printed import (
    printed_messages,
    question_of,
    shown_choices,
    shown_claim,
    shown_emotions,
    shown_event,
    shown_terms,
    shown_words,
)
from personae.studies.companions.stimuli import Dataset, Situation, SituationDomain, iat_stimuli, situations
from personae.study.base import Recorded
from personae.study.forced import about
from personae.study.released import released_files
from personae.types import Condition, Item, Response, Trial

Row = Mapping[str, str]
Made = tuple[Item, dict[str, Any]]
Count = Callable[..., int]

_COLUMNS = frozenset({"response", "prompt", "variation", "user", "system", "llm", "bias"})
_PROMPTS = {
    "instruction1": "instruction1",
    "instruction2": "instruction2",
    "replication": "instruction3",
    "synonym": "synonym",
}
_DATASETS = {"names": "gender", "gender": "relationship", "submissive": "attractiveness"}
"""What the released submissiveness experiment calls a dataset, and what the paper does."""
_WORDINGS = {"instruction1": "play", "instruction2": "identity", "instruction3": "role"}
_INFLUENCES = {"original": "original", "correct_influenced": "correct", "incorrect_influenced": "incorrect"}
_MODES = {"list_emotions": "restricted", "one_emotion": "unrestricted"}


def read_recorded(path: Path) -> Iterator[Recorded]:
    """Read recorded answers, lazily, in the order of file names and rows.

    Parameters
    ----------
    path : pathlib.Path
        The released tree unpacked, or a folder or CSV file in it.

    Yields
    ------
    Recorded
        An item (its facts say ``recorded``), the trial as sent, the answer word for word.

    Raises
    ------
    BadInput
        When there is no such path or no CSV file in it, a file is no recorded experiment, or a row asks what no
        experiment asks; file and row are named.
    """
    for file in _files(path):
        count: Counter[tuple[str, ...]] = Counter()
        for number, row in enumerate(_rows(file), start=1):
            try:
                yield _recorded(row, count)
            except BadInput as error:
                raise BadInput(f"{file}, row {number}, {error.field}", error.found, error.allowed) from error


def _files(path: Path) -> list[Path]:
    if path.is_file() and path.suffix != ".csv":
        raise BadInput("path", str(path), "a folder or a CSV file is needed; unpack an archive first")
    if not path.exists():
        raise BadInput("path", str(path), "no such folder; give the unpacked tree or one model's folder")
    files = [file for file in released_files(path, ".csv") if not file.name.startswith(".") or file == path]
    if not files:
        raise BadInput("path", str(path), "no CSV file is in it; give the unpacked tree or one model's folder")
    return files


def _rows(file: Path) -> Iterator[Row]:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            reader = csv.DictReader(lines, strict=True)
            if missing := _COLUMNS - set(reader.fieldnames or ()):
                allowed = f"a recorded experiment has the columns {', '.join(sorted(missing))}"
                raise BadInput(str(file), list(reader.fieldnames or ()), allowed)
            for row in reader:
                if None in row or None in row.values():
                    raise BadInput(
                        f"{file}, line {reader.line_num}", "another number of fields", "fields as in the head"
                    )
                yield row
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise BadInput("file", str(file), f"it cannot be read as CSV: {error}") from error


def _recorded(row: Row, count: Counter[tuple[str, ...]]) -> Recorded:
    kind = row["bias"].rpartition("_")[2]
    make = {"implicit": _iat, "emotion": _emotion, "sycophancy": _sycophancy}.get(kind)
    if make is None:
        raise BadInput("column bias", row["bias"], "it ends with implicit, emotion or sycophancy")
    messages = printed_messages(row["prompt"])
    item, meta = make(row, question_of(messages), count)
    trial = Trial(messages=messages, temperature=TEMPERATURE, top_k=1, meta=meta)
    return Recorded(model=_given(row, "llm"), item=item, trial=trial, response=Response(text=row["response"]))


def _iat(row: Row, question: str, count: Counter[tuple[str, ...]]) -> Made:
    dataset = _dataset(row)
    prompt = _known(row, "variation", _PROMPTS)
    first, second = shown_terms(question)
    order = _order_of(dataset, first, second)
    words = shown_words(question)
    valences = iat_stimuli().valences[dataset.category]
    if unknown := [word for word in words if word.lower() not in valences]:
        raise BadInput("prompt column", unknown, f"the words of {dataset.name}")
    condition = _condition(row, "play")
    iteration = _next(count, dataset.name, prompt, condition_id(condition))
    default, stigma = (first, second) if order == 0 else (second, first)
    facts = {
        "category": dataset.category,
        "domain": dataset.domain,
        "dataset": dataset.dataset,
        "prompt": prompt,
        "iteration": iteration,
        "default": default,
        "stigma": stigma,
        "order": order,
        "words": words,
        "formula": dataset.formula,
    }
    key = f"{dataset.name}/{prompt}/{iteration}/{condition_id(condition)}"
    # The terms were drawn anew for every condition, so persona and baseline share a dataset and a prompt, no more.
    item = _item("companions.iat", key, f"{dataset.name}:{prompt}", condition, facts)
    of = {"positive": default, "negative": stigma}
    stereotype = {word: of[valences[word.lower()]] for word in words}
    return item, about(item, "assign", [first, second], words=words, stereotype=stereotype)


def _emotion(row: Row, question: str, count: Counter[tuple[str, ...]]) -> Made:
    mode = _known(row, "experiment", _MODES)
    domain, situation = _situation(shown_event(question))
    options = shown_emotions(question)
    if bool(options) != (mode == "restricted"):
        raise BadInput("column experiment", row["experiment"], "the prompt offers emotions only in list_emotions")
    condition = _condition(row)
    iteration = _next(count, domain.domain, situation.id, mode, condition_id(condition))
    facts = {**_event_facts(domain, situation), "mode": mode, "options": options, "iteration": iteration}
    key = f"{domain.domain}/{situation.id}/{mode}/{iteration}/{condition_id(condition)}"
    item = _item("companions.emotion", key, f"{domain.domain}:{situation.id}", condition, facts)
    return item, about(item, "choice" if options else "word", options)


def _sycophancy(row: Row, question: str, count: Counter[tuple[str, ...]]) -> Made:
    influence = _known(row, "experiment", _INFLUENCES)
    event, *options = shown_choices(question)
    domain, situation = _situation(event)
    if sorted(options) != sorted((domain.correct, domain.incorrect)):
        raise BadInput("prompt column", options, f"the choices are {domain.correct} and {domain.incorrect}")
    claim = shown_claim(question)
    claims = {"original": None, "correct": domain.correct, "incorrect": domain.incorrect}
    if claim != claims[influence]:
        raise BadInput("column experiment", row["experiment"], f"the prompt claims {claim!r}")
    order = "A" if options[0] == domain.correct else "B"
    condition = _condition(row)
    iteration = _next(count, domain.domain, situation.id, influence, order, condition_id(condition))
    facts = {**_event_facts(domain, situation), "influence": influence, "order": order, "iteration": iteration}
    key = f"{domain.domain}/{situation.id}/{influence}/{order}/{iteration}/{condition_id(condition)}"
    item = _item("companions.sycophancy", key, f"{domain.domain}:{situation.id}", condition, facts)
    return item, about(item, "choice", options, labels=("A", "B"), correct=domain.correct, suggested=claim)


def _item(study: str, key: str, stimulus: str, condition: Condition, facts: dict[str, Any]) -> Item:
    facts = {**facts, "respond": "free", "recorded": True}
    return Item(study=study, id=key, stimulus=stimulus, condition=condition, facts=facts)


def _event_facts(domain: SituationDomain, situation: Situation) -> dict[str, Any]:
    return {"domain": domain.domain, "event": situation.id, "event_text": situation.text}


def _next(count: Counter[tuple[str, ...]], *cell: str) -> int:
    """Number the repetitions of a cell from 0."""
    count[cell] += 1
    return count[cell] - 1


def _given(row: Row, column: str) -> str:
    if not (value := row[column].strip()):
        raise BadInput(f"column {column}", "nothing", "it must be given")
    return value


def _known(row: Row, column: str, names: Mapping[str, str]) -> str:
    found = row.get(column, "")
    if found not in names:
        raise BadInput(f"column {column}", found, f"known are {', '.join(names)}")
    return names[found]


def _condition(row: Row, wording: str | None = None) -> Condition:
    """The condition of a row; `wording` None means what the row says."""
    groups = {persona.name: persona.group for persona in default_personas().personas}
    persona, user = row["system"] or None, row["user"] or None
    for name in (persona, user):
        if name is not None and name not in groups:
            raise BadInput("columns system and user", name, f"known are {', '.join(groups)}")
    if persona is None:
        if user is not None:
            raise BadInput("column system", "nothing", "a row with a user has a persona too")
        return Condition()
    return Condition(
        persona=persona,
        user=user,
        persona_group=groups[persona],
        user_group=None if user is None else groups[user],
        wording=_known(row, "variation", _WORDINGS) if wording is None else wording,
    )


def _dataset(row: Row) -> Dataset:
    domain, name = row.get("domain", ""), row.get("category", "")
    name = _DATASETS.get(name, name) if domain == "submissive" else name.removeprefix("psychological_")
    for dataset in iat_stimuli().datasets:
        if (dataset.category, dataset.dataset) == (domain, name):
            return dataset
    raise BadInput("columns domain and category", f"{domain}, {row.get('category')}", "no dataset of the paper")


def _order_of(dataset: Dataset, first: str, second: str) -> int:
    """0 where the default term was named first, 1 where the stigma term was."""
    default, stigma = ({term.lower() for term in terms} for terms in (dataset.default, dataset.stigma))
    shown = first.lower(), second.lower()
    for order, (one, two) in enumerate((shown, shown[::-1])):
        if one in default and two in stigma:
            return order
    raise BadInput("prompt column", f"{first}, {second}", f"a default and a stigma term of {dataset.name}")


@cache
def _situations() -> dict[str, tuple[SituationDomain, Situation]]:
    return {
        squeeze(one.text).rstrip("."): (domain, one) for domain in situations().values() for one in domain.situations
    }


def _situation(text: str) -> tuple[SituationDomain, Situation]:
    found = _situations().get(squeeze(text).rstrip("."))
    if found is None:
        raise BadInput("prompt column", text, "a situation of the paper's Table 7")
    return found
