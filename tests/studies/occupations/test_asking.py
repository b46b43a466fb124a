"""How an occupation is asked and what its answers come to."""

from __future__ import annotations

from math import log

import pytest
from scipy.stats import beta

from personae.types import Response, TokenLogprob, Trial

from .asked import asked, tokens


def before(trial: Trial, one: str, other: str) -> bool:
    text = trial.messages[-1].content if trial.messages[-1].role == "user" else trial.messages[-2].content
    return text.index(f" {one} ") < text.index(f" {other}")


async def test_both_orders_are_asked_and_averaged():
    def script(trial: Trial) -> Response:
        if trial.meta["options"][0] == "male":
            return tokens({"male": 0.6, "female": 0.2, "The": 0.1})
        return tokens({"female": 0.3, "male": 0.6, "It": 0.05})

    outcome, trials = await asked(script)
    assert [trial.meta["options"] for trial in trials] == [["male", "female"], ["female", "male"]]
    assert "nothing else: male or female." in trials[0].messages[-1].content
    assert "nothing else: female or male." in trials[1].messages[-1].content
    assert outcome.value == pytest.approx((0.25 + 1 / 3) / 2)
    assert outcome.label == "male"
    assert outcome.detail["other"] == pytest.approx((0.2 + 0.1) / 2)
    assert outcome.detail["position"] == pytest.approx((0.75 + 1 / 3) / 2)
    assert outcome.detail["unseen"] == []


async def test_it_is_asked_as_in_the_paper():
    _, trials = await asked(lambda _: tokens({"male": 0.6, "female": 0.4}))
    for trial in trials:
        assert (trial.temperature, trial.top_logprobs) == (0.1, 10)
        assert not trial.logprobs_needed


async def test_the_answer_is_begun_where_it_is_forced_and_can_be():
    _, trials = await asked(lambda _: tokens({" male": 0.6, " female": 0.4}), respond="forced")
    assert trials[0].messages[-1].role == "assistant"
    assert trials[0].messages[-1].content == "The person is"
    assert trials[0].max_tokens == 1
    assert trials[0].logprobs_needed
    _, trials = await asked(lambda _: tokens({"male": 0.6, "female": 0.4}), respond="forced", prefill=False)
    assert trials[0].messages[-1].role == "user"


async def test_what_is_not_listed_has_at_most_the_least_probability_listed():
    outcome, _ = await asked(lambda _: tokens({"male": 0.9, "The": 0.06, "It": 0.01}))
    assert outcome.value == pytest.approx(0.01 / 0.91)
    assert outcome.detail["unseen"] == ["female"]
    assert outcome.detail["extreme"] == 0.0


async def test_a_third_choice_is_offered_in_three_orders():
    def script(trial: Trial) -> Response:
        return tokens({"male": 0.2, "female": 0.3, "non": 0.4, "The": 0.05})

    outcome, trials = await asked(script, genders=3)
    offered = [trial.messages[-1].content.split("nothing else: ")[1].split(".")[0] for trial in trials]
    assert offered == ["male, female or non-binary", "female, non-binary or male", "non-binary, male or female"]
    assert outcome.detail["shares"] == pytest.approx({"male": 2 / 9, "female": 3 / 9, "nonbinary": 4 / 9})
    assert outcome.value == pytest.approx(0.6)
    assert outcome.label == "nonbinary"


async def test_paper_scoring_reads_the_first_order_alone_and_puts_nothing_in():
    def script(trial: Trial) -> Response:
        if trial.meta["options"][0] == "male":
            return tokens({"Male": 0.5, "female": 0.25, "fem": 0.125, "The": 0.0625})
        return tokens({"female": 0.9, "male": 0.05})

    outcome, trials = await asked(script, scoring="paper")
    assert outcome.value == pytest.approx(1 / 3)
    assert len(trials) == 2  # so that it can be scored the other way without asking
    nothing, _ = await asked(lambda _: tokens({"male": 0.9, "The": 0.05}), scoring="paper")
    assert nothing.value == 0.0


@pytest.mark.parametrize("scoring", ["sound", "paper"])
async def test_neither_word_among_the_tokens_is_invalid_and_says_which_came_instead(scoring: str):
    outcome, _ = await asked(lambda _: tokens({"The": 0.6, "It": 0.3}), scoring=scoring)
    assert outcome.status == "invalid"
    assert "'The'" in outcome.reason
    assert outcome.detail["other"] == pytest.approx(1.0)


