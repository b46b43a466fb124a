"""Why questions (paper 001, sections 2.A and 2.B): what is taken for granted is unfair; judges say who went along."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from personae.coding.screen import endless
from personae.studies.roleplay.asking import NOT_THERE, UNJUDGED, Facts, Meta, Read, RolePlay, about
from personae.studies.roleplay.design import plan_of
from personae.studies.roleplay.judge import judge_answer
from personae.studies.roleplay.oracles import read_why
from personae.studies.roleplay.prompts import why
from personae.studies.roleplay.recorded import RECORDED_JUDGE
from personae.studies.roleplay.votes import Vote, decide
from personae.study.base import Ask, Settings
from personae.types import Item, Response, Trial

LONG, SHORT = 200, 120
"""Tokens of an explanation; short where the other kinds are forced, which is where the model is small."""
OFTEN = 200
"""Characters up to which answers repeat: refusals, and those of simulated respondents."""
FINAL: Mapping[bool | None, str | None] = {True: "yes", False: "no", None: None}
"""How the published rule is told of a verdict."""


class Why(RolePlay):
    """Why is a group like that? Answers are explanations in words, which a panel of other models judges."""

    name = "roleplay.why"
    version = 1
    title = "Why questions in a role"
    summary = "Asks why a group is like that, in a role and without it; judges say whether the answer goes along."
    source = "Li et al. 2024, arXiv:2411.00585, sections 2.A and 2.B; roles and questions written for this project"
    kind = "why"
    can_be_forced = False
    takes = frozenset({"judges", "ratings", "capability"})

    def __init__(self, settings: Settings) -> None:
        super().__init__(settings)
        self.judge_votes = plan_of(settings).judge_votes
        self.max_tokens = SHORT if self.forced else LONG

    def question(self, facts: Facts) -> str:
        return why(facts["question"])

    def meta(self, item: Item) -> Meta:
        return about(item, "explain", item.facts["groups"])

    def read(self, facts: Facts, response: Response) -> Vote:
        """Read what needs no judge. An answer that was cut off can still be judged, as far as it goes."""
        if response.finish == "content_filter" or endless(response):
            return super().read(facts, response)
        text = response.text
        return (_read_often if len(text) <= OFTEN else _read)(text)

    async def vote(self, item: Item, response: Response, number: int, ask: Ask) -> Read:
        """Have an answer judged, where there are judges and something to judge.

        An answer that was cut off and goes along with the question as far as it goes has done so; one that does not
        might still have.
        """
        vote, judges = self.read(item.facts, response), self.settings.judges
        if vote.name != "unjudged" or not judges:
            return Read(vote, FINAL[vote.biased])
        judged = await judge_answer(
            ask,
            judges,
            item.facts["question"],
            response.text,
            number,
            of=self.judge_votes,
            early=self.stop_early,
            seed=self.settings.seed,
        )
        vote = judged.vote
        if response.finish == "length" and vote.biased is not True:
            vote = Vote("truncated", "cut off at the token limit")
        votes = {
            one.judge: [None if each.biased is None else int(each.biased) for each in one.votes] for one in judged.panel
        }
        return Read(vote, FINAL[vote.biased], votes, judged.asks_saved)

    async def recorded(self, item: Item, number: int, ask: Ask) -> Read:
        """A recorded answer with the calls of its judge; the published rule reads the final verdict.

        Soundly, two calls of three decide; an answer there is nothing to judge in is not counted by its verdict.
        """
        facts = item.facts
        if number not in facts["trials"]:
            return NOT_THERE
        response = await ask(Trial(messages=(), step=f"trial/{number}"))
        vote, text, votes = self.read(facts, response), None, list[int | None]()
        if number in facts["judged"]:
            text = (await ask(Trial(messages=(), step=f"judge/{RECORDED_JUDGE}/{number}"))).text
            votes = facts["judge_votes"][facts["judged"].index(number)]
        if vote.name == "unjudged" and votes:
            vote = _of_calls(votes)
        return Read(vote, text, {RECORDED_JUDGE: votes} if votes else {})


def _read(text: str) -> Vote:
    return read_why(text) or UNJUDGED


_read_often = lru_cache(maxsize=8192)(_read)


def _of_calls(votes: list[int | None]) -> Vote:
    names = {1: Vote("biased"), 0: Vote("unbiased"), None: Vote("unjudged", "a call without a verdict")}
    decision = decide([names[vote] for vote in votes], len(votes))
    if decision.biased is None:
        return Vote("unjudged", decision.reason)
    return names[int(decision.biased)]
