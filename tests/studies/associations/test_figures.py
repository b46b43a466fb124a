"""Figures carry the numbers of the table, say direction, encoders and basis, and can be drawn."""

from functools import cache

import pytest

from personae.report.figures import write_figures
from personae.studies.associations import corpus, figures_answers, figures_personas
from personae.studies.associations.corpus import Marked
from personae.studies.associations.figures_parts import MOST_MODELS
from personae.studies.associations.stimuli import classes, prompts
from personae.study.base import Settings

from .measuring import about, estimated, frame, pairs, quick_encoders, table_of

DRAWING = {"associations.answers": figures_answers.figures, "associations.personas": figures_personas.figures}
GAMER, OWNER = "young competitive gamer", "elderly immigrant business owner"
SAID = "They spoke of {word} and of gardens, of young people in tournaments, and of the weather."


@pytest.fixture(autouse=True, scope="module")
def quick():
    """No parser either: every name of a group is one phrase."""
    with quick_encoders(), pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            corpus, "marked_groups", lambda sentences: {one.id: Marked(chunk=False, phrase=True) for one in sentences}
        )
        yield


@cache
def plain(make):
    """The figures of one model, sound."""
    return drawn(make())


def drawn(rows, scoring="sound"):
    outcomes = frame(rows)
    study = rows[0]["study"]
    found = DRAWING[study](estimated(outcomes, scoring), outcomes, Settings(scoring=scoring))
    prefix = study.replace(".", "-") + "-"
    return {one.id.removeprefix(prefix): one for one in found}


def asked(model="m", shift=0.3, persona=None):
    """Every class, six questions, congruent words about the targets."""
    rows = []
    for domain, group in classes().items():
        for n in range(6):
            for side, words in (("target", group.attributes.congruent), ("comparison", group.attributes.incongruent)):
                value = (shift if side == "target" else 0.0) + 0.05 * ((n * 3) % 4)
                rows.append(
                    about(
                        n,
                        side,
                        value,
                        domain=domain,
                        model=model,
                        persona=persona,
                        identity=getattr(group.pairs[n], side),
                        text=SAID.format(word=words[n]),
                    )
                )
    return rows


def played(model="m", generations=2):
    """Every prompt without a persona and under two."""
    rows = []
    for name, shift, group in ((None, 0.0, None), (GAMER, 0.5, "advantaged"), (OWNER, -0.2, "marginalised")):
        for n, (prompt, one) in enumerate(prompts().items()):
            scores = {prompt: [shift + 0.1 * n + 0.05 * g for g in range(generations)]}
            text = SAID.format(word=one.attributes.congruent[0])
            rows += table_of(scores, name, group=group, model=model, text=text)
    return rows


@pytest.mark.slow
class TestAnswers:
    def test_a_run_has_every_figure(self):
        assert set(plain(asked)) == {"heat", "forest", "numbers", "words", "answers", "corpus"}
        assert "personas" in drawn([*asked(), *asked(persona="nurse", shift=0.6)])

    @pytest.mark.slow
    @pytest.mark.parametrize("scoring", ["sound", "paper"])
    def test_all_can_be_written(self, tmp_path, scoring):
        rows = [*asked(), *asked("other", 0.1), *asked(persona="nurse", shift=0.6)]
        found = drawn(rows, scoring)
        write_figures(tuple(found.values()), tmp_path)
        assert {path.stem for path in tmp_path.iterdir()} == {one.id for one in found.values()}

    def test_captions_name_direction_encoders_and_basis(self):
        found = plain(asked)
        for name in ("heat", "forest", "numbers", "corpus"):
            assert "Above 0 is nearer the stereotype-congruent attributes" in found[name].caption, name
            assert "CEAT contextual/minilm, I-WEAT static/glove-50d" in found[name].caption, name
        for name in ("heat", "forest"):
            assert "answers" in found[name].caption
            assert "read it with its parts" in found[name].caption

    def test_with_one_model_metrics_are_columns_with_several_panels(self):
        one, several = plain(asked)["heat"], drawn([*asked(), *asked("other")])["heat"]
        assert (one.encode["x"], one.encode.get("facet")) == ("metric", None)
        assert (several.encode["x"], several.encode["facet"]) == ("model", "metric")
        assert {row["metric"] for row in several.rows} == {"CEAT", "I-WEAT", "I-SEAT", "average"}
        assert [row["class"] for row in one.rows][:6] == [group.title for group in classes().values()]

    def test_the_forest_has_the_mean_of_the_classes(self):
        rows = plain(asked)["forest"].rows
        assert len([row for row in rows if row["class"] == "mean of the classes"]) == 4
        assert all(row["low"] <= row["d"] <= row["high"] for row in rows)

    def test_beside_every_effect_stands_that_of_the_identities_alone(self):
        rows = plain(asked)["numbers"].rows
        assert len(rows) == 24
        for row in rows:
            assert row["alone"] is not None
            assert (row["spread"] is not None) == (row["metric"] == "CEAT")

    def test_words_of_the_congruent_set_are_influential_in_answers_about_targets(self):
        rows = plain(asked)["words"].rows
        assert len(rows) == len(classes())
        for row, group in zip(rows, classes().values(), strict=True):
            named = [one.split()[0] for one in row["towards"].split(", ")]
            assert set(named) & set(group.attributes.congruent), row["class"]
            assert "0.000" not in row["towards"] + row["away"]
            assert row["answers"] == 6

    def test_an_answer_of_each_class_is_shown_in_pieces(self):
        one = plain(asked)["answers"]
        titles = list(dict.fromkeys(row["answer"] for row in one.rows))
        assert len(titles) == len(classes())
        text = "".join(row["piece"] for row in one.rows if row["answer"] == titles[0])
        assert text.startswith("They spoke of")
        assert any(row["weight"] for row in one.rows)

    def test_the_corpus_names_both_denominators_of_iibs(self):
        one = plain(asked)["corpus"]
        assert "50 % of the 160 sentences about groups and 31 % of all 260, by design" in one.caption
        assert one.rows[0]["class"] == "all classes"
        assert len(one.rows) == 21
        assert {(row["sentences"], row["controls"]) for row in one.rows[1:]} == {(8, 5)}

    def test_panels_are_limited_and_that_is_said(self):
        rows = [row for n in range(MOST_MODELS + 1) for row in pairs([0.3, 0.5, 0.4], [0.1, 0.2, 0.0], model=f"m{n}")]
        one = drawn(rows)["forest"]
        assert {row["model"] for row in one.rows} == {f"m{n}" for n in range(MOST_MODELS)}
        assert f"The first {MOST_MODELS} of {MOST_MODELS + 1} models" in one.caption


