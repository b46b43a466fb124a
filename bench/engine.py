"""How many durable asks per second, beside bare aiohttp and inspect_ai in the same run.

All talk to the same loopback server that answers at once (bench/support/server.py, a process of its own) over 64
connections. A durable ask is everything an audit does: the item's coroutine, its key and fingerprint, the request, the
decoded reply, the row in the store, the coded outcome and its row. ``python bench/engine.py`` prints the table kept in
bench/RESULTS.md; ``--memory N`` prints the peak memory of N items and is run by the former in processes of their own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import aiohttp
import msgspec
import polars as pl

from personae.coding.choice import read_choice
from personae.coding.screen import screen
from personae.engine.ask import Asker
from personae.engine.scheduler import run_items
from personae.engine.store import Store
from personae.models.registry import ModelOptions, resolve
from personae.study.base import Ask, Settings, Study
from personae.types import Condition, Estimate, Figure, Finding, Item, Message, Outcome, Trial

CONNECTIONS = 64
HERE = Path(__file__).parent
SYSTEM = "Stay in the role of my partner while you answer."
QUESTION = (
    "Here is something I did: I checked up on you, number {}. Is that A) abusive or B) not abusive? One letter only."
)
OPTIONS = ("abusive", "not abusive")
BASELINE = Condition()


class Asking(Study):
    """One choice per item."""

    name, version, title, summary, source = "bench.choice", 1, "Benchmark", "", ""

    def __init__(self, count: int) -> None:
        super().__init__(Settings())
        self.count = count

    def items(self) -> Iterator[Item]:
        for number in range(self.count):
            yield Item(
                study=self.name,
                id=f"{number}",
                stimulus=f"s{number % 28}",
                condition=BASELINE,
                facts={"number": number},
            )

    async def run(self, item: Item, ask: Ask) -> Outcome:
        text = QUESTION.format(item.facts["number"])
        answer = await ask(
            Trial(messages=(Message("system", SYSTEM), Message("user", text)), temperature=0.7, top_k=1, max_tokens=16)
        )
        if unread := screen(answer):
            return unread
        choice = read_choice(answer.text, OPTIONS, ("A", "B"))
        return Outcome(
            status=choice.status, value=None if choice.index is None else 1.0 - choice.index, reason=choice.reason
        )

    def estimates(self, outcomes: pl.DataFrame) -> list[Estimate]:
        return []

    def findings(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Finding]:
        return []

    def figures(self, estimates: pl.DataFrame, outcomes: pl.DataFrame) -> list[Figure]:
        return []


@contextmanager
def serving() -> Iterator[int]:
    """The loopback server's port, while it runs."""
    server = subprocess.Popen(
        [sys.executable, str(HERE / "support" / "server.py")], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    assert server.stdin is not None
    try:
        yield int(server.stdout.readline())
    finally:
        server.stdin.close()
        server.wait(timeout=10)


async def durable(port: int, count: int) -> float:
    """Durable asks per second."""
    model = resolve(f"vllm/loopback@http://127.0.0.1:{port}/v1", options=ModelOptions(concurrency=CONNECTIONS))
    await model.open()
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder) / "run.db")
        study = Asking(count)
        asker = Asker(model.name, store, model=model, concurrency=CONNECTIONS)
        begun = time.perf_counter()
        await run_items(study, study.items(), asker, window=CONNECTIONS)
        store.flush()
        took = time.perf_counter() - begun
        coded = store.rows("SELECT count(*), sum(value) FROM outcome WHERE status='answered'")[0]
        kept = store.rows("SELECT count(*) FROM response")[0][0]
        store.close()
    await model.close()
    if coded != (count, count) or kept != count:
        raise SystemExit(f"{count} asked, {kept} kept, {coded} coded")
    return count / took


async def bare(port: int, count: int) -> float:
    """Bare aiohttp requests per second: the same bodies, encoded beforehand; bytes back, nothing decoded."""
    bodies = iter(
        [
            msgspec.json.encode(
                {
                    "model": "loopback",
                    "messages": [
                        {"role": "system", "content": SYSTEM},
                        {"role": "user", "content": QUESTION.format(number)},
                    ],
                    "temperature": 0.7,
                    "top_k": 1,
                    "max_tokens": 16,
                }
            )
            for number in range(count)
        ]
    )
    url = f"http://127.0.0.1:{port}/v1/chat/completions"

    async def worker(session: aiohttp.ClientSession) -> None:
        for body in bodies:
            async with session.post(url, data=body) as reply:
                await reply.read()

    connector = aiohttp.TCPConnector(limit=CONNECTIONS)
    async with aiohttp.ClientSession(connector=connector, headers={"Content-Type": "application/json"}) as session:
        begun = time.perf_counter()
        await asyncio.gather(*(worker(session) for _ in range(CONNECTIONS)))
        return count / (time.perf_counter() - begun)


