# A fresh machine needs two commands: `make demo` and `make test`.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
INSTALL := $(BIN)/python -m pip install --quiet --disable-pip-version-check -c constraints.txt

.PHONY: demo test papers records overnight rejudge check bench studies extras docs clean

$(VENV)/base: pyproject.toml constraints.txt
	$(PYTHON) -m venv $(VENV)
	$(INSTALL) -e .
	touch $@

$(VENV)/dev: $(VENV)/base
	$(INSTALL) -e ".[dev]"
	touch $@

demo: $(VENV)/base  ## from a plan to a scorecard on embedded data, with its pages in demo/
	$(BIN)/python examples/demo.py

# Some machines forbid bytecode; then every process that a test starts compiles the package again. Four at a time on
# two cores: tests in a browser mostly wait, as people do.
test: $(VENV)/dev  ## all tests; those on public data need DISSENSUS_DATA
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -n 4 --dist worksteal $(PYTEST_ARGS)

papers: $(VENV)/dev  ## every paper at scale quick, with checks of what must come out; needs DISSENSUS_DATA
	OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 PYTHONDONTWRITEBYTECODE= $(BIN)/python -m pytest -m papers -n 2 --dist worksteal tests/papers $(PYTEST_ARGS)

check: $(VENV)/dev  ## lint, format and strict types
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy

bench: $(VENV)/dev  ## compare with peers in one run; ratios are printed; the last needs DISSENSUS_DATA
	$(INSTALL) -e ".[bench]"
	$(INSTALL) --no-deps -r benchmarks/peers.txt
	$(BIN)/python benchmarks/count_votes.py
	$(BIN)/python benchmarks/annotator_models.py speed --models majority dawid-skene mace
	$(BIN)/python benchmarks/agreement.py
	$(BIN)/python benchmarks/ceiling.py
	$(BIN)/python benchmarks/scorecard.py
	$(BIN)/python benchmarks/delivery.py
	$(BIN)/python benchmarks/heads.py --stack
	$(BIN)/python benchmarks/training.py
	$(BIN)/python -m benchmarks.curvature
	$(BIN)/python -m benchmarks.study
	$(BIN)/python -m benchmarks.engines
	$(BIN)/python benchmarks/elicitation_load.py
	OMP_WAIT_POLICY=passive $(BIN)/python benchmarks/roofline.py -o benchmarks/results/roofline.json
	$(BIN)/python -m benchmarks.time_to_accuracy accuracy fast --width 32 --epochs 12 --crop 2

studies: $(VENV)/dev  ## slow runs whose results are recorded in benchmarks/results, studies/results and studies/papers; need DISSENSUS_DATA
	$(BIN)/python benchmarks/soft_heads.py
	$(BIN)/python -m benchmarks.allocation
	$(BIN)/python -m benchmarks.shrinkage
	$(BIN)/python benchmarks/simulation.py $(VENV)/figure_1_grid.json
	$(BIN)/python benchmarks/real_labels.py
	$(BIN)/python -m benchmarks.coverage
	$(BIN)/python studies/deliveries.py
	$(BIN)/python -m studies.probes
	$(BIN)/python studies/advise.py
	$(BIN)/dissensus study run studies/few_votes.toml -o .studies/few_votes
	$(BIN)/dissensus study report .studies/few_votes --markdown studies/results/few_votes.md

PAPERS := peterson2019 collins2022 sucholutsky2023 singh2025 gheibi2026
records: $(VENV)/dev  ## every paper at scale laptop, about an hour each on two cores; goes on where it stopped; needs DISSENSUS_DATA
	for name in $(PAPERS); do \
	  $(BIN)/dissensus reproduce $$name --scale laptop -o .studies/$$name && \
	  cp .studies/$$name/record.json studies/papers/$$name-laptop.json && \
	  cp .studies/$$name/evidence.csv studies/papers/$$name-laptop.csv || exit 1; \
	done
	$(MAKE) rejudge

rejudge: $(VENV)/dev  ## judge the stored records by the present rules, without training, and write their pages
	$(BIN)/python -m studies.pages

# A night may end between two parts: PARTS names those that run, and the stored record has the others.
PAPER ?= peterson2019
PARTS ?=
NIGHT := studies/papers/$(PAPER)-overnight
overnight: $(VENV)/dev  ## one paper, `make overnight PAPER=gheibi2026 PARTS=swift-main`, with networks that are strong enough or more seeds; needs DISSENSUS_DATA
	known=$$(ls $(NIGHT).json 2>/dev/null || echo studies/papers/$(PAPER)-laptop.json) && \
	$(BIN)/dissensus reproduce $(PAPER) --scale overnight $(if $(PARTS),--parts $(PARTS)) --known $$known -o .studies/$(PAPER)-overnight
	cp .studies/$(PAPER)-overnight/record.json $(NIGHT).json
	cp .studies/$(PAPER)-overnight/evidence.csv $(NIGHT).csv
	$(MAKE) rejudge

extras: $(VENV)/base  ## every verb in environments with no extra and with each one alone; goes on where it stopped
	$(BIN)/python benchmarks/extras.py --environments $(VENV)/extras

docs: $(VENV)/dev  ## build the documentation into site/
	$(INSTALL) -e ".[docs]"
	$(BIN)/mkdocs build --strict --quiet

clean:
	rm -rf $(VENV) site demo .mypy_cache .ruff_cache .pytest_cache .hypothesis
