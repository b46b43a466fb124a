"""Sentences parsed: tokens with their heads, noun chunks, characters that fit the text."""

from __future__ import annotations

from personae.embedding.parsing import parse

TEXT = "The young immigrant woman runs a small business in Texas."


def test_words_carry_part_of_speech_relation_and_head() -> None:
    (parsed,) = parse([TEXT])
    words = {token.text: token for token in parsed.tokens}
    assert words["woman"].pos == "NOUN"
    assert words["woman"].dep == "nsubj"
    assert parsed.tokens[words["woman"].head].text == "runs"
    assert parsed.tokens[words["runs"].head].text == "runs"
    assert words["runs"].lemma == "run"


def test_chunks_and_entities_are_characters_of_the_text() -> None:
    (parsed,) = parse([TEXT])
    chunks = [TEXT[start:end] for start, end in parsed.chunks]
    assert chunks[:2] == ["The young immigrant woman", "a small business"]
    assert ("Texas", "GPE") in [(TEXT[start:end], label) for start, end, label in parsed.entities]
    assert all(TEXT[token.start : token.end] == token.text for token in parsed.tokens)


def test_texts_come_back_in_order() -> None:
    texts = [TEXT, "", "She left."]
    assert [parsed.text for parsed in parse(texts)] == texts
