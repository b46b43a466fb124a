"""Probabilities of options from those of the first token."""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, nan

from msgspec import Struct

from personae.coding.labels import clean_labels
from personae.coding.mentions import distinct
from personae.coding.text import fold

# How tokenizers write a leading blank or line break (SentencePiece, byte-level BPE), and what may open an answer.
_OPENING = " \t\n▁ĠĊ\"'*_`([<-:"


class OptionMass(Struct, frozen=True):
    """Probabilities of options at the first token.

    ``probabilities`` sum to 1 over the options; all are nan where none was seen. ``mass`` is what the options have
    together of everything the model might have said; ``missing`` are the indexes of options seen nowhere.
    """

    probabilities: tuple[float, ...]
    mass: float
    missing: tuple[int, ...]


def option_mass(
    top: Sequence[tuple[str, float]], options: Sequence[str], labels: Sequence[str] | None = None
) -> OptionMass:
    """Sum the probabilities of the tokens that begin each option.

    Parameters
    ----------
    top : sequence of (str, float)
        The most probable first tokens with their natural log-probabilities.
    options : sequence of str
        The options, two or more. A token counts for an option whose beginning it is, or that it begins with, whatever
        its case, blanks and quotes before it; one that fits several counts for none.
    labels : sequence of str, optional
        Letters or numbers of the options. A token that is a label counts for it, even where it also begins an option,
        unless it differs in case from the label and begins another option.

    Returns
    -------
    OptionMass

    Raises
    ------
    ValueError
        When options or labels are fewer than two, equal, blank, or not as many as each other.

    Examples
    --------
    >>> from math import log
    >>> option_mass([(" Eric", log(0.6)), ("▁D", log(0.2)), ("The", log(0.2))], ["Eric", "Dianne"]).missing
    ()
    """
    names = list(distinct(options))
    known = clean_labels(labels, len(options))
    shown = [label.strip("()[].:*\"' ") for label in labels or ()]
    sums = [0.0] * len(names)
    seen: set[int] = set()
    for token, logprob in top:
        index = _option_of(token, names, known, shown)
        if index is not None:
            sums[index] += exp(logprob)
            seen.add(index)
    mass = sum(sums)
    shares = tuple(one / mass for one in sums) if mass > 0 else (nan,) * len(names)
    return OptionMass(shares, mass, tuple(index for index in range(len(names)) if index not in seen))


def _option_of(token: str, names: Sequence[str], labels: Sequence[str], shown: Sequence[str]) -> int | None:
    """The one option a token stands for, None where it is none or several."""
    raw = token.lstrip(_OPENING)
    said = fold(raw).strip(_OPENING)
    if not said:
        return None
    fitting = {index for index, name in enumerate(names) if name.startswith(said) or _opens_with(said, name)}
    bare = said.rstrip(")].:,;!*")
    if bare in labels:
        label = labels.index(bare)
        if not fitting - {label} or raw.rstrip(")].:,;!* ") == shown[label]:
            return label
        return None
    return fitting.pop() if len(fitting) == 1 else None


def _opens_with(said: str, name: str) -> bool:
    return said.startswith(name) and not said[len(name) : len(name) + 1].isalnum()
