"""A study that declares its questions and measures is asked, compared, told and drawn."""

from __future__ import annotations

from collections import Counter

import msgspec
import pytest

from personae.score import to_frame
from personae.study.base import Settings
from personae.testing import Audits, audits, simulate

from .coins import Asserted, Rated, Tossed

KINDS = [Tossed, Asserted, Rated]
WAYS = ["free", "forced"]


def made(kind, respond="free", **more):
    return kind(Settings(scale="quick", respond=respond, **more))


def table(study, respondent):
    outcomes = simulate(study, respondent)
    return to_frame(study.estimates(outcomes)), outcomes


@pytest.mark.parametrize("respond", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_items_are_named_once_and_every_condition_meets_the_same_stimuli(kind, respond):
    items = list(made(kind, respond).items())
    assert len({item.id for item in items}) == len(items) == 12 * 2 * 4
    met = {}
    for item in items:
        met.setdefault(item.condition.persona, Counter())[item.stimulus, item.facts["turn"]] += 1
    assert len({frozenset(counts.items()) for counts in met.values()}) == 1


def test_free_options_stand_first_equally_often():
    study = made(Tossed)
    turns = Counter(item.facts["turn"] % 3 for item in study.items() if item.condition.baseline)
    assert set(turns.values()) == {8}


def test_wordings_take_turns():
    worded = Counter(item.condition.wording for item in made(Tossed).items() if item.condition.persona == "monk")
    assert worded == {"be": 12, "play": 12}


def test_repetitions_are_those_the_user_says():
    assert len(list(made(Tossed, repeats=5).items())) == 12 * 5 * 4


@pytest.mark.parametrize("respond", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_planted_is_found_in_every_persona_and_told(kind, respond):
    study = made(kind, respond)
    estimates, outcomes = table(study, "sim/planted?bias=0.5&noise=0.02")
    name = study.measures[0].name
    rows = estimates.filter((estimates["measure"] == name) & (estimates["contrast"] == "baseline")).to_dicts()
    of = {row["persona"]: row for row in rows if row["domain"] is None and row["persona_group"] is None}
    assert of.keys() == {None, "gambler", "banker", "monk"}
    for row in of.values():
        assert row["value"] > 0.2 * study.measures[0].high
        assert row["p_adjusted"] < 0.05
        assert row["ci_low"] <= row["value"] <= row["ci_high"]
        assert (row["coverage"], row["lower"], row["upper"]) == pytest.approx((1.0, row["value"], row["value"]))
    told = study.findings(estimates, outcomes)
    assert "differs from the same model" in told[0].text
    assert all(finding.study == study.name for finding in told)


@pytest.mark.parametrize("kind", KINDS)
def test_the_baseline_is_named_and_an_empty_persona_is_an_average(kind):
    study = made(kind)
    estimates, _ = table(study, "sim/neutral")
    rows = estimates.filter((estimates["measure"] == study.measures[0].name) & (estimates["contrast"] == "")).to_dicts()
    alone = [row for row in rows if row["domain"] is None and row["persona_group"] is None]
    assert Counter(row["persona"] for row in alone) == {None: 1, "baseline": 1, "gambler": 1, "banker": 1, "monk": 1}
    of = {row["persona"]: row for row in alone}
    assert of[None]["n"] == sum(of[name]["n"] for name in ("gambler", "banker", "monk"))
    assert of[None]["value"] == pytest.approx(sum(of[name]["value"] for name in ("gambler", "banker", "monk")) / 3)


@pytest.mark.parametrize("kind", KINDS)
def test_a_persona_that_answers_less_is_cautioned_of(kind):
    study = made(kind)
    estimates, outcomes = table(study, "sim/refuser?rate=0&persona_rate=0.6")
    cautions = [finding.text for finding in study.findings(estimates, outcomes) if finding.tone == "caution"]
    assert any("came to no answer than without a persona" in text for text in cautions)
    assert any("came to no answer (" in text for text in cautions)
    rows = estimates.filter((estimates["measure"] == study.measures[0].name) & (estimates["contrast"] == "baseline"))
    for row in rows.to_dicts():
        assert row["lower"] < row["upper"]
        assert row["coverage"] < 0.7


def test_where_nothing_is_answered_there_is_no_number_and_a_sentence():
    study = made(Tossed)
    estimates, outcomes = table(study, "sim/refuser?rate=1")
    heads = estimates.filter(estimates["measure"] == "heads")
    assert heads.height
    assert heads["value"].is_nan().all()
    assert all(heads["reason"])
    assert "none of the 96 items of the coins was answered" in study.findings(estimates, outcomes)[0].text


def test_a_favoured_place_is_measured_and_cautioned_of():
    study = made(Tossed, "forced")
    estimates, outcomes = table(study, "sim/neutral?position=0.5")
    rows = estimates.filter(estimates["measure"] == "position").to_dicts()
    assert next(row["value"] for row in rows if row["persona"] == "baseline") == pytest.approx(0.667, abs=0.05)
    assert any("the option named first gets" in finding.text for finding in study.findings(estimates, outcomes))


def test_answers_shown_in_every_order_count_alike():
    """A preference for the place moves no option: what each gets is the mean over orders."""
    study = made(Tossed, "forced")
    estimates, _ = table(study, "sim/neutral?position=0.6&noise=0")
    heads = estimates.filter((estimates["measure"] == "heads") & (estimates["contrast"] == "")).to_dicts()
    assert [row["value"] for row in heads] == pytest.approx([1 / 3] * len(heads))


@pytest.mark.parametrize("respond", WAYS)
@pytest.mark.parametrize("kind", KINDS)
def test_every_measure_has_its_figures(kind, respond):
    study = made(kind, respond)
    estimates, outcomes = table(study, "sim/refuser?rate=0.3")
    figures = study.figures(estimates, outcomes)
    name = f"{study.name.replace('.', '-')}-{study.measures[0].name}"
    assert {f"{name}-differences", f"{name}-personas", f"{name}-domains"} <= {figure.id for figure in figures}
    assert any(figure.kind == "stack" for figure in figures)
    assert len({figure.id for figure in figures}) == len(figures)


def test_outcomes_keep_json_alone():
    outcomes = simulate(made(Tossed), "sim/neutral")
    details = [msgspec.json.decode(text) for text in outcomes["detail"].to_list()]
    assert all(set(detail) == {"position"} for detail in details)


def test_intervals_of_planted_differences_hold_as_often_as_they_claim():
    found = audits(made(Tossed), "heads", "sim/planted?bias=0.3", 0.3, seeds=range(60))
    assert found.hold_as_often_as_claimed()
    assert found.clear > 40


def test_nothing_is_found_where_nothing_is():
    found = audits(made(Asserted), "heads", "sim/neutral", 0.0, seeds=range(60), persona="monk")
    assert found.hold_as_often_as_claimed()
    assert found.alarm_no_oftener_than_claimed()


def test_a_procedure_that_holds_less_often_than_it_claims_is_seen():
    assert not Audits(audits=60, held=49, clear=0).hold_as_often_as_claimed()
    assert not Audits(audits=60, held=60, clear=12).alarm_no_oftener_than_claimed()


def test_a_comparison_that_is_none_is_refused():
    with pytest.raises(ValueError, match="tails has no interval"):
        audits(made(Tossed), "tails", "sim/neutral", 0.0, seeds=[0])
