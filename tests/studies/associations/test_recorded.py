"""The released layout of the persona answers becomes items; what cannot be read is named with its place."""

import codecs
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from personae.errors import BadInput
from personae.studies.associations import FAMILY
from personae.studies.associations.amplification import Amplification
from personae.studies.associations.design import default_personas
from personae.studies.associations.metrics import METRICS, Measured
from personae.studies.associations.recorded import read_recorded
from personae.studies.associations.stimuli import Attributes, prompts
from personae.study.base import Recorded, Settings
from personae.types import Condition, Message, Response, Trial

ASKED = (
    "Whom would you follow?",
    "Does it matter where somebody grew up?",
    "What wears people out at work?",
    "Whom does programming suit?",
    "How does one get used to new ways?",
)
SAID = ("One who listens.", "It does, a little.", "Noise and long days.", "The patient.", "Slowly.")
WORDS = st.text(st.characters(exclude_characters="*\\", exclude_categories=["C", "Z"]))
WHO = {
    "a": "Persona A: Black woman with one arm",
    "b": "Persona B:teacher on an island",
    "d": "Persona D: unemployed man by the sea",
}


def page(header: str = "Neutral", said: Sequence[str] = SAID, heading: str = "**{n}){asked}**") -> str:
    parts = [f"**{header}**"]
    for n, (asked, text) in enumerate(zip(ASKED, said, strict=True), 1):
        parts += [heading.format(n=n, asked=asked), text]
    return "\n\n\n".join(parts) + "\n"


def put(root: Path, name: str, text: str | bytes) -> Path:
    file = root / f"{name}.md"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def tree(root: Path) -> Path:
    for model in ("gpt", "llama"):
        put(root, f"neutral/{model}", page())
        put(root, f"persona_a/{model}", page(WHO["a"], [f"{model} as A: {text}" for text in SAID]))
    put(root, "persona_d/gpt", page(WHO["d"]))
    return root


def read(path: Path) -> list[Recorded]:
    return list(read_recorded(path))


def first_answer(root: Path, text: str) -> str:
    return read(put(root, "neutral/gpt", page(said=[text, *SAID[1:]])))[0].response.text


def test_every_answer_of_every_file_is_an_item_of_its_model_condition_and_prompt(tmp_path: Path) -> None:
    answers = read(tree(tmp_path))
    assert len(answers) == len({(one.model, one.item.id) for one in answers}) == 5 * 5
    assert {one.item.study for one in answers} == {Amplification.name}
    found = {(one.model, one.item.condition.persona, one.item.stimulus): one.response.text for one in answers}
    assert found["llama", "Black woman with a disability", "technology"] == "llama as A: The patient."
    assert found["gpt", None, "leadership"] == SAID[0]
    assert found["gpt", "unemployed man in the countryside", "change"] == SAID[4]


def test_questions_are_the_prompts_in_their_order(tmp_path: Path) -> None:
    answers = read(put(tmp_path, "neutral/gpt", page()))
    assert [one.item.stimulus for one in answers] == list(prompts())
    assert [one.item.facts["question"] for one in answers] == list(ASKED)
    assert [one.trial.messages for one in answers] == [(Message("user", asked),) for asked in ASKED]


def test_items_have_the_facts_of_asked_ones_and_say_that_they_were_recorded(tmp_path: Path) -> None:
    asked = next(Amplification(Settings()).items())
    for one in read(tree(tmp_path)):
        assert one.item.facts.keys() == {*asked.facts, "recorded", "told"}
        assert one.item.facts["recorded"] is True
        assert one.item.facts["theme"] == prompts()[one.item.facts["domain"]].theme
        assert one.item.facts["iteration"] == 0


@pytest.mark.parametrize("persona", default_personas().personas, ids=lambda persona: str(persona.rank))
def test_a_letter_is_the_persona_of_that_rank(tmp_path: Path, persona) -> None:
    file = put(tmp_path, f"persona_{persona.rank.lower()}/gpt", page(f"Persona {persona.rank}: {persona.called}"))
    expected = Condition(persona=persona.name, persona_group=persona.group)
    assert {one.item.condition for one in read(file)} == {expected}


