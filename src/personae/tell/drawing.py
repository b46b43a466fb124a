"""A figure, or none where there is nothing to draw."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from personae.types import Figure


def figure(
    study: str,
    name: str,
    kind: Any,
    title: str,
    caption: str,
    rows: Sequence[Mapping[str, Any]],
    encode: Mapping[str, str],
    options: Mapping[str, Any] | None = None,
) -> Figure | None:
    """A figure of a study; ``name`` is its id, and None comes where there is no row."""
    if not rows:
        return None
    return Figure(
        id=name,
        study=study,
        kind=kind,
        title=title,
        caption=caption,
        rows=tuple(rows),
        encode=dict(encode),
        options=options or {},
    )
