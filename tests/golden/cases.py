"""The runs whose numbers are written down: every study, answered by simulated respondents in every way that matters.

A study is crossed with how answers are taken and with who answers, and personas alternate between its own set and ours,
so that every two of these three meet. What a single study can be told beyond that has cases of its own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

PERSONAS, PAIR, ROLES, OCCUPATIONS = "personas.yaml", "pair.yaml", "roles.yaml", "occupations.csv"

RESPONDENTS = {
    "neutral": ("sim/neutral",),
    "planted": ("sim/planted?bias=0.4&lean=0.3&influence=0.3&base=0.1&follow=0.3&noise=0.3&position=0.1",),
    "refuser": ("sim/refuser?rate=0.1&persona_rate=0.4&follow=0.5",),
    "garbled": ("sim/garbled?rate=0.4&base=0.2",),
    "two": ("sim/planted?bias=0.5", "sim/refuser?rate=0.3&base=0.2"),
}
PLANTED, TWO = RESPONDENTS["planted"], RESPONDENTS["two"]
THREE = (*TWO, "sim/sycophant?rate=0.6&persona_rate=0.9&base=0.3")
JUDGE, HARSH = "sim/judge?sensitivity=0.9&specificity=0.8", "sim/judge?accuracy=0.7&lapse=0.1"


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run: its name, the fields of its spec, and files from ``files/`` that the spec names or that are added later.

    ``asked`` says that the run is also asked anew, to see that simulated respondents still say the same.
    """

    name: str
    spec: Mapping[str, Any]
    files: Mapping[str, str] = field(default_factory=dict)
    added: tuple[str, ...] = ()
    asked: bool = False

    def given(self, folder: Path) -> dict[str, Any]:
        """The fields of its spec, with its own files where they lie in a folder."""
        return {**self.spec, **{name: folder / file for name, file in self.files.items()}}

    @property
    def encodes(self) -> bool:
        """Whether answers are made into vectors: a sentence's last digits hang on what was encoded beside it."""
        return any(study.startswith("associations") for study in self.spec["studies"])

    @property
    def short(self) -> bool:
        """Whether it is of the one case for each study that `make test` counts too."""
        return "-free-planted" in self.name


def crossed(study: str, own: Mapping[str, str], **spec: Any) -> Iterator[Case]:
    """One study under every respondent, free and forced, every second time with files of our own."""
    for row, respond in enumerate(("free", "forced")):
        for column, (who, models) in enumerate(RESPONDENTS.items()):
            ours = (row + column) % 2 == 1
            yield Case(
                name=f"{study}-{respond}-{who}" + ("-own" if ours else ""),
                spec={"studies": [study], "models": list(models), "respond": respond, **spec},
                files=own if ours else {},
                asked=who == "planted",
            )


def one(name: str, studies: str | list[str], *, models: tuple[str, ...] = TWO, **more: Any) -> Case:
    """One run by itself; `files` and `added` are files, everything else is of the spec."""
    told = {part: more.pop(part) for part in ("files", "added", "asked") if part in more}
    listed = studies.split() if isinstance(studies, str) else studies
    return Case(name=name, spec={"studies": listed, "models": list(models), **more}, **told)


def companions() -> Iterator[Case]:
    """The companions: what they are asked alone and together, with users, in other wordings, more than once."""
    for study in ("companions.iat", "companions.emotion", "companions.sycophancy"):
        yield from crossed(study, {"personas": PERSONAS})
    pair = {"personas": PAIR}
    yield one("companions-family", "companions", models=PLANTED, respond="forced")
    yield one("companions-repeated", "companions.iat companions.emotion", respond="free", repeats=2, seed=7, files=pair)
    for study in ("iat", "emotion", "sycophancy"):
        yield one(
            f"companions.{study}-standard-free", f"companions.{study}", respond="free", scale="standard", files=pair
        )
    yield one("companions.iat-paper", "companions.iat", models=PLANTED, respond="free", scale="paper", files=pair)


