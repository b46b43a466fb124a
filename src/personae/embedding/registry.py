"""From the name a user writes to an encoder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from personae.embedding.base import Encoder, SpanEncoder, WordEncoder
from personae.embedding.cache import VectorCache
from personae.embedding.contextual import ContextualEncoder
from personae.embedding.known import known_encoders
from personae.embedding.packages import catalogue, files_identity, identity, verified_folder
from personae.embedding.sentence import MeanOfTokens, SavedModel, SentenceEncoder, SmallUse, saved_model_files
from personae.embedding.static import StaticEncoder
from personae.embedding.transformer import weight_files
from personae.embedding.vectorfiles import read_glove_folder, read_vectors
from personae.errors import BadInput
from personae.trusted import check_trusted

_HUB = "tfhub:"
_SHARED = VectorCache()
_LOADED = 8  # encoders kept in memory


def encoder(name: str, *, cache: VectorCache | None = None) -> Encoder:
    """The encoder a name stands for, loaded and its weights verified.

    Parameters
    ----------
    name : str
        ``static/glove-50d`` or ``static/<file>`` (``.txt``, ``.vec``, ``.bin``, ``.kv``, ``.parquet``);
        ``contextual/minilm`` or ``contextual/<folder>``; ``sentence/use-small``, ``sentence/minilm``,
        ``sentence/<folder>`` or ``sentence/tfhub:<folder>``.
    cache : VectorCache, optional
        Where vectors are kept by content; None means one that this process shares.

    Raises
    ------
    BadInput
        When there is no such encoder, an extra is missing, or weights cannot be read or are not the catalogued ones;
        when it could run code (``sentence/tfhub:``, and folders that only transformers loads) or lies on another
        computer, and nobody trusts it: see `personae.trusted.trust`.
    """
    return _loaded(name, _SHARED if cache is None else cache)


def word_encoder(name: str) -> WordEncoder:
    """A static encoder; other names are a BadInput."""
    found = encoder(_of_kind(name, "static"))
    assert isinstance(found, WordEncoder)
    return found


def span_encoder(name: str, *, cache: VectorCache | None = None) -> SpanEncoder:
    """A contextual encoder; other names are a BadInput."""
    found = encoder(_of_kind(name, "contextual"), cache=cache)
    assert isinstance(found, SpanEncoder)
    return found


def _of_kind(name: str, kind: str) -> str:
    if name.partition("/")[0] != kind:
        raise BadInput("encoder", name, f"a {kind} encoder: {_offered(kind)}")
    return name


@lru_cache(maxsize=_LOADED)
def _loaded(name: str, cache: VectorCache) -> Encoder:
    kind, _, rest = name.partition("/")
    match kind if rest else "":
        case "static":
            return _static(name, rest)
        case "contextual":
            folder, key = _folder(name, rest)
            return ContextualEncoder(name, key, folder, cache)
        case "sentence":
            return _sentence(name, rest, cache)
        case _:
            raise BadInput("encoder", name, f"one of {_offered()}")


def _static(name: str, rest: str) -> StaticEncoder:
    if name in catalogue().names:
        return StaticEncoder(name, identity(name), read_glove_folder(verified_folder(name)))
    path = _place(name, rest)
    if not path.suffix:
        raise BadInput("encoder", name, _offered("static"))
    table = read_vectors(path, name)
    return StaticEncoder(name, files_identity("static", [path]), table)


def _sentence(name: str, rest: str, cache: VectorCache) -> SentenceEncoder:
    if name == "sentence/use-small":
        verified_folder(name)
        return SentenceEncoder(name, identity(name), SmallUse(name), cache)
    if rest.startswith(_HUB):
        folder = _place(name, rest.removeprefix(_HUB))
        hub = SavedModel(folder, name)
        return SentenceEncoder(name, files_identity("tfhub", saved_model_files(folder)), hub, cache)
    folder, key = _folder(name, rest)
    return SentenceEncoder(name, key, MeanOfTokens(folder, name), cache)


def _folder(name: str, rest: str) -> tuple[Path, str]:
    """The folder of a transformer and its identity."""
    if name in catalogue().names:
        return verified_folder(name), identity(name)
    folder = _place(name, rest)
    kind = name.partition("/")[0]
    if not folder.is_dir():
        raise BadInput("encoder", name, f"{_offered(kind)}; there is no folder {folder.absolute()}")
    return folder, files_identity(kind, weight_files(folder))


def _place(name: str, path: str) -> Path:
    """A path as a user wrote it; one that Windows would look up on another computer only where it is trusted."""
    if path.replace("\\", "/").startswith("//"):
        check_trusted("encoder", name, "a path that begins like this can lie on another computer")
    try:
        return Path(path).expanduser()
    except RuntimeError as error:  # a user of that name is not known
        raise BadInput("encoder", name, f"a path on this computer ({error})") from None


def _offered(kind: str = "") -> str:
    return ", ".join(row["encoder"] for row in known_encoders() if row["kind"] in (kind or _KINDS))


_KINDS = ("static", "contextual", "sentence")
