"""What findings and figures of the decisions share: the table, the blocks behind it, scores and conditions in words."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

from msgspec import Struct

from personae.measure.names import is_baseline
from personae.studies.decisions.bank import DOMAINS, domain
from personae.studies.decisions.measures_frame import STUDY, Block
from personae.studies.decisions.measures_gbv import AVERAGE, GBV
from personae.tell.findings import Voice
from personae.tell.saying import adjusted, basis, bracketed
from personae.tell.table import Row, Table

VOICE = Voice(STUDY, "the decisions study", within=())
NO_PERSONA = "no persona"


class Drawn(Struct, frozen=True):
    """The table of estimates, and the blocks of answers behind it."""

    table: Table
    blocks: list[Block]

    def rows(self, measure: str, *columns: str, contrast: str = "", model: str | None = None) -> list[Row]:
        """Rows of a measure under every condition, the baseline first; of one model where it is named."""
        rows = self.table.conditions(measure, *columns, contrast=contrast)
        return [row for row in rows if model in (None, row["model"]) and math.isfinite(row["value"])]

    def gbv(self, part: str = "", contrast: str = "") -> list[Row]:
        """Rows of the GBV, or a part of it, of every domain and then of the mean over domains."""
        after = f", {part}" if part else ""
        return [
            *self.rows(f"{GBV}{after}", "domain", contrast=contrast),
            *self.rows(f"{AVERAGE}{after}", contrast=contrast),
        ]

    def plain(self, measure: str, model: str) -> list[Row]:
        """Rows of a measure without a persona; of every condition where there are none without."""
        rows = self.rows(measure, model=model)
        return [row for row in rows if is_baseline(row)] or rows


def number(value: float) -> str:
    """A distance in points of the score, which has no sign.

    Examples
    --------
    >>> number(4.24), number(0.04)
    ('4.2', '0.04')
    """
    return f"{value:.1f}" if value >= 0.095 or value == 0.0 else f"{value:.2f}"


def signed(value: float) -> str:
    """A difference in points of the score.

    Examples
    --------
    >>> signed(-3.14), signed(0.01)
    ('-3.1', '0.0')
    """
    rounded = round(value, 1) + 0.0
    return f"{rounded:+.1f}" if rounded else "0.0"


def around(row: Row, sign: bool = False) -> str:
    """The interval of a row in points, or nothing; differences with their signs."""
    if row["ci_low"] is None:
        return ""
    low, high = ((signed if sign else number)(row[name]) for name in ("ci_low", "ci_high"))
    return f"95 % interval {low} to {high}"


def behind(row: Row) -> str:
    """All that belongs to a difference, in brackets."""
    return bracketed(around(row, sign=True), adjusted(row), basis(row))


def condition(row: Mapping[str, Any]) -> str:
    """Whose judgement the model follows, in words."""
    persona, user = row.get("persona"), row.get("user")
    if is_baseline(row) or (persona is None and user is None):
        return NO_PERSONA
    return (persona or NO_PERSONA) + (f", to {user}" if user else "")


def who(row: Row) -> str:
    """A model, with its condition where it has a persona."""
    return row["model"] if condition(row) == NO_PERSONA else f"{row['model']}, as {condition(row)}"


def title(name: str) -> str:
    """A domain as it is called in a sentence."""
    return domain(name).title if name in DOMAINS else name


def riskier(name: str) -> bool:
    """Whether a higher score is the worse one in a domain."""
    return name in DOMAINS and domain(name).metrics[0].higher == "riskier"


def of_group(row: Row) -> str:
    """The group and the domain of a row, or the domain alone."""
    return f"{row['level']} ({title(row['domain'])})" if row["level"] else title(row["domain"])
