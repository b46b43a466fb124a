"""What a user writes, validated: the spec of an audit, as YAML or as arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from personae.errors import BadInput
from personae.filing import size_of, write_whole
from personae.study.base import EpisodeSettings, Settings, Study, families, select
from personae.study.folder import is_own, own_family
from personae.trusted import trust
from personae.types import Respond, Scale, Scoring
from personae.yamlfile import load_yaml

# What may differ between two sittings of one run: it changes neither what is asked nor under which key. Judges may be
# added or left out, since what each says is kept under its own name.
SITTING = frozenset(
    {"scoring", "encoders", "judges", "judge_self", "concurrency", "max_cost", "prices", "timeout", "retries", "source"}
)

DEFAULT_MODEL = "local/smollm2"

# Options that only some studies take: the field of the spec, and what it is called on the command line.
TAKEN = {
    "stimuli": "--stimuli",
    "genders": "--genders",
    "judges": "--judge",
    "stop_early": "--stop-early",
    "encoders": "--encoder",
    "memories": "--memory",
    "injections": "--injection",
    "inject": "--inject",
    "mitigations": "--mitigation",
    "turns": "--turns",
    "every": "--every",
    "tau": "--tau",
    "generator": "--generator",
    "auditor": "--auditor",
    "questions": "--questions",
    "audits": "--audit",
    "exported": "--exported",
}


_FILES = {
    "personas": "a readable YAML file",
    "stimuli": "a readable CSV file",
    "questions": "a readable file: parquet, JSON or JSONL",
    "exported": "a readable file: JSONL or JSON",
}
_MOST_BYTES = 1 << 20


class AuditSpec(BaseModel):
    """An audit: which studies, asked of which models, how.

    Parameters
    ----------
    studies : list of str
        Families or studies: ``companions``, ``companions.iat``.
    models : list of str
        ``local/smollm2``, ``ollama/llama3:8b``, ``sim/neutral`` …
    scale : {'quick', 'standard', 'paper'}
        How much of the design is asked.
    respond : {'free', 'forced'}, optional
        How answers are taken; by default forced for embedded models and free for all others.
    scoring : {'sound', 'paper'}
        How answers are counted; may change after asking.
    repeats : int, optional
        Repetitions per cell; by default what the scale says.
    seed : int
        Seed of every shuffle.
    personas : Path, optional
        A persona file; by default the study's own set.
    judges : list of str
        Models that judge free answers, for studies that need judges.
    judge_self : bool
        Whether a model may judge its own answers.
    stop_early : bool
        Ask a third time only where the first two answers differ.
    stimuli : Path, optional
        A table of stimuli of the user's own, for studies that take one.
    genders : {2, 3}
        Whether a third choice is offered beside male and female.
    encoders : list of str
        Encoders of answers in the place of a study's own, at most one of each kind; may change after asking.
    own : Path, optional
        A folder with a study of the user's own; a folder among ``studies`` is put here, and its name there.
    memories, injections, inject, mitigations, turns, every, tau, generator, auditor, questions, audits, exported
        What episodes of a memory study are played with; see `personae.study.base.EpisodeSettings`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    studies: list[str] = Field(min_length=1)
    models: list[str] = Field(min_length=1)
    scale: Scale = "quick"
    respond: Respond | None = None
    scoring: Scoring = "sound"
    repeats: int | None = Field(default=None, ge=1, strict=True)
    seed: int = Field(default=0, ge=-(2**63), lt=2**63, strict=True)
    personas: Path | None = None
    judges: list[str] = []
    judge_self: bool = False
    stop_early: bool = False
    stimuli: Path | None = None
    genders: Literal[2, 3] = 2
    encoders: list[str] = []
    memories: list[str] = []
    injections: list[float] = []
    inject: list[str] = []
    mitigations: list[str] = []
    turns: int | None = Field(default=None, strict=True)
    every: int | None = Field(default=None, strict=True)
    tau: float = 0.5
    generator: str = ""
    auditor: str = ""
    questions: Path | None = None
    audits: list[str] = []
    exported: Path | None = None
    own: Path | None = None
    concurrency: int | None = Field(default=None, ge=1, le=10_000, strict=True)
    max_cost: float | None = Field(default=None, gt=0)
    prices: Path | None = None
    timeout: float = Field(default=120.0, gt=0)
    retries: int = Field(default=6, ge=0, strict=True)
    source: str = "asked"

    @property
    def kinds(self) -> list[type[Study]]:
        """The studies that are named."""
        return select(self.studies, own=None if self.own is None else own_family(self.own))

    def respond_to(self, model: str) -> Respond:
        """How this model is asked."""
        return self.respond or ("forced" if model.startswith("local/") else "free")

    def settings(self, model: str, *, prefill: bool, top_logprobs: int, **added: Path | None) -> Settings:
        """What studies are told when this model, which can do this much, is asked; `added` are files of the run."""
        return Settings(
            scale=self.scale,
            respond=self.respond_to(model),
            scoring=self.scoring,
            repeats=self.repeats,
            seed=self.seed,
            personas=self.personas,
            prefill=prefill,
            top_logprobs=top_logprobs,
            judges=tuple(self.judges),
            stop_early=self.stop_early,
            stimuli=self.stimuli,
            genders=self.genders,
            encoders=tuple(self.encoders),
            episode=EpisodeSettings(
                memories=tuple(self.memories),
                injections=tuple(self.injections),
                inject=tuple(self.inject),
                mitigations=tuple(self.mitigations),
                turns=self.turns,
                every=self.every,
                tau=self.tau,
                generator=self.generator,
                auditor=self.auditor,
                questions=self.questions,
                audits=tuple(self.audits),
                exported=self.exported,
            ),
            **added,
        )

    @property
    def helpers(self) -> dict[str, str]:
        """Models that are asked beside the respondents: judges, the generator, the auditor; each with its option."""
        named = {self.auditor: "--auditor", self.generator: "--generator", **dict.fromkeys(self.judges, "--judge")}
        return {name: option for name, option in named.items() if name}

    def identity(self) -> dict[str, Any]:
        """The part of the spec that must stay the same for a run to be resumed."""
        return self.model_dump(mode="json", exclude=set(SITTING))


