"""The directive ``{verb} NAME``: a verb's arguments and options as a table, read from the command line itself."""

from __future__ import annotations

from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from typer import Context
from typer.main import get_command

from personae.cli import app


class Verb(Directive):
    """A table of what a verb takes."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        verb = self.arguments[0]
        known: dict[str, Any] = get_command(app).commands  # type: ignore[attr-defined]
        if verb not in known:
            raise self.error(f"no verb {verb!r}; known are {', '.join(known)}")
        rows = [
            row(parameter) for parameter in known[verb].get_params(Context(known[verb])) if parameter.name != "help"
        ]
        return [table(rows)]


def row(parameter: Any) -> tuple[str, str]:
    """How a parameter is written and what it means."""
    argument = parameter.param_type_name == "argument"
    written = parameter.metavar or parameter.name.upper() if argument else ", ".join(parameter.opts)
    needed = " Required." if parameter.required else ""
    return written, f"{(parameter.help or '').strip()}{needed}"


def table(rows: list[tuple[str, str]]) -> nodes.table:
    """Two columns: code, text."""
    body = nodes.tbody()
    for written, meaning in rows:
        cells = [nodes.entry("", nodes.paragraph("", "", nodes.literal(written, written)))]
        cells.append(nodes.entry("", nodes.paragraph(meaning, meaning)))
        body += nodes.row("", *cells)
    columns = [nodes.colspec(colwidth=width) for width in (30, 70)]
    return nodes.table("", nodes.tgroup("", *columns, body, cols=2), classes=["colwidths-given"])


def setup(app: Any) -> dict[str, Any]:
    """Make the directive known."""
    app.add_directive("verb", Verb)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
