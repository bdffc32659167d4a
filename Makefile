# What developers and CI run. Needs Python 3.11 or newer and a package registry for pip; nothing else.

PYTHON ?= $(firstword $(foreach name,python3.11 python3.12 python3.13 python3,$(shell command -v $(name))))
VENV := .venv
BIN := $(VENV)/bin
INSTALLED := $(VENV)/.installed
PEERS := $(VENV)/.peers
CONTRACTED := .venv-contract
CONTRACT := $(CONTRACTED)/.installed
TRAINER := .venv-training
TRAINING := $(TRAINER)/.installed
FRAMED := .venv-frameworks
FRAMEWORKS := $(FRAMED)/.installed
COMPARED := .venv-peers
COMPARISON := $(COMPARED)/.installed
LOCKS := requirements.lock requirements-dev.lock requirements-build.lock

# Hundreds of processes import the same modules: compile each once, also where the environment says not to keep it.
unexport PYTHONDONTWRITEBYTECODE

# --no-deps: the locks are complete.
# --only-binary: no package's build script runs here, so nothing unlocked is fetched to run one.
PIP_INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps
LOCKED := --require-hashes --only-binary :all:
PYTEST := OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 $(BIN)/pytest
see = $(BIN)/python -c 'import sysconfig; print("import site; site.addsitedir(%r)" % sysconfig.get_path("purelib"))' \
	> "$$($(1)/bin/python -c 'import sysconfig; print(sysconfig.get_path("purelib"))')/wellread.pth"
COMPILE := $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --no-build --generate-hashes \
	--custom-compile-command "make lock"

# a pip, a lock and a venv: installs what the lock names, and torch as small as it can be had
define with_torch
	@$(1) install --quiet --disable-pip-version-check --no-deps $(LOCKED) -r requirements-torch-cpu.lock 2> /dev/null || true
	@$(1) install --quiet --disable-pip-version-check --no-deps $(LOCKED) -r $(2)
	@$(3)/bin/python -c 'import torch' 2> /dev/null || { \
		echo "No torch for the processor alone where pip looks: installing the libraries of the registry's build too, some 2.5 GB." >&2; \
		$(1) install --quiet --disable-pip-version-check --no-deps $(LOCKED) -r requirements-torch-cuda.lock \
		&& $(3)/bin/python -c 'import torch'; }
endef

.DEFAULT_GOAL := help
.PHONY: help install wheels demo check static test nightly slow eval asked bench fuzz train teach distil encoder reader schemathesis learning integration format-check lint types contracts browser typescript fast live frameworks format docs site plots secrets recording screens lock clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /\1|/' | while IFS='|' read -r name text; do \
		printf '  make %-13s %s\n' "$$name" "$$text"; done

install: $(INSTALLED) ## install into .venv what the lock files name, by hash

$(INSTALLED): pyproject.toml $(LOCKS)
	@"$(PYTHON)" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
		echo "Wellread needs Python 3.11 or newer; name one: make install PYTHON=/path/to/python3.11" >&2; exit 1; }
	@test -x $(BIN)/python || "$(PYTHON)" -m venv $(VENV)
	@echo "Installing into $(VENV): about 1.3 GB and a minute or two, once."
	$(PIP_INSTALL) $(LOCKED) -r requirements-build.lock -r requirements-dev.lock
	$(PIP_INSTALL) --no-build-isolation --editable .
	@touch $@

$(PEERS): requirements-bench.lock $(INSTALLED)
	$(PIP_INSTALL) $(LOCKED) -r requirements-bench.lock
	@touch $@

