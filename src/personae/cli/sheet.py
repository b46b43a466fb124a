"""Tables and consoles of rich: apart from `personae.cli.terminal`, since most of what is said needs none of it."""

from __future__ import annotations

import sys
from typing import Any

from rich.box import SIMPLE_HEAD
from rich.console import Console, RenderableType
from rich.style import StyleType
from rich.table import Table

from personae.shown import shown


def console(*, err: bool = False, width: int | None = None) -> Console:
    """A console of rich on one of the streams; texts are no markup to it."""
    stream = sys.stderr if err else sys.stdout
    own: Any = getattr(stream, "rich_proxied_file", stream)
    return Console(file=own, stderr=err, width=width, markup=False, emoji=False, highlight=False)


class Sheet(Table):
    """A table, as little as possible between its columns, whose cells are `shown`."""

    def __init__(self, title: str) -> None:
        super().__init__(title=shown(title), title_justify="left", box=SIMPLE_HEAD, padding=(0, 1, 0, 0))

    def add_row(
        self, *renderables: RenderableType | None, style: StyleType | None = None, end_section: bool = False
    ) -> None:
        """Add a row of texts."""
        cells = ["" if cell is None else shown(cell) for cell in renderables]
        super().add_row(*cells, style=style, end_section=end_section)
