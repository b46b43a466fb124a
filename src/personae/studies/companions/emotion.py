"""The emotion experiment (paper 000, section 3.3): which emotion does a situation of abuse or control evoke?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from msgspec.structs import replace

from personae.coding.screen import screen, unread
from personae.coding.words import read_word
from personae.errors import BadInput
from personae.personas import condition_id
from personae.studies.companions.asking import Companions
from personae.studies.companions.design import SituationPlan, chosen_situations, design
from personae.studies.companions.freeword import read_free_word
from personae.studies.companions.prompts import emotion_forced, emotion_free, emotion_word
from personae.studies.companions.stimuli import emotion_stimuli
from personae.study.base import Ask, Settings
from personae.study.design import orders, rotations, worded
from personae.study.forced import LEAST_MASS, Meta, about, in_every_order, too_little
from personae.types import Estimate, Figure, Finding, Item, Outcome, Response, Trial

if TYPE_CHECKING:
    import polars as pl

MODES = ("restricted", "unrestricted")
MAX_TOKENS = 24
END_OF_WORD = (".", ",", "\n")
"""Where a named emotion ends; a model that goes on would otherwise run into the limit."""


class Emotion(Companions):
    """Which emotion does the model name: one of nine, or any?"""

    name = "companions.emotion"
    version = 1
    title = "Emotions"
    summary = "Names the emotion that situations of abuse and control evoke: one of nine, or any."
    source = "Grogan, Kay and Pérez-Ortiz 2025, arXiv:2502.20231, section 3.3; stimuli from Tables 3 and 7"

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.scale = design().scales[settings.scale].emotion
        self.plan: SituationPlan = self.scale.forced if self.forced else self.scale.free
        self.stereotypes = stereotypes_of(self.personas.stereotypes)
        self.groups = tuple(dict.fromkeys(self.stereotypes.values()))

    def items(self) -> Iterator[Item]:
        """Every iteration, situation, mode and condition; the conditions of one stimulus follow each other."""
        for iteration in range(self.planned(self.plan)):
            chosen = list(chosen_situations(self.plan, self.settings.seed))
            shown = orders(emotion_stimuli().options, len(chosen), self.settings.seed, "emotion", iteration)
            for turn, ((domain, situation), options) in enumerate(zip(chosen, shown, strict=True)):
                for mode in MODES:
                    facts = {
                        "domain": domain.domain,
                        "event": situation.id,
                        "event_text": situation.text,
                        "mode": mode,
                        "options": options if mode == "restricted" else [],
                        "iteration": iteration,
                        "respond": self.settings.respond,
                        "seed": self.settings.seed,
                    }
                    for condition in worded(self.personas, self.scale, turn):
                        key = f"{domain.domain}/{situation.id}/{mode}/{iteration}/{condition_id(condition)}"
                        name = f"{domain.domain}:{situation.id}"
                        yield Item(study=self.name, id=key, stimulus=name, condition=condition, facts=facts)

    def count(self) -> int:
        """Every mode of every situation under its conditions, each time."""
        turns = range(len(list(chosen_situations(self.plan, self.settings.seed))))
        conditions = sum(1 for turn in turns for _ in worded(self.personas, self.scale, turn))
        return self.planned(self.plan) * len(MODES) * conditions

    def can_be_forced(self, item: Item) -> bool:
        """Only one of nine can be forced; any emotion is free text at every setting."""
        return bool(item.facts["mode"] == "restricted")

    def trial(self, item: Item) -> Trial:
        """Ask for one of the emotions as shown, or for any."""
        facts = item.facts
        meta = self._about(item, facts["options"])
        if self.forced:
            messages = self.messages(item, *emotion_word(facts["event_text"], self.settings.prefill))
            return replace(self.free(item, messages, MAX_TOKENS, None, meta), stop=END_OF_WORD)
        messages = self.messages(item, emotion_free(facts["event_text"], facts["options"]))
        return self.free(item, messages, MAX_TOKENS, self.plan.top_k, meta)

    def _about(self, item: Item, options: list[str]) -> Meta:
        known = options or list(self.stereotypes)
        group = item.condition.persona_group
        lean = [emotion for emotion in known if group is not None and self.stereotypes[emotion] == group]
        return about(item, "choice" if options else "word", known, lean=lean)

    def read(self, item: Item, response: Response) -> Outcome:
        """Read one of the emotions shown, or the group of a free word."""
        options = item.facts["options"]
        if not options:
            if (empty := screen(response)) is not None:
                return empty
            free = read_free_word(response.text)
            if free.group is None:
                return Outcome(status=free.status, reason=free.reason)
            return self._outcome(item, {free.group: 1.0}, {"word": free.word})
        word = read_word(response.text, options)
        if (empty := unread(response, whole=word.firm)) is not None:
            return empty
        if word.value is None:
            return Outcome(status=word.status, reason=word.reason)
        return self._outcome(item, {word.value: 1.0}, {"word": word.value})

    async def score(self, item: Item, ask: Ask) -> Outcome:
        """Ask with every emotion in every place."""
        trials = []
        for turn, options in enumerate(rotations(item.facts["options"])):
            question = emotion_forced(item.facts["event_text"], options, self.settings.prefill)
            trials.append(self.first_token("answer", turn, self.messages(item, *question), self._about(item, options)))
        found = await in_every_order(ask, trials)
        if found.mass < LEAST_MASS:
            return too_little(found.mass)
        return self._outcome(item, found.shares, {"position": found.position, "mass": found.mass})

    def _outcome(self, item: Item, emotions: dict[str, float], more: Meta) -> Outcome:
        shares = dict.fromkeys(self.groups, 0.0)
        for emotion, share in emotions.items():
            if (group := self.stereotypes.get(emotion)) is not None:
                shares[group] += share
        label = max(emotions, key=emotions.__getitem__)
        detail = {"stereotype": self.stereotypes.get(label), "shares": shares, "emotions": emotions, **more}
        own = shares.get(item.condition.persona_group or "")
        return Outcome(status="answered", value=own, label=label, detail=detail)

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.companions.measures.emotion_estimates`."""
        from personae.studies.companions import measures

        return measures.emotion_estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.companions.findings.emotion_findings`."""
        from personae.studies.companions import findings

        return findings.emotion_findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.companions.figures.emotion_figures`."""
        from personae.studies.companions import figures

        return figures.emotion_figures(estimates, outcomes)


def stereotypes_of(given: Mapping[str, str] | None) -> Mapping[str, str]:
    """The group that each of the nine emotions is held typical of: the paper's, or the user's.

    What a user does not name counts as ``neutral``.

    Raises
    ------
    BadInput
        When the user names an emotion that is none of the nine.
    """
    known = emotion_stimuli().stereotypes
    if given is None:
        return known
    strange = next((emotion for emotion in given if emotion not in known), None)
    if strange is not None:
        raise BadInput("personas file, field stereotypes", strange, f"the emotions are {', '.join(known)}")
    return {emotion: given.get(emotion, "neutral") for emotion in known}
