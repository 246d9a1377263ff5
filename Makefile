# make demo   the main job with its report       make test   everything that CI runs
# make bench  benchmarks beside other engines    make help   all of it
export CCACHE_SLOPPINESS := pch_defines,time_macros
export CTEST_PROGRESS_OUTPUT := 1
FUZZ_SECONDS ?= 60

.PHONY: demo build test unit check sanitizereaders bench lint format docs fuzz sanitize packages install clean help

help: ## this list
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/^([a-z]+):.*## /\1\t/' | expand -t 12

packages:
	@tools/install_packages.sh

build: packages ## the tool, at build/bin/vesica
	@echo "build: configuring and compiling into build/"
	@cmake --preset release $(if $(wildcard build/build.ninja),>/dev/null)
	@cmake --build build --target vesica_app

demo: build ## press a heel on the ground, bounce a ball: figures, pictures and a page
	@mkdir -p out/demo
	build/bin/vesica probe scenes/heel_on_ground.yaml --table --pressure-map out/demo/heel_on_ground.svg
	build/bin/vesica probe scenes/heel_on_ground.yaml --derivatives --pressure-map out/demo/heel_on_ground.csv > out/demo/heel_on_ground.json
	build/bin/vesica simulate bouncing_ball --out out/demo/bouncing_ball
	build/bin/vesica report out/demo/bouncing_ball
	@echo "demo: picture, map and figures are in out/demo/"
	@echo "demo: open out/demo/bouncing_ball/report.html in a browser"

unit: build
	@cmake --build build
	@ctest --test-dir build --output-on-failure -j $$(nproc)

test: unit check sanitizereaders ## build, all tests, formatting, includes, docs, readers under sanitizers

check: build
	@tools/lint.sh --quick

bench: packages ## benchmarks, side by side with peers
	@cmake --preset release -DVESICA_BENCH=ON >/dev/null
	@cmake --build build
	@tools/run_bench.sh build

lint: build ## formatting, order of includes, clang-tidy
	@tools/lint.sh

format: packages ## format all sources in place
	@git ls-files '*.h' '*.cpp' | xargs clang-format -i

docs: build ## reprint the figures and pictures that the documentation shows
	@tools/make_docs.sh

sanitizereaders: packages
	@echo "sanitize: building the readers of files into build-sanitize-readers/"
	@cmake --preset sanitize-readers >/dev/null
	@cmake --build build-sanitize-readers
	@ctest --test-dir build-sanitize-readers --output-on-failure -j $$(nproc)

sanitize: packages ## all tests under address and undefined-behaviour sanitizers
	@echo "sanitize: building into build-sanitize/"
	@cmake --preset sanitize >/dev/null
	@cmake --build build-sanitize
	@ctest --test-dir build-sanitize --output-on-failure

fuzz: packages ## every fuzz target for FUZZ_SECONDS (60)
	@cmake --preset fuzz >/dev/null
	@cmake --build build-fuzz
	@tools/run_fuzz.sh build-fuzz $(FUZZ_SECONDS)

install: build ## install into PREFIX (/usr/local)
	@cmake --install build --prefix $(or $(PREFIX),/usr/local)

clean:
	rm -rf build build-* out
