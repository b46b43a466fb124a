import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.wrappers import answer_of, bare


@pytest.mark.parametrize(
    "text",
    [
        "<think>Blue? Red?</think>Red",
        "[THINK]Blue? Red?[/THINK]Red",
        "<seed:think>Blue?</seed:think>Red",
        "◁think▷Blue?◁/think▷Red",
        "<|channel|>analysis<|message|>Blue?<|end|><|start|>assistant<|channel|>final<|message|>Red<|return|>",
        "analysisBlue or red? The role wants red.assistantfinalRed",
        "Red<|im_end|>",
        "Red</s>",
        "Red\nHuman: And yours?\nBlue",
        "Red\n### Instruction: go on\nBlue",
        "Red<|im_end|>\n<|im_start|>user\nBlue?",
    ],
)
def test_an_answer_is_taken_out_of_thought_tokens_and_turns(text: str) -> None:
    assert answer_of(text).text.strip() == "Red"


@pytest.mark.parametrize("text", ["<think>Blue, or", "<|channel|>analysis<|message|>Blue, or", "[THINK]Blue"])
def test_thought_that_never_ends_is_no_answer(text: str) -> None:
    assert answer_of(text) == ("", True)


@pytest.mark.parametrize(
    "text",
    [
        "**Red**",
        "`Red`",
        "```\nRed\n```",
        "> Red",
        "### Red",
        "- Red",
        "$\\boxed{\\text{Red}}$",
        '{"answer": "Red"}',
        'Here you are:\n```json\n{"reason": "it glows", "answer": "Red"}\n```',
        "<answer>Red</answer>",
        "*smiles warmly* Red",
        "(leans closer) Red",
        "Ｒｅｄ",
    ],
)
def test_a_short_answer_is_taken_out_of_what_it_stands_in(text: str) -> None:
    assert bare(text).strip("'\" ") == "Red"


def test_what_a_role_does_stays_where_there_is_nothing_else() -> None:
    assert bare("*happiness*") == "happiness"


@given(st.text())
def test_any_text_is_taken_apart(text: str) -> None:
    answer = answer_of(text)
    assert len(answer.text) <= len(text) + 1
    assert isinstance(bare(answer.text), str)
