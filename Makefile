# Everything a developer or a visitor types. `make` alone lists it.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
BENCH_STAMP := .venv-bench/.installed
QUESTION := Which is the better first language for a scientist, Python or Julia, and why?

# Tests start hundreds of processes, and rewrite 500 files to collect themselves: compiled once, not each time.
test proofs pages replay: export PYTHONDONTWRITEBYTECODE :=

.DEFAULT_GOAL := help
.PHONY: help setup demo up test proofs pages check bench bench-peers bench-parts bench-steady bench-study profile chaos pins format lint types imports budgets replay clean

help: ## list the targets
	@awk -F':.*## ' '/^[a-z-]+:.*## / {printf "  make %-11s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP) ## make .venv and install everything that is pinned
	@:

$(STAMP): SHELL := bash
$(STAMP): PIP = $(BIN)/python -m pip install -q --disable-pip-version-check --require-hashes --no-deps
$(STAMP): requirements/dev.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(0 if (3, 11) <= sys.version_info < (3, 15) else f"Python 3.11 to 3.14 is needed, this is {sys.version.split()[0]}; name one with: make PYTHON=python3.14 …")'
	@$(BIN)/python -m pip --version >/dev/null 2>&1 || $(PYTHON) -m venv .venv || \
		{ echo "$(PYTHON) cannot make environments: install its venv module (Debian: apt-get install python3-venv)"; exit 1; }
	@echo "installing what is pinned into .venv (half a minute, once)"
	@$(PIP) -r <(awk '/^[a-z]/ { found = /^uv==/ } found' requirements/dev.txt)
	@set -o pipefail; $(BIN)/uv pip install --python $(BIN)/python --compile-bytecode --require-hashes --no-deps \
		-r requirements/dev.txt 2>&1 | awk '!/^ [-+~]/ { print "  " $$0; fflush() }' || \
		{ echo "uv does not reach the packages; pip, which knows pip.conf, installs them in minutes"; $(PIP) -r requirements/dev.txt; }
	@$(BIN)/python -m pip install -qq --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

demo: setup ## a council of four scripted models on a real Temporal server, from question to verdict
	@$(BIN)/parley council "$(QUESTION)" --rehearse --stay

up: setup ## server, worker and Web UI in the foreground, with scripted models beside the real ones
	@$(BIN)/parley up --rehearse

test: setup ## the tests, each property with 40 examples and not 100 as in `make check` (PROCESSES=5 EXAMPLES=40)
	@EXAMPLES=$(or $(EXAMPLES),40) $(BIN)/python -m pytest -n $(or $(PROCESSES),5) --dist loadfile --no-loadscope-reorder -m "$(or $(MARKS),not long and not source)"

proofs: setup ## the long ones: kills, races and storms on real processes
	@$(BIN)/python -m pytest -n 4 --dist loadfile --no-loadscope-reorder -m "long and not pages"

pages: setup ## every command of the tutorial, as it is written
	@$(BIN)/python -m pytest -m pages tests/e2e/test_pages.py

replay: setup ## replay the recorded histories
	@$(BIN)/python -m pytest tests/replay

format: setup ## format the code
	@$(BIN)/ruff format -q . && $(BIN)/ruff check --fix -q .

lint: setup
	@$(BIN)/ruff format --check -q . && $(BIN)/ruff check -q . && echo "lint      ok"

types: setup
	@$(BIN)/mypy --no-error-summary && echo "types     ok"

imports: setup ## the import contracts
	@$(BIN)/lint-imports > .venv/imports.log 2>&1 || (cat .venv/imports.log; exit 1)
	@echo "imports   ok"

budgets: setup ## lengths of functions and files, names, docstrings of tests, suppressions, pins
	@$(BIN)/python -m pytest -p no:cacheprovider tests/repository --ignore tests/repository/test_contracts.py > .venv/budgets.log 2>&1 \
		|| (cat .venv/budgets.log; exit 1)
	@echo "budgets   ok"

check: setup ## what CI runs: format, lint, types, imports, tests (the budgets among them), proofs
	@$(MAKE) --no-print-directory -j 2 lint types imports
	@$(MAKE) --no-print-directory test MARKS="not pages" EXAMPLES=100

bench: setup ## what durability costs, beside plain httpx and a bare Temporal worker (ROUNDS=3)
	@$(BIN)/python -m bench.peers --peers plain,bare,parley --rounds $(or $(ROUNDS),3)

bench-peers: setup $(BENCH_STAMP) ## the same beside LangGraph and DBOS, installed into .venv-bench (ROUNDS=3 PEERS=…)
	@$(BIN)/python -m bench.peers --rounds $(or $(ROUNDS),3) $(if $(PEERS),--peers $(PEERS))

$(BENCH_STAMP): requirements/bench.txt
	@echo "installing LangGraph and DBOS into .venv-bench (a minute, once)"
	@$(PYTHON) -m venv .venv-bench
	@.venv-bench/bin/python -m pip install -q --disable-pip-version-check --require-hashes --no-deps -r requirements/bench.txt
	@touch $@

profile: setup ## a call's milliseconds by layer of the worker (CHUNKS=250)
	@$(BIN)/python -m bench.profile --chunks $(or $(CHUNKS),0)

bench-parts: setup ## from a bare Temporal worker to Parley, one part at a time (ROUNDS=5)
	@$(BIN)/python -m bench.parts --rounds $(or $(ROUNDS),5)

bench-steady: setup ## idle processes, the rounds of a consensus, sizes of histories, 400 streams in one worker
	@$(BIN)/python -m bench.steady

bench-study: setup ## what a large study takes (ROWS=5000 WINDOW=200 ROUNDS=3)
	@$(BIN)/python -m bench.study --rows $(or $(ROWS),5000) --window $(or $(WINDOW),200) --rounds $(or $(ROUNDS),3)

chaos: setup ## minutes in which processes, disk and providers fail, and what was lost (MINUTES=10)
	@$(BIN)/python -m bench.chaos --minutes $(or $(MINUTES),10)

pins: PIN = $(BIN)/uv pip compile -q --universal --python-version 3.11 --generate-hashes \
	--no-emit-index-url --no-emit-find-links --no-header --no-annotate
pins: setup ## compile what pyproject.toml and requirements/*.in ask for into pinned files with hashes
	@$(PIN) --all-extras pyproject.toml requirements/dev.in -o requirements/dev.txt
	@$(PIN) pyproject.toml -c requirements/dev.txt -o requirements/worker.txt
	@$(PIN) pyproject.toml --extra cli --extra studies -c requirements/dev.txt -o requirements/tools.txt
	@$(PIN) requirements/build.in -o requirements/build.txt
	@$(PIN) requirements/bench.in -o requirements/bench.txt

clean: ## remove what was installed and built (not .parley)
	@rm -rf .venv .venv-bench .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
