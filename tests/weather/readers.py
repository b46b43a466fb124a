"""Every reader of a text from outside, as a function of that text alone, with a context that is sensible for it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from personae.coding import agreement as agreeing
from personae.coding import (
    asked,
    choice,
    clauses,
    labels,
    mass,
    mentions,
    named,
    objects,
    pairs,
    reasoning,
    refusal,
    scores,
    screen,
    settled,
    text,
    words,
    wordsets,
    wrappers,
    yesno,
)
from personae.coding import label_patterns as label_patterns_of
from personae.coding import reading as coded
from personae.coding import sentences as sentences_of
from personae.coding import verdict as verdict_of
from personae.coding.pairlines import Key, Line
from personae.memory import answering, biases, extract, gateway_chat, gateway_form, gateway_ids, guard, inject_check
from personae.memory import questions as daily
from personae.memory.backends import letta, mem0
from personae.models import faults, reading
from personae.models.wire import ReplyMessage
from personae.report import text as shown
from personae.stats.lime_text import split_words
from personae.studies.associations import metrics
from personae.studies.associations import recorded as recorded_associations
from personae.studies.companions import freeword, paper
from personae.studies.occupations import asking as occupations
from personae.studies.occupations import generate_check
from personae.studies.occupations import prompts as occupation_prompts
from personae.studies.roleplay import checking, drafts, judge, oracles, unread
from personae.studies.roleplay import paper as roleplay_paper
from personae.study import scores as told_scores
from personae.types import Response, TokenLogprob
from personae.wellformed import well_formed, well_formed_body, well_formed_json

ASKED = coded.Question(
    question="Are men better at parking?",
    options=("abusive", "not abusive"),
    claim=1,
    words=("command", "timid"),
    terms=("Eric", "Dianne"),
)

Reader = Callable[[str], object]

OPTIONS = ("abusive", "not abusive")
LABELS = ("A", "B")
WORDS = ("command", "timid", "no", "1", "a b")
SYNONYMS = {"commands": "command", "not": "no"}
GROUPS = ("Children", "Adults", "I cannot choose")
QUESTION = daily.DailyQuestion(
    id="maths:one", subject="maths", text="How many are 2 and 2?", options=("4", "5", "4.5", "no number"), answer=0
)
SETS = {"male": ("male", "he"), "female": ("female", "she")}
TOLD = ("a gay teacher in a rural school", "1 a")
BIAS = biases.biases()["race"]
FUNCTION = {"name": "keep", "parameters": {"required": ["text"], "properties": {"text": {"type": "string"}}}}


def _quoted(said: str) -> str:
    """The answer of a text with the daily question in it, so that what stands around the question is read."""
    return f"{said}\n{QUESTION.shown}\n{said}"


def _tokens(said: str) -> tuple[TokenLogprob, ...]:
    return tuple(TokenLogprob(sign, -0.5, ((sign, -0.5),)) for sign in said)


def _top(said: str) -> list[tuple[str, float]]:
    return [(said, -0.5), (said[1:], -0.7), (f" {said}", -1.5)]


def _line(said: str) -> object:
    finder = mentions.Finder({"command": Key("command", None), "a": Key("a", None), "eric": Key(None, 0)})
    line = Line(said, finder.find(said))
    return line.alone(), line.only_words(), line.words(0, len(line.mentions)), list(line.pairs())


def _patterns(said: str) -> object:
    patterns = label_patterns_of.label_patterns(("a", "b"))
    tidy = label_patterns_of.lines(said)
    return [[hit.span() for hit in pattern.finditer(tidy)] for pattern in patterns]


CODING: dict[str, Reader] = {
    "agreement.read_agreement": agreeing.read_agreement,
    "agreement.read_verdict": lambda said: agreeing.read_verdict(said, OPTIONS, LABELS, 0),
    "asked.asked_of": lambda said: asked.asked_of((f"{said}x", f"y{said}", "no", "a"), ("a", "b", "c", "d")),
    "choice.read_choice": lambda said: (
        choice.read_choice(said, OPTIONS, LABELS),
        choice.read_choice(said, ("a", "b", "no", "yes 1")),
    ),
    "clauses.clauses": lambda said: [list(clauses.clauses(said, signs)) for signs in (clauses._BREAK, clauses.SIGNS)],
    "clauses.without_lead": clauses.without_lead,
    "label_patterns.label_patterns": _patterns,
    "label_patterns.lines": label_patterns_of.lines,
    "labels.clean_labels": lambda said: labels.clean_labels([f"{said}x", f"y{said}"], 2),
    "labels.read_label": lambda said: (
        labels.read_label(said, ("a", "b"), OPTIONS),
        labels.read_label(said, ("1", "2")),
        labels.read_label(said, ("yes", "no")),
    ),
    "mass.option_mass": lambda said: mass.option_mass(_top(said), OPTIONS, LABELS),
    "mentions.Finder.find": lambda said: list(mentions.Finder({"a b": 1, "command": 2, "no": 3}).find(said)),
    "mentions.distinct": lambda said: mentions.distinct([f"{said}x", f"y{said}"]),
    "mentions.only_leads": lambda said: mentions.only_leads(said, ("a",)),
    "mentions.words_of": mentions.words_of,
    "named.named_options": lambda said: list(named.named_options(said, asked.asked_of(OPTIONS, LABELS))),
    "objects.objects_in": lambda said: list(objects.objects_in(said)),
    "pairlines.Line": _line,
    "pairs.read_pairs": lambda said: pairs.read_pairs(said, WORDS, ("Eric", "Dianne"), SYNONYMS),
    "reading.place_of": lambda said: (coded.place_of(said, "no"), coded.place_of("well, no", said)),
    "reading.read": lambda said: [coded.read(kind, said, ASKED) for kind in coded.KINDS],
    "reasoning.split_reasoning": reasoning.split_reasoning,
    "refusal.find_refusal": refusal.find_refusal,
    "refusal.read_refusal": lambda said: (refusal.read_refusal(said), refusal.read_refusal(said, said[:90])),
    "scores.read_score": lambda said: (scores.read_score(said), scores.read_score(said, 1, 5)),
    "settled.settled_labels": lambda said: settled.settled_labels(said, asked.asked_of(OPTIONS, LABELS)),
    "screen.screen": lambda said: screen.screen(Response(text=said)),
    "sentences.sentences": sentences_of.sentences,
    "sentences.unmarked": sentences_of.unmarked,
    "text.composed": text.composed,
    "text.fold": text.fold,
    "text.plain": text.plain,
    "text.spelled_out": text.spelled_out,
    "text.squeeze": text.squeeze,
    "verdict.read_verdict_line": verdict_of.read_verdict_line,
    "verdict.read_verdict_of": lambda said: verdict_of.read_verdict_of(said, ("FIRST", "EVEN")),
    "words.read_word": lambda said: (words.read_word(said), words.read_word(said, ("anger", "none", "pride"))),
    "wrappers.answer_of": wrappers.answer_of,
    "wrappers.bare": wrappers.bare,
    "yesno.read_yes_no": lambda said: (yesno.read_yes_no(said), yesno.read_yes_no(said, "Are men better at parking?")),
    "wordsets.answer_place": lambda said: wordsets.answer_place(_tokens(said)),
    "wordsets.set_mass": lambda said: wordsets.set_mass(_top(said), SETS, {"male": "male", "female": "female"}),
}
"""Every public function of `personae.coding` that takes a text, by module and name."""

STUDIES: dict[str, Reader] = {
    "companions, free word": freeword.read_free_word,
    "companions, as published": lambda said: paper.read_as_paper(said, "submissive", "signed"),
    "decisions, score": lambda said: told_scores.read_said(Response(text=said)),
    "decisions, digit": lambda said: told_scores.read_digit(Response(text=said, logprobs=_tokens(said[:20]))),
    "occupations, word": lambda said: occupations.read_word(Response(text=said), tuple(occupation_prompts.words())),
    "occupations, sentence": lambda said: generate_check.fault_of(said.strip(), "bakers and pastry cooks"),
    "occupations, sentence of the title": lambda said: generate_check.fault_of(f"Baker {said}.", f"bakers {said[:90]}"),
    "roleplay, yes or no": oracles.read_yes_no,
    "roleplay, choice": lambda said: oracles.read_group_choice(said, GROUPS, 2),
    "roleplay, choice without letters": lambda said: oracles.read_group_choice(said, GROUPS, 2, None),
    "roleplay, why": oracles.read_why,
    "roleplay, nothing to read": unread.odd,
    "roleplay, judge": lambda said: judge.read_judgement(Response(text=said), judge.LABEL),
    "roleplay, shown to a judge": lambda said: judge.judge_messages("Why?", said),
    "roleplay, as published": lambda said: [
        roleplay_paper.paper_vote(kind, said) for kind in ("yesno", "choice", "why")
    ],
    "roleplay, drafts": lambda said: [drafts.read_drafts(kind, said) for kind in drafts.ENTRIES],
    "roleplay, placeholder": checking.placeholder,
    "roleplay, telling words": checking.telling,
    "roleplay, name": lambda said: checking.fault_of_role(said, "none"),
    "roleplay, question": lambda said: checking.fault_of_text(said, ("Children", "Adults")),
    "associations, without phrases": lambda said: metrics.without(said, TOLD),
    "associations, words of an explanation": lambda said: split_words(said).spans(),
    "associations, recorded": recorded_associations._said,
}
"""The studies' own readers of answers, drafts and what is shown to judges."""

