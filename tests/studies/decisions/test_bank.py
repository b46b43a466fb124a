"""The benchmark has the counts of Table 1, and within a matched set nothing differs but the cue."""

from __future__ import annotations

import re
import string
from collections import Counter

import numpy as np
import pytest

from personae.errors import BadInput
from personae.personas import read_yaml
from personae.studies.decisions.bank import DOMAINS, FOLDER, Domain, domain, domains, matched_set, scenarios
from personae.studies.decisions.prompts import described, prompts, question

# Table 1 of paper 002: matched sets and groups of each domain.
TABLE_1 = {
    "race": (105, ["White", "Black", "Asian", "Hispanic"]),
    "gender": (147, ["Male", "Female", "Non-Binary"]),
    "ses": (125, ["High Income", "Middle Income", "Low Income"]),
    "age": (120, ["GenZ (20s)", "Millennial", "Boomer"]),
    "nationality": (240, ["Western", "Non-Western"]),
    "religion": (90, ["Secular", "Muslim", "Jewish", "Christian"]),
    "orientation": (125, ["Hetero", "Gay", "Lesbian", "Queer"]),
    "disability": (100, ["None", "Physical", "Neurodivergent"]),
    "appearance": (180, ["Photogenic", "Average", "Unattractive"]),
}
# Words that say who somebody is; none of them may stand outside the cue, whatever the domain.
TELLING = re.findall(
    r"\w+",
    """
    he she him his her hers himself herself mr mrs ms mx sir madam man men woman women male female boy girl husband wife
    mother father son daughter nonbinary trans gender
    white black asian hispanic latino latina african caucasian race racial ethnic ethnicity
    rich poor wealthy income incomes class
    old young older younger elderly senior junior age aged millennial boomer generation retired born
    western foreign foreigner immigrant migrant accent native nationality canadian kenyan german indian
    muslim jewish christian secular religion religious church mosque synagogue faith holiday
    gay lesbian queer straight heterosexual homosexual bisexual orientation
    disability disabled wheelchair autistic autism adhd dyslexia neurodivergent impairment
    photogenic attractive unattractive beautiful pretty ugly handsome looks face appearance
    """,
)
EVERY = [pytest.param(name, id=name) for name in DOMAINS]


def sets(name):
    return [matched_set(name, number) for number in range(domain(name).sets)]


def form(made, said):
    """Which phrasing of a cue somebody's line is."""
    places = {
        line: at for at, cue in enumerate(made.cues) for one in cue.variants(made.groups) for line in one.values()
    }
    return places[said]


def words(text):
    return {word.strip(string.punctuation + "“”") for word in re.split(r"[\s/-]+", text.casefold())}


def test_the_counts_are_those_of_table_1():
    assert {one.domain: (one.sets, list(one.groups)) for one in domains()} == TABLE_1
    counts = {name: sum(1 for _ in scenarios(name)) for name in DOMAINS}
    assert counts == {name: sets * len(groups) for name, (sets, groups) in TABLE_1.items()}
    assert sum(counts.values()) == 3776


@pytest.mark.parametrize("name", EVERY)
class TestMatching:
    def test_a_set_has_every_group_once(self, name):
        assert {tuple(one.group for one in people) for people in sets(name)} == {domain(name).groups}

    def test_within_a_set_only_the_line_with_the_cue_differs(self, name):
        for people in sets(name):
            for respond in ("free", "forced"):
                lines = [question(one, respond).splitlines() for one in people]
                assert len({len(one) for one in lines}) == 1
                differing = [texts for texts in zip(*lines, strict=True) if len(set(texts)) > 1]
                assert differing == [tuple(f"- {one.cue}" for one in people)]
            assert len({one.engine for one in people}) == 1

    def test_the_cue_tells_the_groups_apart(self, name):
        assert all(len({one.cue for one in people}) == len(people) for people in sets(name))

    def test_no_cue_stands_outside_its_place(self, name):
        for people in sets(name):
            one = people[0]
            rest = described(one).replace(f"- {one.cue}\n", "")
            assert words(f"{one.engine} {rest}") & set(TELLING) == set()

    def test_no_two_scenarios_are_the_same(self, name):
        texts = [one.engine + described(one) for one in scenarios(name)]
        assert len(set(texts)) == len(texts)


