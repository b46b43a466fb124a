"""Parquet of others is read by another process first."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from random import Random

import polars as pl
import pytest

from personae import parquetfile
from personae.errors import BadInput
from personae.parquetfile import check_parquet


@pytest.fixture
def good(tmp_path: Path) -> Path:
    path = tmp_path / "a.parquet"
    pl.DataFrame({"text": ["a", "b"] * 20, "list": [["x"], ["y", "z"]] * 20, "at": range(40)}).write_parquet(path)
    return path


def test_a_good_file_may_be_read(good: Path) -> None:
    check_parquet(good, "questions")


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"PAR1 and no more"])
def test_what_is_no_parquet_is_refused_before_anything_reads_it(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(content)
    with pytest.raises(BadInput, match="it does not begin and end as one does"):
        check_parquet(path, "questions")


def test_what_polars_can_say_itself_is_left_to_it(tmp_path: Path) -> None:
    path = tmp_path / "a.parquet"
    path.write_bytes(b"PAR1" * 3)
    check_parquet(path, "questions")
    with pytest.raises(pl.exceptions.ComputeError):
        pl.read_parquet(path)


@pytest.mark.parametrize("ends", ["import os; os.abort()", "raise SystemExit(3)"])
def test_a_file_whose_reader_breaks_is_refused(good: Path, monkeypatch: pytest.MonkeyPatch, ends: str) -> None:
    monkeypatch.setattr(parquetfile, "_READ", ends)
    with pytest.raises(BadInput, match="it is damaged: whoever reads it breaks"):
        check_parquet(good, "questions")


def test_a_file_that_takes_too_long_is_refused(good: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(parquetfile, "_READ", "import time; time.sleep(600)")
    monkeypatch.setattr(parquetfile, "_SECONDS", 1)
    with pytest.raises(BadInput, match="more than 1 seconds"):
        check_parquet(good, "questions")


def test_damaged_files_are_refused_or_read_and_end_nothing(good: Path) -> None:
    content = good.read_bytes()
    for number in range(5):
        random, changed = Random(number), bytearray(content)
        for _ in range(4):
            changed[random.randrange(4, len(content) - 4)] = random.randrange(256)
        good.write_bytes(changed)
        with suppress(BadInput, pl.exceptions.PolarsError):
            check_parquet(good, "questions")
            pl.read_parquet(good)
