# `make demo` shows what labspec does, `make test` checks that it does it.
#
# Both work as the first command in a fresh clone. They need Python 3.11 or newer, and an index that pip can reach the
# first time; everything is installed into .venv. With another interpreter: make test PYTHON=/path/to/python

SHELL := /bin/sh
PYTHON ?=
VENV := .venv
PIP_INSTALL := $(VENV)/bin/python -m pip install -qq --disable-pip-version-check --constraint constraints.txt
LABSPEC := $(VENV)/bin/labspec
SPECS := $(wildcard specs/*.yaml)

.DELETE_ON_ERROR:
.NOTPARALLEL:
.PHONY: demo test regen clean
.DEFAULT_GOAL := demo

# Most of the work is done by short child processes. Without cached bytecode each of them takes twice as long.
unexport PYTHONDONTWRITEBYTECODE

demo: $(VENV)/installed
	@rm -rf build/demo
	$(LABSPEC) build $(SPECS) -o build/demo
	@echo; echo build/demo
	@cd build/demo && find . ! -name . | LC_ALL=C sort | sed -e 's;^\./;;' -e 's;[^/]*/;  ;g' -e 's;^;  ;'
	@echo
	@if command -v node >/dev/null 2>&1; then \
	  $(LABSPEC) prove $(SPECS); \
	else \
	  $(LABSPEC) prove $$(grep -L '^target: node' $(SPECS)) && \
	  echo "There is no node here: the labs for Node are built above and not proved. Install Node 20 or newer."; \
	fi

test: $(VENV)/installed-for-tests
	$(VENV)/bin/ruff format --check .
	$(VENV)/bin/ruff check .
	$(VENV)/bin/mypy
	$(VENV)/bin/pytest --numprocesses auto --dist loadgroup

# Writes what the tests compare with: the built repositories and the expected outputs. Read the diff.
regen: $(VENV)/installed-for-tests
	$(LABSPEC) build $(SPECS)
	$(VENV)/bin/python -m tests.regen

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
	find labspec tests benchmarks -name __pycache__ -type d -prune -exec rm -rf {} +

# What is installed is kept until the dependencies change. The sources are used in place.
$(VENV)/installed: $(VENV)/pyvenv.cfg pyproject.toml constraints.txt
	@$(call install,.)

$(VENV)/installed-for-tests: $(VENV)/pyvenv.cfg pyproject.toml constraints.txt
	@$(call install,.[dev])
	@touch $(VENV)/installed

# The build backend is installed first, in the release that constraints.txt names: pip would otherwise fetch the newest.
define install
echo "Installing labspec into $(VENV). The first time this takes about a minute."; \
$(PIP_INSTALL) hatchling && $(PIP_INSTALL) --no-build-isolation --editable '$(1)' || { \
  echo "labspec could not be installed: pip's message above says why. It needs an index to install from." >&2; \
  exit 1; \
}; \
touch $@
endef

$(VENV)/pyvenv.cfg:
	@incomplete=; \
	for python in $(if $(PYTHON),'$(PYTHON)',python3.13 python3.12 python3.11 python3 python); do \
	  "$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || continue; \
	  if "$$python" -c 'import ensurepip, venv' 2>/dev/null; then \
	    echo "Making $(VENV) with $$("$$python" --version) ($$python)."; \
	    rm -rf $(VENV); \
	    "$$python" -m venv $(VENV) && exit 0; \
	    rm -rf $(VENV); \
	    exit 1; \
	  fi; \
	  incomplete="$${incomplete:-$$python}"; \
	done; \
	if [ -n "$$incomplete" ]; then \
	  echo "$$incomplete lacks the modules venv and ensurepip."; \
	  echo "On Debian and Ubuntu: apt-get install python3-venv"; \
	else \
	  echo "$(if $(PYTHON),$(PYTHON) is not,There is no) Python 3.11 or newer."; \
	  echo "Install one (python.org, apt-get install python3 python3-venv, brew install python) or say where it is:"; \
	  echo "  make $(or $(MAKECMDGOALS),demo) PYTHON=/path/to/python3"; \
	fi >&2; \
	exit 1
