"""Reasoning between tags is kept apart, and one that was never closed is known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.reasoning import Reasoning, split_reasoning

WITHOUT_TAGS = st.text(st.characters(exclude_characters="<>"))


@pytest.mark.parametrize("tag", ["think", "thinking", "reasoning", "THINK"])
def test_every_tag_is_known(tag: str) -> None:
    assert split_reasoning(f"<{tag}>why</{tag}>\nEric") == Reasoning("Eric", "why", True)


def test_an_unclosed_tag_leaves_only_what_stood_before_it() -> None:
    assert split_reasoning("Hm. <think>Eric or Dianne") == Reasoning("Hm.", "Eric or Dianne", False)


def test_several_blocks_are_joined() -> None:
    found = split_reasoning("<think>one</think>Eric<think>two</think> it is")
    assert found == Reasoning("Eric it is", "one\n\ntwo", True)


def test_the_second_of_two_blocks_may_be_unclosed() -> None:
    assert split_reasoning("<think>one</think>Eric<think>two") == Reasoning("Eric", "one\n\ntwo", False)


def test_blocks_within_blocks_close_with_the_outer_one() -> None:
    assert split_reasoning("<think>a<think>b</think>c</think>Eric").text == "Eric"


def test_a_closing_tag_alone_ends_reasoning_that_began_in_the_prompt() -> None:
    assert split_reasoning("Eric leads.</think>Eric") == Reasoning("Eric", "Eric leads.", True)


def test_an_empty_block_is_no_reasoning() -> None:
    assert split_reasoning("<think>\n\n</think>\n\nEric") == Reasoning("Eric", "", True)


@given(WITHOUT_TAGS)
def test_an_answer_without_tags_is_left_as_it_is(text: str) -> None:
    assert split_reasoning(text) == Reasoning(text, "", True)


@given(WITHOUT_TAGS, WITHOUT_TAGS)
def test_what_follows_the_block_is_the_answer(thought: str, answer: str) -> None:
    found = split_reasoning(f"<think>{thought}</think>{answer}")
    assert (found.text, found.reasoning, found.closed) == (answer.strip(), thought.strip(), True)


@given(st.lists(st.sampled_from(["<think>", "</think>", "<thinking>", "</reasoning>", "a", " "])))
def test_no_tag_survives_in_the_answer(pieces: list[str]) -> None:
    found = split_reasoning("".join(pieces))
    assert "think" not in found.text
    assert "reasoning" not in found.text
