# From nothing: `make audit` asks a real model and makes a page, `make test` runs the short suite.
# Needed: Python 3.11 or newer, make and the package index. Everything lands in .venv and in the user's cache.

PYTHON ?= $(shell command -v python3.11 || command -v python3)
OUT ?= runs/first
PYTEST_ARGS ?= -n 2 --dist loadgroup

VENV := .venv
BIN := $(VENV)/bin
# Every extra but `torch`, which brings five gigabytes: make install EXTRAS=inspect,associations,memory,paper,torch,dev,docs
EXTRAS := inspect,associations,memory,paper,dev,docs
FRESH := $(VENV)/fresh
CORE := $(VENV)/.core
LETTA := .letta/venv
ALL := $(VENV)/.all

.PHONY: help install letta letta-server audit model test test-rest test-all test-long lint check format docs weather bench constraints \
  hashes audit-deps changelog clean

help:  ## Say what each target does
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1|\2/p' $(MAKEFILE_LIST) | awk -F'|' '{printf "%-18s %s\n", $$1, $$2}'

$(BIN)/python:
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
	  { echo "$(PYTHON) is older than 3.11: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	"$(PYTHON)" -m venv $(VENV)

# Every file that is pinned is checked by its hash before it is unpacked: tools/install.py says how.
$(CORE): pyproject.toml constraints.txt hashes.txt | $(BIN)/python
	$(BIN)/python tools/install.py core
	@touch $@

$(ALL): pyproject.toml constraints.txt hashes.txt | $(BIN)/python
	$(BIN)/python tools/install.py core,$(EXTRAS)
	@touch $(CORE) $@

install: $(ALL)  ## Put the program and all its extras into .venv, each file checked by its hash

letta: $(LETTA)/.installed  ## Put a Letta server and its database into .letta

# All versions are named, so nothing is resolved; without its mark an environment is not whole and is made anew.
$(LETTA)/.installed: src/personae/memory/letta_server/requirements.txt
	@test -n "$(PYTHON)" || { echo "Python 3.11 or newer is needed: make PYTHON=/path/to/python3.11" >&2; exit 2; }
	"$(PYTHON)" -m venv --clear $(LETTA)
	$(LETTA)/bin/python tools/install.py letta
	@touch $@

letta-server: letta $(CORE)  ## Run that Letta server at 127.0.0.1:8283 until it is interrupted
	$(BIN)/python -m personae.memory.letta_server

model: $(CORE)  ## Fetch the embedded model into the user's cache and verify it
	$(BIN)/personae models get smollm2

audit: model  ## From nothing to a report of a real model: no key, about ten minutes on two cores
	$(BIN)/personae run companions --scale quick -o "$(OUT)"
	@echo
	@echo "The report: $(abspath $(OUT))/report.html"

# The same every time: hypothesis tries the same examples, and what is slow is left out.
test: install model  ## From nothing to a green suite: every part of the program in six minutes of one processor
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "not slow" --hypothesis-profile=steady

test-rest: install model  ## What `make test` leaves out, with hypothesis searching: about half an hour
	$(BIN)/python -m pytest $(PYTEST_ARGS) -m "slow or hypothesis"

test-all: test test-rest  ## The whole suite: `make test` and `make test-rest`

test-long: install model  ## What even `make test-all` leaves out for its length: more than an hour
	PERSONAE_LONG=1 $(BIN)/python -m pytest $(PYTEST_ARGS) -m long

lint: install  ## Style, types and the direction of imports
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: lint test-all  ## Everything a change must pass

format: install  ## Rewrite the sources in the project's style
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

docs: install  ## Build the documentation; a warning is an error
	$(BIN)/sphinx-build -W --keep-going -q -b html docs docs/_build/html
	@echo "The documentation: $(abspath docs/_build/html)/index.html"

weather: install  ## Kill every verb a hundred times and ask 100,000 times in a weather of faults: about half an hour
	PERSONAE_WEATHER=whole $(BIN)/python -m pytest $(addprefix tests/weather/test_,kills.py faults_engine.py flipped.py)

bench: install  ## Run every benchmark beside its peer
	@for script in bench/*.py; do echo "== $$script"; $(BIN)/python "$$script" || exit 1; done

# An environment that holds everything: $(1) is what pip is told beside.
define all_anew
	"$(PYTHON)" -m venv --clear $(FRESH)
	$(FRESH)/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --upgrade $(1) \
	  setuptools wheel '.[$(EXTRAS),torch]'
endef

constraints: | $(BIN)/python  ## Resolve every version anew into constraints.txt and ask the index for the hashes
	$(call all_anew)
	{ sed -n '/^#/p' constraints.txt; $(FRESH)/bin/python -m pip freeze --all --exclude pip --exclude personae | \
	    sed -n 'p; s/^tensorflow_cpu==/tensorflow==/p' | LC_ALL=C sort -f; } \
	  > $(VENV)/constraints.txt
	mv $(VENV)/constraints.txt constraints.txt
	$(FRESH)/bin/python tools/renew_hashes.py
	rm -rf $(FRESH)

hashes: | $(BIN)/python  ## Ask the index for the hashes of the versions that are pinned
	$(call all_anew,--constraint constraints.txt)
	$(FRESH)/bin/python tools/renew_hashes.py
	rm -rf $(FRESH)

# Its exit code 3, for where no database could be asked, is no failure of a check: its last line says so.
audit-deps: install  ## List licence, hash and known vulnerabilities of everything that is pinned
	@$(BIN)/python tools/audit_deps.py || test $$? -eq 3

changelog: install  ## Show what the next release notes will say
	$(BIN)/towncrier build --draft --version "next"

clean:  ## Remove what was built; answers under runs/ stay
	rm -rf $(VENV) $(LETTA) build dist docs/_build src/*.egg-info .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
