# All that can be done with this repository. Every target first prepares what it uses, in .venv, and is silent about
# what works. What is not said on the command line comes from the environment, which is left as it is.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules --no-print-directory

# The system's own Python where it is new enough and venvs can be made with it: a distribution builds it with
# optimisation, a version manager mostly without, and then everything takes up to a third longer. Whoever wants another
# one says make PYTHON=python3.12.
PYTHON ?= $(or $(shell $(SYSTEM_WILL_DO) && echo /usr/bin/python3),python3)
NEW_ENOUGH := 'import sys; sys.exit(sys.version_info < (3, 11))'
SYSTEM_WILL_DO := { /usr/bin/python3 -c $(NEW_ENOUGH) && \
	{ /usr/bin/python3 -c 'import ensurepip' || [ "$$(id -u)" = 0 ]; }; } 2>/dev/null
# Three workers keep two processors busy, because many tests wait; each one starts a PostgreSQL of its own.
TEST_WORKERS ?= 3
TEST_ARGS ?=
# FULL=1 repeats what only now and then goes wrong many times more.
FULL ?=
DEMO_ARGS ?=
BENCH_ARGS ?=
# For example LOCK_ARGS=--upgrade, or LOCK_ARGS='--upgrade-package rich'.
LOCK_ARGS ?=
NAME ?=

