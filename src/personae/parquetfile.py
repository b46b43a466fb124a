"""Parquet of others: read once by another process first, for a damaged file ends the one that reads it."""

from __future__ import annotations

import subprocess
import sys
from functools import lru_cache
from pathlib import Path

from personae.errors import BadInput
from personae.filing import MOST_BYTES, size_of

_MAGIC = b"PAR1"
_SECONDS = 300
_PANICKED = 3
# What polars says in an exception is said again where the file is really read; -P: no module of the folder started in.
_READ = f"""
import sys
try:
    import polars
    for _ in polars.read_parquet(sys.argv[1], glob=False).iter_slices():
        pass
except Exception:
    pass
except BaseException:
    sys.exit({_PANICKED})
"""


def check_parquet(
    path: Path, field: str, *, most: int = MOST_BYTES, allowed: str = "a Parquet file that can be read"
) -> None:
    """Check that a file can be given to polars, which ends the process on some that are damaged.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    field : str
        The option that named it.
    most : int
        Bytes.
    allowed : str
        What would have been accepted.

    Raises
    ------
    BadInput
        When it is no regular file within limits, does not begin and end as Parquet does, or whoever reads it breaks.
    """
    size = size_of(path, field, most=most, allowed=allowed)
    try:
        with path.open("rb") as file:
            begins = file.read(len(_MAGIC))
            file.seek(max(0, size - len(_MAGIC)))
            ends = file.read(len(_MAGIC))
    except OSError as error:
        raise BadInput(field, str(path), f"{allowed} ({error.strerror})") from None
    if (begins, ends) != (_MAGIC, _MAGIC):
        raise BadInput(field, str(path), f"{allowed} (it does not begin and end as one does, or is not whole)")
    if why := _breaks(path.absolute(), path.stat().st_mtime_ns, size):
        raise BadInput(field, str(path), f"{allowed} ({why})")


@lru_cache(maxsize=8)
def _breaks(path: Path, _changed: int, _size: int) -> str:
    """Why a process that reads a file does not come to its end; none where it does."""
    command = [sys.executable, "-P", "-c", _READ, str(path)]
    nothing = subprocess.DEVNULL
    try:
        done = subprocess.run(command, stdin=nothing, stdout=nothing, stderr=nothing, timeout=_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return f"reading it takes more than {_SECONDS} seconds"
    return "it is damaged: whoever reads it breaks" if done.returncode else ""
