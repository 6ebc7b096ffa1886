# The one list of commands; .ci/run uses the same. Each target does its own set-up, in .venv.

PYTHON ?= python3
SECONDS ?= 60
VENV := .venv
BIN := $(VENV)/bin
RUST := $(shell find crates -name '*.rs' -o -name Cargo.toml 2>/dev/null) Cargo.toml Cargo.lock

.PHONY: help demo test check bench fuzz docs format clean develop

help: ## Show this list.
	@grep -E '^[a-z]+:.*##' Makefile | sed -E 's/:.*## /\t/' | expand -t 10

demo: $(BIN)/.goodbot ## Crawl the bundled example sites in half a minute, search, and show the evidence.
	@$(BIN)/python examples/demo.py

test: $(BIN)/.goodbot ## Run every test, Rust and Python.
	cargo test --workspace --quiet
	$(BIN)/python -m pytest -q

check: $(BIN)/.goodbot ## Check style, types and lints, Rust and Python.
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/python -m mypy.stubtest goodbot._core --allowlist tests/typing/stubtest-allowlist.txt
	$(BIN)/python docs/generate.py --check

bench: $(BIN)/.goodbot ## Measure speed and memory against named peers.
	$(BIN)/python -m pip install -q -r benchmarks/requirements.txt
	cargo build --release --quiet --manifest-path benchmarks/peers/Cargo.toml
	$(BIN)/python benchmarks/run.py

fuzz: ## Feed random input for SECONDS=60 to each target.
	./fuzz/run $(SECONDS)

docs: $(BIN)/.goodbot ## Print the pages that are printed from code.
	$(BIN)/python docs/generate.py

format: $(BIN)/.goodbot ## Set the sources in their form.
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

develop: $(BIN)/.goodbot ## Build the package into .venv.

clean: ## Remove what was built.
	rm -rf $(VENV) target dist fuzz/target benchmarks/peers/target

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install -q --upgrade pip

# pip reads the group of dependencies that pyproject.toml names.
$(BIN)/.tools: $(BIN)/python pyproject.toml
	$(BIN)/python -m pip install -q --group dev 'click>=8.1' 'rich>=13'
	@touch $@

$(BIN)/.goodbot: $(BIN)/.tools $(RUST)
	PIP_QUIET=1 $(BIN)/maturin develop --release --quiet
	@touch $@
