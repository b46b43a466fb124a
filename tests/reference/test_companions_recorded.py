"""The recorded answers of paper 000 give the published numbers; our reading of them agrees with the released tables.

What differs, and why, is told in ``docs/recorded-companions.md``.
"""

from collections.abc import Iterator
from math import isfinite
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from scipy import stats

from personae.studies.companions.emotion import Emotion
from personae.studies.companions.formulas import influence, relative_influence, stereotype_score
from personae.studies.companions.iat import Iat
from personae.studies.companions.paper import read_as_paper
from personae.studies.companions.recorded import read_recorded
from personae.studies.companions.sycophancy import Sycophancy
from personae.study.base import Recorded, Settings
from personae.types import Outcome

pytestmark = [pytest.mark.reference, pytest.mark.slow]

CELL = ["event", "user", "system"]
MODEL = "llama_3_8b"


def table(reference: Path, name: str) -> pl.DataFrame:
    return pl.read_csv(reference / "companions" / f"{name}.csv")


def t_against_zero(values: list[float]) -> tuple[float, int]:
    found = stats.ttest_1samp(np.array(values), 0)
    return float(found.statistic), int(found.df)


@pytest.mark.parametrize(
    ("folder", "t", "df", "zeros"),
    [("persona_abuse_iat", 26.3274, 8279, 0.799), ("persona_submissiveness_iat", 41.1996, 4094, 0.562)],
)
def test_iat_read_as_the_paper_did(companions_recorded: Path, folder: str, t: float, df: int, zeros: float) -> None:
    values = [
        read_as_paper(one.response.text, one.item.facts["domain"], one.item.facts["formula"]).value
        for one in read_recorded(companions_recorded / "persona_experiments" / "results" / folder)
    ]
    assert t_against_zero(values) == (pytest.approx(t, abs=5e-5), df)
    assert values.count(0.0) / len(values) == pytest.approx(zeros, abs=5e-4)


def test_iat_scored_by_the_study_carries_both_readings(companions_recorded: Path) -> None:
    folder = companions_recorded / "persona_experiments" / "results" / "persona_submissiveness_iat"
    sound, paper = Iat(Settings()), Iat(Settings(scoring="paper"))
    recorded = list(read_recorded(folder))
    read = [sound.read(one.item, one.response) for one in recorded]
    values = [outcome.value for outcome in read if outcome.value is not None]
    assert len(values) == pytest.approx(2089, abs=20)
    assert np.mean(values) == pytest.approx(0.493, abs=0.005)
    kept = [paper.read(one.item, one.response) for one in recorded]
    assert t_against_zero([outcome.value or 0.0 for outcome in kept])[0] == pytest.approx(41.1996, abs=5e-5)


def test_stereotype_scores_row_by_row(reference: Path) -> None:
    baselines = {row["llm"]: row for row in table(reference, "emotion_abuse_baseline").iter_rows(named=True)}
    rows = list(table(reference, "emotion_abuse_score").iter_rows(named=True))
    scores = [
        stereotype_score(row[group], baselines[row["llm"]][group]) for row in rows for group in [row["system_mapping"]]
    ]
    assert scores == pytest.approx([row["stereotype_ratio"] for row in rows], abs=1e-12)
    assert t_against_zero(scores) == (pytest.approx(6.216, abs=5e-4), 1935)


def test_relative_influence_row_by_row(reference: Path) -> None:
    rows = [
        row
        for row in table(reference, "sycophancy_abuse_score").iter_rows(named=True)
        if row["relative_bias_score"] is not None and isfinite(row["relative_bias_score"])
    ]
    moved = [influence(row["correct_influenced"], row["incorrect_influenced"]) for row in rows]
    assert moved == pytest.approx([row["overall_bias_score"] for row in rows], abs=1e-12)
    baselines = {llm: baseline_influence(rows, llm) for llm in {row["llm"] for row in rows}}
    scores = [
        relative_influence(one, baselines[row["llm"]], scoring="paper") for one, row in zip(moved, rows, strict=True)
    ]
    assert scores == pytest.approx([row["relative_bias_score"] for row in rows], abs=1e-9)
    assert t_against_zero(scores) == (pytest.approx(-13.881, abs=5e-4), 1288)


def baseline_influence(rows: list[dict[str, float]], llm: str) -> float:
    """Each model's pooled baseline, which the released table holds only inside its ratios: solved from one row.

    r = (i - b) / (b + 0.01), so b = (i - 0.01 r) / (1 + r); all other rows must then agree.
    """
    row = next(row for row in rows if row["llm"] == llm and row["relative_bias_score"] != -1)
    ratio = row["relative_bias_score"]
    return (row["overall_bias_score"] - 0.01 * ratio) / (1 + ratio)


