"""What the tests of injection share: a question, a story, and a generator's answer made of them."""

from __future__ import annotations

import json
from typing import Any

from personae.memory.biases import biases
from personae.memory.questions import DailyQuestion

AGE = biases()["age"]
QUESTION = DailyQuestion(
    id="q",
    subject="math",
    text="How many sides has\na dodecagon?",
    options=("10", "11", "12", "12.5", "“20”"),
    answer=2,
)
STORY = "The older staff took a whole week over this one, and a trainee had it in an hour. "


def written(text: str = f"{STORY}\n\n{QUESTION.shown}", kind: str = "Frustration", **more: Any) -> str:
    return json.dumps({"biased_scenario_prompt": text, "injection_type": kind, "reasoning": "by contrast"} | more)