# A venv of its own that sees the packages of the other and installs what these frameworks need beside them.
$(FRAMEWORKS): requirements-frameworks.lock $(INSTALLED)
	@rm -rf $(FRAMED) && $(BIN)/python -m venv --without-pip $(FRAMED)
	@$(call see,$(FRAMED))
	@$(FRAMED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(LOCKED) -r requirements-frameworks.lock
	@touch $@

# A venv that shares nothing with the other: the peers need older versions of what Wellread needs.
$(COMPARISON): requirements-torch-cpu.lock requirements-torch-cuda.lock requirements-peers.lock $(INSTALLED)
	@rm -rf $(COMPARED) && $(BIN)/python -m venv --without-pip $(COMPARED)
	$(call with_torch,$(BIN)/python -m pip --python $(COMPARED)/bin/python,requirements-peers.lock,$(COMPARED))
	@touch $@

$(CONTRACT): requirements-contract.lock $(INSTALLED)
	@rm -rf $(CONTRACTED) && $(BIN)/python -m venv --without-pip $(CONTRACTED)
	@$(call see,$(CONTRACTED))
	@$(CONTRACTED)/bin/python -m pip install --quiet --disable-pip-version-check --no-deps $(LOCKED) -r requirements-contract.lock
	@touch $@

# What trains models needs torch, which is large: it has a venv of its own that sees the packages of the other.
$(TRAINING): requirements-training.lock requirements-torch-cpu.lock requirements-torch-cuda.lock $(INSTALLED)
	@echo "Installing torch and what else trains models into $(TRAINER): about 1.3 GB, once."
	@rm -rf $(TRAINER) && $(BIN)/python -m venv --without-pip $(TRAINER)
	@$(call see,$(TRAINER))
	$(call with_torch,$(TRAINER)/bin/python -m pip,requirements-training.lock,$(TRAINER))
	@touch $@

demo: install ## ask, crawl, answer, ask again: the whole flow on a bundled site, no key and no internet
	@$(BIN)/wellread demo

check: static fast ## before a commit: format, lint, types, import contracts, the site of docs/, fast tests

static: format-check lint types contracts site ## format, lint, types, import contracts, the site of docs/

test: browser typescript integration live ## the tests of every change: the fast ones and those with real databases, then those with the whole stack and a browser

nightly: slow frameworks learning schemathesis fuzz ## what is slow and seldom breaks: those marked nightly, other frameworks, short trainings, schemathesis, fuzzing

# DATA: a folder of other sets, without floors; ARGS: --pin, --allow-regression NAME, --limit N
eval: install ## quality on small data sets against pinned floors (DATA=/path for others); up to an hour on one core
	$(BIN)/python -m evals check $(if $(DATA),--data "$(DATA)") $(ARGS)

# SET: one of evals/asked/sets, or model; MODEL: replies, claude or a server's URL; ARGS: --limit N, --crawl N, --quick, --misses, --publish, --pin
asked: install ## real questions about real pages, asked of the product and graded (SET=…); some six minutes, under one with ARGS=--quick
	$(BIN)/python -m evals.asked $(or $(SET),$(if $(MODEL),model,manuals)) $(if $(MODEL),--model "$(MODEL)") $(ARGS)

# NAME: one of them alone; ARGS: --passages 100000, --rounds N, --folder DIR, --json
bench: $(PEERS) $(if $(filter peers,$(NAME)),$(COMPARISON)) ## speed as ratios in one run: retrieval, embedding, an answer over HTTP, hops, the start; some ten minutes
	$(BIN)/python -m benchmarks $(or $(NAME),all) $(ARGS)

# TARGET: one of them alone; SECONDS_EACH: how long
fuzz: $(PEERS) ## inputs that break the crawler, looked for with atheris: pages, robots.txt, URLs, sitemaps, charsets; a minute each
	@for target in $(or $(TARGET),extract robots url sitemap charset); do \
		$(BIN)/python -m tests.fuzz $$target --seconds $(or $(SECONDS_EACH),60) || exit 1; done

# ARGS: --questions N, --threads N, --seed N, --start file.npz
train: $(TRAINING) ## train the encoder on training/data; goes on where it was interrupted
	$(TRAINER)/bin/python -m training.train $(ARGS)

# ARGS: --seconds N, --label-seconds N, --questions N, --tokens N, --threads N; needs an accelerator
teach: $(TRAINING) ## train a large reader, and have it say what it thinks of each question and passage
	$(TRAINER)/bin/python -m training.reader.learn teach $(ARGS)

# ARGS: --seconds N, --labels file.npz, --start file.npz, --questions N, --tokens N, --threads N
distil: $(TRAINING) ## train the reader that ships on what people marked and what the large one said
	$(TRAINER)/bin/python -m training.reader.learn distil $(ARGS)

# TRAINED: an .npz of weights trained on from all-MiniLM-L6-v2; without it the files hold all-MiniLM-L6-v2 itself
encoder: $(TRAINING) ## make the encoder's files in text/encoder from weights (TRAINED=file.npz)
	$(TRAINER)/bin/python -m training.encoder $(if $(TRAINED),--trained "$(TRAINED)")

reader: $(TRAINING) ## make text/encoder/reader.onnx from trained weights (TRAINED=file.npz)
	$(TRAINER)/bin/python -m training.reader.export --trained "$(or $(TRAINED),build/training/reader/reader.npz)"

format-check: install
	$(BIN)/ruff format --check .

lint: install
	$(BIN)/ruff check .

types: install
	$(BIN)/mypy

contracts: install
	$(BIN)/lint-imports

browser: ## install Debian's Chromium where it may be, and axe-core where npm is there: what the tests of the web page need
	@command -v chromium > /dev/null || command -v google-chrome > /dev/null || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
		&& apt-get update -qq && apt-get install --yes -qq --no-install-recommends chromium > /dev/null; } \
		|| echo "No Chromium, and it cannot be installed here: the tests that need a browser are skipped." >&2
	@cd tests/api/web/axe && { ! command -v npm > /dev/null || test -f node_modules/axe-core/axe.min.js \
		|| npm ci --ignore-scripts --no-audit --no-fund --loglevel=error > /dev/null; } \
		|| echo "axe-core cannot be installed: the check of the page's accessibility is skipped." >&2

