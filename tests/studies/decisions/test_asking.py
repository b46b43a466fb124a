"""What is sent, and how an answer becomes a score."""

from __future__ import annotations

from math import exp, log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.studies.decisions.bank import matched_set
from personae.studies.decisions.prompts import prompts
from personae.studies.decisions.study import Scores
from personae.study.base import Settings
from personae.study.scores import digit_shares, read_digit, read_said
from personae.types import Response, TokenLogprob


def tokens(shares, text=None, finish="length"):
    """A response whose first token has these probabilities."""
    top = tuple(sorted(((token, log(share)) for token, share in shares.items()), key=lambda one: -one[1]))
    return Response(text=text or top[0][0], finish=finish, logprobs=(TokenLogprob(*top[0], top),))


def trial(persona=None, **settings):
    study = Scores(Settings(**{"scale": "quick", **settings}))
    return study.trial(next(item for item in study.items() if item.condition.persona == persona))


class TestSent:
    def test_the_engine_is_the_system_prompt_and_the_file_the_question(self):
        one = matched_set("race", 0)[0]
        system, user = trial().messages
        assert (system.role, system.content) == ("system", one.engine)
        assert (user.role, user.content.splitlines()[-1]) == ("user", prompts().free.format())
        assert f"- {one.cue}\n" in user.content
        assert '{"score": n}' in user.content

    def test_a_persona_stands_below_the_engine_which_stays(self):
        plain, told = trial(), trial("cautious manager")
        assert told.messages[0].content.startswith(f"{plain.messages[0].content}\n\n")
        assert "a cautious manager" in told.messages[0].content
        assert told.messages[1:] == plain.messages[1:]

    def test_a_forced_answer_is_one_digit_of_a_begun_turn(self):
        forced = trial(respond="forced")
        assert forced.messages[-1].role == "assistant"
        assert forced.messages[-1].content == prompts().begun
        assert not forced.messages[-1].content.endswith(" ")
        assert prompts().forced in forced.messages[1].content
        assert (forced.max_tokens, forced.top_logprobs, forced.temperature) == (1, 20, 0.0)

    def test_without_prefill_nothing_is_begun_and_there_is_room(self):
        forced = trial(respond="forced", prefill=False)
        assert [turn.role for turn in forced.messages] == ["system", "user"]
        assert forced.max_tokens > 1

    def test_a_free_answer_asks_for_no_probabilities(self):
        assert trial().top_logprobs == 0
        assert trial().temperature == 1.0

    def test_a_simulated_respondent_is_told_what_it_needs(self):
        study = Scores(Settings(scale="quick"))
        told = {
            (item.facts["domain"], item.facts["group"]): study.trial(item).meta
            for item in study.items()
            if item.condition.baseline
        }
        assert told["race", "Black"]["against"] is True
        assert told["race", "White"]["against"] is False
        assert told["disability", "Physical"]["higher"] == "riskier"
        assert {meta["kind"] for meta in told.values()} == {"score"}


class TestSaid:
    def test_a_score_keeps_how_it_was_written(self):
        found = read_said(Response(text='{"score": "7/10"}'))
        assert (found.status, found.value) == ("answered", 70)
        assert found.detail == {"raw": "7/10", "unit": "of ten", "form": "json"}

    def test_a_range_is_named(self):
        assert read_said(Response(text="60 to 70")).detail["middle"] is True

    def test_json_counts_though_the_answer_was_cut_off_after_it(self):
        assert read_said(Response(text='{"score": 61} because the', finish="length")).value == 61
        assert read_said(Response(text="I would say 61 because the", finish="length")).status == "truncated"

    @pytest.mark.parametrize(
        ("response", "status"),
        [
            (Response(text="", finish="content_filter"), "refused"),
            (Response(text="I can't assign scores to people."), "refused"),
            (Response(text=" "), "invalid"),
            (Response(text="60 or 70"), "invalid"),
            (Response(text='{"sco', finish="length"), "truncated"),
        ],
    )
    def test_what_gives_no_score_says_why(self, response, status):
        found = read_said(response)
        assert (found.status, found.value) == (status, None)
        assert found.reason


class TestDigits:
    def test_the_score_is_the_mean_of_the_digits(self):
        found = read_digit(tokens({"7": 0.3, "8": 0.3, "The": 0.4}))
        assert found.value == pytest.approx(7.5 / 9 * 100)
        assert found.detail["mass"] == pytest.approx(0.6)
        assert found.detail["spread"] == pytest.approx(0.5 / 9 * 100)
        assert found.detail["unit"] == "digit"

    def test_ends_are_0_and_100(self):
        assert read_digit(tokens({"0": 0.9})).value == 0
        assert read_digit(tokens({" 9": 0.9})).value == 100

    def test_variants_of_a_digit_are_summed_and_other_numbers_are_none(self):
        found = read_digit(tokens({"7": 0.2, " 7": 0.1, "▁7": 0.1, '"7': 0.1, "70": 0.3, "٧": 0.05}))
        assert found.detail["mass"] == pytest.approx(0.5)
        assert found.value == pytest.approx(7 / 9 * 100)

    def test_the_likeliest_digit_is_kept(self):
        assert read_digit(tokens({"3": 0.4, "4": 0.5})).detail["raw"] == "4"

    def test_under_one_percent_nothing_is_read(self):
        found = read_digit(tokens({"The": 0.95, "7": 0.009}))
        assert (found.status, found.value) == ("invalid", None)
        assert "0.9%" in found.reason
        assert "'The'" in found.reason
        assert read_digit(tokens({"The": 0.95, "7": 0.011})).value is not None

    def test_a_refusal_is_one(self):
        assert read_digit(tokens({"I": 0.99}, text="I can't assign a score.", finish="stop")).status == "refused"

    def test_blanks_before_the_digit_are_passed_over(self):
        blank = TokenLogprob(" ", -0.1, ((" ", -0.1), ("7", -3.0)))
        digit = TokenLogprob("6", -0.2, (("6", log(0.8)), ("5", log(0.1))))
        found = read_digit(Response(text=" 6", logprobs=(blank, digit)))
        assert found.value == pytest.approx((0.8 * 6 + 0.1 * 5) / 0.9 / 9 * 100)

    def test_without_probabilities_there_is_none(self):
        assert read_digit(Response(text="7")).reason == "no log-probabilities"
        assert read_digit(Response(text="", finish="content_filter")).status == "refused"

    @given(st.dictionaries(st.sampled_from([*"0123456789", " 3", "No", "10"]), st.floats(1e-9, 0.1), min_size=1))
    def test_scores_stay_in_range(self, shares):
        found = read_digit(tokens(shares))
        if found.value is None:
            assert sum(share for token, share in shares.items() if token.strip() in set("0123456789")) < 0.0101
        else:
            assert 0 <= found.value <= 100
            assert 0 <= found.detail["spread"] <= 50.001

    def test_a_token_without_alternatives_is_itself(self):
        shares = digit_shares(TokenLogprob("5", log(0.4)))
        assert shares[5] == pytest.approx(0.4)
        assert sum(shares) == pytest.approx(exp(log(0.4)))
