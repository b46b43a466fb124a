"""The bodies of replies, read as they come and no further than a limit: a server may send whatever it likes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

SAID = 64 * 1024
"""Bytes of a reply that is read only for what went wrong; of a longer one the beginning."""


class TooLong(Exception):
    """A reply goes on after the last byte that is read of it.

    Parameters
    ----------
    most : int
        Bytes that are read.
    """

    def __init__(self, most: int) -> None:
        self.most = most
        super().__init__(f"a reply of more than {most:,} bytes")


async def read_body(reply: aiohttp.ClientResponse, most: int) -> bytes:
    """A body, unpacked.

    It is unpacked piece by piece, so that one which is short on the way and long afterwards takes no more memory than
    another.

    Parameters
    ----------
    most : int
        Bytes after unpacking; the connection of a longer one is closed.

    Raises
    ------
    TooLong
        When it has more.
    aiohttp.ClientError, TimeoutError, OSError
        As aiohttp's own ``read``.
    """
    content = reply.content
    found = bytearray()
    try:
        if content.is_eof():  # all of it came with its headers: there is nothing to wait for, as there mostly is not
            body = content.read_nowait()
            if len(body) > most:
                raise TooLong(most)
            return body
        # aiohttp's read() would unpack all that has come at once.
        while piece := await content.readany():
            found += piece
            if len(found) > most:
                raise TooLong(most)
    except BaseException:
        reply.close()
        raise
    return bytes(found)


async def read_beginning(reply: aiohttp.ClientResponse, most: int = SAID) -> bytes:
    """The beginning of a body, for what went wrong; raises as `read_body`, but for `TooLong`."""
    content = reply.content
    found = bytearray()
    try:
        while len(found) < most and (piece := await content.readany()):
            found += piece
    except BaseException:
        reply.close()
        raise
    if not content.at_eof():
        reply.close()
    return bytes(found[:most])
