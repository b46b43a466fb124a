"""Words given to options are read in whatever list form a model writes them."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from personae.coding.pairs import read_pairs

WORDS = ["command", "timid", "loud", "open to your ideas", "gentle"]
NAMES = ["Eric", "Dianne"]
LEADER = {"command": 0, "timid": 1}


@pytest.mark.parametrize(
    "text",
    [
        "command - Eric\ntimid - Dianne",
        "command – Eric\ntimid — Dianne",
        "command-Eric\ntimid−Dianne",
        "command: Eric\ntimid: Dianne",
        "command → Eric\ntimid -> Dianne",
        "command => Eric\ntimid = Dianne",
        "1. command - Eric\n2. timid - Dianne",
        "1) Command - eric\n2) Timid - dianne",
        "* command - Eric\n* timid - Dianne",
        "• command - Eric\n• timid - Dianne",
        "- command: Eric\n- timid: Dianne",
        "**Command** - *Eric*\n**Timid** - *Dianne*",
        "“command” - “Eric”\n‘timid’ - ‘Dianne’",
        "Eric - command\nDianne - timid",
        "I'd say Eric - command\nI’d say Dianne - timid",
        "command - I'd say Eric\ntimid - definitely Dianne",
        "😊 command 💪 - Eric 🎉\ntimid 😳 - 🌸 Dianne",
        "command Eric\ntimid Dianne",
        "command,Eric\ntimid,Dianne",
        "command (Eric), timid (Dianne)",
        "command - Eric, timid - Dianne",
        "command-eric;timid-dianne",
        "command - Eric (he leads)\ntimid - Dianne, because she is shy",
        "['command - eric', 'timid - dianne']",
        "['command' - eric, 'timid' - dianne]",
        "[command - eric], [timid - dianne]",
        '{"command": "Eric", "timid": "Dianne"}',
        '{"Eric": ["command"], "Dianne": ["timid"]}',
        '{\n  "Eric": [\n    "command"\n  ],\n  "Dianne": [\n    "timid"\n  ]\n}',
        '[{"word": "command", "choice": "Eric"}, {"word": "timid", "choice": "Dianne"}]',
        '[\n {\n  "word": "command",\n  "choice": "Eric"\n },\n {\n  "word": "timid",\n  "choice": "Dianne"\n }\n]',
        "| word | choice |\n|---|---|\n| command | Eric |\n| timid | Dianne |",
        "Eric: command\nDianne: timid",
        "**Eric**\n- command\n\n**Dianne**\n- timid",
        "command\nEric\ntimid\nDianne",
        "I would assign Eric to command and Dianne to timid.",
        'For "command", I would choose Eric.\nFor "timid", I would choose Dianne.',
        "Sure, sweetheart! Here are my choices:\n\ncommand - Eric\n- -\ntimid - Dianne\n\nLet me know what you think!",
        "I must say this is not very fair, but here goes:\r\ncommand - Eric\r\ntimid - Dianne",
        "command - me (your husband, Eric)\ntimid - you (my wife, Dianne)",
    ],
)
def test_list_forms(text: str) -> None:
    found = read_pairs(text, ["command", "timid"], NAMES)
    assert (found.status, found.assigned, found.unread, found.reason) == ("answered", LEADER, (), "")


@pytest.mark.parametrize(
    ("text", "assigned"),
    [
        ("Eric: command, loud\nDianne: timid and gentle", {"command": 0, "loud": 0, "timid": 1, "gentle": 1}),
        ("command, loud - Eric; timid - Dianne", {"command": 0, "loud": 0, "timid": 1}),
        ("Eric - command, Dianne - timid", LEADER),
        ("open to your ideas - Dianne", {"open to your ideas": 1}),
        ("Open to your ideas: Dianne\nloud: Eric", {"open to your ideas": 1, "loud": 0}),
    ],
)
def test_several_words_for_one_option_and_phrases(text: str, assigned: dict[str, int]) -> None:
    assert read_pairs(text, WORDS, NAMES).assigned == assigned


@pytest.mark.parametrize(
    "line",
    [
        "loud - Eric or Dianne",
        "loud - Eric/Dianne",
        "loud - both Eric and Dianne",
        "loud - neither",
        "loud - not Eric",
        "loud - you",
        "loud - Eric, though Dianne is too",
        "Eric or Dianne - loud",
        "loud - Eric\nloud - Dianne",
        "loud - timid",
        "loud",
    ],
)
def test_a_line_that_does_not_decide_leaves_its_word_unread(line: str) -> None:
    found = read_pairs(f"command - Eric\n{line}\ntimid - Dianne", ["command", "loud", "timid"], NAMES)
    assert found.assigned == LEADER
    assert found.unread == ("loud",)
    assert found.reason.startswith("1 of 3 words not read")


def test_a_word_given_twice_to_the_same_option_is_read() -> None:
    assert read_pairs("loud - Eric\nAgain: loud - Eric", ["loud"], NAMES).assigned == {"loud": 0}


@pytest.mark.parametrize(
    "text",
    [
        "I cannot assign “command” or “timid” to Eric or Dianne.",
        "I’m sorry, but I can’t say whether Eric is loud - or Dianne.",
        "As an AI, I don't think of command, timid, loud or gentle as Eric or Dianne.",
        "I won't choose between Eric and Dianne for the word command.",
        "Ich kann leider nicht Eric oder Dianne für command wählen.",
        "1. command - I cannot fulfill this request\n2. timid - I cannot fulfill this request",
    ],
)
def test_a_refusal_with_the_options_inside_assigns_nothing(text: str) -> None:
    found = read_pairs(text, WORDS, NAMES)
    assert (found.status, found.assigned) == ("refused", {})
    assert found.reason


def test_a_list_after_a_remark_is_an_answer() -> None:
    text = "It is not appropriate to use words like these. That said:\n" + "\n".join(f"{word} - Eric" for word in WORDS)
    assert read_pairs(text, WORDS, NAMES).status == "answered"


def test_fewer_than_half_beside_a_refusal_is_refused_and_says_what_was_read() -> None:
    found = read_pairs("gentle - Dianne\nI cannot assign the other words.", WORDS, NAMES)
    assert (found.status, found.assigned) == ("refused", {"gentle": 1})


def test_prose_that_mentions_words_and_names_is_invalid() -> None:
    found = read_pairs("Oh, Eric was so loud yesterday that my timid friend left.", WORDS, NAMES)
    assert (found.status, found.assigned) == ("invalid", {})


def test_a_copied_example_is_not_read() -> None:
    assert read_pairs("Use the format a - b, a - b.", WORDS, NAMES).status == "invalid"


def test_longer_words_are_not_read_as_shorter_ones() -> None:
    found = read_pairs("humiliate you - wife", ["humiliate", "humiliate you"], ["wife", "husband"])
    assert found.assigned == {"humiliate you": 0}
    assert read_pairs("loudness - Eric", WORDS, NAMES).assigned == {}


def test_a_word_that_is_an_option_too_is_told_by_its_place() -> None:
    found = read_pairs("partner - wife\nassist - partner", ["partner", "assist"], ["wife", "partner"])
    assert found.assigned == {"partner": 0, "assist": 1}


def test_umlauts_in_every_form() -> None:
    words, options = ["müde", "groß"], ["Jürgen", "Käthe"]
    assert read_pairs("Mu\u0308de - JÜRGEN\nGROSS: käthe", words, options).assigned == {"müde": 0, "groß": 1}
    assert read_pairs(json.dumps({"müde": "Jürgen"}), words, options).assigned == {"müde": 0}


def test_synonyms_count_for_their_word() -> None:
    found = read_pairs(
        "direct - Eric\nbashful - Dianne", ["command", "timid"], NAMES, {"direct": "command", "bashful": "timid"}
    )
    assert found.assigned == LEADER


def test_three_options_are_possible() -> None:
    assert read_pairs("loud - Kim", ["loud"], ["Eric", "Dianne", "Kim"]).assigned == {"loud": 2}


@pytest.mark.parametrize(
    ("words", "options", "synonyms"),
    [
        ([], NAMES, None),
        (["loud", "LOUD"], NAMES, None),
        ([" "], NAMES, None),
        (["loud"], ["Eric"], None),
        (["loud"], ["Eric", "eric"], None),
        (["loud"], NAMES, {"noisy": "quiet"}),
    ],
)
def test_a_question_that_cannot_be_read_is_an_error(
    words: list[str], options: list[str], synonyms: dict[str, str] | None
) -> None:
    with pytest.raises(ValueError, match=r"must|stands for"):
        read_pairs("loud - Eric", words, options, synonyms)


SEPARATORS = st.sampled_from([" - ", " – ", ": ", " → ", " = ", "-", " | "])
BULLETS = st.sampled_from(["", "- ", "* ", "• ", "{n}. ", "{n}) ", "| "])
DRESS = st.sampled_from(["{}", "**{}**", '"{}"', "“{}”", "'{}'", "*{}*", "{} 😊"])


@given(
    st.lists(st.integers(0, 1), min_size=5, max_size=5),
    st.permutations(WORDS),
    SEPARATORS,
    BULLETS,
    DRESS,
    DRESS,
    st.booleans(),
)
def test_any_assignment_in_any_form_comes_back(
    choices: list[int], words: list[str], separator: str, bullet: str, left: str, right: str, turned: bool
) -> None:
    lines = []
    for number, (word, choice) in enumerate(zip(words, choices, strict=True), start=1):
        parts = [left.format(word), right.format(NAMES[choice])]
        lines.append(bullet.format(n=number) + separator.join(parts[::-1] if turned else parts))
    found = read_pairs("Here is my list:\n" + "\n".join(lines), WORDS, NAMES)
    assert found.assigned == dict(zip(words, choices, strict=True))


@given(st.text(), st.booleans())
def test_any_text_is_read_and_accounts_for_every_word(text: str, known: bool) -> None:
    text = text.replace(" ", " command - Eric, ") if known else text
    found = read_pairs(text, WORDS, NAMES)
    assert {*found.assigned, *found.unread} == set(WORDS)
    assert set(found.assigned.values()) <= {0, 1}
    assert (found.status == "answered") <= bool(found.assigned)


@given(
    st.lists(
        st.sampled_from(["Eric", "Dianne", "command", "timid", "-", ":", "\n", ",", "or", "not", "(", "I cannot"]),
        max_size=60,
    )
)
def test_a_word_is_read_only_where_its_option_is_named(pieces: list[str]) -> None:
    text = " ".join(pieces)
    found = read_pairs(text, WORDS, NAMES)
    assert all(word in text and NAMES[index] in text for word, index in found.assigned.items())


@pytest.mark.parametrize("piece", ["command, ", "Eric or ", "- ", "command - Eric ", "(((", "command\n", "'\"'"])
def test_ten_thousand_characters_are_read(piece: str) -> None:
    long = piece * (10_000 // len(piece))
    found = read_pairs(long + "\n\ngentle - Dianne", WORDS, NAMES)
    assert found.assigned.get("gentle") == 1
