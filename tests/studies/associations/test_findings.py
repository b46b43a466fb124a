"""Sentences say what the tables say, with parts beside every average, and claim nothing that p does not bear."""

import re

import numpy as np
import pytest

from personae.studies.associations import findings_answers, findings_personas
from personae.studies.associations.findings_said import number
from personae.studies.associations.stimuli import classes

from .measuring import CLASS, about, estimated, frame, pairs, played, quick_encoders, table_of

GAMER, OWNER, QUESTIONABLE = "young competitive gamer", "business owner", "unemployed man in the countryside"
SAYING = {"associations.answers": findings_answers.findings, "associations.personas": findings_personas.findings}
RNG = np.random.default_rng(5)
PROMPTS = ("leadership", "background", "challenges", "technology", "change")


def told(rows, tone="finding", scoring="sound"):
    outcomes = frame(rows)
    with quick_encoders():
        table = estimated(outcomes, scoring)
    return [one.text for one in SAYING[rows[0]["study"]](table, outcomes) if one.tone == tone]


def any_with(texts, *parts):
    return any(all(re.search(part, text) for part in parts) for text in texts)


def asked(shift, size=0.1, questions=10, **more):
    """Answers about targets that lie so much nearer than the others."""
    noise = np.random.default_rng(2).normal(size=(2, questions)) * size
    return pairs(list(shift + noise[0]), list(noise[1]), **more)


def scores(shift, seed, size=0.2, generations=5):
    noise = np.random.default_rng(seed).normal(size=(len(PROMPTS), generations)) * size
    return {prompt: list(shift + values) for prompt, values in zip(PROMPTS, noise, strict=True)}


def personas(shift, **more):
    return table_of(scores(0.0, 1)) + table_of(scores(shift, 2), GAMER, **more)


@pytest.mark.parametrize(("value", "said"), [(0.352, "+0.35"), (-0.128, "−0.13"), (-0.004, "0.00"), (0.0, "0.00")])
def test_numbers_have_their_sign_unless_they_are_none(value, said):
    assert number(value) == said


class TestAnswers:
    def test_a_clear_association_is_told_with_direction_interval_test_and_parts(self):
        texts = told(asked(0.5) + asked(0.5, domain="class-age-career-wealth"))
        first = texts[0]
        assert "nearer the stereotype-congruent attributes" in first
        for part in (r"95 % interval", r"adjusted p", r"CEAT \+1", r"I-WEAT \+1", r"I-SEAT \+1", "40 answers", "100 %"):
            assert re.search(part, first), part
        assert any_with(texts, r"in 2 of 2 classes", "more than chance")

    def test_the_other_direction_is_called_so(self):
        texts = told(asked(-0.5) + asked(-0.5, domain="class-age-career-wealth"))
        assert "nearer the other attributes" in texts[0]
        assert any_with(texts, "away from the stereotype")

    def test_what_is_no_more_than_chance_is_not_claimed(self):
        texts = told(asked(0.0) + asked(0.0, domain="class-age-career-wealth"))
        assert any_with(texts, "no association .* can be told from chance", "adjusted p")
        assert any_with(texts, "in none of 2 classes")
        assert not any_with(texts, "nearer the")

    def test_a_persona_that_changes_a_class_is_named(self):
        texts = told(asked(0.0) + asked(0.8, persona="nurse"))
        assert any_with(texts, "m, as nurse: the association in Race", "towards the stereotype", "1 of 1 changes")
        assert any_with(told(asked(0.1) + asked(0.1, persona="nurse")), "no persona changes")

    def test_encoders_that_disagree_are_warned_of(self):
        rows = [
            about(n, side, {"CEAT": sign * 0.3, "I-WEAT": -sign * 0.3, "I-SEAT": sign * 0.1 * n})
            for n in range(8)
            for side, sign in (("target", 1), ("comparison", -0.5 + 0.1 * n))
        ]
        assert any_with(told(rows, "caution"), "in 1 of 1 classes the three encoders do not agree", r"I-WEAT −")
        assert not any_with(told(asked(0.5), "caution"), "do not agree")

    def test_associations_of_the_identities_themselves_are_warned_of(self):
        sets = classes()[CLASS].attributes
        rows = [
            about(n, side, value, said=value + (0.3 if side == "target" else 0.0), identity=f"{words[n]} people")
            for side, words, value in (("target", sets.congruent, 0.1), ("comparison", sets.incongruent, 0.0))
            for n in range(8)
            for value in [value + 0.01 * n * n]
        ]
        texts = told(rows, "caution")
        assert any_with(texts, "names of the identities alone", r"I-WEAT \+1", "measured without these words")
        assert any_with(texts, r"Left in, they would move the average d of a class by up to \+")

    def test_too_few_questions_for_any_claim_are_warned_of(self):
        assert any_with(told(asked(0.5, questions=3), "caution"), "With 3 questions", r"p = 0\.25")
        assert not any_with(told(asked(0.5), "caution"), "With 10 questions")

    def test_refusals_are_counted(self):
        rows = asked(0.5) + [about(20 + n, side) for n in range(8) for side in ("target", "comparison")]
        assert any_with(told(rows, "caution"), "only 56 % of 36 answers could be measured", "16 refused")

    def test_cut_answers_are_counted(self):
        assert any_with(told(asked(0.5, cut=True), "caution"), "100 % of 20 answers were cut off")
        assert not any_with(told(asked(0.5), "caution"), "cut off")

    def test_words_without_a_vector_are_named_and_attributes_apart(self):
        rows = asked(0.5, missing={"I-WEAT": ["negligence", "blorp", "Zzyx"]})
        texts = told(rows, "caution")
        assert any_with(texts, "attribute words negligence")
        assert any_with(texts, "2 of the words in answers", "blorp, Zzyx")

    def test_that_the_sets_are_not_matched_in_pleasantness_is_always_said(self):
        assert any_with(told(asked(0.5), "caution"), "not in pleasantness")
        assert any_with(told(personas(0.0), "caution"), "framings .* authors' reading")

    def test_the_published_procedure_says_what_it_is(self):
        rows = asked(0.5)
        assert any_with(told(rows, scoring="paper"), "largest average effect size", r"CEAT \+")
        assert any_with(told(rows, "method", "paper"), "rejects far too often", "one-sided")
        assert any_with(told(rows, "caution", "paper"), "measured as they were said")
        assert any_with(told(rows, "method"), "published p is no valid test")


