"""What a person can mend is said in one sentence, with exit code 2, and nothing is lost."""

from __future__ import annotations

import os
import socket
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import Result

Personae = Callable[..., Result]


def refused(result: Result, *said: str) -> None:
    assert result.exit_code == 2, (result.exit_code, result.stderr, result.stdout)
    assert result.stderr.count("\n") == 1, result.stderr
    assert "Traceback" not in result.stderr
    for part in said:
        assert part in result.stderr


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["companionz"], ["study", "'companionz'", "companions.iat"]),
        (["companions", "-m", "nobody/knows"], ["model", "'nobody/knows'", "ollama"]),
        (["companions", "-m", "sim/unheard"], ["'unheard'", "planted"]),
        (["companions", "-m", "sim/refuser?rate=2"], ["rate"]),
        (["companions", "-m", "sim/neutral", "--scale", "huge"], ["scale", "'huge'", "'quick', 'standard' or 'paper'"]),
        (["companions", "-m", "sim/neutral", "--repeats", "0"], ["repeats", "0"]),
        (["companions", "-m", "sim/neutral", "--personas", "nowhere.yaml"], ["--personas", "nowhere.yaml"]),
        (["companions", "-m", "local/unheard"], ["unheard", "smollm2"]),
        (["companions", "-m", "local/nowhere.gguf"], ["nowhere.gguf"]),
        (["companions", "-m", "sim/neutral", "--max-cost", "-1"], ["max_cost", "-1"]),
        (["companions", "--spec", "nowhere.yaml"], ["spec file", "nowhere.yaml"]),
    ],
)
def test_a_wrong_word_names_the_field_what_was_found_and_what_is_allowed(
    personae: Personae, tmp_path: Path, arguments: list[str], said: list[str]
) -> None:
    refused(personae("run", *arguments, "-o", tmp_path / "run"), *said)
    assert not (tmp_path / "run").exists()


