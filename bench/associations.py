"""How fast associations are tested and explained, beside WEFE and lime in the same run.

WEFE 1.0.1 needs an older numpy, so it and lime 0.2.0.1 run in an environment of their own: that of ``--peers PYTHON``,
or one that is made for this run and thrown away. Where it cannot be made, WEFE's algorithm as published is timed in
its place and named so, and lime is left out. ``python bench/associations.py`` prints the table kept in
bench/RESULTS.md. Everything runs on one core, and what is measured is the time of that core: it counts the work, not
what else the computer does.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from personae.stats.association import weat
from personae.stats.association_contexts import ceat
from personae.stats.lime import explain, lime_masks, sample_masks
from personae.stats.lime_text import masked_scores, split_words, word_sums

HERE = Path(__file__).parent
PEERS = ("wefe==1.0.1", "lime==0.2.0.1")
ONE_CORE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
DRAWS, SAMPLES = 10_000, 1000
# 100 distinct words, the length of an answer.
TEXT = " ".join(f"word{place}" for place in range(100))


def median(work: Callable[[], object], rounds: int) -> float:
    """Median seconds of some rounds, after one that does not count."""
    work()
    took = []
    for _ in range(rounds):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return sorted(took)[rounds // 2]


def peers(python: str | None, draws: int) -> dict[str, Any]:
    """Times of WEFE and lime in their own environment; of WEFE's algorithm alone where there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            return timed(python or environment(Path(folder)), draws)
        except (subprocess.CalledProcessError, OSError) as error:
            print(f"no environment for the peers: {error}", file=sys.stderr)
            return {"algorithm": algorithm(draws) * DRAWS / draws}


def environment(folder: Path) -> str:
    """A new environment with the peers; its interpreter."""
    subprocess.run([sys.executable, "-m", "venv", str(folder / "peers")], check=True)
    python = str(folder / "peers" / "bin" / "python")
    quiet = ["--quiet", "--disable-pip-version-check"]
    subprocess.run([python, "-m", "pip", "install", *quiet, *PEERS], check=True)
    return python


def timed(python: str, draws: int) -> dict[str, Any]:
    """What the peers' script says."""
    script = str(HERE / "support" / "association_peers.py")
    command = [python, script, "--text", TEXT, "--samples", str(SAMPLES), "--draws", str(draws)]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def sets() -> list[np.ndarray]:
    """Four sets of eight words, 300 numbers each: those of the peers."""
    return np.split(np.random.default_rng(1).normal(size=(32, 300)), 4)


def algorithm(draws: int) -> float:
    """Seconds of WEFE's permutation test as its code does it: words drawn, every cosine computed anew."""
    x, y, a, b = sets()
    pool, rng = np.vstack([x, y]), np.random.default_rng(0)

    def association(word: np.ndarray) -> float:
        return float(np.mean(cosines(word, a)) - np.mean(cosines(word, b)))

    def cosines(word: np.ndarray, others: np.ndarray) -> np.ndarray:
        return others @ word / (np.linalg.norm(others, axis=1) * np.linalg.norm(word))

    start = time.process_time()
    for _ in range(draws):
        drawn = pool[rng.choice(len(pool), len(pool))]
        sum(map(association, drawn[:8])) - sum(map(association, drawn[8:]))
    return time.process_time() - start


def contexts(words: int, width: int) -> list[list[np.ndarray]]:
    """Four sets of words with 5,000 contexts between them."""
    rng = np.random.default_rng(3)
    return [[rng.normal(size=(5000 // (4 * words), width)) for _ in range(words)] for _ in range(4)]


def explanations(count: int, rounds: int, seeded: bool) -> float:
    """Seconds of one explanation, of ``count`` in a row; masks from lime's stream or from our own."""
    words = split_words(TEXT)
    numbers = np.random.default_rng(2)
    sums, towards = word_sums(words, numbers.normal(size=(len(words.words), 50))), numbers.normal(size=50)

    def run() -> None:
        for seed in range(count):
            size = len(words.words)
            masks = lime_masks(size, SAMPLES, seed) if seeded else sample_masks(size, SAMPLES, numbers)
            explain(masks, masked_scores(masks, sums, towards), 10)

    return median(run, rounds) / count


def rows(found: dict[str, Any], rounds: int) -> list[tuple[str, str, str]]:
    """The table: what, how long, beside whom."""
    rng = np.random.default_rng(0)
    exact = median(lambda: weat(*sets(), rng), rounds)
    drawn = median(lambda: weat(*sets(), rng, draws=DRAWS, limit=0), rounds)
    peer = "WEFE" if "wefe" in found else "WEFE's algorithm, written anew"
    theirs = found.get("wefe", found.get("algorithm"))
    table = [
        ("WEAT 8 + 8 words, exact: 12,870 partitions", f"{1000 * exact:.1f} ms", "asked for: under 50 ms"),
        (f"{peer}, 8 + 8 words, {DRAWS:,} draws", f"{theirs:.2f} s", "1"),
        (f"personae, 8 + 8 words, {DRAWS:,} draws", f"{1000 * drawn:.1f} ms", f"{theirs / drawn:,.0f} times as fast"),
    ]
    for words, width in ((8, 384), (25, 768)):
        pools = contexts(words, width)
        took = median(lambda pools=pools: ceat(*pools, rng, draws=DRAWS), rounds)
        name = f"CEAT, {DRAWS:,} draws, 5,000 contexts of {4 * words} words, {width} numbers"
        table.append((name, f"{took:.2f} s", "asked for: under 5 s"))
    ours = {name: explanations(20, rounds, seeded) for name, seeded in (("lime's", True), ("own", False))}
    if "lime" in found:
        table.append((f"lime, 100 words, {SAMPLES:,} masks, static", f"{1000 * found['lime']:.0f} ms", "1"))
    for name, took in ours.items():
        ratio = f"{found['lime'] / took:.0f} times as fast" if "lime" in found else "lime is not here"
        table.append((f"personae, the same, {name} random stream", f"{1000 * took:.1f} ms", ratio))
    return table


def main() -> None:
    """Measure and print."""
    if ONE_CORE.items() - os.environ.items():
        # numpy reads these when it is imported, so the program starts anew with them.
        os.execve(sys.executable, [sys.executable, *sys.argv], {**os.environ, **ONE_CORE})
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--peers", help="an interpreter that has wefe and lime; else one is made for this run")
    arguments.add_argument("--draws", type=int, default=1000, help="draws of WEFE that are timed; scaled to 10,000")
    arguments.add_argument("--rounds", type=int, default=5, help="rounds of everything; the median counts")
    given = arguments.parse_args()
    found = peers(given.peers, given.draws)
    versions = ", ".join(f"{name} {found['versions'][name]}" for name in ("wefe", "lime") if "versions" in found)
    machine = f"{platform.machine()}, one core, Python {platform.python_version()}, numpy {np.__version__}"
    print(f"{machine}; {versions or 'no peers'}; median of {given.rounds} rounds\n")
    print("| what | measured | ratio |\n|---|---|---|")
    for row in rows(found, given.rounds):
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