class TestPersonas:
    def test_a_persona_beyond_noise_is_told_with_everything(self):
        first = told(personas(1.0))[0]
        for part in (
            "1 of 1 personas move the answers in one direction",
            f"Furthest {GAMER}, nearer to the stereotype-congruent",
            r"PSI \+[01]\.",
            "95 % interval",
            "adjusted p",
            r"CEAT \+.*I-WEAT \+.*I-SEAT \+",
            "50 answers, coverage 100 %",
        ):
            assert re.search(part, first), part

    def test_away_from_the_framing_is_called_so(self):
        assert any_with(told(personas(-1.0)), "further from the stereotype-congruent framing")

    def test_a_persona_that_does_not_beat_noise_is_said_not_to(self):
        texts = told(personas(0.0))
        assert any_with(
            texts, "1 of 1 personas move the answers by no more than", f"{GAMER}, PSI", "at most 50 answers"
        )
        assert not any_with(texts, "more than these vary by themselves")

    def test_shifts_that_cancel_are_told_as_such(self):
        ours = {
            prompt: [value + shift for value in values]
            for (prompt, values), shift in zip(scores(0.0, 3).items(), (1, -1, 1, -1, 0), strict=True)
        }
        texts = told(table_of(scores(0.0, 1)) + table_of(ours, GAMER))
        assert any_with(texts, "in no one direction", r"mean \|BAD\|", "where noise gives", "PSI")

    def test_what_is_left_without_the_personas_words_is_told(self):
        assert any_with(told(personas(1.0, own=0.0)), "0 of these 1 shifts keep")
        assert any_with(told(personas(1.0)), "1 of these 1 shifts keep")

    def test_groups_are_compared_without_a_claim(self):
        rows = table_of(scores(0.0, 1))
        for nth, (name, group) in enumerate((("a", "first"), ("b", "first"), ("c", "second"), ("d", "second"))):
            rows += table_of(scores(1.0 - nth / 4, nth + 2), name, group=group)
        texts = told(rows)
        assert any_with(texts, "PSI of first less second personas", "cannot be told from chance", "CEAT")

    def test_one_answer_per_prompt_shows_nothing(self):
        rows = table_of(scores(0.0, 1, generations=1)) + table_of(scores(2.0, 2, generations=1), GAMER)
        assert any_with(told(rows), "largest PSI", "Not tested")
        assert any_with(told(rows, "caution"), "asked once per prompt", "no persona can be said to move them")
        assert not any_with(told(rows), "more than these vary")

    def test_encoders_that_disagree_are_warned_of(self):
        rows = table_of(scores(0.0, 1))
        rows += [
            played(prompt, n, {"CEAT": 0.5 + 0.1 * n, "I-WEAT": -0.4, "I-SEAT": 0.2}, persona=GAMER)
            for prompt in PROMPTS
            for n in range(5)
        ]
        assert any_with(told(rows, "caution"), "for 1 of 1 personas the three encoders do not agree", "I-WEAT −")

    def test_the_questionable_label_is_said_where_that_persona_is_asked(self):
        rows = table_of(scores(0.0, 1)) + table_of(scores(0.0, 2), QUESTIONABLE, group="advantaged")
        assert any_with(told(rows, "caution"), QUESTIONABLE, "questionable")
        assert not any_with(told(personas(0.0), "caution"), "questionable")

    def test_direction_and_both_volatilities_are_always_said(self):
        for scoring in ("sound", "paper"):
            texts = told(personas(1.0), "method", scoring)
            assert any_with(texts, "Above 0 is nearer the stereotype-congruent", "over prompts", "over generations")

    def test_the_published_procedure_claims_no_test(self):
        texts = told(personas(1.0), scoring="paper")
        assert any_with(texts, "largest PSI", r"CEAT \+")
        assert not any_with(texts, "adjusted p")
        assert not any_with(told(personas(1.0), "method", "paper"), "is tested")