def test_a_missing_key_names_its_variable(personae: Personae, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    refused(personae("run", "companions", "-m", "openai/gpt-4o-mini", "-o", tmp_path / "run"), "OPENAI_API_KEY")


def test_a_server_that_is_not_there_is_named(personae: Personae, tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    refused(personae("run", "companions", "-m", f"vllm/x@{url}", "-o", tmp_path / "run"), url)
    assert not (tmp_path / "run").exists()


PERSONAS = """
personas:
  - name: best friend
    group: close
    colour: blue
"""


def test_an_unknown_field_of_a_persona_file_is_named(personae: Personae, tmp_path: Path) -> None:
    path = tmp_path / "mine.yaml"
    path.write_text(PERSONAS)
    refused(personae("run", "companions", "-m", "sim/neutral", "--personas", path, "-o", tmp_path / "run"), "colour")
    assert not (tmp_path / "run").exists()
    refused(personae("plan", "companions", "-m", "sim/neutral", "--personas", path), "colour")


def test_a_folder_of_another_spec_is_not_touched(personae: Personae, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert personae("run", "companions.sycophancy", "-m", "sim/neutral", "-o", out).exit_code == 0
    before = (out / "spec.yaml").read_bytes()
    refused(personae("run", "companions.sycophancy", "-m", "sim/neutral", "--seed", 5, "-o", out), "seed", "0", "5")
    refused(personae("run", "companions.iat", "-m", "sim/neutral", "-o", out), "studies", "companions.iat")
    assert (out / "spec.yaml").read_bytes() == before


def test_a_folder_with_other_things_in_it_is_not_touched(personae: Personae, tmp_path: Path) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    refused(personae("run", "companions", "-m", "sim/neutral", "-o", tmp_path), "output folder")
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


@pytest.mark.parametrize("name", ["thesis.tex", "thesis.tex/run"])
def test_a_folder_in_the_place_of_a_file_or_below_one_is_refused(personae: Personae, tmp_path: Path, name: str) -> None:
    (tmp_path / "thesis.tex").write_text("mine")
    out = tmp_path / name
    refused(personae("run", "companions.iat", "-m", "sim/neutral", "-o", out), "output folder", str(out))
    refused(personae("import", "companions", tmp_path, "-o", out), "output folder", str(out))
    assert (tmp_path / "thesis.tex").read_text() == "mine"
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.tex"]


def test_a_folder_that_may_not_be_written_to_is_refused(
    personae: Personae, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Whoever runs the tests may be allowed everything, so that no folder's mode would do.
    monkeypatch.setattr("personae.making.os.access", lambda path, mode: not mode & os.W_OK)
    refused(personae("run", "companions.iat", "-m", "sim/neutral", "-o", tmp_path), "output folder", "written to")
    assert list(tmp_path.iterdir()) == []


def test_what_stands_in_a_file_of_the_users_is_not_printed(personae: Personae, tmp_path: Path) -> None:
    own, out = tmp_path / "memory.jsonl", tmp_path / "run"
    command = ["run", "memory", "-m", "sim/neutral", "--exported", own, "-o", out]
    own.write_text('"my first secret"')
    assert personae(*command).exit_code == 0
    own.write_text('"my other secret"')
    result = personae(*command)
    refused(result, "exported of the run", "'sha256 ", "memory.jsonl", "the same to resume it")
    assert "secret" not in result.stderr
    result = personae("run", "memory", "-m", "sim/neutral", "-o", out)
    refused(result, "exported of the run", "(now None)")
    assert "secret" not in result.stderr


@pytest.mark.parametrize("verb", ["plan", "run"])
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--auditor", "nope/x", "--mitigation", "tag-write"], ["--auditor", "'nope/x'", "ollama"]),
        (["--generator", "nope/x"], ["--generator", "'nope/x'"]),
        (["--judge", "nope/x", "--audit", "roleplay.why"], ["--judge", "'nope/x'"]),
        (["--judge", "sim/judge"], ["--judge", "only with a study that takes it: roleplay.why"]),
        (["--judge", "sim/judge", "--audit", "companions.iat"], ["--judge", "'sim/judge'"]),
        (["--stop-early"], ["--stop-early", "roleplay.choice"]),
        (["--tau", "0.3"], ["--tau", "0.3", "no note is tagged"]),
        (["--inject", "race", "--injection", "0"], ["--inject", "'race'", "no bias is told"]),
        (["--turns", "169"], ["--turns", "169", "at most 168", "--questions"]),
    ],
)
def test_what_would_change_nothing_of_a_memory_run_is_refused(
    personae: Personae, tmp_path: Path, verb: str, arguments: list[str], said: list[str]
) -> None:
    folder = ["-o", tmp_path / "run"] if verb == "run" else []
    refused(personae(verb, "memory", "-m", "sim/neutral", *arguments, *folder), *said)
    assert list(tmp_path.iterdir()) == []


def test_fewer_questions_than_turns_are_said(personae: Personae, tmp_path: Path) -> None:
    own = tmp_path / "own.jsonl"
    own.write_text('{"question": "Which?", "options": ["this", "that"], "answer": 0}\n')
    command = ["run", "memory", "-m", "sim/neutral", "--questions", own, "-o", tmp_path / "run"]
    refused(personae(*command), "--turns", "12", "at most 1")
    assert not (tmp_path / "run").exists()
    assert personae(*command, "--turns", 1).exit_code == 0


def test_a_run_of_another_version_is_named(personae: Personae, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert personae("run", "companions.sycophancy", "-m", "sim/neutral", "-o", out).exit_code == 0
    connection = sqlite3.connect(out / "run.db")
    connection.execute("UPDATE meta SET value='7' WHERE key='schema'")
    connection.commit()
    connection.close()
    refused(personae("score", out), "run.db version", "'7'")


@pytest.mark.parametrize("verb", ["score", "report", "export"])
def test_a_folder_without_a_run_is_named(personae: Personae, tmp_path: Path, verb: str) -> None:
    more = ["--to", "csv"] if verb == "export" else []
    refused(personae(verb, tmp_path, *more), "run folder", str(tmp_path))


def test_a_model_file_with_another_hash_is_named(
    personae: Personae, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from personae.models import catalog

    monkeypatch.setenv("PERSONAE_CACHE", str(tmp_path / "cache"))
    path = catalog.cache_folder() / catalog.entries()["smollm2"].file
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"GGUF but not the one")
    refused(personae("run", "companions", "-m", "local/smollm2", "-o", tmp_path / "run"), "sha256", "b179c9523d0e6a0f")


def test_forced_choice_needs_log_probabilities(
    personae: Personae, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROQ_API_KEY", "x")
    url = f"http://127.0.0.1:{free_port()}/v1"
    refused(
        personae("run", "companions", "-m", f"groq/x@{url}", "--respond", "forced", "-o", tmp_path / "run"),
        "forced",
        "log-probabilities",
    )


def test_an_unknown_format_is_named(personae: Personae, tmp_path: Path) -> None:
    out = tmp_path / "run"
    assert personae("run", "companions.sycophancy", "-m", "sim/neutral", "-o", out).exit_code == 0
    refused(personae("export", out, "--to", "docx"), "--to", "'docx'", "parquet, csv, jsonl")
    refused(personae("import", "nonsense", tmp_path, "-o", tmp_path / "x"), "import format", "companions")
    refused(personae("import", "companions", tmp_path / "none", "-o", tmp_path / "x"), "import path")


def test_usage_errors_keep_exit_code_two(personae: Personae) -> None:
    assert personae("run", "companions", "--unheard").exit_code == 2
    assert personae("unheard").exit_code == 2