class TestPersonas:
    def test_a_run_has_every_figure(self):
        assert set(plain(played)) == {"bad", "psi", "numbers", "shifts", "volatility", "words", "answers"}

    @pytest.mark.slow
    @pytest.mark.parametrize("scoring", ["sound", "paper"])
    def test_all_can_be_written(self, tmp_path, scoring):
        found = drawn([*played(), *played("other")], scoring)
        assert {"bad-1", "bad-2"} <= set(found)
        write_figures(tuple(found.values()), tmp_path)
        assert {path.stem for path in tmp_path.iterdir()} == {one.id for one in found.values()}

    def test_one_answer_per_prompt_can_be_drawn_too(self, tmp_path):
        found = drawn(played(generations=1))
        assert "volatility" in found
        assert {row["panel"] for row in found["volatility"].rows} == {"over prompts (as table 5 prints)"}
        assert not [row for row in found["psi"].rows if row["persona"] == figures_personas.NOISE]
        write_figures(tuple(found.values()), tmp_path)

    def test_captions_name_direction_and_encoders(self):
        found = plain(played)
        for name in ("bad", "psi", "numbers", "shifts"):
            assert "Above 0 is nearer the stereotype-congruent attributes" in found[name].caption, name
            assert "I-SEAT sentence/use-small" in found[name].caption, name

    def test_the_heat_map_has_every_persona_prompt_and_metric_in_the_order_of_the_design(self):
        one = plain(played)["bad"]
        assert one.encode["facet"] == "metric"
        assert len(one.rows) == 2 * 5 * 4
        assert list(dict.fromkeys(row["prompt"] for row in one.rows)) == [one.theme for one in prompts().values()]
        values = {(row["persona"], row["metric"]): row["BAD"] for row in one.rows}
        assert values[GAMER, "average"] == pytest.approx(0.5)

    def test_the_forest_ends_with_groups_and_noise(self):
        rows = plain(played)["psi"].rows
        names = list(dict.fromkeys(row["persona"] for row in rows))
        assert names == [OWNER, GAMER, "marginalised (mean)", "advantaged (mean)", figures_personas.NOISE]
        noise = rows[-1]
        assert noise["PSI"] == 0.0
        assert noise["low"] == -noise["high"] < 0

    def test_the_table_has_size_noise_volatility_and_what_is_left_without_own_words(self):
        rows = plain(played)["numbers"].rows
        assert len(rows) == 2 * 4
        row = next(one for one in rows if one["persona"] == OWNER and one["metric"] == "average")
        assert (row["PSI"], row["absolute"]) == pytest.approx((-0.2, 0.2))
        assert row["bare"] == pytest.approx(-0.2)
        assert row["prompts"] == pytest.approx(0.0, abs=1e-9)
        assert row["generations"] == pytest.approx(0.025)
        assert row["noise"] > 0

    def test_densities_are_by_metric_for_one_model_and_by_model_for_several(self):
        one, several = plain(played)["shifts"], drawn([*played(), *played("other")])["shifts"]
        assert {row["series"] for row in one.rows} == {"CEAT", "I-WEAT", "I-SEAT", "average"}
        assert {row["series"] for row in several.rows} == {"m", "other"}
        assert len([row for row in several.rows if row["panel"] == "BAD"]) == 2 * 10

    def test_influential_words_that_the_model_was_told_have_a_star(self):
        rows = {row["persona"]: row for row in plain(played)["words"].rows}
        said = f"{rows[GAMER]['towards']}, {rows[GAMER]['away']}"
        named = {one.split()[0] for one in said.split(", ")}
        assert "tournaments*" in named or "young*" in named
        assert "gardens*" not in named

    def test_one_answer_of_each_persona_is_shown(self):
        one = plain(played)["answers"]
        titles = list(dict.fromkeys(row["answer"] for row in one.rows))
        assert len(titles) == 2
        assert titles[1].startswith(f"{GAMER}: ") or titles[0].startswith(f"{GAMER}: ")


class TestPublished:
    def test_captions_say_that_numbers_are_the_published_procedures(self):
        answers, personas = drawn(asked(), "paper"), drawn(played(), "paper")
        assert "published procedure: answers as they were said" in answers["heat"].caption
        assert "without the words of the identities" not in answers["heat"].caption
        assert "no intervals and no tests" in personas["numbers"].caption
        assert "95 %" not in personas["psi"].caption


class TestNothing:
    def test_refusals_alone_draw_what_there_is(self, tmp_path):
        rows = [{**row, "status": "refused", "detail": "{}"} for row in played()]
        found = drawn(rows)
        assert {"words", "answers", "shifts", "volatility"}.isdisjoint(found)
        write_figures(tuple(found.values()), tmp_path)
