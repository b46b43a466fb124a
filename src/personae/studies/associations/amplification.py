"""Task 2 of paper 003: how a persona moves what is said (BAD, PSI, volatility)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from personae.personas import condition_id
from personae.studies.associations.asking import Associations
from personae.studies.associations.stimuli import Attributes, prompts
from personae.types import Estimate, Figure, Finding, Item

if TYPE_CHECKING:
    import polars as pl


class Amplification(Associations):
    """Five open questions, asked of six personas and of none, several times each."""

    name = "associations.personas"
    version = 1
    title = "Amplification by personas"
    summary = (
        "Asks five open questions of six personas and of none, several times each; measures how far a persona moves "
        "the answers towards the stereotype-linked framing, and whether that is more than answers vary by themselves."
    )
    source = "Arimanda et al. 2026, arXiv:2604.06213, section 4.3 and Algorithm 1"

    def items(self) -> Iterator[Item]:
        """Every prompt, generation and condition; wordings of personas take turns over the prompts."""
        wordings = self.personas.wording_ids
        generations = self.plan.generations if self.settings.repeats is None else self.settings.repeats
        for turn, prompt in enumerate(prompts().values()):
            for iteration in range(generations):
                for place, role in enumerate(self.personas.roles(users=True)):
                    start = (turn + place) % len(wordings) if wordings else 0
                    for condition in self.personas.worded(role, wordings[start : start + 1]):
                        yield Item(
                            study=self.name,
                            id=f"{prompt.id}/{iteration}/{condition_id(condition)}",
                            stimulus=prompt.id,
                            condition=condition,
                            facts={
                                "domain": prompt.id,
                                "theme": prompt.theme,
                                "question": prompt.text,
                                "iteration": iteration,
                                "seed": self.settings.seed,
                            },
                        )

    def attributes(self, item: Item) -> Attributes:
        """Those of the prompt."""
        return prompts()[item.facts["domain"]].attributes

    def told(self, item: Item) -> list[str]:
        """What the persona is called; of recorded answers, what it was called when they were asked for."""
        if "told" in item.facts:
            return list(item.facts["told"])
        who, user = item.condition.persona, item.condition.user
        known = {persona.name: persona.called for persona in (*self.personas.personas, *self.personas.users)}
        return [known.get(name, name) for name in (who, user) if name]

    def values(self, detail: dict[str, Any]) -> dict[str, float]:
        """The single-category effect size: in the units of a standard deviation, whatever the encoder."""
        found: dict[str, float] = detail["metrics"]
        return found

    def expected(self, item: Item) -> dict[str, float]:
        """Nothing is expected of a prompt."""
        return {}

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        """See `personae.studies.associations.measures_personas.estimates`."""
        from personae.studies.associations import measures_personas

        return measures_personas.estimates(outcomes, self.settings)

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        """See `personae.studies.associations.findings_personas.findings`."""
        from personae.studies.associations import findings_personas

        return findings_personas.findings(estimates, outcomes)

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        """See `personae.studies.associations.figures_personas.figures`."""
        from personae.studies.associations import figures_personas

        return figures_personas.figures(estimates, outcomes, self.settings)
