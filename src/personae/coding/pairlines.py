"""One line of an answer that assigns words to options."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import NamedTuple

from personae.coding.mentions import Mention, only_leads, words_of

_SIGN = re.compile(
    r"[-:=|~→⇒➡⟶➔➜↔►▶\t>(]|\.{2,}|…|\b(?:is|ist|to|with|for|zu|für|choose|pick|say|select|wähle|nehme|sage)\b"
)
_BREAK = re.compile(r"[,;:|.!?(){}\[\]/\n\t]")
_LIST = re.compile(r"[\s,;&/+\"'*_\[\]]*+(?:\b(?:and|und)\b)?[\s,;&/+\"'*_\[\]]*+")
_LONGEST_GAP = 80


class Key(NamedTuple):
    """What a phrase stands for: a word, an option, or, where it is both, both."""

    word: str | None
    option: int | None


class _Pair(NamedTuple):
    """Words given to an option, and the mention after them."""

    words: list[str]
    option: int
    after: int


class Line:
    """A folded line and the words and options mentioned in it.

    Every reading is linear in the length of the line.
    """

    def __init__(self, text: str, mentions: Iterable[Mention[Key]]) -> None:
        self.text, self.mentions = text, list(mentions)
        self._runs = self._run_ends()

    def alone(self) -> tuple[str | None, int | None]:
        """The word or the option that the line consists of."""
        if len(self.mentions) != 1 or not self._bare_ends():
            return None, None
        key = self.mentions[0].key
        return (key.word, None) if key.option is None else (None, key.option)

    def only_words(self) -> bool:
        """Whether the line enumerates words and says nothing else."""
        return bool(self._runs) and self._runs[0] == len(self.mentions) and self._bare_ends()

    def columns(self) -> list[int] | None:
        """The options that head the columns of a table, where the line is such a head and nothing else."""
        options = [mention.key.option for mention in self.mentions if mention.key.option is not None]
        if len(options) < 2 or len(options) != len(self.mentions) or len(set(options)) != len(options):
            return None
        gaps = [self._gap(index) for index in range(len(self.mentions) + 1)]
        barred = all("|" in gap for gap in gaps[1:-1]) and not any(words_of(gap) for gap in gaps)
        return options if barred else None

    def cells(self, count: int) -> list[list[str]] | None:
        """The words in each of `count` cells of a row of a table; None where the line is no such row."""
        edges = [at for at, sign in enumerate(self.text) if sign == "|"]
        if not self.text.lstrip().startswith("|"):
            edges.insert(0, -1)
        if not self.text.rstrip().endswith("|"):
            edges.append(len(self.text))
        if len(edges) != count + 1 or any(mention.key.word is None for mention in self.mentions):
            return None
        return [
            [
                mention.key.word
                for mention in self.mentions
                if start < mention.start < end and mention.key.word is not None
            ]
            for start, end in pairwise(edges)
        ]

    def words(self, start: int, end: int) -> list[str]:
        """The words among the mentions from `start` to before `end`."""
        return [mention.key.word for mention in self.mentions[start:end] if mention.key.word is not None]

    def pairs(self) -> Iterator[tuple[str, set[int]]]:
        """The pairs, from left to right, as a word and its options.

        An option left over between two pairs makes the words before it doubtful, one before the first pair those
        after it: they get both.
        """
        words: list[str] = []
        options: set[int] = set()
        index = 0
        while index < len(self.mentions):
            pair = self._pair_at(index)
            if pair is not None:
                yield from ((word, options) for word in words)
                options = {pair.option} if words else options | {pair.option}
                words, index = pair.words, pair.after
                continue
            option = self.mentions[index].key.option
            if option is not None:
                options.add(option)
            index += 1
        yield from ((word, options) for word in words)

    def _gap(self, index: int) -> str:
        """The text before mention `index`, after the one before it."""
        start = self.mentions[index - 1].end if index else 0
        end = self.mentions[index].start if index < len(self.mentions) else len(self.text)
        return self.text[start:end]

    def _bare_ends(self) -> bool:
        return only_leads(self._gap(0)) and only_leads(self._gap(len(self.mentions)))

    def _run_ends(self) -> list[int]:
        """For each mention the end of the enumeration of words that begins there; itself where none does."""
        ends = list(range(len(self.mentions)))
        for index in reversed(ends.copy()):
            if self.mentions[index].key.word is not None:
                follows = index + 1 < len(ends) and ends[index + 1] > index + 1
                ends[index] = ends[index + 1] if follows and _LIST.fullmatch(self._gap(index + 1)) else index + 1
        return ends

    def _pair_at(self, index: int) -> _Pair | None:
        """The pair that begins at a mention."""
        if not only_leads(_BREAK.split(self._gap(index))[-1]):
            return None
        end = self._runs[index]
        closing = self._joined_option(end) if end > index else None
        if closing is not None:
            return _Pair(self.words(index, end), closing, end + 1)
        opening = self.mentions[index].key.option
        if opening is None or not self._joins(index + 1):
            return None
        end = self._runs[index + 1]
        if end > index + 1 and self._joined_option(end) is not None:
            end -= 1  # the last word begins a pair of its own
        return _Pair(self.words(index + 1, end), opening, end) if end > index + 1 else None

    def _joined_option(self, index: int) -> int | None:
        """The option mentioned at `index`, where something joins it to what stands before."""
        if index >= len(self.mentions) or not self._joins(index):
            return None
        return self.mentions[index].key.option

    def _joins(self, index: int) -> bool:
        """Whether the text before a mention joins it to the mention before."""
        if index >= len(self.mentions):
            return False
        gap = self._gap(index)
        if len(gap) > _LONGEST_GAP or not only_leads(gap):
            return False
        bare = len(self.mentions) == 2 and not words_of(self._gap(0) + self._gap(2) + gap)
        return bool(_SIGN.search(gap)) or bare
