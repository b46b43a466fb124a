"""A Letta server of this project's own: in an environment of its own, with a database in a folder, on 127.0.0.1.

``make letta`` installs it, ``make letta-server`` runs it; a test starts and stops one::

    with LettaServer(Path(".letta/venv"), folder) as server:
        os.environ["PERSONAE_LETTA_URL"] = server.url
"""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path
from typing import Self
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener

from personae.errors import BadInput, PersonaeError
from personae.memory.letta_server.postgres import Postgres
from personae.memory.letta_server.processes import ended, free_port, stop, tail

INSTALLED = ".installed"
"""The file that ``make letta`` leaves in an environment that is whole."""
_PATIENCE = 240  # seconds; the first start compiles what it imports


class LettaServer:
    """One server with its database.

    Parameters
    ----------
    home : Path
        The environment that ``make letta`` made.
    folder : Path
        Where the database and the server's files lie; made where it is not.
    port : int
        Where it listens; 0 takes one that is free.
    durable : bool
        False for a database that is thrown away.
    """

    def __init__(self, home: Path, folder: Path, *, port: int = 0, durable: bool = True) -> None:
        self.home, self.folder = home.absolute(), folder.absolute()
        self.port = port or free_port()
        self._durable = durable
        self._database: Postgres | None = None
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Its address, for ``PERSONAE_LETTA_URL``."""
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Start both and wait until it answers.

        Raises
        ------
        BadInput
            When Letta is not installed in `home`.
        PersonaeError
            When one of them does not start, with the end of what it said.
        """
        if not (self.home / INSTALLED).exists():
            raise BadInput("Letta's environment", str(self.home), "one that `make letta` made")
        try:
            (packages,) = self.home.glob("lib/python*/site-packages")
            self._database = Postgres(packages, self.folder / "pg", durable=self._durable)
            self._database.start()
            self._serve(self._database.uri)
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop both; the database stays."""
        if self._process is not None:
            stop(self._process, signal.SIGTERM)
            self._process = None
        if self._database is not None:
            self._database.stop()
            self._database = None

    def wait(self) -> None:
        """Return when the server ends."""
        if self._process is not None:
            self._process.wait()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def _serve(self, uri: str) -> None:
        place = self.folder / "letta"
        place.mkdir(parents=True, exist_ok=True)
        log = place / "server.log"
        script = Path(__file__).with_name("serve.py")
        command = [str(self.home / "bin" / "python"), "-P", str(script), str(self.port)]
        with log.open("ab") as out:
            self._process = subprocess.Popen(
                command, cwd=place, env=_environment(place, uri), stdin=subprocess.DEVNULL, stdout=out, stderr=out
            )
        until = time.monotonic() + _PATIENCE
        while not self._answers():
            if ended(self._process) or time.monotonic() > until:
                raise PersonaeError(f"the Letta server did not start; its log, {log}, ends with: {tail(log)}")
            time.sleep(0.2)

    def _answers(self) -> bool:
        try:
            with build_opener(ProxyHandler({})).open(f"{self.url}/v1/health/", timeout=10) as response:
                return bool(response.status == 200)
        except (URLError, OSError):
            return False


def _environment(place: Path, uri: str) -> dict[str, str]:
    """Nothing of ours: no keys, no proxies, no home."""
    return {
        "PATH": os.defpath,
        "HOME": str(place),
        "LANG": "C.UTF-8",
        "PYTHONHASHSEED": "0",
        "LETTA_DIR": str(place / ".letta"),
        "LETTA_PG_URI": uri,
        "LETTA_DISABLE_SQLALCHEMY_POOLING": "false",  # without a pool its requests hang at times
        "LETTA_DISABLE_TRACING": "true",
        "LETTA_TRACK_PROVIDER_TRACE": "false",  # what it asks is stored here already
    }