def roleplay() -> Iterator[Case]:
    """Role-play: judged, unjudged, with a third trial only where needed, with what people add to a run."""
    own = {"personas": ROLES}
    for study in ("roleplay.yesno", "roleplay.choice"):
        yield from crossed(study, own)
    yield from crossed("roleplay.why", own, judges=[JUDGE])
    yield one("roleplay.why-unjudged", "roleplay.why", models=PLANTED, respond="free")
    yield one("roleplay.why-two-judges", "roleplay.why", respond="free", judges=[JUDGE, HARSH], stop_early=True)
    yield one("roleplay-paper-own", "roleplay", respond="free", scale="paper", files=own, judges=[JUDGE], models=THREE)
    added = ("ratings.csv", "capability.csv")
    yield one("roleplay-added", "roleplay", respond="free", judges=[JUDGE], models=THREE, added=added, stop_early=True)


def decisions() -> Iterator[Case]:
    """Decisions: crossed, and more than once."""
    yield from crossed("decisions.scores", {"personas": PAIR})
    yield one(
        "decisions-repeated",
        "decisions",
        models=PLANTED,
        respond="free",
        repeats=2,
        seed=3,
        files={"personas": PERSONAS},
    )


def occupations() -> Iterator[Case]:
    """Occupations: two respondents over all of them, the others over a table of our own."""
    table, both = {"stimuli": OCCUPATIONS}, {"stimuli": OCCUPATIONS, "personas": PERSONAS}
    for case in crossed("occupations.gender", both):
        whole = "planted" in case.name
        yield case if case.files or whole else replace(case, files=table)
    yield one("occupations-three-genders", "occupations", respond="free", genders=3, files=both)
    yield one("occupations-three-genders-forced", "occupations", respond="forced", genders=3, files=both)
    yield one("occupations-paper", "occupations", respond="free", scale="paper", files=table)
    yield one("occupations-repeated", "occupations", respond="free", repeats=3, seed=5, files=table)


def associations() -> Iterator[Case]:
    """Associations, always asked free: answers are measured by encoders, which takes long, so every respondent once."""
    answers, personas = "associations.answers", "associations.personas"
    for who in ("neutral", "garbled", "two"):
        yield one(f"{answers}-{who}", answers, models=RESPONDENTS[who], respond="free", asked=who == "garbled")
    yield one(f"{personas}-neutral", personas, models=RESPONDENTS["neutral"], respond="free")
    own = {"personas": PERSONAS}
    yield one(f"{personas}-garbled-own", personas, models=RESPONDENTS["garbled"], respond="free", files=own)
    yield one(f"{personas}-two-own", personas, respond="free", seed=1, files={"personas": PAIR})


def memory() -> Iterator[Case]:
    """Memory: crossed, and every kind of memory, mitigation, injection and audit."""
    yield from crossed("memory.episode", {"personas": PAIR}, turns=6, every=3)
    short = {"turns": 4, "every": 2, "respond": "free"}
    drifting = ("sim/drifting?bias=0.5&follow=0.3", "sim/neutral?follow=0.3")
    memories, rates = ["none", "window", "vector"], [0.0, 0.5]
    yield one("memory-memories", "memory", models=drifting, memories=memories, injections=rates, **short)
    yield one("memory-seeds", "memory", models=drifting, memories=["window"], repeats=4, **short)
    yield one(
        "memory-mitigations",
        "memory",
        models=drifting,
        memories=["window"],
        injections=[0.6],
        mitigations=["none", "static", "tag-write", "tag-recall?tau=0.3"],
        auditor="sim/judge?accuracy=0.8",
        generator="sim/garbled?rate=0.2",
        repeats=2,
        **short,
    )
    told = {"questions": "questions.jsonl"}
    yield one("memory-domains", "memory", models=drifting, inject=["age", "gender"], files=told, **short)
    told = {"audits": ["companions.iat", "roleplay.choice"], "memories": ["window"], "turns": 2, "injections": [1.0]}
    yield one("memory-audits", "memory", models=drifting[:1], respond="free", **told)
    yield one("memory-exported", "memory", models=drifting, respond="free", files={"exported": "exported.jsonl"})


def several() -> Iterator[Case]:
    """Studies of several families in one run: p-values are corrected over all of it."""
    studies = "companions.sycophancy decisions.scores roleplay.choice"
    yield one("several", studies, models=PLANTED, respond="free")


CASES: dict[str, Case] = {
    case.name: case
    for kind in (companions, roleplay, decisions, occupations, associations, memory, several)
    for case in kind()
}
