"""Write the golden tables down anew: ``python tests/golden/make.py [CASE …]``; see README.md for when that is right."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from fnmatch import fnmatch
from pathlib import Path
from time import process_time

from cases import CASES, Case
from comparing import CLOSE_VECTORS, differences
from keeping import FILES, KEPT, MADE, here, keep_taken, pack, taken, unpack
from taking import ask_anew, take


def make(case: Case, *, anew: bool, work: Path) -> None:
    """Write one case down, from new answers or from those that are kept, and say what differs from before."""
    begun, kept, run = process_time(), KEPT / case.name, work / case.name
    before = taken(kept) if kept.is_dir() else None
    if anew or before is None:
        ask_anew(case.given(FILES), [FILES / file for file in case.added], run)
        pack(run, kept)
    else:
        unpack(kept, run)
    sections = take(run)
    asked = {"asked": sections["asked"]}
    told = differences({**(before or {}), **asked}, sections, CLOSE_VECTORS if case.encodes else 0.0)
    keep_taken(kept, {**before, **asked} if before is not None and not told else sections)
    size = sum(path.stat().st_size for path in kept.rglob("*") if path.is_file())
    print(f"{case.name}: {size / 1000:.0f} kB, {process_time() - begun:.1f} s", flush=True)
    if before is not None:
        print(told or "  no difference", flush=True)


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "cases", nargs="*", default=["*"], help="names, or patterns such as 'roleplay.*'; all by default"
    )
    parser.add_argument("--ask", action="store_true", help="ask anew too, where what is asked has changed on purpose")
    given = parser.parse_args()
    chosen = [case for name, case in CASES.items() if any(fnmatch(name, pattern) for pattern in given.cases)]
    if not chosen:
        sys.exit(f"no case is called {' or '.join(given.cases)}; there are {', '.join(CASES)}")
    with tempfile.TemporaryDirectory() as work:
        for case in chosen:
            make(case, anew=given.ask, work=Path(work))
    MADE.write_text(json.dumps(here(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
