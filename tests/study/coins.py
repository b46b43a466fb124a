"""A study of every kind of question, for tests of what studies share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from personae.measure.declared import Mean, Share
from personae.personas import Persona, PersonaSet, Wording
from personae.study.declared import Declared, Design, Plan, Plans, Stimulus
from personae.study.questions import Choice, Question, Said, Score, YesNo
from personae.types import Outcome


class Toss(Struct, frozen=True):
    number: int


class Tossed(Declared[Toss]):
    """Twelve tosses in two domains."""

    name, version, title, said = "coins.toss", 1, "Coins", "the coins"
    summary = source = "a test"
    facts = Toss
    measures: Any = (Share(name="heads", said="share of heads", reading="1 is always heads."),)
    kind = "choice"

    def design(self) -> Design:
        plan = Plan(wordings="rotate", iterations=2)
        return Design(scales=dict.fromkeys(("quick", "standard", "paper"), Plans(free=plan, forced=plan)))

    def own_personas(self) -> PersonaSet:
        some = (Persona(name="gambler", group="risk"), Persona(name="banker", group="risk"), Persona(name="monk"))
        worded = (Wording(id="be", text="Be a {persona}."), Wording(id="play", text="Play a {persona}."))
        return PersonaSet(title="Some", personas=some, wordings=worded)

    def stimuli(self) -> Iterator[Stimulus[Toss]]:
        for number in range(12):
            yield Stimulus(f"t{number}", Toss(number), domain="day" if number % 2 else "night")

    def question(self, facts: Toss) -> Question:
        text = f"Toss {facts.number}: {{text}}?"
        if self.kind == "choice":
            return Choice(text=text, options=("heads", "tails", "the edge"), lean=("heads",))
        return YesNo(text=text, lean="Yes") if self.kind == "yesno" else Score(text=text, lean="higher")

    def code(self, facts: Toss, said: Any) -> Outcome:
        if isinstance(said, Said):
            return said.outcome(said.score)
        return said.outcome(said.share("heads" if self.kind == "choice" else "Yes"))


class Asserted(Tossed):
    """The same as yes or no."""

    name, kind = "coins.yesno", "yesno"


class Rated(Tossed):
    """The same as a score."""

    name, kind = "coins.score", "score"
    measures = (Mean(name="score", said="mean score (0 to 100)"),)
