# The one list of commands; .ci/run uses the same. Each target does its own set-up, in .venv.

PYTHON ?= python3
SECONDS ?= 60
# Twice the cores of a small machine: many tests wait.
WORKERS ?= 4
# The tests that ask about the sources, the pages and the types: make check runs them, make test the others.
HOUSE := tests/project tests/typing tests/words
VENV := .venv
BIN := $(VENV)/bin
# The tests start the program a thousand times, and it need not be compiled each time.
unexport PYTHONDONTWRITEBYTECODE
# maturin installs into the environment that is active: that is .venv here, whatever the shell has.
export VIRTUAL_ENV := $(CURDIR)/$(VENV)
unexport CONDA_PREFIX
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml Cargo.lock
PACKAGE := $(shell find python -name '*.py' -o -name '*.json' -o -name '*.css' -o -name '*.js' 2>/dev/null) pyproject.toml
PLUGIN := $(shell find plugins/polars -name '*.rs' -o -name '*.toml' 2>/dev/null) plugins/polars/Cargo.lock

.PHONY: help demo demo-fleet test test-system test-thorough test-houses check check-house check-types check-rust check-style bench bench-large fuzz docs pictures words man docs-site format clean develop

help: ## Show this list.
	@grep -E '^[a-z-]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 16

# What README's line has installed is enough, and so is what the tests use.
demo: $(if $(wildcard $(BIN)/.goodbot),$(BIN)/.goodbot,$(BIN)/goodbot) ## Crawl the bundled example sites, search them, and show the evidence.
	@$(BIN)/python examples/demo.py

demo-fleet: $(BIN)/.goodbot $(BIN)/.tools ## Crawl the example sites on eight machines, kill one, and show that nothing is lost; as root, with PostgreSQL.
	@$(BIN)/python examples/demo_fleet.py

test: $(BIN)/.goodbot $(BIN)/.tools ## Test the behaviour, Rust and Python; test-system has other programs, kills and loads.
	@echo "Rust's tests: a minute or two to build them the first time, then seconds."
	cargo test --workspace --quiet
	@echo "Python's tests: three to four minutes on two cores."
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder -m "not stress" $(HOUSE:%=--ignore=%)

test-system: $(BIN)/.goodbot $(BIN)/.tools $(BIN)/.docs $(BIN)/.browser $(BIN)/.polars ## Test with nginx, Polars, Chromium, pywb, a full disk, kills and loads; as root it installs what is missing.
	@tests/system/install
	CARGO_TARGET_DIR=target cargo clippy --manifest-path plugins/polars/Cargo.toml --all-features --locked --quiet -- -D warnings
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile --no-loadscope-reorder tests/system
	$(BIN)/python -m pytest -q -n $(WORKERS) --dist loadfile -m stress $(HOUSE:%=--ignore=%)

test-thorough: $(BIN)/.goodbot $(BIN)/.tools ## Try everything of which test tries a part: properties, and what may be killed or changed anywhere.
	$(BIN)/python -m pytest -q -n $(WORKERS) -m "hypothesis or thorough or stress" --hypothesis-profile=thorough
	$(BIN)/python -m tests.houses build/houses

test-houses: $(BIN)/.goodbot ## Test each house of the package with only its own extras installed, in environments of their own.
	$(BIN)/python -m tests.houses build/houses

check: $(BIN)/.goodbot $(BIN)/.tools ## Check style, types and lints, and test what the sources, the pages and their examples promise.
	@echo "Four checks, two at a time; each prints what it found when it ends."
	@$(MAKE) --no-print-directory --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync) check-house check-types check-rust check-style

check-house: $(BIN)/.goodbot $(BIN)/.tools
	$(BIN)/python -m pytest -q $(HOUSE)

check-types: $(BIN)/.goodbot $(BIN)/.tools
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest goodbot._core --allowlist tests/typing/stubtest-allowlist.txt

check-rust:
	cargo fmt --all --check
	cargo fmt --manifest-path plugins/polars/Cargo.toml --check
	cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings

check-style: $(BIN)/.goodbot $(BIN)/.tools
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports --no-logo --no-cache
	$(BIN)/python docs/generate.py --check
	$(BIN)/python docs/links.py

bench: $(BIN)/.goodbot $(BIN)/.tools ## Measure speed and memory against named peers.
	$(BIN)/python -m pip install -q -r benchmarks/requirements.txt
	cargo build --release --quiet --manifest-path benchmarks/peers/Cargo.toml
	$(BIN)/python benchmarks/run.py

