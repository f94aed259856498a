# SPDX-License-Identifier: Apache-2.0
# Short names for what CMake presets and scripts do. Every target works alone, in a fresh clone, and twice.
.DEFAULT_GOAL := help
.PHONY: help demo test bench lint fuzz clean

help: ## what there is
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## build tessera and read the programs of examples/hlo with it
	@scripts/bootstrap
	@cmake --preset release
	@cmake --build --preset release --target tessera-cli
	@scripts/demo build/release/bin/tessera

test: ## build everything and run all tests
	@scripts/bootstrap
	cmake --preset release
	cmake --build --preset release
	ctest --preset release

bench: ## build and run the benchmarks
	@scripts/bootstrap
	cmake --preset bench
	cmake --build --preset bench
	build/bench/bin/tessera-bench
	build/bench/bin/tessera-bench relayout

lint: ## clang-format and clang-tidy over our own code
	@scripts/bootstrap build lint fuzz
	scripts/lint

fuzz: ## a minute of libFuzzer for each target of fuzz/
	@scripts/bootstrap build fuzz
	cmake --preset fuzz
	cmake --build --preset fuzz
	scripts/fuzz build/fuzz/bin 60

clean: ## remove all builds
	rm -rf build
