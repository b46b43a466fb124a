"""Backends that can be asked, one file each. Public, for programs of one's own, is `open_model`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from personae.models.opened import open_model

__all__ = ["open_model"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from personae.models.opened import open_model

    return open_model
