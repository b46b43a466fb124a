"""The figure over all kinds of questions."""

from __future__ import annotations

from pathlib import Path

import personae
from personae.studies.roleplay.overview import overview


def test_every_attribute_is_shown_for_every_kind_that_was_asked(tmp_path: Path) -> None:
    asked = ["roleplay.yesno", "roleplay.choice"]
    with personae.audit(asked, model="sim/planted?bias=0.5", scale="quick", out=tmp_path / "run") as run:
        (figure,) = overview(run.estimates)
        assert {row["kind"] for row in figure.rows} == {"Yes/No", "Choice"}
        assert len({row["attribute"] for row in figure.rows}) == 11
        assert len(figure.rows) == 22
        assert overview(run.estimates.filter(study="roleplay.choice")) == []
    assert figure.title in (tmp_path / "run" / "report.html").read_text(encoding="utf-8")
