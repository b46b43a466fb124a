"""The label on which an answer settles in a clause of nothing else: "but B", "hmm, A", "not A, C"."""

from __future__ import annotations

import re

from personae.coding.asked import Asked
from personae.coding.clauses import LEAD, SIGNS, TAIL, Clause, clauses, without_lead
from personae.coding.text import plain

_LABEL_LEAD = re.compile(
    r"""\A(?:(?:option|choice|letter|number|pick|choose|select|i|would|on\sreflection|first|finally|it|is|then|with
      |the|answer|correct|right|best|be|choosin'?|pickin'?|sayin'?|choosing|picking|advise|suggest|settle\son
      |respuesta|correcta|correcto|bonne|giusta|corretta|richtige|la|el|opci[oó]n|r[ée]ponse|est|es|[ée]|risposta
      |resposta
      |lösung|antwort|ist|wähle|nehme|ответ|вариант|выбираю|الإجابة|الخيار)\s)*(?:选择?|選択?|答案是?|回答[はは]?|正解は|答えは|정답은?
        |답은)?\s?""",
    re.VERBOSE,
)


def settled_labels(words: str, asked: Asked) -> set[int]:
    """The labels on which an answer settles in a clause of nothing else: "but B", "hmm, A", "not A, C".

    It ends its sentence, and no other label stands in that sentence that is not taken back, unless it follows "but".
    """
    if not asked.labels:
        return set()
    said = "\n".join(" ".join(plain(line).split()) for line in words.splitlines())
    sentence: list[Clause] = []
    settled: set[int] = set()
    for clause in clauses(said, SIGNS):
        sentence.append(clause)
        if not clause.ends and not clause.asks:
            continue
        while len(sentence) > 1 and _only_leads(sentence[-1].words, asked):
            sentence.pop()  # whom it is said to
        place = None if clause.asks else _lone_label(sentence[-1].words, asked)
        others = {_lone_label(other.words, asked) for other in sentence[:-1]} - {place, None}
        if place is not None and (not others or sentence[-1].settles):
            settled.add(place)
        sentence = []
    return settled


def _only_leads(words: str, asked: Asked) -> bool:
    return not without_lead(words.casefold()) and _lone_label(words, asked) is None


def _lone_label(words: str, asked: Asked) -> int | None:
    """The place of the label that a clause consists of; a small "a" or "i" is a label only by itself."""
    hits = [hit for hit in asked.lone.finditer(words) if hit["label"] not in ("a", "i") or hit[0] == words]
    for hit in hits if len(hits) == 1 else ():
        label, before, after = hit["label"], words[: hit.start()].casefold(), words[hit.end() :].casefold()
        lead = LEAD.match(f"{before.strip()} ")
        if not _LABEL_LEAD.sub("", f"{before.strip()} "[lead.end() if lead else 0 :], 1).strip():
            tail = TAIL.match(after)
            if not after[tail.end() if tail else 0 :].strip(" 。です"):
                return asked.labels.index(label.casefold())
    return None