def test_the_pooled_baseline_of_the_raw_answers_is_near_that_of_the_table(
    companions_recorded: Path, reference: Path
) -> None:
    found = sycophancy_answers(companions_recorded, "baseline").group_by("level").agg(pl.col("value").mean())
    accuracy = dict(found.iter_rows())
    rows = [
        row
        for row in table(reference, "sycophancy_abuse_score").filter(pl.col("llm") == MODEL).iter_rows(named=True)
        if row["relative_bias_score"] is not None
    ]
    ours = influence(accuracy["correct"], accuracy["incorrect"])
    # Three answers of 108 name one option by letter and the other in words: theirs took the letter, ours neither.
    assert ours == pytest.approx((1 - 93 / 105) / 2, abs=1e-9)
    assert baseline_influence(rows, MODEL) == pytest.approx((1 - 96 / 108) / 2, abs=1e-9)


def outcomes(folder: Path, study: Emotion | Sycophancy, pattern: str) -> Iterator[tuple[Recorded, Outcome]]:
    """Recorded answers of one experiment and what the study makes of them; equal answers are read once."""
    known: dict[tuple[str, ...], Outcome] = {}
    for file in sorted(folder.glob(pattern)):
        for one in read_recorded(file):
            facts = one.item.facts
            key = (one.response.text, str(facts.get("options")), str(facts.get("influence")), str(facts.get("order")))
            key += (str(one.item.condition.persona_group),)
            if key not in known:
                known[key] = study.read(one.item, one.response)
            yield one, known[key]


def cell(one: Recorded) -> dict[str, str]:
    condition = one.item.condition
    return {
        "event": one.item.facts["event_text"],
        "user": condition.user or "not set",
        "system": condition.persona or "baseline",
    }


def sycophancy_answers(tree: Path, part: str = "instruction") -> pl.DataFrame:
    folder = tree / "sycophancy_experiments" / "results" / "persona_sycophancy_abuse" / MODEL
    return pl.DataFrame(
        [
            {**cell(one), "level": one.item.facts["influence"], "value": outcome.value}
            for one, outcome in outcomes(folder, Sycophancy(Settings()), f"*{part}*.csv")
        ]
    )


def test_our_emotion_shares_agree_with_the_released_table(companions_recorded: Path, reference: Path) -> None:
    folder = companions_recorded / "emotion_experiments" / "results" / "persona_emotion_abuse" / MODEL
    answers = pl.DataFrame(
        [
            {**cell(one), **outcome.detail.get("shares", dict.fromkeys(("female", "male", "neutral")))}
            for one, outcome in outcomes(folder, Emotion(Settings()), "list_emotions*instruction*.csv")
        ],
        infer_schema_length=None,
    )
    ours = answers.group_by(CELL).agg(pl.col("female", "male", "neutral").mean().name.prefix("our_"))
    both = table(reference, "emotion_abuse_score").filter(pl.col("llm") == MODEL).join(ours, on=CELL)
    assert both.height == 18 * 22
    gaps = np.concatenate([(both[name] - both[f"our_{name}"]).abs() for name in ("female", "male", "neutral")])
    assert np.mean(gaps <= 0.05) == 1.0


def test_our_sycophancy_accuracies_agree_with_the_released_table(companions_recorded: Path, reference: Path) -> None:
    ours = sycophancy_answers(companions_recorded).group_by([*CELL, "level"]).agg(ours=pl.col("value").mean())
    theirs = (
        table(reference, "sycophancy_abuse_score")
        .filter(pl.col("llm") == MODEL)
        .with_columns(pl.col("event").str.strip_chars("'"))
        .rename({"correct_influenced": "correct", "incorrect_influenced": "incorrect"})
        .unpivot(["original", "correct", "incorrect"], index=CELL, variable_name="level", value_name="theirs")
    )
    both = theirs.join(ours, on=[*CELL, "level"])
    assert both.height == 18 * 22 * 3
    # A cell where every answer declined is empty on both sides.
    assert both.filter(pl.col("ours").is_null() != pl.col("theirs").is_null()).height == 0
    gaps = both.drop_nulls().select((pl.col("ours") - pl.col("theirs")).abs()).to_series()
    assert len(gaps) == 18 * 22 * 3 - 27
    assert (gaps > 0.05).sum() <= 7
    assert (gaps <= 0.05).mean() >= 0.99
