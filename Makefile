# make demo   the main job with its report       make test   tests and quick checks
# make bench  benchmarks beside other engines    make help   all of it
export CCACHE_SLOPPINESS := pch_defines,time_macros
# Paths below here are hashed as relative ones: a clone finds what another has compiled.
export CCACHE_BASEDIR := $(CURDIR)
export CTEST_PROGRESS_OUTPUT := 1
# Writes down what compiling costs, where VESICA_COMPILE_LOG asks for it: not what ccache finds.
export CCACHE_PREFIX := $(CURDIR)/tools/timed_compile.sh
FUZZ_SECONDS ?= 60
PACKAGES := tools/install_packages.sh
CTEST := ctest --output-on-failure -j $(shell nproc)

.PHONY: demo build tests test unit check bench lint format docs fuzz kills sanitize threads \
        package buildtime install clean help

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

# The first time without the tests, so that only the packages of the tool are needed.
build: ## the tool, at build/bin/vesica
	@$(PACKAGES) build
	@echo "build: configuring and compiling the tool into build/"
	@cmake --preset release $(if $(wildcard build/build.ninja),,-DVESICA_TESTS=OFF) >/dev/null
	@VESICA_COMPILE_LOG="$(CURDIR)/build/compile.log" cmake --build build --target vesica_app

demo: build ## find a foot again from gait and judge it; press a heel on the ground, bounce a ball
	@mkdir -p out/demo
	build/bin/vesica identify studies/foot.yaml --out out/demo/foot
	build/bin/vesica probe scenes/heel_on_ground.yaml --table --pressure-map out/demo/heel_on_ground.svg
	build/bin/vesica probe scenes/heel_on_ground.yaml --derivatives --pressure-map out/demo/heel_on_ground.csv > out/demo/heel_on_ground.json
	build/bin/vesica simulate bouncing_ball --out out/demo/bouncing_ball
	build/bin/vesica report out/demo/bouncing_ball
	@echo "demo: picture, map and figures are in out/demo/"
	@echo "demo: open out/demo/foot/report.html and out/demo/bouncing_ball/report.html in a browser"

tests:
	@$(PACKAGES) build test
	@echo "build: configuring and compiling tool and tests into build/"
	@cmake --preset release -DVESICA_TESTS=ON -DVESICA_BENCH=OFF >/dev/null
	@VESICA_COMPILE_LOG="$(CURDIR)/build/compile.log" cmake --build build

unit: tests
	@rm -rf build/test_results
	@$(CTEST) --test-dir build

check: tests
	@tools/check.sh
	@tools/build_time.py build build/compile.log --check docs/build_time.csv

test: unit check ## build, all tests, formatting, includes, docs, build time; counts what was skipped
	@tools/count_tests.py build

bench: ## benchmarks, side by side with peers; make bench docs also renews the pages
	@$(PACKAGES) build test bench
	@cmake --preset release -DVESICA_TESTS=ON -DVESICA_BENCH=ON >/dev/null
	@cmake --build build
	@tools/run_bench.sh build

lint: tests ## clang-tidy, files and headers that compile alone; what has not changed is remembered
	@tools/lint.py build

format: ## format all sources in place
	@$(PACKAGES) test
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

docs: tests ## reprint the figures and pictures that the documentation shows
	@tools/make_docs.sh

sanitize: ## all tests under address and undefined-behaviour sanitizers
	@$(PACKAGES) build test
	@echo "sanitize: building tool and tests into build-sanitize/"
	@cmake --preset sanitize >/dev/null
	@cmake --build build-sanitize
	@$(CTEST) --test-dir build-sanitize

threads: ## what runs in parallel, under the thread sanitizer
	@$(PACKAGES) build test
	@echo "threads: building the parallel tests into build-threads/"
	@cmake --preset threads >/dev/null
	@cmake --build build-threads --target parallel_tests
	@$(CTEST) --test-dir build-threads -L parallel

kills: tests ## twenty kills of a study under threads, MPI and a job array lose nothing
	@VESICA_STUDY_KILLS=20 build/bin/test_app --gtest_filter='Study.SurvivesKills*'

fuzz: ## every fuzz target for FUZZ_SECONDS (60), or for FUZZ_RUNS executions
	@$(PACKAGES) build fuzz
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz
	@tools/run_fuzz.sh build-fuzz $(FUZZ_SECONDS) $(FUZZ_RUNS)

package: build ## a .deb and a tarball, in build/packages
	@$(PACKAGES) package
	@tools/make_package.sh build

buildtime: ## compile everything without ccache: seconds per folder, into docs/build_time.md
	@$(PACKAGES) build test
	@rm -rf build-time
	@cmake --preset release -B build-time -DVESICA_TESTS=ON >/dev/null
	@CCACHE_RECACHE=1 VESICA_COMPILE_LOG="$(CURDIR)/build-time/compile.log" cmake --build build-time
	@tools/build_time.py build-time build-time/compile.log --write docs/build_time.csv

install: build ## install into PREFIX (/usr/local)
	@cmake --install build --prefix $(or $(PREFIX),/usr/local)

clean:
	rm -rf build build-* out
