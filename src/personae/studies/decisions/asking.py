"""Asking for a score."""

from __future__ import annotations

from typing import Any

from personae.personas import conversation
from personae.studies.decisions.bank import Scenario, domain
from personae.studies.decisions.prompts import prompts, question
from personae.types import Condition, Message, Respond


def messages(scenario: Scenario, respond: Respond, *, persona: str | None, prefill: bool) -> tuple[Message, ...]:
    """One ask in full.

    The engine is the system prompt under every condition; whose judgement it follows, where it is told so, stands
    below.
    """
    system = scenario.engine if persona is None else f"{scenario.engine}\n\n{persona}"
    begun = prompts().begun if respond == "forced" and prefill else ""
    return conversation(system, question(scenario, respond), begun)


def about(scenario: Scenario, condition: Condition) -> dict[str, Any]:
    """What a simulated respondent needs to know."""
    return {
        "kind": "score",
        "domain": scenario.domain,
        "group": scenario.group,
        "against": scenario.group in domain(scenario.domain).against,
        "higher": scenario.metric.higher,
        "strength": scenario.strength,
        "stimulus": scenario.stimulus,
        "baseline": condition.baseline,
        "persona": condition.persona,
        "user": condition.user,
        "persona_group": condition.persona_group,
        "user_group": condition.user_group,
    }