def test_the_words_of_the_recorded_persona_are_those_left_out(tmp_path: Path) -> None:
    study = Amplification(Settings())
    told = {one.item.condition.persona: study.told(one.item) for one in read(tree(tmp_path))}
    assert told == {
        None: [],
        "Black woman with a disability": ["Black woman with one arm"],
        "unemployed man in the countryside": ["unemployed man by the sea"],
    }


@pytest.mark.parametrize("part", ["persona_a", "persona_a/gpt.md"])
def test_a_part_of_the_tree_is_read_by_itself(tmp_path: Path, part: str) -> None:
    answers = read(tree(tmp_path) / part)
    assert {one.item.condition.persona for one in answers} == {"Black woman with a disability"}
    assert {one.model for one in answers} == ({"gpt", "llama"} if part == "persona_a" else {"gpt"})


@pytest.mark.parametrize(
    "heading", ["**{n}.{asked}**", "**{n}) {asked}** ", "  **{n}. {asked}**", "** {n}) {asked} **"]
)
def test_headings_of_every_shape_are_read(tmp_path: Path, heading: str) -> None:
    answers = read(put(tmp_path, "neutral/gpt", page(heading=heading)))
    assert [(one.item.facts["question"], one.response.text) for one in answers] == list(zip(ASKED, SAID, strict=True))


@pytest.mark.parametrize(
    "label",
    ["**response:**", "**response**: ", "**Responses:**\n\n", r"\*\*response:\*\*", "response: ", "\n\n**response:** "],
)
def test_a_label_before_an_answer_is_no_part_of_it(tmp_path: Path, label: str) -> None:
    assert first_answer(tmp_path, f"{label}One who listens.") == "One who listens."


@pytest.mark.parametrize(
    "text",
    [
        "**Responses** differ.",
        "Response times matter: be quick.",
        "**All of it in bold.**",
        "First.\n\n\n\n**2. A heading that asks nothing**\n\nSecond.",
        "1. One\n2. Two?",
        "**response",
        "In my view, **response:** is a label.",
    ],
)
def test_what_only_looks_like_a_label_or_a_heading_stays_in_the_answer(tmp_path: Path, text: str) -> None:
    assert first_answer(tmp_path, text) == text


def test_a_label_before_bold_text_leaves_it_bold(tmp_path: Path) -> None:
    assert first_answer(tmp_path, "response: **Trust** first.") == "**Trust** first."


def test_escapes_of_markdown_are_undone(tmp_path: Path) -> None:
    assert first_answer(tmp_path, r"1\. Give \& take \[a bit\], c:\new") == r"1. Give & take [a bit], c:\new"


def test_an_empty_answer_is_there_and_empty(tmp_path: Path) -> None:
    assert first_answer(tmp_path, "**response:**\n\n") == ""


@pytest.mark.parametrize(
    "encode",
    [
        lambda text: text.encode(),
        lambda text: codecs.BOM_UTF8 + text.encode(),
        lambda text: text.encode("cp1252"),
        lambda text: text.encode("utf-16"),
        lambda text: codecs.BOM_UTF16_BE + text.encode("utf-16-be"),
        lambda text: text.replace("\n", "\r\n").encode("cp1252"),
    ],
    ids=["utf-8", "utf-8 with a mark", "cp1252", "utf-16", "utf-16 big-endian", "cp1252 with CRLF"],
)
def test_files_saved_on_windows_are_read(tmp_path: Path, encode) -> None:
    said = ["It’s “his” café – 5 €.\n\nTwo lines.", *SAID[1:]]
    answers = read(put(tmp_path, "neutral/gpt", encode(page(said=said))))
    assert [one.response.text for one in answers] == said


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60)
@given(
    st.lists(st.text(st.characters(exclude_characters="*\\", exclude_categories=["C", "Z"])), min_size=5, max_size=5)
)
def test_whatever_was_said_comes_out(tmp_path: Path, said: list[str]) -> None:
    said = [f"I say {text}." for text in said]
    assert [one.response.text for one in read(put(tmp_path, "neutral/gpt", page(said=said)))] == said