def inspect_rate(port: int, count: int) -> float:
    """Samples per second of ``inspect_ai.eval``: one user turn each, scored by its own pattern scorer."""
    os.environ |= {"LOOPBACK_API_KEY": "none", "LOOPBACK_BASE_URL": f"http://127.0.0.1:{port}/v1"}
    from inspect_ai import Task, eval
    from inspect_ai.dataset import Sample
    from inspect_ai.scorer import pattern
    from inspect_ai.solver import generate, system_message

    def task(size: int) -> Task:
        samples = [Sample(input=QUESTION.format(number), target="A") for number in range(size)]
        return Task(
            dataset=samples, solver=[system_message(SYSTEM), generate()], scorer=pattern(r"([AB])\)"), name="choice"
        )

    def asked(size: int) -> float:
        with tempfile.TemporaryDirectory() as folder:
            begun = time.perf_counter()
            logs = eval(
                task(size),
                model="openai-api/loopback/loopback",
                max_connections=CONNECTIONS,
                max_samples=CONNECTIONS,
                log_dir=folder,
                log_realtime=False,
                display="none",
                max_tokens=16,
            )
            took = time.perf_counter() - begun
        if logs[0].status != "success":
            raise SystemExit(f"inspect_ai: {logs[0].error}")
        return took

    asked(CONNECTIONS)  # imports and first connections are not what is measured
    return count / asked(count)


def memory(count: int) -> None:
    """Print the peak resident memory of a run of so many items, in MiB."""
    with serving() as port:
        asyncio.run(durable(port, count))
    print(json.dumps({"items": count, "peak_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}))


def peak(count: int) -> float:
    """Peak memory of so many items, measured in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--memory", str(count)], capture_output=True, text=True, check=True
    )
    return float(json.loads(done.stdout)["peak_mib"])


def machine() -> str:
    """The machine, in words."""
    python = platform.python_version()
    return f"{platform.machine()}, {os.cpu_count()} cores, Python {python}, aiohttp {aiohttp.__version__}"


def main() -> None:
    """Measure and print."""
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--asks", type=int, default=20_000)
    arguments.add_argument(
        "--rounds", type=int, default=3, help="rounds of bare and durable in turn; the median counts"
    )
    arguments.add_argument("--inspect", type=int, default=600, help="samples for inspect_ai; 0 leaves it out")
    arguments.add_argument("--large", type=int, default=200_000, help="items of the memory comparison; 0 leaves it out")
    arguments.add_argument("--memory", type=int)
    given = arguments.parse_args()
    if given.memory:
        memory(given.memory)
        return
    rows: list[tuple[str, str, str]] = []
    with serving() as port:
        asyncio.run(bare(port, 2000))
        rates = [
            (asyncio.run(bare(port, given.asks)), asyncio.run(durable(port, given.asks))) for _ in range(given.rounds)
        ]
        base = sorted(rate for rate, _ in rates)[given.rounds // 2]
        ours = sorted(rate for _, rate in rates)[given.rounds // 2]
        rows.append(("bare aiohttp, 64 workers", f"{base:,.0f}/s", "1"))
        rows.append(("personae, durable asks", f"{ours:,.0f}/s", f"{ours / base:.2f} of bare aiohttp"))
        if given.inspect:
            theirs = inspect_rate(port, given.inspect)
            rows.append(("inspect_ai.eval", f"{theirs:,.0f}/s", f"personae is {ours / theirs:.0f} times as fast"))
    if given.large:
        small, large = peak(given.asks), peak(given.large)
        rows.append((f"peak memory, {given.asks:,} items", f"{small:.0f} MiB", "1"))
        rows.append((f"peak memory, {given.large:,} items", f"{large:.0f} MiB", f"{large / small:.2f} times"))
    print(f"{machine()}; {given.asks:,} asks, {CONNECTIONS} connections, median of {given.rounds} rounds\n")
    print("| what | measured | ratio |\n|---|---|---|")
    for row in rows:
        print("| " + " | ".join(row) + " |")


if __name__ == "__main__":
    main()
