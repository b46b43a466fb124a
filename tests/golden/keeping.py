"""Keep a case in a folder: its spec and files, its answers, and what was taken down; small enough for a repository."""

from __future__ import annotations

import hashlib
import json
import lzma
import platform
import shutil
import sqlite3
from pathlib import Path

import numpy as np
import polars as pl
import scipy
from threadpoolctl import threadpool_info

HERE = Path(__file__).parent
KEPT, FILES, MADE = HERE / "kept", HERE / "files", HERE / "made.json"
ANSWERS, TAKEN, SUMMARY = "run.db.xz", "taken.xz", "summary.txt"
_HEAD = "== "


def pack(run: Path, folder: Path) -> None:
    """Keep a run as it was asked: what is derived from its answers is left out, and so is when they were given."""
    shutil.rmtree(folder, ignore_errors=True)
    left_out = shutil.ignore_patterns("run.db*", "run.lock", "report.html", "figures", "tables")
    shutil.copytree(run, folder, ignore=left_out)
    bare = folder / "run.db"
    shutil.copyfile(run / "run.db", bare)
    database = sqlite3.connect(bare, isolation_level=None)
    database.execute("PRAGMA journal_mode=DELETE")
    database.execute("DELETE FROM outcome")
    database.execute("UPDATE response SET latency = 0, at = 0")
    database.execute("UPDATE failure SET at = 0")
    database.execute("UPDATE meta SET value = '2026-01-01T00:00:00+00:00' WHERE key IN ('begun', 'ended')")
    database.execute("VACUUM")
    database.close()
    (folder / ANSWERS).write_bytes(_packed(bare.read_bytes()))
    bare.unlink()


def keep_taken(folder: Path, sections: dict[str, list[str]]) -> None:
    """Keep what was taken down, and a summary that people can read; which answers there are, the store says itself."""
    texts = [
        f"{_HEAD}{name}\n" + "".join(f"{line}\n" for line in sections[name]) for name in sections if name != "asked"
    ]
    (folder / TAKEN).write_bytes(_packed("".join(texts).encode()))
    (folder / SUMMARY).write_text(summary(sections), encoding="utf-8")


def unpack(folder: Path, run: Path) -> Path:
    """Lay the run of a case where it can be written to; returns where."""
    shutil.copytree(folder, run, ignore=shutil.ignore_patterns(ANSWERS, TAKEN, SUMMARY))
    (run / "run.db").write_bytes(lzma.decompress((folder / ANSWERS).read_bytes()))
    return run


def taken(folder: Path) -> dict[str, list[str]]:
    """What was taken down of a case, by section."""
    sections: dict[str, list[str]] = {}
    for line in lzma.decompress((folder / TAKEN).read_bytes()).decode().split("\n")[:-1]:
        if line.startswith(_HEAD):
            lines = sections[line.removeprefix(_HEAD)] = []
        else:
            lines.append(line)
    return sections


def summary(sections: dict[str, list[str]]) -> str:
    """How many lines each section has, and the hash of all of them."""
    return "".join(f"{name:20} {len(lines):6} lines  {_hash(lines)}\n" for name, lines in sorted(sections.items()))


def _hash(lines: list[str]) -> str:
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]


def _packed(content: bytes) -> bytes:
    return lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)


def here() -> dict[str, str]:
    """What of this computer decides the last digits of a number: versions, the processor's kind, the C library."""
    loops = np.lib.introspect.opt_func_info(func_name="^exp$", signature="float64")
    blas = sorted({str(one["architecture"]) for one in threadpool_info() if one["internal_api"] == "openblas"})
    return {
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "polars": pl.__version__,
        "system": f"{platform.system()} {platform.machine()} {' '.join(platform.libc_ver())}",
        "processor": f"BLAS for {', '.join(blas)}; loops for {loops['exp']['dd']['current']}",
    }


def made_on() -> dict[str, str]:
    """The same of the computer on which the tables were made."""
    found: dict[str, str] = json.loads(MADE.read_text(encoding="utf-8"))
    return found


def made_here() -> bool:
    """Whether the tables were made on a computer like this one: then every digit must be the same."""
    return made_on() == here()
