"""Task 1 of paper 003: what is said of intersectional identities, compared with what is said of others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from personae.personas import condition_id
from personae.studies.associations.asking import Associations
from personae.studies.associations.stimuli import Attributes, classes
from personae.types import Condition, Estimate, Figure, Finding, Item

if TYPE_CHECKING:
    import polars as pl

SIDES = ("target", "comparison")


class Answers(Associations):
    """Six classes of identities, twenty open questions each: the same question of two identities."""

    name = "associations.answers"
    version = 1
    title = "Associations in answers"
    summary = (
        "Asks open questions about people of six intersectional classes and, in the same words, about others; measures "
        "which attributes the answers lie nearer to."
    )
    source = (
        "Arimanda et al. 2026, arXiv:2604.06213, section 4.2; WEAT: Caliskan et al. 2017; CEAT: Guo and Caliskan 2021"
    )

    def items(self) -> Iterator[Item]:
        """Every class, question and identity; the two identities of a question follow each other."""
        own = self.settings.personas is not None
        roles = self.personas.roles(users=True) if own else (Condition(),)
        for group in classes().values():
            for number in range(min(self.plan.questions, len(group.questions))):
                for iteration in range(self.settings.repeats or 1):
                    for role in roles:
                        wordings = self.personas.wording_ids
                        for condition in self.personas.worded(role, wordings[number % max(1, len(wordings)) :][:1]):
                            for side in SIDES:
                                yield self._item(group.id, number, side, iteration, condition)

    def _item(self, group: str, number: int, side: str, iteration: int, condition: Condition) -> Item:
        one = classes()[group]
        identity = getattr(one.pairs[number], side)
        return Item(
            study=self.name,
            id=f"{group}/{number + 1:02}/{side}/{iteration}/{condition_id(condition)}",
            stimulus=f"{group}:{number + 1:02}",
            condition=condition,
            facts={
                "domain": group,
                "title": one.title,
                "number": number,
                "side": side,
                "identity": identity,
                "question": one.questions[number].format(identity=identity),
                "iteration": iteration,
                "seed": self.settings.seed,
            },
        )

    def attributes(self, item: Item) -> Attributes:
        """Those of the class."""
        return classes()[item.facts["domain"]].attributes

    def told(self, item: Item) -> list[str]:
        """Both identities of the question."""
        pair = classes()[item.facts["domain"]].pairs[item.facts["number"]]
        return [pair.target, pair.comparison]

    def values(self, detail: dict[str, Any]) -> dict[str, float]:
        """The difference of mean cosines, since effect sizes are over several answers here.

        The words of the identities are left out: they carry associations of their own, and answers repeat them.
        """
        found: dict[str, float] = detail["own"]["associations"]
        return found

    def expected(self, item: Item) -> dict[str, float]:
        """The target is spoken of in congruent words, the comparison in the others."""
        congruent = 0.9 if item.facts["side"] == "target" else 0.1
        return {"congruent": congruent, "incongruent": 1 - congruent}

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.associations.measures_answers.estimates`."""
        from personae.studies.associations import measures_answers

        return measures_answers.estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.associations.findings_answers.findings`."""
        from personae.studies.associations import findings_answers

        return findings_answers.findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.associations.figures_answers.figures`."""
        from personae.studies.associations import figures_answers

        return figures_answers.figures(estimates, outcomes, self.settings)
