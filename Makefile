# Each verb does its own set-up in .venv; `make help` lists them.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
PIP := $(BIN)/pip --disable-pip-version-check -q
WHEELS := build/wheel
SOURCES := $(shell find core/include core/src bindings src -type f -not -name '*.pyc') CMakeLists.txt pyproject.toml README.md LICENSE
CXX_FILES := $(wildcard core/include/sapwood/*.hpp core/src/*.cpp core/tests/*.cpp core/tests/*.hpp core/gate/*.cpp core/gate/*.hpp core/fuzz/*.cpp core/fuzz/*.hpp bindings/*.cpp bindings/*.hpp)
CXX_TESTS := cmake -S . -G Ninja -DSAPWOOD_PYTHON=OFF -DSAPWOOD_TESTS=ON
export PATH := $(CURDIR)/$(BIN):$(PATH)

.DEFAULT_GOAL := help
.PHONY: help run test cxx-test fuzz gate gate-update py-test check format stub bench reproduction docs wheel clean

help: ## List the verbs
	@grep -hE '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z-]+):.*## /  make \1\t/' | expand -t 20

$(VENV)/base:
	$(PYTHON) -m venv $(VENV)
	$(PIP) install --upgrade pip
	$(PIP) install "scikit-build-core>=0.11" "nanobind>=2.7" cmake ninja numpy
	@touch $@

# One wheel is built, and everything that follows uses that wheel.
$(WHEELS)/built: $(VENV)/base $(SOURCES)
	@mkdir -p $(WHEELS) && rm -f $(WHEELS)/*.whl
	$(PIP) wheel --no-build-isolation --no-deps --wheel-dir $(WHEELS) .
	$(PIP) install --force-reinstall --no-deps $(WHEELS)/sapwood-*.whl
	@touch $@

$(VENV)/tools: $(VENV)/base $(WHEELS)/built pyproject.toml
	$(PIP) install "$$(echo $(WHEELS)/sapwood-*.whl)[all]" --group test --group check
	@touch $@

$(VENV)/cli: $(WHEELS)/built
	$(PIP) install "$$(echo $(WHEELS)/sapwood-*.whl)[cli]"
	@touch $@

run: $(VENV)/cli ## Learn a drifting stream with all labels and with a tenth; show what came of it
	@$(BIN)/sapwood demo --out build/demo
	@echo "(In this checkout the command is $(BIN)/sapwood.)"

test: cxx-test gate py-test ## All tests, C++ under sanitizers first

cxx-test: $(VENV)/base ## C++ unit tests under ASan and UBSan, stress test under TSan
	@mkdir -p build
	$(CXX_TESTS) -B build/asan -DSAPWOOD_SANITIZE=address,undefined >build/asan.log 2>&1 || (cat build/asan.log; exit 1)
	cmake --build build/asan
	ctest --test-dir build/asan --output-on-failure -E stress
	$(CXX_TESTS) -B build/tsan -DSAPWOOD_SANITIZE=thread >build/tsan.log 2>&1 || (cat build/tsan.log; exit 1)
	cmake --build build/tsan --target threads_stress
	ctest --test-dir build/tsan --output-on-failure -R stress

N ?= 1000000
fuzz: $(VENV)/base ## Read N=1000000 states of each kind that were made to deceive, under ASan and UBSan
	@mkdir -p build
	$(CXX_TESTS) -B build/asan -DSAPWOOD_SANITIZE=address,undefined >build/asan.log 2>&1 || (cat build/asan.log; exit 1)
	cmake --build build/asan --target fuzz
	build/asan/core/fuzz/fuzz all $(N)

gate: $(VENV)/base ## Instructions per row on fixed streams, held to core/gate/instructions.json
	$(BIN)/python core/gate/gate.py

gate-update: $(VENV)/base ## Keep the instructions per row that are found now
	$(BIN)/python core/gate/gate.py --update

py-test: $(VENV)/tools ## Python tests, and the examples of docstrings and docs
	$(BIN)/python -m pytest -n 2

check: $(VENV)/tools ## Formatting, lint, types, and the stub against the module
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(CXX_FILES)
	$(BIN)/python -m nanobind.stubgen -q -m sapwood._core -o build/_core.pyi
	diff -u src/sapwood/_core.pyi build/_core.pyi

format: $(VENV)/tools ## Format Python and C++ in place
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(BIN)/clang-format -i $(CXX_FILES)

stub: $(WHEELS)/built ## Write the stub of the native module anew
	$(BIN)/python -m nanobind.stubgen -q -m sapwood._core -o src/sapwood/_core.pyi

bench: $(VENV)/tools ## Measure speed and accuracy against the peers, or PARTS="learning files"; writes benchmarks/RESULTS.md
	$(PIP) install --group bench
	$(BIN)/python -m benchmarks $(PARTS)

REPRODUCTION ?= sapwood-reproduction
reproduction: ## Bring what `sapwood reproduce` left in REPRODUCTION=sapwood-reproduction into docs/
	@mkdir -p docs/reproduction
	cp $(REPRODUCTION)/reproduction/*.parquet $(REPRODUCTION)/reproduction/*.svg docs/reproduction/
	cp $(REPRODUCTION)/reproduction.md docs/

docs: $(VENV)/tools ## Build the documentation into docs/_build/html
	$(PIP) install --group docs
	$(BIN)/sphinx-build -W -q -b html docs docs/_build/html

wheel: $(WHEELS)/built ## Build a wheel, install it in a clean environment and try it
	rm -rf .venv-wheel && $(PYTHON) -m venv .venv-wheel
	.venv-wheel/bin/pip install --disable-pip-version-check -q $(WHEELS)/sapwood-*.whl
	cd / && $(CURDIR)/.venv-wheel/bin/python $(CURDIR)/tests/smoke.py
	@ls $(WHEELS)/*.whl

clean: ## Remove everything that was built
	rm -rf build $(VENV) .venv-wheel docs/_build