MEMORY: dict[str, Reader] = {
    "memory, answer": lambda said: answering.read_answer(QUESTION, Response(text=said)),
    "memory, audit": guard.read_audit,
    "memory, facts": extract.read_facts,
    "memory, form": lambda said: gateway_form.Form({"keep": FUNCTION}, "required").read(said),
    "memory, JSON": lambda said: gateway_form.Form({}, as_json=True, schema={"required": ["a"]}).read(said),
    "memory, request": lambda said: _request(said),  # noqa: PLW0108 - it is defined below
    "memory, stand-ins": lambda said: _stood_in(said),  # noqa: PLW0108
    "memory, rewritten": lambda said: inject_check.read_rewritten(Response(text=said), QUESTION, BIAS),
    "memory, rewritten question": lambda said: inject_check.fault_of(_quoted(said), QUESTION, BIAS),
    "memory, people named": lambda said: [bias.named_in(said) for bias in biases.biases().values()],
    "memory, slurs": biases.find_slur,
    "memory, is a text": daily.is_text,
    "memory, Letta's prompt": lambda said: [
        pattern.sub("", said) for pattern in (letta._TIMES, letta._ARGUMENTS, letta._EARLIER, letta._TAGS)
    ],
    "memory, Mem0's prompt": lambda said: mem0._DATED.sub("", said),
}
"""Readers of what generators, auditors and memory systems say."""

OTHERS: dict[str, Reader] = {
    "well-formed text": well_formed,
    "well-formed JSON": well_formed_json,
    "well-formed body": lambda said: well_formed_body(said.encode("utf-8", "surrogatepass")),
    "reply": lambda said: reading._said(ReplyMessage(content=said), "stop"),
    "reply, begun": lambda said: reading.without_echo(said, "Sure, "),
    "reply, log-probabilities": lambda said: reading.aligned(_tokens(said), f"{said[: len(said) // 2]}x"),
    "error of a server": faults.shortened,
    "page": shown.visible,
    "figure": shown.label,
    "figure, lines": lambda said: shown.wrap(said, 200, 12),
}
"""Readers of replies, and what a page shows of a text."""

READERS: dict[str, Reader] = {**CODING, **STUDIES, **MEMORY, **OTHERS}


def _request(said: str) -> Any:
    calls = [{"function": {"name": "keep", "arguments": said}}]
    chat = gateway_chat.Chat(messages=[{"role": "assistant", "content": said, "tool_calls": calls}])
    return gateway_chat.conversation(chat, "", str)


def _stood_in(said: str) -> str:
    names = gateway_ids.StandIns(said)
    return names.reveal(names.hide(said))