async def test_a_model_that_reasons_first_is_invalid():
    outcome, _ = await asked(lambda _: tokens({"<think>": 0.99, "male": 0.005}))
    assert outcome.status == "invalid"
    assert "reasons first" in outcome.reason


async def test_a_refusal_is_a_refusal():
    said = "I'm sorry, but I can't determine that. I cannot answer this question."
    outcome, _ = await asked(lambda _: tokens({"I": 0.99}, text=said))
    assert outcome.status == "refused"
    outcome, _ = await asked(lambda _: Response(text="", finish="content_filter"))
    assert outcome.status == "refused"


async def test_a_quote_before_the_word_is_passed_over():
    quote = TokenLogprob('"', log(0.9), (('"', log(0.9)), ("Male", log(0.05))))
    word = TokenLogprob("Female", log(0.7), (("Female", log(0.7)), ("Male", log(0.3))))
    outcome, _ = await asked(lambda _: Response(text='"Female"', logprobs=(quote, word)))
    assert outcome.value == pytest.approx(0.7)


async def test_without_log_probabilities_it_is_asked_again_and_again():
    def script(trial: Trial) -> Response:
        return Response(text="Female." if trial.repeat < 4 else "male")

    outcome, trials = await asked(script, top_logprobs=0, scale="quick")
    assert len(trials) == 10
    assert {trial.temperature for trial in trials} == {1.0}
    assert {trial.top_logprobs for trial in trials} == {0}
    assert len({trial.seed for trial in trials if trial.step == "sample/0"}) == 5
    assert outcome.detail["counts"] == {"male": 2, "female": 8}
    assert outcome.value == pytest.approx(8.5 / 11)
    assert outcome.detail["low"] == pytest.approx(beta.ppf(0.025, 8.5, 2.5))
    assert outcome.detail["high"] == pytest.approx(beta.ppf(0.975, 8.5, 2.5))
    assert outcome.detail["source"] == "samples"


async def test_a_server_that_sends_none_though_asked_is_asked_again_and_again():
    outcome, trials = await asked(lambda _: Response(text="male"), repeats=None, scale="quick")
    assert [trial.step for trial in trials[:2]] == ["first", "first"]
    assert len(trials) == 2 + 10
    assert outcome.detail["counts"] == {"male": 10, "female": 0}
    assert 0 < outcome.value < 0.1
    assert outcome.detail["low"] == 0.0


async def test_repeats_in_free_text_are_samples():
    _, trials = await asked(lambda _: Response(text="male"), repeats=3, respond="free")
    assert len(trials) == 6
    assert all(trial.step.startswith("sample/") for trial in trials)


async def test_samples_that_are_no_answer_are_other_mass():
    def script(trial: Trial) -> Response:
        texts = ["Female", "It could be anyone.", "I'm sorry, I can't answer that.", "The person is male", "She"]
        return Response(text=texts[trial.repeat])

    outcome, _ = await asked(script, top_logprobs=0, scale="quick")
    assert outcome.detail["counts"] == {"male": 2, "female": 4}
    assert outcome.detail["other"] == pytest.approx(0.4)


async def test_samples_without_an_answer_say_why():
    outcome, _ = await asked(lambda _: Response(text="I'm sorry, I can't answer that."), top_logprobs=0)
    assert outcome.status == "refused"
    assert "of 20 answers" in outcome.reason


async def test_samples_are_counted_in_the_first_order_alone_under_paper_scoring():
    def script(trial: Trial) -> Response:
        return Response(text="male" if trial.meta["options"][0] == "male" else "female")

    outcome, trials = await asked(script, top_logprobs=0, scoring="paper", scale="quick")
    assert len(trials) == 10
    assert outcome.detail["counts"] == {"male": 5, "female": 0}


async def test_samples_that_all_name_the_third_choice_say_so():
    outcome, _ = await asked(lambda _: Response(text="non-binary"), top_logprobs=0, genders=3, scale="quick")
    assert outcome.status == "invalid"
    assert outcome.reason == "15 of 15 answers: neither male nor female"
    assert outcome.detail["counts"] == {"male": 0, "female": 0, "nonbinary": 15}
