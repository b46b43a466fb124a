"""Times of WEFE 1.0.1 and lime 0.2.0.1, as JSON: run by bench/associations.py in an environment of their own.

The inputs are those of `bench/associations.py`, from the same seeds. WEFE's permutation test costs the same for each
draw, so fewer draws are timed and the time is scaled; ``--draws`` says how many.
"""

from __future__ import annotations

import argparse
import json
import re
import time
from importlib.metadata import version

import numpy as np


def vectors() -> dict[str, np.ndarray]:
    """Four sets of eight words, 300 numbers each."""
    rows = np.random.default_rng(1).normal(size=(32, 300)).astype(np.float32)
    return {f"w{place}": row for place, row in enumerate(rows)}


def wefe(draws: int, wanted: int) -> float:
    """Seconds of WEFE's permutation test with ``wanted`` draws."""
    from gensim.models import KeyedVectors
    from wefe.metrics import WEAT
    from wefe.query import Query
    from wefe.word_embedding_model import WordEmbeddingModel

    words = vectors()
    keyed = KeyedVectors(300)
    keyed.add_vectors(list(words), list(words.values()))
    names = [list(words)[start : start + 8] for start in range(0, 32, 8)]
    query, model = Query(names[:2], names[2:]), WordEmbeddingModel(keyed)
    WEAT().run_query(query, model)
    start = time.process_time()
    WEAT().run_query(query, model, calculate_p_value=True, p_value_iterations=draws)
    return (time.process_time() - start) * wanted / draws


def lime(text: str, samples: int, rounds: int) -> float:
    """Seconds of one explanation of a text whose vector is the mean of its words."""
    from lime.lime_text import LimeTextExplainer

    numbers = np.random.default_rng(2)
    table = {word: numbers.normal(size=50) for word in dict.fromkeys(re.findall(r"\w+", text))}
    towards = numbers.normal(size=50)

    def scores(texts: list[str]) -> np.ndarray:
        means = np.array([mean(re.findall(r"\w+", each)) for each in texts])
        length = np.linalg.norm(means, axis=1)
        score = np.divide(means @ towards, length, out=np.zeros(len(texts)), where=length > 0)
        return np.column_stack([-score, score])

    def mean(words: list[str]) -> np.ndarray:
        return np.mean([table[word] for word in words], axis=0) if words else np.zeros(50)

    took = []
    for seed in range(rounds):
        start = time.process_time()
        LimeTextExplainer(random_state=seed).explain_instance(
            text, scores, labels=(1,), num_features=10, num_samples=samples
        )
        took.append(time.process_time() - start)
    return sorted(took)[rounds // 2]


def main() -> None:
    """Time what was asked for."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--draws", type=int, default=1000)
    arguments.add_argument("--text", required=True)
    arguments.add_argument("--samples", type=int, default=1000)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    print(
        json.dumps(
            {
                "wefe": wefe(given.draws, 10_000),
                "lime": lime(given.text, given.samples, given.rounds),
                "versions": {name: version(name) for name in ("wefe", "lime", "numpy")},
            }
        )
    )


if __name__ == "__main__":
    main()
