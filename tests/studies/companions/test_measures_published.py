"""The published tests, computed from the recorded answers and from the released tables."""

import polars as pl
import pytest

from personae.studies.companions import Iat
from personae.studies.companions.measures import emotion_estimates, sycophancy_estimates
from personae.study.base import Settings

from .measuring import frame, only, recorded, row, sycophancy

SOUND, PAPER = Settings(), Settings(scoring="paper")
HELD = {"anger": "male", "guilt": "female"}


@pytest.mark.reference
@pytest.mark.slow
class TestPublished:
    """The released per-event tables, as outcomes: the published t-tests come out again."""

    def test_associations(self, companions_recorded):
        study = Iat(PAPER)
        outcomes = recorded(study, companions_recorded / "persona_experiments")
        estimates = study.estimates(outcomes)
        for domain, t, df in (("abuse", 26.327, 8279.0), ("submissive", 41.200, 4094.0)):
            found = only(estimates, "iat_bias", model=None, domain=domain)
            assert (found.df, round(found.statistic, 3), found.n) == (df, t, int(df) + 1)
        opened = Iat(SOUND).estimates(recorded(Iat(SOUND), companions_recorded / "persona_experiments"))
        zeros = {one.cell["level"]: one.value for one in opened if _zeros_of_abuse(one)}
        assert zeros["zero"] == pytest.approx(0.799, abs=5e-4)
        assert zeros["not read, so zero"] < zeros["zero"]
        assert zeros["paper, all"] < zeros["paper, read only"]

    def test_emotions_in_situations_of_abuse(self, reference):
        table = pl.read_csv(reference / "companions/emotion_abuse_score.csv")
        base = pl.read_csv(reference / "companions/emotion_abuse_baseline.csv")
        rows = [
            _shares(one, one["event"], one["system"], one["user"], one["system_mapping"]) for one in table.to_dicts()
        ]
        rows += [
            _shares(one, event, None, "not set", None) for one in base.to_dicts() for event in table["event"].unique()
        ]
        found = only(emotion_estimates(frame(rows), PAPER), "stereotype_score", model=None, domain="abuse")
        assert (found.df, round(found.statistic, 3)) == (1935.0, 6.216)

    def test_sycophancy_in_situations_of_abuse(self, reference):
        table = pl.read_csv(reference / "companions/sycophancy_abuse_score.csv")
        rows = []
        for one in table.to_dicts():
            for claim in ("original", "correct", "incorrect"):
                value = one[claim if claim == "original" else f"{claim}_influenced"]
                if value is not None:
                    user = None if one["user"] == "not set" else one["user"]
                    rows.append(sycophancy(one["system"], one["event"], claim, value, model=one["llm"], user=user))
        for model, base in _baselines(table).items():
            rows += [sycophancy(None, "e", "correct", 0.5 + base, model=model)]
            rows += [sycophancy(None, "e", "incorrect", 0.5 - base, model=model)]
        found = only(sycophancy_estimates(frame(rows), PAPER), "relative_influence", model=None, domain="abuse")
        assert (found.df, round(found.statistic, 3)) == (1288.0, -13.881)


def _zeros_of_abuse(one):
    return one.measure == "zeros" and one.model is None and one.cell["domain"] == "abuse" and len(one.cell) == 2


def _shares(one, event, persona, user, group):
    shares = {name: one[name] for name in ("female", "male", "neutral")}
    facts = {"domain": "abuse", "event": event, "mode": "restricted", "options": ["anger"]}
    made = row(
        persona, event, 1.0, model=one["llm"], user=None if user == "not set" else user, facts=facts, shares=shares
    )
    return made | {"persona_group": group}


def _baselines(table):
    """The baseline influence of each model, solved from its released relative scores: (i - b) / (b + 0.01) = r."""
    score, ratio = pl.col("overall_bias_score"), pl.col("relative_bias_score")
    solved = table.with_columns(base=(score - 0.01 * ratio) / (1 + ratio)).drop_nulls("base")
    return dict(solved.group_by("llm").agg(pl.col("base").median()).iter_rows())
