"""What only its user may trust: what a run folder or a spec file names and what could run code or reach a server."""

from __future__ import annotations

from shlex import quote

from personae.errors import BadInput

_TRUSTED: set[str] = set()


def trust(*names: str) -> None:
    """Let this process use weights that can run code, or a memory on a server, wherever they are named.

    Parameters
    ----------
    *names : str
        Each as it is named: ``sentence/tfhub:use``, ``contextual/model``, ``letta``. To trust what needs no trust
        changes nothing.
    """
    _TRUSTED.update(names)


def check_trusted(field: str, name: str, why: str) -> None:
    """See that a user named it himself.

    Parameters
    ----------
    field : str
        What it was named as.
    name : str
        What `trust` must have been told.
    why : str
        What it could do.

    Raises
    ------
    BadInput
        When nobody trusts it; it says how to.
    """
    if name not in _TRUSTED:
        raise BadInput(field, name, f"{why}: if you trust it, add --trust {quote(name)} (in Python: personae.trust)")
