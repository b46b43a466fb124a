"""Run a Letta server until it is interrupted: ``python -m personae.memory.letta_server``."""

from __future__ import annotations

import argparse
import signal
import sys
from pathlib import Path

from personae.errors import PersonaeError
from personae.memory.letta_server import LettaServer


def main() -> int:
    """Start, say where it is, and stop when interrupted."""
    parser = argparse.ArgumentParser(description="Run a Letta server on 127.0.0.1.")
    parser.add_argument("--home", type=Path, default=Path(".letta/venv"), help="the environment that `make letta` made")
    parser.add_argument("--data", type=Path, default=Path(".letta/data"), help="where the database lies")
    parser.add_argument("--port", type=int, default=8283, help="0 takes one that is free")
    given = parser.parse_args()
    for asked in (signal.SIGINT, signal.SIGTERM):  # whoever asks it to end has both servers stopped
        signal.signal(asked, signal.default_int_handler)
    try:
        with LettaServer(given.home, given.data, port=given.port) as server:
            print(f"Letta answers at {server.url}; PERSONAE_LETTA_URL={server.url} tells personae.", flush=True)
            server.wait()
        print(f"the Letta server ended by itself; its log lies in {given.data}", file=sys.stderr)
    except KeyboardInterrupt:
        return 0
    except PersonaeError as error:
        print(error, file=sys.stderr)
        return 2
    return 1


if __name__ == "__main__":
    sys.exit(main())
