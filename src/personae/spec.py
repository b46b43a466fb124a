"""What a user writes, validated: the spec of an audit, as YAML or as arguments."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from personae.errors import BadInput
from personae.filing import size_of, write_whole
from personae.study.base import Settings, Study, families, select
from personae.study.folder import is_own, own_family
from personae.study.taken import counting, flattened, nested, options, takers, validated, with_options
from personae.trusted import trust
from personae.types import Respond, Scale, Scoring
from personae.yamlfile import load_yaml

# What may differ between two sittings of one run: it changes neither what is asked nor under which key. Judges may be
# added or left out, since what each says is kept under its own name. Studies say it of their own options.
SITTING = frozenset(
    {"scoring", "judges", "judge_self", "concurrency", "max_cost", "prices", "timeout", "retries", "source"}
)

DEFAULT_MODEL = "local/smollm2"
_MOST_BYTES = 1 << 20


class AuditSpec(BaseModel):
    """An audit: which studies, asked of which models, how.

    What `make_spec` makes of it also has the options of the installed studies, each as its study declares it:
    ``genders``, ``memories`` …, and under the name of its family what is told a study of somebody else.

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
    own : Path, optional
        A folder with a study of the user's own; a folder among ``studies`` is put here, and its name there.
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
            options=validated(self),
            **added,
        )

    @property
    def asked(self) -> list[type[Study]]:
        """The studies that are named, and those that are asked within them."""
        within = [(one.flag, one.of(self)) for one in options() if one.about.studies]
        return [*self.kinds, *(study for flag, names in within if names for study in select(names, flag))]

    @property
    def helpers(self) -> dict[str, str]:
        """Models that are asked beside the respondents: judges, the generator, the auditor; each with its option."""
        named = dict.fromkeys(self.judges, "--judge")
        for one in options():
            if one.about.model:
                said = one.of(self)
                named = dict.fromkeys([said] if isinstance(said, str) else said or (), one.flag) | named
        return {name: option for name, option in named.items() if name}

    @property
    def files(self) -> dict[str, Path]:
        """The user's own files that decide what is asked."""
        named = {"personas": self.personas, "own": self.own}
        named |= {one.key: one.of(self) for one in options() if one.about.file}
        return {name: path for name, path in named.items() if path is not None}

    def changed(self, values: Mapping[str, Any]) -> AuditSpec:
        """The same with other values, which are not validated; options of studies by their keys."""
        fields = {name: value for name, value in values.items() if name in type(self).model_fields}
        for family, inner in nested(values).items():
            known = getattr(self, family)
            fields[family] = known.model_copy(update=inner) if isinstance(known, BaseModel) else inner
        return self.model_copy(update=fields)

    def identity(self) -> dict[str, Any]:
        """The part of the spec that must stay the same for a run to be resumed."""
        loose = SITTING | {one.key for one in counting()}
        return {name: value for name, value in self._plain().items() if name not in loose}

    def _plain(self) -> dict[str, Any]:
        """What is said, as JSON has it; options of studies by their keys."""
        plain = self.model_dump(mode="json")
        for family in {one.family for one in options()} - {None}:
            plain |= {f"{family}.{name}": value for name, value in plain.pop(str(family)).items()}
        return plain


def spec_fields() -> list[str]:
    """The fields that a spec can have here, with the options of the installed studies."""
    return list(with_options(AuditSpec).model_fields)


def file_fields() -> tuple[str, ...]:
    """The fields of a spec that name files which decide what is asked."""
    return ("personas", "own", *(one.key for one in options() if one.about.file))


def make_spec(**given: Any) -> AuditSpec:
    """Validate a spec.

    Raises
    ------
    BadInput
        Naming the first field that is wrong, what was found and what is allowed.
    """
    try:
        spec = with_options(AuditSpec)(**flattened(given))
        validated(spec)
    except ValidationError as errors:
        raise _refused(errors) from None
    for name, count in Counter(spec.models).items():
        if count > 1:
            raise BadInput("models", f"{name} {count} times", "each model once; --repeats asks it more often")
    return spec


def _refused(errors: ValidationError) -> BadInput:
    """The first thing that is wrong."""
    first = errors.errors()[0]
    field = ".".join(str(part) for part in first["loc"]) or "spec"
    if first["type"] == "extra_forbidden":
        family = first["loc"][0] if len(first["loc"]) > 1 else None
        known = [one.name for one in options() if one.family == family] if family else spec_fields()
        return BadInput(field, first["input"], f"the {'options' if family else 'fields'} are {', '.join(known)}")
    if first["type"] == "too_short" and field in _SEEN:
        return BadInput(field, "none", f"at least one; {_SEEN[field]}")
    return BadInput(field, first.get("input"), first["msg"])


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
            f"a mapping with the fields {', '.join(spec_fields())}",
        )
    return loaded


def write_spec(spec: AuditSpec, path: Path) -> None:
    """Write a spec, whole or not at all, so that `read_spec` reads it again."""
    write_whole(path, spec_text(spec))


def spec_text(spec: AuditSpec) -> str:
    """A spec as YAML; a family that is neither asked nor told anything is left out, for it may not stay installed."""
    fields = spec.model_dump(mode="json")
    within = [name for one in options() if one.about.studies for name in one.of(spec)]
    asked = {name.partition(".")[0] for name in (*spec.studies, *within)}
    for family in {one.family for one in options() if one.family not in asked} - {None}:
        if all(one.of(spec) == one.default for one in options() if one.family == family):
            del fields[str(family)]
    return yaml.safe_dump(fields, sort_keys=False, allow_unicode=True)


def trust_named(fields: Mapping[str, Any]) -> None:
    """Trust what a user names himself, on the command line or in Python: an encoder, a memory.

    Parameters
    ----------
    fields : mapping
        Fields of a spec that came from no file.
    """
    told = flattened(fields)
    for one in options():
        if one.about.trusts:
            said = (told.get(one.family) or {}).get(one.name) if one.family else told.get(one.name)
            for value in [said] if isinstance(said, str) else said or ():
                trust(*one.about.trusts(value))


def check_files(spec: AuditSpec) -> None:
    """Check the user's own files, and that each option is for one of the studies asked.

    Raises
    ------
    BadInput
        When a file is not there or does not fit, or no study of the spec takes an option that was given.
    """
    if spec.personas:
        size_of(spec.personas, "--personas", allowed="a readable YAML file")
    for one in options():
        if one.about.file and (path := one.of(spec)):
            size_of(path, one.flag, allowed=one.about.file)
    asked = spec.asked
    if spec.judges and not any("judges" in study.takes for study in asked):
        known = [study.name for family in families().values() for study in family.studies if "judges" in study.takes]
        raise _not_taken("--judge", spec.judges, known)
    for one in options():
        if (given := one.of(spec)) != one.default and not any(map(one.taken_by, asked)):
            raise _not_taken(one.flag, given, takers(one))
    for study in spec.kinds:
        study(spec.settings(spec.models[0], prefill=True, top_logprobs=20))


def _not_taken(option: str, given: object, known: Sequence[str]) -> BadInput:
    found = ", ".join(map(str, given)) if isinstance(given, list) else str(given)
    return BadInput(option, found, f"only with a study that takes it: {', '.join(known)}")


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
