# SPDX-License-Identifier: Apache-2.0
# Short names for CMake presets and scripts. Every target works alone, in a fresh clone, and can be repeated.
.DEFAULT_GOAL := help
# One compiler per core: more would only slow each file down.
export CMAKE_BUILD_PARALLEL_LEVEL ?= $(shell nproc)
.PHONY: help demo demo-reshard test bench docs lint fuzz clean web

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/make \1\t\2/p' $(MAKEFILE_LIST) | expand -t 14

demo: ## build tessera and read the programs of examples/hlo with it
	@echo "make demo, step 1 of 3: packages (about a minute if some are missing)"
	@scripts/bootstrap
	@echo "make demo, step 2 of 3: build tessera in build/release (about 4 minutes on two cores the first time)"
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target tessera-cli
	@echo "make demo, step 3 of 3: read examples/hlo"
	@scripts/demo build/release/bin/tessera

demo-reshard: ## change the tensor parallelism of a small checkpoint, and prove the result element by element
	@scripts/bootstrap
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target tessera-cli
	@scripts/demo_reshard build/release/bin/tessera

test: ## build everything and run all tests
	@echo "make test, step 1 of 4: packages (about a minute if some are missing)"
	@scripts/bootstrap build page python mpi
	@echo "make test, step 2 of 4: build everything in build/release (about 3 minutes on two cores after make demo)"
	@cmake --preset release $$(scripts/python_options) >/dev/null
	cmake --build --preset release
	@echo "make test, step 3 of 4: build the explorer in build/wasm and build/web (about 3 minutes)"
	@scripts/web --if-possible
	@echo "make test, step 4 of 4: run the tests (a few minutes)"
	ctest --preset release

web: ## build the explorer in build/web: index.html for a host of static files, tessera.html with everything inside
	@scripts/web

bench: ## build and run the benchmarks
	@scripts/bootstrap build bench
	cmake --preset bench
	cmake --build --preset bench
	build/bench/bin/tessera-bench
	build/bench/bin/tessera-bench relayout

docs: ## build the site of the documentation in build/docs/html
	@scripts/bootstrap build docs
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target tessera-cli
	.venv/bin/python scripts/docs

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