def make_spec(**given: Any) -> AuditSpec:
    """Validate a spec.

    Raises
    ------
    BadInput
        Naming the first field that is wrong, what was found and what is allowed.
    """
    try:
        spec = AuditSpec(**given)
    except ValidationError as errors:
        first = errors.errors()[0]
        field = ".".join(str(part) for part in first["loc"]) or "spec"
        if first["type"] == "extra_forbidden":
            raise BadInput(field, first["input"], f"the fields are {', '.join(AuditSpec.model_fields)}") from None
        if first["type"] == "too_short":
            raise BadInput(field, "none", f"at least one; {_SEEN[field]}") from None
        raise BadInput(field, first.get("input"), first["msg"]) from None
    for name, count in Counter(spec.models).items():
        if count > 1:
            raise BadInput("models", f"{name} {count} times", "each model once; --repeats asks it more often")
    return spec


def with_own(given: Mapping[str, Any]) -> dict[str, Any]:
    """Fields of a spec with a folder among the studies put into its own field, and its name in its place.

    Only for what a user says himself: a run's own spec names files in its folder.

    Raises
    ------
    BadInput
        When there are several, one cannot be read, or it has the name of a study that is known.
    """
    named = given.get("studies")
    folders = [name for name in named if isinstance(name, str) and is_own(name)] if isinstance(named, list) else []
    folders = [name for name in folders if name not in families()]
    if not isinstance(named, list) or not folders:
        return dict(given)
    if len(folders) > 1 or given.get("own") is not None:
        raise BadInput("study", ", ".join(map(str, folders)), "one folder of your own at a time, beside known studies")
    name = own_family(Path(folders[0])).name
    if name in families():
        raise BadInput(f"{folders[0]}, name", name, f"another name than those of {', '.join(families())}")
    return {**given, "studies": [name if one == folders[0] else one for one in named], "own": Path(folders[0])}


_SEEN = {"studies": "`personae studies` lists them", "models": "`personae models` lists those that are known"}


def read_spec(path: Path) -> dict[str, Any]:
    """Read a spec file.

    Raises
    ------
    BadInput
        When the file cannot be read or is no mapping.
    """
    loaded = load_yaml(path, "spec file", most=_MOST_BYTES)
    if not isinstance(loaded, dict):
        raise BadInput(
            "spec file",
            type(loaded).__name__,
            f"a mapping with the fields {', '.join(AuditSpec.model_fields)}",
        )
    return loaded


def write_spec(spec: AuditSpec, path: Path) -> None:
    """Write a spec, whole or not at all, so that `read_spec` reads it again."""
    write_whole(path, spec_text(spec))


def spec_text(spec: AuditSpec) -> str:
    """A spec as YAML."""
    return yaml.safe_dump(spec.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def trust_named(fields: Mapping[str, Any]) -> None:
    """Trust the encoders and memories that a user names himself, on the command line or in Python.

    Parameters
    ----------
    fields : mapping
        Fields of a spec that came from no file.
    """
    trust(*(fields.get("encoders") or ()))
    for memory in fields.get("memories") or ():
        kind, _, query = memory.partition("?")
        trust(kind, *(part.removeprefix("encoder=") for part in query.split("&")))


def check_files(spec: AuditSpec) -> None:
    """Check the user's own files, and that each option is for one of the studies asked.

    Raises
    ------
    BadInput
        When a file is not there or does not fit, or no study of the spec takes an option that was given.
    """
    for field, allowed in _FILES.items():
        if path := getattr(spec, field):
            size_of(path, f"--{field}", allowed=allowed)
    studies = [*spec.kinds, *(select(spec.audits, "--audit") if spec.audits else [])]
    for field, option in TAKEN.items():
        given = getattr(spec, field)
        if given != AuditSpec.model_fields[field].default and not any(field in study.takes for study in studies):
            known = [study.name for family in families().values() for study in family.studies if field in study.takes]
            found = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
            raise BadInput(option, found, f"only with a study that takes it: {', '.join(known)}")
    for study in spec.kinds:
        study(spec.settings(spec.models[0], prefill=True, top_logprobs=20))


def prepare(spec: AuditSpec) -> None:
    """Have every study load what it reads answers with; see `personae.study.base.Study.prepare`."""
    for study in spec.kinds:
        study(spec.settings(spec.models[0], prefill=True, top_logprobs=20)).prepare()


def check_judges(judges: Sequence[str], respondents: Sequence[str], allow_self: bool = False) -> None:
    """Check that each judge is named once, and that no model judges itself unless that was asked for.

    Parameters
    ----------
    judges : sequence of str
        Names of models.
    respondents : sequence of str
        The models whose answers are judged. The same model at another address (after ``@``) is the same model.
    allow_self : bool
        Whether they may be among the judges.

    Raises
    ------
    BadInput
        When a check fails.
    """
    asked, seen = {_model(name) for name in respondents}, set[str]()
    for judge in judges:
        model = _model(judge)
        if model in seen:
            raise BadInput("--judge", judge, "each judge once")
        seen.add(model)
        if model in asked and not allow_self:
            raise BadInput("--judge", judge, "a model that is not asked itself, or --judge-self to allow it")


def _model(name: str) -> str:
    return name.strip().casefold().partition("@http")[0]
