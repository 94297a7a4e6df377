# Everything a developer types. A fresh machine needs make and Python 3.11 or newer, nothing else.

# The first Python that is new enough, unless PYTHON names one: `make setup PYTHON=python3.13`.
PYTHON ?= $$(for p in python3 python3.14 python3.13 python3.12 python3.11; do \
	$$p -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo $$p && exit; done; \
	echo 'Seahaven needs Python 3.11 or newer; PYTHON=... names one that is not on the path.' >&2; echo false)

# Where `make run` listens. Not taken from the environment, where HOST means other things to other programs.
HOST = 127.0.0.1
PORT ?= 8000

BIN := .venv/bin
MANAGE := $(BIN)/python manage.py
PIP := python -m pip install -qq --disable-pip-version-check

.DEFAULT_GOAL := help
.PHONY: help setup environment openenv-environment run test check format docs example bench lock clean

help:  ## Print this list.
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-8s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

setup:  ## Make .venv and .venv-openenv of the lock files; at once when nothing changed.
	@$(MAKE) --no-print-directory --jobs=2 environment openenv-environment

environment:
	@$(call environment_of,requirements.lock,.venv)
	@cmp -s pyproject.toml .venv/installed-pyproject.toml || { \
		.venv/bin/$(PIP) --no-deps --no-build-isolation --editable . && cp pyproject.toml .venv/installed-pyproject.toml; }

openenv-environment:
	@$(call environment_of,requirements-openenv.lock,.venv-openenv)

# $(call environment_of,LOCK,DIR): DIR holds exactly the packages of LOCK.
# DIR/made-from says which they were and where; nothing is done while that stays the same.
define environment_of
{ echo '$(CURDIR)'; cat $(1); } | cmp -s - $(2)/made-from && test -x $(2)/bin/python $(call and_same_python,$(2)) || { \
	echo 'Installing $(1) into $(2), about a minute ...' && \
	$(PYTHON) -m venv --clear $(2) && \
	$(2)/bin/$(PIP) --require-hashes --no-deps -r $(1) && \
	{ echo '$(CURDIR)'; cat $(1); } > $(2)/made-from; }
endef
and_same_python = $(if $(filter command environment,$(firstword $(origin PYTHON))),&& test "`$(PYTHON) -V`" = "`$(1)/bin/python -V`")

run: environment  ## Prepare the database and the fixtures, then serve; HOST= and PORT= choose where, ARGS= how.
	@$(MANAGE) migrate --verbosity 0
	@$(MANAGE) seahaven_fixture build
	@SEAHAVEN_OPEN_CONSOLE=$${SEAHAVEN_OPEN_CONSOLE-1} exec $(MANAGE) seahaven_serve --host $(HOST) --port $(PORT) $(ARGS)

test: check  ## Run the checks and every test; ARGS= goes to pytest.
	$(BIN)/python -m pytest --numprocesses auto --dist loadscope $(ARGS)

check: setup  ## Format check, lint, types, import contracts, Django's own checks.
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-logo
	$(MANAGE) check

format: environment  ## Rewrite the code as `make check` wants it.
	$(BIN)/ruff check --fix --select I .
	$(BIN)/ruff format .

docs: environment  ## Build the site of the documentation into var/site; needs no network.
	$(BIN)/zensical build --clean --strict --config-file mkdocs.yml

example: environment  ## Roll out 100 episodes at once against a server that runs; ARGS= goes to the script.
	$(BIN)/python examples/rollouts.py $(ARGS)

bench: environment  ## Measure; ARGS= goes to the benchmarks.
	$(BIN)/python -m benchmarks $(ARGS)

lock:  ## Write the lock files again; ARGS=--upgrade takes newer releases.
	@$(PYTHON) -m venv --clear .venv-lock
	@.venv-lock/bin/$(PIP) 'uv>=0.9,<1'
	@$(call compile,requirements.lock,--group dev pyproject.toml)
	@$(call compile,requirements-openenv.lock,--group pyproject.toml:openenv)
	@rm -r .venv-lock

compile = .venv-lock/bin/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --custom-compile-command 'make lock' $(ARGS) --output-file $(1) $(2)

clean:  ## Remove the environments, the caches and what the tests left; keeps var/, which holds your data.
	rm -rf .venv .venv-openenv .venv-lock var/test build dist *.egg-info
	rm -rf .cache .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
