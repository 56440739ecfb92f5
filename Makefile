# Two commands do all the set-up: `make run` and `make test`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed

.PHONY: run test prove-arithmetics lint types imports docs provisions benchmark schema all clean
all: test lint types imports provisions docs

$(STAMP): pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --constraint constraints.txt --editable '.[all,dev,docs]'
	@touch $(STAMP)

run: $(STAMP)
	$(BIN)/ownertrust tie-out carmax-2022-4 --format table

test: $(STAMP)
	$(BIN)/python -m pytest -n 2

prove-arithmetics: $(STAMP)
	$(BIN)/python -m pytest -m slow tests/properties/test_two_arithmetics.py

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: $(STAMP)
	$(BIN)/mypy

imports: $(STAMP)
	$(BIN)/lint-imports --no-cache

docs: $(STAMP)
	NO_MKDOCS_2_WARNING=1 $(BIN)/mkdocs build --strict --quiet

provisions: $(STAMP)
	$(BIN)/python tools/provision_carriers.py --check

benchmark: $(STAMP)
	$(BIN)/python -m benchmarks

clean:
	rm -rf $(VENV) site

# Slower proofs; the suite runs a short form of each.
.PHONY: prove prove-kill
prove-kill: $(STAMP)
	$(BIN)/python -m pytest -m slow tests/system/test_kill_closes.py -s

prove: $(STAMP)
	$(BIN)/python -m pytest -m slow -s
