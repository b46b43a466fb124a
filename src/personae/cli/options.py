"""Options that several verbs share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from personae.cli.taking import taken
from personae.spec import DEFAULT_MODEL, AuditSpec, make_spec, read_spec, trust_named, with_own
from personae.study.taken import flattened, joined
from personae.trusted import trust

Studies = Annotated[list[str] | None, typer.Argument(help="Families or studies: companions, companions.iat …")]
Models = Annotated[
    list[str] | None,
    typer.Option("--model", "-m", help=f"A model to ask; may be given several times. [default: {DEFAULT_MODEL}]"),
]
ScaleOption = Annotated[
    str | None,
    typer.Option("--scale", help="How much of the design: quick, standard or paper. [default: quick]"),
]
RespondOption = Annotated[
    str | None,
    typer.Option(
        "--respond",
        help="free text, or forced choice by log-probability. [default: forced if embedded, else free]",
    ),
]
ScoringOption = Annotated[
    str | None, typer.Option("--scoring", help="sound, or paper: the published procedure. [default: sound]")
]
PersonasOption = Annotated[Path | None, typer.Option("--personas", help="A persona file of your own (YAML).")]
Repeats = Annotated[int | None, typer.Option("--repeats", help="Repetitions per cell. [default: what the scale says]")]
Seed = Annotated[int | None, typer.Option("--seed", help="Seed of every shuffle. [default: 0]")]
Concurrency = Annotated[int | None, typer.Option("--concurrency", help="Asks in flight at once.")]
MaxCost = Annotated[
    float | None, typer.Option("--max-cost", help="Stop before this many US dollars are passed; resumable.")
]
PricesOption = Annotated[
    Path | None, typer.Option("--prices", help="Prices of your own (YAML), over the built-in table.")
]
Timeout = Annotated[float | None, typer.Option("--timeout", help="Seconds to wait for one answer. [default: 120]")]
Retries = Annotated[int | None, typer.Option("--retries", help="How often a failed ask is tried again. [default: 6]")]
SpecOption = Annotated[Path | None, typer.Option("--spec", help="A spec file (YAML); options given beside it win.")]
Judges = Annotated[
    list[str] | None, typer.Option("--judge", help="A model that judges free answers; may be given several times.")
]
JudgeSelf = Annotated[
    bool | None, typer.Option("--judge-self", help="Let a model judge its own answers.", show_default=False)
]
Ratings = Annotated[
    Path | None,
    typer.Option("--ratings", help="People's verdicts on a sample: CSV with item, biased (0, 1), model."),
]
Capability = Annotated[
    Path | None, typer.Option("--capability", help="How capable each model is: CSV with model, capability.")
]
Trusted = Annotated[
    list[str] | None,
    typer.Option(
        "--trust",
        help="An encoder or memory that the folder or --spec file names and that may run code or reach a server.",
        callback=lambda names: trust(*(names or ())),
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print data, not prose.")]
RunFolder = Annotated[Path, typer.Argument(help="A run's folder.")]


# Options that may be given several times are called by what one of them names.
_FIELDS = {"model": "models", "judge": "judges"}


def fields_of(given: Mapping[str, Any], context: typer.Context) -> dict[str, Any]:
    """Of the values of a verb's options those that are fields of a spec, by the field's name; and what studies take."""
    named = {_FIELDS.get(name, name): value for name, value in given.items()}
    fields = {name: value for name, value in named.items() if name in AuditSpec.model_fields and name != "studies"}
    return fields | taken(context)


def spec_from(studies: list[str] | None, spec: Path | None, given: dict[str, Any]) -> AuditSpec:
    """Make the spec of a verb: the file's fields, then what the command line says, then defaults.

    What the command line names is trusted, what the file names is not.
    """
    trust_named(given)
    fields: dict[str, Any] = {"models": [DEFAULT_MODEL], **flattened(read_spec(spec) if spec else {})}
    fields = joined(fields, {name: value for name, value in given.items() if value is not None})
    if studies:
        fields["studies"] = studies
    return make_spec(**with_own({"studies": [], **fields}))
