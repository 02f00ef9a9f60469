# Everything a newcomer needs: Python 3.11 with venv and pip, and make. `make run` plays, `make test` checks.

PYTHON ?= python3
BIN := .venv/bin
PIP := $(BIN)/python -m pip --disable-pip-version-check --quiet

.DEFAULT_GOAL := help
.PHONY: help sound setup run test nightly prove operator golden lock release deb clean

help:
	@echo "make run      set up, then start a server on this machine (mail stays here)"
	@echo "make setup    set up only: what a server needs, in .venv"
	@echo "make test     set up, then check everything: ruff, mypy, tests"
	@echo "make nightly  the long tests"
	@echo "make prove    the long proofs: 300 crashes, 400 power cuts"
	@echo "make operator the documents typed on a real Debian with a real Postfix (root, debootstrap, systemd-nspawn)"
	@echo "make golden   rewrite the golden dialogues; look at them with git diff"
	@echo "make release  build sdist and wheel in dist/ from the last commit"
	@echo "make deb      build a Debian package in dist/ from the last commit"
	@echo "make lock     resolve the dependencies anew (needs uv)"
	@echo "make clean    remove the environment and the caches; games in var/ stay"

# One recipe, two locks: what a server needs, and all. The project itself is installed from the checkout, without
# asking the network for a build environment. The stamp lies in the environment, so that it goes when that goes.
define install
	@$(PYTHON) -c 'import sys; sys.exit("mailbot needs Python 3.11 or later; name one with PYTHON=..." if sys.version_info < (3, 11) else 0)'
	@test -x $(BIN)/pip || { echo "Creating .venv"; $(PYTHON) -m venv .venv; }
	@echo "Installing $<"
	@$(PIP) install --require-hashes --requirement $<
	@$(PIP) install --no-deps --no-build-isolation --no-index --editable .
	@touch $@
endef

.venv/ready-to-run: requirements.run.lock pyproject.toml
	$(install)

.venv/ready-to-test: requirements.lock pyproject.toml
	$(install)

# After an upgrade of the system's Python nothing in the old environment works.
sound:
	@test ! -e .venv || $(BIN)/python -c 'import pip' 2>/dev/null || { echo "Removing .venv, made by another Python"; rm -rf .venv; }

setup: sound .venv/ready-to-run

run: setup
	@exec $(BIN)/mailbot serve --page

test: sound .venv/ready-to-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/pytest -n 2 -m "not nightly"

nightly: .venv/ready-to-test
	$(BIN)/pytest -n 2 -m nightly

prove: .venv/ready-to-test
	$(BIN)/python -m tests.prove.crash 300
	$(BIN)/python -m tests.prove.power 400

operator: .venv/ready-to-test
	$(BIN)/python -m tests.prove.operator

golden: .venv/ready-to-test
	$(BIN)/pytest tests/dialogues tests/families tests/shell/web/test_parity.py --rewrite

# Both files from pyproject.toml: the whole set, and what a server needs.
COMPILE := PATH="$(BIN):$$PATH" uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url \
	--no-header --no-annotate pyproject.toml
lock:
	$(COMPILE) --all-extras -o requirements.lock
	$(COMPILE) --extra build --extra bots --extra pictures --extra tournaments --extra metrics --constraint requirements.lock -o requirements.run.lock

VERSION := $(shell sed -n 's/^__version__ = "\(.*\)"/\1/p' mailbot/__init__.py)
# The time of the commit is the only time in what is built. A copy without a history has none, and needs none to be set up.
release deb: export SOURCE_DATE_EPOCH = $(shell git log -1 --format=%ct 2>/dev/null)

# A released version has a tag, and the two must agree. What is built comes from the commit alone, in a folder made for
# it, and is built again in another one: the bytes must be the same.
release: .venv/ready-to-run
	@for tag in $$(git tag --points-at HEAD); do \
	  test "$$tag" = "v$(VERSION)" || { echo "The tag $$tag is not v$(VERSION), the version in mailbot/__init__.py"; exit 1; }; \
	  ! grep -q "^## $(VERSION) (unreleased)" CHANGELOG.md || { echo "CHANGELOG.md says that $(VERSION) is unreleased"; exit 1; }; \
	done
	@git diff --quiet HEAD || echo "Changes that are not committed are left out"
	@rm -rf build/release build/again dist/*.whl dist/*.tar.gz && mkdir -p dist
	@for where in build/release/mailbot build/again/elsewhere/mailbot; do \
	  mkdir -p $$where && git archive HEAD | tar -x -C $$where || exit 1; \
	  (cd $$where && $(abspath $(BIN))/python -m hatchling build -d dist >/dev/null) || exit 1; \
	done
	@diff -r build/release/mailbot/dist build/again/elsewhere/mailbot/dist || { echo "Two builds differ"; exit 1; }
	@mv build/release/mailbot/dist/* dist/
	@rm -rf build/release build/again
	@cd dist && sha256sum *

# A Debian package of the last commit, for the Debian that it is built on. Needs debhelper, python3-venv and lintian. Before
# the release each commit has a version of its own, or apt would keep the older build.
UNRELEASED = $(shell grep -q "^\#\# $(VERSION) (unreleased)" CHANGELOG.md && \
  echo "~git$$(TZ=UTC0 git log -1 --date=format-local:%Y%m%d%H%M%S --format=%cd.%h 2>/dev/null)")
DEB_VERSION = $(VERSION)$(UNRELEASED)
deb:
	@rm -rf build/deb && mkdir -p build/deb/mailbot dist && git archive HEAD | tar -x -C build/deb/mailbot
	@printf 'mailbot (%s) unstable; urgency=medium\n\n  * See CHANGELOG.md.\n\n -- %s  %s\n' "$(DEB_VERSION)" \
	  "$$(sed -n 's/^Maintainer: //p' debian/control)" "$$(date -R -u -d @$$SOURCE_DATE_EPOCH)" >build/deb/mailbot/debian/changelog
	@cd build/deb/mailbot && dpkg-buildpackage --build=binary --unsigned-changes --unsigned-buildinfo
	@rm -f dist/mailbot_*.deb && mv build/deb/mailbot_$(DEB_VERSION)_*.deb dist/ && rm -rf build/deb
	@lintian --fail-on error dist/mailbot_$(DEB_VERSION)_*.deb

clean:
	rm -rf build .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