VENV := .venv
BIN := $(VENV)/bin
# What running needs, and what working on it needs beside that.
RUNS := $(VENV)/.runs
READY := $(VENV)/.ready
# What tests run beside Hindcast: programs that send to it, and a ClickHouse server.
SENDERS := $(VENV)/senders/.ready
CLICKHOUSE := $(VENV)/clickhouse/.ready
# What looks at Hindcast as agents' tools do.
INSPECTOR := $(VENV)/inspector/.ready
# What the web pages are built and tested with, and the browser that looks at them.
WEB := web/node_modules/.ready
BROWSER := $(VENV)/.browser
CODE := $(wildcard src tests bench examples)
# A module of bench/ is a benchmark of its own unless it is private or runs inside a peer's environment.
BENCHES := $(sort $(filter-out _% peer%,$(notdir $(basename $(wildcard bench/*.py)))))

# $(call quietly,COMMAND): show what a command says only when it fails.
quietly = said=$$($(1) 2>&1) || { printf '%s\n' "$$said"; exit 1; }

# $(call need,PROBE,PACKAGE): where PROBE fails, root on a Debian machine gets PACKAGE, and anybody else is told of it.
# RUNLEVEL=1: what a package brings as a service is not started.
define need
{ $(1); } >/dev/null 2>&1 || { \
	if [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
		echo "Installing the system package $(2)."; \
		apt-get update -qq >/dev/null && \
		RUNLEVEL=1 DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends $(2) >/dev/null; \
	else \
		echo "The system package $(2) is missing. On Debian: apt-get install $(2). Then run make again." >&2; exit 1; \
	fi; }
endef

.PHONY: help
help: ## Say what there is to do (this list)
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "make %-9s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

.PHONY: demo
demo: $(RUNS) ## Start Hindcast on port 4318 with a simulated outage to watch (DEMO_ARGS=--help tells the rest)
	@echo "Preparing the search model …" >&2
	@$(BIN)/hindcast models prepare >/dev/null 2>&1 || \
		echo "No model could be prepared: recall goes by words and traces." >&2
	@echo "Starting Hindcast …" >&2
	@$(BIN)/hindcast demo $(DEMO_ARGS)

.PHONY: test
test: $(READY) $(SENDERS) $(CLICKHOUSE) $(INSPECTOR) $(WEB) $(BROWSER) ## Run every test, on real PostgreSQL, ClickHouse and senders (TEST_ARGS='-k merge', FULL=1)
	@$(call need,git --version,git)
	@$(call need,command -v nginx || test -x /usr/sbin/nginx,nginx-light)
	@FULL=$(FULL) $(BIN)/pytest -n $(TEST_WORKERS) --dist worksteal $(TEST_ARGS)

.PHONY: check
check: $(READY) $(WEB) ## Format, lint, types, imports, then every test: what has to pass before a change lands
	@$(call quietly,$(BIN)/ruff format --check $(CODE))
	@$(call quietly,$(BIN)/ruff check $(CODE))
	@$(call quietly,$(BIN)/mypy)
	@$(call quietly,$(BIN)/lint-imports)
	@cd web && $(call quietly,npm run --silent check)
	@cd web && $(call quietly,npm run --silent test)
	@cd web && $(call quietly,npm run --silent compare)
	@$(MAKE) test

.PHONY: bench bench-name
bench: bench-name $(READY) ## Measure (NAME=memory; BENCH_ARGS=…)
	@$(BIN)/python -m bench.$(NAME) $(BENCH_ARGS)

bench-name:
	@$(if $(filter $(BENCHES),$(NAME)),:,{ \
		echo "There is no benchmark '$(NAME)'. Say make bench NAME=… with one of: $(or $(BENCHES),(none yet))" >&2; exit 2; })

.PHONY: generate
generate: $(READY) $(WEB) ## Write again what is generated from the code: references, the API's description, the client
	@$(BIN)/python -m hindcast.cli.reference
	@$(BIN)/python -m hindcast.config.reference
	@$(BIN)/python -m hindcast.cli.rules_page
	@$(BIN)/python -m hindcast.mcp.reference
	@$(BIN)/python -m hindcast.rest.openapi
	@$(BIN)/python -m hindcast.rest.client_code
	@cd web && $(call quietly,npm run --silent gen:api)

.PHONY: web
web: $(WEB) ## Build the web pages into the package, from web/
	@cd web && $(call quietly,npm run --silent build)

.PHONY: screenshots
screenshots: $(READY) $(WEB) $(BROWSER) ## Take pictures of every page, in both themes, into docs/images
	@$(BIN)/python -m tests.web.screenshots docs/images

.PHONY: format
format: $(READY) ## Format the code and mend what the linter can mend
	@$(BIN)/ruff format --quiet $(CODE)
	@$(BIN)/ruff check --quiet --fix $(CODE)

.PHONY: clean
clean: ## Remove everything that make and the tools have made, .venv included
	@rm -rf $(VENV) $(VENV)-* web/node_modules .demo build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
	@find $(CODE) -name __pycache__ -type d -prune -exec rm -rf {} +

# --- Pins ---------------------------------------------------------------------------------------------------------
# One universal resolution serves every platform and Python from 3.11 on. It has no hashes: with them an installer
# refuses whatever the list does not name, and a wheel built locally or for a newer platform is not in it. It has no
# addresses either: where packages come from is the machine's business.

# $(call pin,FILE,SOURCES)
define pin
$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-header --no-annotate --no-emit-index-url \
	--no-emit-find-links --output-file requirements/$(1).txt $(2) $(LOCK_ARGS) >/dev/null && \
{ echo "# Written by make lock from: $(filter-out -%,$(2)). Do not edit."; cat requirements/$(1).txt; } \
	> requirements/$(1).tmp && mv requirements/$(1).tmp requirements/$(1).txt
endef

.PHONY: lock
lock: $(BIN)/uv ## Pin all requirements again after a change to pyproject.toml or requirements/dev.in (LOCK_ARGS=…)
	@$(call pin,runtime,--all-extras pyproject.toml)
	@$(call pin,dev,--all-extras pyproject.toml requirements/dev.in --constraint=requirements/runtime.txt)

# --- Set-up -------------------------------------------------------------------------------------------------------

UV_PIN = $(or $(shell sed -n 's/^\(uv==[^ ;]*\).*/\1/p' requirements/dev.txt 2>/dev/null),uv)
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

# Debian's python3 comes without venv; nothing else is needed of the system, since PostgreSQL comes as a package.
$(BIN)/python:
	@command -v $(PYTHON) >/dev/null || { \
		echo "There is no '$(PYTHON)'. Install Python 3.11 or later, or say make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(PYTHON) -c $(NEW_ENOUGH) || { \
		echo "$$($(PYTHON) --version) is too old: Hindcast needs 3.11 or later. Say make PYTHON=/path/to/python3." >&2; exit 1; }
	@$(call need,$(PYTHON) -c 'import ensurepip; import venv',python3-venv)
	@$(PYTHON) -m venv --clear $(VENV)

$(BIN)/uv: | $(BIN)/python
	@$(PIP) install "$(UV_PIN)"

# $(call install,WHAT): into .venv, in the versions that are pinned. uv is several times faster than pip; where uv
# cannot be had or cannot reach the packages, pip has to do.
define install
{ $(PIP) install "$(UV_PIN)" && \
	$(BIN)/uv pip install --quiet --python $(BIN)/python $(1); } 2>$(VENV)/uv.log || { \
	echo "uv did not work here (see $(VENV)/uv.log); installing with pip instead." >&2; \
	$(PIP) install $(1); }
endef

# What a start loads: only that is compiled, since the byte code of everything takes as much room as Arrow.
LOADED := chdb, hindcast.build.fixes, hindcast.cli.commands, hindcast.mcp.exchange, hindcast.rest.server

# For running: the package, what it needs and what makes the search model, without its other extras. What builds the
# package comes first, so that it is built with pinned versions; it stays where it is, so that what is edited runs.
# chDB names pandas, but loads it only to hand out data frames, which nothing here asks it for. Tests have it.
$(RUNS): pyproject.toml requirements/runtime.txt | $(BIN)/python
	@echo "Installing Hindcast and its packages (about a minute) …" >&2
	@$(call install,--constraint requirements/dev.txt hatchling editables)
	@$(call install,--constraint requirements/runtime.txt --no-build-isolation --editable '.[models]')
	@test -e $(READY) || { $(call quietly,$(PIP) uninstall --yes pandas uv); }
	@PYTHONDONTWRITEBYTECODE= $(BIN)/python -c 'import $(LOADED)'
	@touch $@

# For working on it: everything. Nothing is left to install for running then.
$(READY): pyproject.toml requirements/dev.txt | $(BIN)/python
	@echo "Installing Hindcast, its packages and what tests need (a minute or two) …" >&2
	@export UV_COMPILE_BYTECODE=1; $(call install,-r requirements/dev.txt)
	@$(call install,--no-deps --no-build-isolation --editable .)
	@touch $(RUNS) $@

$(SENDERS): tests/fetch_senders.sh | $(READY)
	@echo "Fetching the real senders that tests let deliver: Prometheus, Alertmanager, rsyslog, syslog-ng." >&2
	@rm -rf $(VENV)/senders
	@sh tests/fetch_senders.sh $(abspath $(VENV)/senders)
	@touch $@

$(INSPECTOR): tests/inspector/package.json tests/inspector/package-lock.json | $(READY)
	@echo "Fetching the MCP inspector that tests let look at Hindcast." >&2
	@$(call need,npm --version,npm)
	@rm -rf $(VENV)/inspector
	@mkdir -p $(VENV)/inspector
	@cp tests/inspector/package.json tests/inspector/package-lock.json $(VENV)/inspector/
	@cd $(VENV)/inspector && $(call quietly,npm install --ignore-scripts --omit=optional --no-audit --no-fund)
	@touch $@

$(WEB): web/package.json web/package-lock.json
	@echo "Fetching what the web pages are made with." >&2
	@$(call need,node -e 'process.exit(+(process.versions.node.split(".")[0] < 20))' && npm --version,nodejs npm)
	@cd web && $(call quietly,npm ci --ignore-scripts --no-audit --no-fund)
	@touch $@

$(BROWSER): | $(READY)
	@$(call need,command -v chromium,chromium fonts-liberation)
	@touch $@

$(CLICKHOUSE): tests/contract/clickhouse_server.py | $(READY)
	@echo "Fetching the ClickHouse that tests run on." >&2
	@mkdir -p $(VENV)/clickhouse
	@$(BIN)/python tests/contract/clickhouse_server.py fetch >/dev/null
	@touch $@