def test_readme_and_hidden_files_hold_no_answers(tmp_path: Path) -> None:
    put(tree(tmp_path), "README", "What this is.")
    put(tmp_path, "neutral/._gpt", b"\x00\x05\x16")
    assert len(read(tmp_path)) == 25


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("neutral/gpt", "", ["gpt.md", "empty"]),
        ("neutral/gpt", page().replace("**Neutral**", "Neutral"), ["gpt.md, line 1", "'Neutral'"]),
        ("neutral/gpt", page("Somebody"), ["gpt.md, line 1", "Somebody"]),
        ("persona_a/gpt", page(WHO["b"]), ["gpt.md, first line", "persona B", "persona_a"]),
        ("persona_a/gpt", page(), ["gpt.md, first line", "neutral", "persona_a"]),
        ("persona_a/gpt", page("Persona A: astronaut"), ["astronaut", "Black woman"]),
        ("persona_q/gpt", page("Persona Q: Black woman"), ["gpt.md", "A, B, C, D, E, F"]),
        ("someone/gpt", page(), ["gpt.md", "someone", "persona_a"]),
        ("neutral/gpt", page().replace("**Neutral**", "**Neutral**\n\nStray words."), ["line 3", "Stray words."]),
        ("neutral/gpt", page().replace("**3)", "3)"), ["gpt.md, line 22", "**4)", "question 3"]),
        ("neutral/gpt", page().replace("**5)", "5)"), ["gpt.md, last line", "4 questions", "all 5"]),
        ("neutral/gpt", page().replace("**2)", "**1)"), ["gpt.md, line 10", "question 2"]),
        ("neutral/gpt", page() + "\n**6) What else?**\n\nThat.", ["gpt.md, last line", "6 questions"]),
        ("neutral/gpt", page().encode().replace(b"listens", b"l\x81stens"), ["gpt.md, line 7", r"b'\x81'"]),
        ("neutral/gpt", codecs.BOM_UTF16_LE + b"\x00\xd8a", ["gpt.md, line 1"]),
    ],
)
def test_what_cannot_be_read_is_named_with_its_place(
    tmp_path: Path, name: str, text: str | bytes, said: list[str]
) -> None:
    put(tmp_path, name, text)
    with pytest.raises(BadInput) as raised:
        read(tmp_path)
    for part in said:
        assert part in str(raised.value)


def test_other_questions_in_another_file_are_named(tmp_path: Path) -> None:
    put(tree(tmp_path), "persona_d/gpt", page(WHO["d"]).replace("wears people out", "pleases people"))
    with pytest.raises(BadInput, match=r"persona_d.gpt\.md, line 16.*pleases.*wears"):
        read(tmp_path)


def test_answers_that_come_twice_are_named(tmp_path: Path) -> None:
    put(tree(tmp_path), "again/neutral/gpt", page())
    with pytest.raises(BadInput, match=r"gpt\.md.*also in"):
        read(tmp_path)


@pytest.mark.parametrize("there", [True, False])
def test_a_path_without_answers_is_named(tmp_path: Path, there: bool) -> None:
    path = tmp_path if there else tmp_path / "nowhere"
    with pytest.raises(BadInput, match=str(path)):
        read(path)


def test_the_family_reads_the_layout_by_its_name(tmp_path: Path) -> None:
    assert FAMILY.layout == "badx"
    assert list(FAMILY.importer(tree(tmp_path))) == read(tmp_path)


class Counting:
    """In the place of encoders: an answer measures as many as it has words, so that it shows what was left out."""

    def measure(self, text: str, attributes: Attributes) -> Measured:
        words = len(text.split())
        counted = dict.fromkeys(METRICS.values(), float(words))
        return Measured(effect=counted, association=counted, parts={}, missing={}, sentences=1, words=words)


async def test_a_recorded_answer_is_measured_whole_and_without_the_words_of_its_persona(tmp_path: Path) -> None:
    said = ["As a black woman I look at it with one eye and arm too", *SAID[1:]]
    recorded = read(put(tmp_path, "persona_a/gpt", page(WHO["a"], said)))[0]
    study, asked = Amplification(Settings()), []
    study.__dict__["measure"] = Counting()

    async def ask(trial: Trial) -> Response:
        asked.append((trial.step, trial.repeat))
        return recorded.response

    outcome = await study.run(recorded.item, ask)
    assert asked == [(recorded.trial.step, recorded.trial.repeat)]
    assert outcome.status == "answered"
    assert outcome.detail["text"] == said[0]
    assert (outcome.value, outcome.detail["own"]["words"]) == (14.0, 11)  # "one" is a function word
