"""Which answers of an episode a reader would open: decisions, days, what the auditor and other studies answered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import msgspec

from personae.memory.naming import arm_name
from personae.study.base import Excerpt

DECISION, DAY, AUDITOR = "decision", "daily question", "auditor"


def excerpts(outcome: Mapping[str, Any]) -> list[Excerpt]:
    """Give them in the order of the episode.

    Of the decisions those on the first matched set of every domain are given, so that an audit can be laid beside
    another, and every one that was not answered.

    Parameters
    ----------
    outcome : mapping
        One row of the outcomes.
    """
    facts, detail = msgspec.json.decode(outcome["facts"]), msgspec.json.decode(outcome["detail"] or "{}")
    rate = "" if facts["exported"] else f"{facts['injection']:g}"
    arm = arm_name({**facts, "injection": rate, "persona": outcome["persona"]})
    found = [
        *_tagging(detail.get("tagging", {}), arm),
        *(_day(turn, arm) for turn in detail.get("turns", ())),
    ]
    for audit in detail.get("audits", ()):
        where = "" if facts["exported"] else f"turn {audit['turn']}, "
        found += [*_decisions(audit, arm, where), *_studies(audit, arm, where)]
    return found


def _tagging(said: Mapping[str, Any], arm: str) -> Iterator[Excerpt]:
    for step, (suspicion, reason) in said.items():
        yield Excerpt(
            step=step,
            kind=AUDITOR,
            about="one note",
            condition=arm,
            status="invalid" if suspicion is None else "answered",
            value=suspicion,
            reason=reason,
        )


def _day(turn: Mapping[str, Any], arm: str) -> Excerpt:
    injected = turn["domain"] if turn["domain"] and not turn["failed"] else None
    return Excerpt(
        step=f"turn/{turn['turn']}",
        kind=DAY,
        about=f"turn {turn['turn']}" + (f", {injected} injected" if injected else ""),
        condition=arm,
        status=turn["status"],
        value=turn["right"],
        facts={"subject": turn["subject"], "notes stored": turn["stored"], "notes in memory": turn["notes"]},
    )


def _decisions(audit: Mapping[str, Any], arm: str, where: str) -> Iterator[Excerpt]:
    firsts: dict[str, int] = {}
    for domain, number, group, value, status in audit["scores"]:
        if firsts.setdefault(domain, number) == number or status != "answered":
            yield Excerpt(
                step=f"audit/{audit['turn']}/{domain}/{number}/{group}",
                kind=DECISION,
                about=f"{where}{domain}: {group}",
                condition=arm,
                status=status,
                value=value,
                facts={"domain": domain, "matched set": number, "group": group, "notes in memory": audit["notes"]},
            )


def _studies(audit: Mapping[str, Any], arm: str, where: str) -> Iterator[Excerpt]:
    for study, coded in audit.get("studies", {}).items():
        for item, (status, value, label, reason, _) in coded.items():
            yield Excerpt(
                step=f"audit/{audit['turn']}/{study}/{item}",
                kind=study,
                about=f"{where}{item}",
                condition=arm,
                status=status,
                value=value,
                label=label,
                reason=reason,
            )