typescript: ## install the TypeScript compiler and what else its tests need, where npm is there
	@cd clients/typescript && { ! command -v npm > /dev/null || test -x node_modules/.bin/tsc -a -d node_modules/standardwebhooks \
		|| npm ci --ignore-scripts --no-audit --no-fund --loglevel=error > /dev/null; } \
		|| echo "The TypeScript compiler cannot be installed: the tests that need it are skipped." >&2

fast: install ## the tests without databases and servers
	$(PYTEST) -m "not integration and not live and not nightly" --numprocesses 2 --dist worksteal

integration: install ## the fast tests, and those with real databases, Valkey and LanceDB
	$(PYTEST) -m "not live and not nightly" --numprocesses 4 --dist worksteal

live: install ## the tests with real servers, workers and browsers
	$(PYTEST) -m "live and not nightly" --numprocesses 3 --dist loadfile $$(grep -rl "pytest.mark.live" tests --include='test_*.py')

slow: install browser typescript ## the tests that are marked nightly: times per length of a text, long faults, each document's commands
	$(PYTEST) -m nightly --numprocesses 2 --dist loadfile

frameworks: $(FRAMEWORKS) ## the tests of the retrievers for LangChain and LlamaIndex, of an object store, of two machines on one and of scanned PDFs, in the venv with their packages
	$(FRAMED)/bin/python -m pytest tests/docs/frameworks/retrievers.py tests/store/passages/object_store.py \
		tests/live/two_machines.py tests/crawler/extract/scanned_pdf.py

# EXAMPLES: how many requests each route gets in each phase
schemathesis: $(CONTRACT) ## schemathesis asks every route of a running API what its description allows, and what it does not
	$(CONTRACTED)/bin/python -m tests.contract $(if $(EXAMPLES),--examples $(EXAMPLES))

learning: $(TRAINING) ## the tests that a short training learns, in the venv with torch
	OMP_NUM_THREADS=1 $(TRAINER)/bin/python -m pytest tests/training/learning/short_runs.py

format: install ## put the code into its format
	$(BIN)/ruff check --fix-only .
	$(BIN)/ruff format .

wheels: install ## build into dist/ the wheel of everything and the wheel of the client alone
	$(BIN)/python -m pip wheel --quiet --disable-pip-version-check --no-deps --no-build-isolation --wheel-dir dist . clients/python

docs: install ## write the generated parts of docs/, and TypeScript's types, from the code
	@$(BIN)/python -m docs.generate_docs

site: install ## build docs/ as a site into build/site, without network; a broken link fails
	@$(BIN)/zensical build --clean --strict
	@rm -f build/site/*.py # what writes parts of docs/ is no page

plots: install ## draw the published figures anew: docs/pictures/*.svg, from figures.json there
	@$(BIN)/python -m benchmarks.plots

secrets: ## write the passwords and keys of docker-compose.yml into files in secrets/; those that are there stay
	@sh docs/compose/make-secrets.sh

recording: install ## record a question in a terminal anew: docs/screens/recording.svg
	@$(BIN)/python -m tests.docs.recording

screens: install browser ## take the pictures of the web page anew: docs/screens/*.webp
	@$(BIN)/python -m tests.docs.screens

lock: ## write the lock files anew from pyproject.toml (ARGS=--upgrade for newer versions)
	$(COMPILE) $(ARGS) pyproject.toml --output-file requirements.lock
	$(COMPILE) $(ARGS) pyproject.toml --group dev --constraints requirements.lock \
		--output-file requirements-dev.lock
	# without --universal: what one of these asks for on PyPy has no wheel
	$(filter-out --universal,$(COMPILE)) $(ARGS) --group bench --constraints requirements-dev.lock --output-file requirements-bench.lock
	$(COMPILE) $(ARGS) --group training --constraints requirements-dev.lock --output-file requirements-training.lock
	$(COMPILE) $(ARGS) --group frameworks --constraints requirements-dev.lock --output-file requirements-frameworks.lock
	$(COMPILE) $(ARGS) --group peers --output-file requirements-peers.lock
	$(COMPILE) $(ARGS) --group contract --constraints requirements-dev.lock --output-file requirements-contract.lock
	$(COMPILE) $(ARGS) --group build --constraints requirements-dev.lock --output-file requirements-build.lock

clean: ## back to a fresh clone; the data folder stays
	rm -rf $(VENV) $(TRAINER) $(FRAMED) $(COMPARED) clients/typescript/node_modules tests/api/web/axe/node_modules .cache build dist .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache .coverage
	find . -name __pycache__ -type d -prune -exec rm -rf {} +
