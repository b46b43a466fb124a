"""The embedded model ends when it is told to: on close, and with the program."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import time
from pathlib import Path

import pytest

from personae.errors import ModelError
from personae.models.local import LocalModel
from personae.types import Message, Trial

pytestmark = [pytest.mark.embedded, pytest.mark.slow]

LONG = Trial(messages=(Message("user", "Tell a very long story."),), temperature=1.0, max_tokens=1900)

# Asks for a long answer, or has a long prompt read, and ends by the signal of Ctrl-C while that goes on.
INTERRUPTED = """
import asyncio, os, signal, sys
from personae.models.local import LocalModel
from personae.types import Message, Trial

async def main():
    model = LocalModel("local/smollm2", workers=2)
    await model.open()
    words, tokens = (1800, 1) if sys.argv[1] == "prompt" else (3, 1900)
    trial = Trial(messages=(Message("user", "word " * words),), temperature=1.0, max_tokens=tokens)
    asked = [asyncio.create_task(model.respond(trial)) for _ in range(2)]
    await asyncio.sleep(0.3)
    os.kill(os.getpid(), signal.SIGINT)
    try:
        await asyncio.gather(*asked)
    finally:
        await model.close()

try:
    asyncio.run(main())
except KeyboardInterrupt:
    sys.exit(130)
"""

# Loads the model, says the number of its process, and waits to be killed.
KILLED = """
import asyncio, time
from personae.models.local import LocalModel

async def main():
    model = LocalModel("local/smollm2", workers=1)
    await model.open()
    print(model._workers[0]._process._process.pid, flush=True)
    time.sleep(3600)

asyncio.run(main())
"""


async def test_closing_stops_an_answer_in_hand(model_file: Path) -> None:
    model = LocalModel("local/smollm2", workers=1)
    await model.open()
    asked = asyncio.create_task(model.respond(LONG))
    await asyncio.sleep(0.2)
    await model.close()
    with pytest.raises(ModelError, match=r"stopped before its end|is not open"):
        await asked


async def test_a_closed_model_can_be_opened_again(model_file: Path) -> None:
    model = LocalModel("local/smollm2", workers=1)
    short = Trial(messages=(Message("user", "Hello."),), temperature=0.0, max_tokens=3)
    texts = []
    for _ in range(2):
        await model.open()
        texts.append((await model.respond(short)).text)
        await model.close()
    assert texts[0] == texts[1]


@pytest.mark.parametrize("busy", ["prompt", "answer"])
def test_the_program_ends_cleanly_while_the_model_is_busy(model_file: Path, busy: str) -> None:
    done = subprocess.run([sys.executable, "-c", INTERRUPTED, busy], capture_output=True, text=True, check=False)
    assert done.returncode == 130, done.stderr
    assert done.stderr == ""


@pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")
def test_no_process_outlives_a_program_that_was_killed(model_file: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", KILLED], stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        child = Path("/proc") / program.stdout.readline().strip()
        assert child.exists()
        program.kill()
    while child.exists():
        time.sleep(0.1)
