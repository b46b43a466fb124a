"""List licence, hash and known vulnerabilities of every version that is pinned: ``make audit-deps``.

Exit code 0: a database was asked about all, and knows of nothing. 1: it knows of some. 3: it could not be asked about
some, or about any; the last line says so. The database is that of the index which pip is set up to use; ``--database``
or ``PERSONAE_VULNERABILITIES`` names another with the same interface.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import urlsplit

from licences import NOT_INSTALLED, NOT_SAID, asks_more, licences
from package_index import index_address
from pins import CONSTRAINTS, HASHES, LETTA, ROOT, Pin, read
from vulnerabilities import LookedUp, NotReached, look_up

NOTHING_KNOWN, SOME_KNOWN, NOT_LOOKED_UP = 0, 1, 3
MOST_NAMED = 20


def pinned() -> dict[str, list[Pin]]:
    """The pins of both files, with their hashes."""
    hashed = {pin.key: pin for pin in read(HASHES.read_text(encoding="utf-8"), HASHES.name)}
    named = read(CONSTRAINTS.read_text(encoding="utf-8"), CONSTRAINTS.name)
    letta = read(LETTA.read_text(encoding="utf-8"), LETTA.name)
    return {
        "Pinned in constraints.txt": [hashed.get(pin.key, pin) for pin in named],
        "Pinned for the Letta server": letta,
    }


def database() -> str:
    """Where the index that pip uses answers in JSON: beside its simple pages."""
    return index_address().removesuffix("/simple") + "/pypi"


def packages() -> list[Path]:
    """Where the packages of this environment and of Letta's lie."""
    return [Path(entry) for entry in sys.path if entry.endswith("site-packages")] + sorted(
        (ROOT / ".letta" / "venv").glob("lib/*/site-packages")
    )


def table(pins: Sequence[Pin], said: dict[tuple[str, str], str]) -> None:
    """One line a pin: name, version, whether its files have a hash, licence."""
    width = max((len(f"{pin.name} {pin.version}") for pin in pins), default=0)
    for pin in pins:
        hashed = f"{len(pin.hashes):3} hashes" if pin.hashes else "  no hash "
        print(f"  {f'{pin.name} {pin.version}':{width}}  {hashed}  {said[pin.key]}")


def summary(pins: Sequence[Pin], said: dict[tuple[str, str], str]) -> None:
    """What of the tables wants a look."""
    more = [f"{pin.name} ({said[pin.key]})" for pin in pins if asks_more(said[pin.key])]
    print("\nLicences that ask more than Apache-2.0 does of who hands the package on: " + ("; ".join(more) or "none"))
    for what in (NOT_SAID, NOT_INSTALLED):
        print(f"Licence {what}: {named([(pin.name, pin.version) for pin in pins if said[pin.key] == what]) or 'none'}")
    print(f"Without a hash: {', '.join(pin.name for pin in pins if not pin.hashes) or 'none'}")


def named(keys: Sequence[tuple[str, str]]) -> str:
    """The first names and versions, and how many more there are."""
    rest = f" and {len(keys) - MOST_NAMED} more" if len(keys) > MOST_NAMED else ""
    return ", ".join(" ".join(key) for key in keys[:MOST_NAMED]) + rest


def verdict(found: LookedUp, at: str) -> int:
    """Say what is known; the last line is the sum."""
    some = {key: known for key, known in found.known.items() if known}
    for (name, version), known in some.items():
        for one in known:
            print(f"  {name} {version}: {one}")
    if found.unanswered:
        print(f"The database said nothing of {named(list(found.unanswered))}")
    missing = f"; NOT LOOKED UP: {len(found.unanswered)} versions" if found.unanswered else ""
    count = sum(map(len, some.values()))
    what = f"{count} in {len(some)} versions" if some else "none"
    print(f"Known vulnerabilities: {what}, of {len(found.known)} versions asked about at {at}{missing}.")
    return SOME_KNOWN if some else NOT_LOOKED_UP if found.unanswered else NOTHING_KNOWN


def main(arguments: Sequence[str]) -> int:
    """List everything, and ask the database."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--database", default=os.environ.get("PERSONAE_VULNERABILITIES"), help="its address")
    base = (parser.parse_args(arguments).database or database()).rstrip("/")
    if not base.startswith(("http://", "https://")):
        parser.error(f"--database: {base!r} was given, an http or https address is wanted")
    both = pinned()
    pins = list({pin.key: pin for part in both.values() for pin in part}.values())
    said = licences(pins, packages())
    for title, part in both.items():
        print(f"{title}: {len(part)} versions")
        table(part, said)
    summary(pins, said)
    at = urlsplit(base).netloc.rpartition("@")[2] or base
    try:
        return verdict(look_up(pins, base), at)
    except NotReached as error:
        print(f"Known vulnerabilities: NOT LOOKED UP, for no database of them could be reached at {at}: {error}.")
        return NOT_LOOKED_UP


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