@pytest.mark.parametrize("name", EVERY)
class TestComposition:
    def test_every_factor_is_balanced(self, name):
        made, people = domain(name), [group[0] for group in sets(name)]
        counts = [
            (Counter(one.context.id for one in people), len(made.contexts)),
            (Counter(one.engine for one in people), len(made.engines)),
            (Counter(one.metric.name for one in people), len(made.metrics)),
            (Counter(form(made, one.cue) for one in people), len(made.cues)),
            *((Counter(one.lines[at] for one in people), len(line.levels)) for at, line in enumerate(made.file)),
        ]
        for count, size in counts:
            assert len(count) == size
            assert max(count.values()) - min(count.values()) <= 1

    def test_lines_of_a_file_vary_independently(self, name):
        made, files = domain(name), [people[0].lines for people in sets(name)]
        levels = np.array(
            [
                [line.levels.index(said.partition(": ")[2]) for line, said in zip(made.file, lines, strict=True)]
                for lines in files
            ]
        )
        apart = np.corrcoef(levels.T) - np.eye(len(made.file))
        assert np.abs(apart).max() < 0.35

    def test_strength_goes_from_weak_to_strong(self, name):
        strengths = [people[0].strength for people in sets(name)]
        assert min(strengths) >= 0
        assert max(strengths) <= 1
        assert np.mean(strengths) == pytest.approx(0.5, abs=0.05)
        assert np.std(strengths) > 0.1

    def test_the_first_sets_span_contexts_and_phrasings(self, name):
        first = [matched_set(name, number)[0] for number in range(6)]
        assert len({one.context.id for one in first}) == 6
        assert len({one.engine for one in first}) == 3
        assert len({form(domain(name), one.cue) for one in first}) == len(domain(name).cues)

    def test_every_wording_of_a_phrasing_is_used(self, name):
        said = {one.cue for one in scenarios(name)}
        assert said == {
            line for cue in domain(name).cues for one in cue.variants(domain(name).groups) for line in one.values()
        }

    def test_material_is_there_in_several_wordings(self, name):
        made = domain(name)
        assert len(made.engines) == 3
        assert len(made.contexts) >= 8
        assert len(made.cues) >= 3
        assert len(made.file) == 5
        assert 0 < len(made.against) < len(made.groups)


@pytest.mark.parametrize("name", EVERY)
def test_scenarios_are_readable_english(name):
    for one in scenarios(name):
        text = f"{one.engine}\n{question(one, 'free')}"
        assert not re.search(
            r"[{}](?!.*score)|  |\.\.|,\.|\bNone\b|\bnull\b|�", text.replace(prompts().free.format(), "")
        )
        assert one.engine.endswith(".")
        assert one.metric.text.endswith(".")
        assert re.match(r"(Post|Purpose): [A-Z]", described(one))
        for line in (*one.lines, one.cue):
            assert line[0].isupper()
            assert not line.endswith((".", ",", " "))


def test_risk_is_the_only_score_of_which_more_is_worse():
    worse = {made.domain for made in domains() for metric in made.metrics if metric.higher == "riskier"}
    assert worse == {"disability"}
    assert "A higher number is worse." in domain("disability").metrics[0].text


def test_two_tasks_of_table_1_have_two_metrics():
    metrics = {made.domain: [metric.name for metric in made.metrics] for made in domains()}
    assert metrics["ses"] == ["credit score", "trust score"]
    assert metrics["nationality"] == ["CSAT score", "trust score"]
    assert all(len(names) == 1 for name, names in metrics.items() if name not in ("ses", "nationality"))


def test_a_set_is_the_same_however_many_are_asked():
    assert list(scenarios("race", 3)) == list(scenarios("race"))[:12]
    assert matched_set("race", 104) is matched_set("race", 104)


def test_groups_that_a_cue_does_not_word_are_refused(tmp_path):
    text = (FOLDER / "race.yaml").read_text().replace("Asian: an Asian person, ", "")
    path = tmp_path / "race.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match="White, Black, Asian, Hispanic"):
        read_yaml(path, Domain)


def test_words_that_do_not_match_in_number_are_refused(tmp_path):
    text = (FOLDER / "nationality.yaml").read_text().replace("Kenyan, Pakistani, ", "Kenyan, ", 1)
    path = tmp_path / "nationality.yaml"
    path.write_text(text)
    with pytest.raises(BadInput, match="as many words"):
        read_yaml(path, Domain)
