"""PostgreSQL with pgvector, as the package ``pgserver`` ships it: a database in a folder, on 127.0.0.1 alone."""

from __future__ import annotations

import os
import secrets
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

from personae.errors import PersonaeError
from personae.memory.letta_server.processes import ended, free_port, stop, tail

USER = "nobody"
"""Whom it runs as where we are root, whom PostgreSQL refuses."""
_PATIENCE = 60  # seconds
_PARTS = ("pgserver/pginstall", "pgserver.libs")  # programs, and what they load


class Postgres:
    """One server.

    Parameters
    ----------
    packages : Path
        The ``site-packages`` that ``pgserver`` is installed in.
    folder : Path
        Where the database lies; made where it is not.
    durable : bool
        False forgoes what keeps a database whole when the computer stops suddenly.
    """

    def __init__(self, packages: Path, folder: Path, *, durable: bool = True) -> None:
        self.folder, self._packages, self._durable = folder, packages, durable
        self._process: subprocess.Popen[bytes] | None = None
        self._port = 0
        root = os.geteuid() == 0
        # Whoever is root gives the database to a user who is not.
        self._as: dict[str, Any] = {"user": USER, "group": _group(), "extra_groups": []} if root else {}

    @property
    def uri(self) -> str:
        """Where clients find it, with the password."""
        password = (self.folder / "password").read_text(encoding="ascii")
        return f"postgresql://letta:{password}@127.0.0.1:{self._port}/postgres?sslmode=disable"

    def start(self) -> None:
        """Start it, in a new database where there is none.

        Raises
        ------
        PersonaeError
            When it does not start, with the end of what it said.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        if self._as:
            self._reachable()
        if not (self.folder / "data" / "PG_VERSION").exists():
            self._make()
        self._port = free_port()
        options = ["-h", "127.0.0.1", "-p", str(self._port), "-k", "", *([] if self._durable else ["-F"])]
        with (self.folder / "postgres.log").open("ab") as log:
            command = [str(self._binary("postgres")), "-D", str(self.folder / "data"), *options]
            self._process = process = subprocess.Popen(command, stdout=log, stderr=log, cwd=self.folder, **self._as)
        until = time.monotonic() + _PATIENCE
        while self._run("pg_isready", "-q", "-h", "127.0.0.1", "-p", str(self._port)).returncode != 0:
            if ended(process) or time.monotonic() > until:
                said = tail(self.folder / "postgres.log")
                self.stop()
                raise PersonaeError(f"PostgreSQL did not start in {self.folder}: {said}")
            time.sleep(0.05)

    def stop(self) -> None:
        """Stop it; the database stays."""
        if self._process is not None:
            stop(self._process, signal.SIGINT)  # does not wait for clients
            self._process = None

    def _make(self) -> None:
        shutil.rmtree(self.folder / "data", ignore_errors=True)  # what an interrupted start left
        password = self.folder / "password"
        password.write_text(secrets.token_urlsafe(24), encoding="ascii")
        password.chmod(0o600)
        if self._as:
            shutil.chown(password, USER)
        given = ["-U", "letta", "--auth=scram-sha-256", f"--pwfile={password}", "--encoding=utf8", "--locale=C"]
        done = self._run("initdb", "-D", str(self.folder / "data"), *given, *([] if self._durable else ["--no-sync"]))
        if done.returncode != 0:
            raise PersonaeError(f"PostgreSQL made no database in {self.folder}: {done.stderr.decode()[-600:]}")

    def _reachable(self) -> None:
        """Let `USER` read the programs, wherever they are installed, and own the database."""
        shutil.chown(self.folder, USER)
        try:
            self._run("pg_isready", "--version")
            return
        except PermissionError:
            copied = self.folder / "programs"
        for part in _PARTS:
            if (self._packages / part).exists():
                shutil.copytree(self._packages / part, copied / part, dirs_exist_ok=True)
        self._packages = copied
        try:
            self._run("pg_isready", "--version")
        except PermissionError:
            needed = f"{self.folder} must lie where the user {USER} can reach it, for PostgreSQL refuses to run as root"
            raise PersonaeError(needed) from None

    def _binary(self, name: str) -> Path:
        return self._packages / _PARTS[0] / "bin" / name

    def _run(self, name: str, *arguments: str) -> subprocess.CompletedProcess[bytes]:
        command = [str(self._binary(name)), *arguments]
        found: subprocess.CompletedProcess[bytes] = subprocess.run(
            command, capture_output=True, check=False, cwd=self.folder, **self._as
        )
        return found


def _group() -> int:
    import pwd

    return pwd.getpwnam(USER).pw_gid
