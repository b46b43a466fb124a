"""How the documentation is built: `make docs`."""

from __future__ import annotations

import sys
from importlib.metadata import version as installed
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "personae"
author = "The personae contributors"
copyright = "2026, the personae contributors"
version = release = installed("personae")

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.napoleon",
    "sphinx_copybutton",
    "verbs",
]
exclude_patterns = ["_build"]
root_doc = "index"
default_role = "py:obj"

myst_enable_extensions = ["colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 3
# Files outside the documentation are linked where they lie, in the source.
suppress_warnings = ["myst.xref_missing"]

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
napoleon_google_docstring = False
napoleon_use_rtype = False

html_theme = "furo"
html_title = f"personae {release}"
html_copy_source = False