URLS ?= 2000000
ORIGINS ?= 20000
SPARK_URLS ?= 10000000
bench-large: $(BIN)/.goodbot $(BIN)/.tools $(BIN)/.polars-measured $(BIN)/.browser ## Measure tables of policies, and verdicts as of, also in Polars and Spark: URLS=2000000 of ORIGINS=20000; Spark has SPARK_URLS=10000000.
	$(BIN)/python -m pip install -q -r benchmarks/requirements.txt
	$(BIN)/python benchmarks/large/as_of.py --urls $(URLS) --origins $(ORIGINS)
	$(BIN)/python benchmarks/large/build.py
	$(BIN)/python benchmarks/large/polars_plugin.py --urls $(URLS) --origins $(ORIGINS)
	@tests/system/install java
	$(BIN)/python benchmarks/large/spark.py --urls $(SPARK_URLS) --origins $(ORIGINS)

fuzz: ## Feed random input for SECONDS=60 to each target.
	./fuzz/run $(SECONDS)

docs: $(BIN)/.goodbot $(BIN)/.tools ## Print the pages that are printed from code.
	$(BIN)/python docs/generate.py

pictures: $(BIN)/.goodbot $(BIN)/.tools $(BIN)/.browser ## Draw the pictures of README.md; needs Chromium.
	$(BIN)/python docs/images/draw.py

words: $(BIN)/.goodbot $(BIN)/.tools ## Write the snapshot of the sentences that goodbot prints: tests/words.
	$(BIN)/python -m tests.words

man: $(BIN)/.goodbot ## Write the manual pages to build/man.
	$(BIN)/python docs/man.py build/man

docs-site: $(BIN)/.goodbot $(BIN)/.docs ## Build the documentation site in build/site; a warning is an error.
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going --conf-dir docs/site --doctree-dir build/doctrees . build/site
	@echo "The site is in build/site/index.html."

format: $(BIN)/.goodbot $(BIN)/.tools ## Set the sources in their form.
	cargo fmt --all
	cargo fmt --manifest-path plugins/polars/Cargo.toml
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

develop: $(BIN)/.goodbot $(BIN)/.tools ## Build the package into .venv.

clean: ## Remove what was built.
	rm -rf $(VENV) target dist build fuzz/target benchmarks/peers/target

$(BIN)/python:
	@echo "Making .venv."
	@$(PYTHON) -m venv $(VENV)

# The same line as in README.md. pip writes the command anew each time, so its time is that of the installation.
$(BIN)/goodbot: | $(BIN)/python
$(BIN)/goodbot: $(RUST) $(PACKAGE)
	@echo "Building and installing goodbot: two to three minutes on two cores the first time."
	@$(BIN)/python -m pip install -q '.[crawl]'
	@touch $@

# The groups of dependencies that pyproject.toml names are read by pip 25.1 and newer.
$(BIN)/.pip: $(BIN)/python
	@$(BIN)/python -m pip install -q 'pip>=25.1'
	@touch $@

$(BIN)/.builder: $(BIN)/.pip pyproject.toml
	@$(BIN)/python -m pip install -q --group build
	@touch $@

$(BIN)/.tools: $(BIN)/.pip pyproject.toml
	@echo "Installing what tests, checks and benchmarks use: a minute, of which most is download."
	@$(BIN)/python -m pip install -q --group tests
	@touch $@

$(BIN)/.docs: $(BIN)/.pip pyproject.toml
	@$(BIN)/python -m pip install -q --group docs
	@touch $@

$(BIN)/.browser: $(BIN)/.pip pyproject.toml
	@$(BIN)/python -m pip install -q --group system
	@touch $@

# Anew if README's line has been run since: that installs a copy, without what the tests read.
REPLACED := $(shell test -e $(BIN)/.goodbot && test $(BIN)/goodbot -nt $(BIN)/.goodbot && echo replaced)
.PHONY: replaced
$(BIN)/.goodbot: $(BIN)/.builder $(RUST) $(REPLACED)
	@echo "Building the Rust core: about two minutes on two cores the first time."
	@PIP_QUIET=1 $(BIN)/maturin develop --release --quiet --features reference --extras crawl
	@touch $@

# In the folder of the core's build, where most of what it needs is built already.
$(BIN)/.polars: $(BIN)/.goodbot $(BIN)/.tools $(PLUGIN)
	@echo "Building the expressions of Polars: about a minute on two cores the first time."
	@cd plugins/polars && PIP_QUIET=1 CARGO_TARGET_DIR=$(CURDIR)/target \
		$(CURDIR)/$(BIN)/maturin develop --release --quiet --locked
	@touch $@

# The same with an expression that only reads its strings, which benchmarks compare with.
$(BIN)/.polars-measured: $(BIN)/.polars
	@cd plugins/polars && PIP_QUIET=1 CARGO_TARGET_DIR=$(CURDIR)/target \
		$(CURDIR)/$(BIN)/maturin develop --release --quiet --locked --features trivial
	@touch $@
