"""Refusals that people labelled: completions of XSTest (Röttger et al. 2024, arXiv:2308.01263), not shipped."""

import csv
from pathlib import Path

import pytest

from personae.coding.refusal import read_refusal

pytestmark = [pytest.mark.reference, pytest.mark.slow]

REFUSED, ANSWERED = "2_full_refusal", "1_full_compliance"


def share_refused(reference: Path, label: str) -> float:
    found = []
    for path in sorted((reference / "xstest").glob("*.csv")):
        with path.open(encoding="utf-8", newline="") as lines:
            rows = [row for row in csv.DictReader(lines) if row["final_label"] == label]
        found += [read_refusal(row["completion"], row["prompt"]).status == "refused" for row in rows]
    assert found
    return sum(found) / len(found)


def test_nearly_all_full_refusals_are_found(reference: Path) -> None:
    assert share_refused(reference, REFUSED) >= 0.92


def test_hardly_any_full_answer_is_called_a_refusal(reference: Path) -> None:
    assert share_refused(reference, ANSWERED) <= 0.02
