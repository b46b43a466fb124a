"""Run as ``python -m personae``."""

from personae.cli import main

if __name__ == "__main__":
    main()
