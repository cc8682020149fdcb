# Entry points. `make demo` and `make test` set up everything they need; `make help` lists the rest.
#
# OFFLINE=1   use only what is fetched already (cargo --offline, no pip, no apt-get)
# PROFILE=dev build without optimisation (default: release, shared by demo, tests and benchmarks)
# PROFILE=ci  release without link-time optimisation: what .ci/run builds
# REMOTE=0    build the command and the Python package without code that reaches the network
# JOBS=N      pytest processes (default: two per core)

SHELL := /bin/bash
.DEFAULT_GOAL := help

PROFILE ?= release
OFFLINE ?= 0
REMOTE ?= 1
JOBS ?= auto

# The environment (cmake, libclang) is the same for every cargo call, so that nothing is built twice.
# For another glibc than this machine's, by zig: TRIPLE=x86_64-unknown-linux-gnu GLIBC=2.17 (scripts/release/build).
CARGO := scripts/with-env $(if $(TRIPLE),cargo-zigbuild,cargo)
CARGO_FLAGS := --locked $(if $(filter 1,$(OFFLINE)),--offline) --profile $(PROFILE) \
	$(if $(TRIPLE),--target $(TRIPLE).$(GLIBC))
CARGO_BUILD := $(CARGO) $(if $(TRIPLE),zigbuild,build)
# Of the two packages that read files on other machines.
NETWORK := $(if $(filter 0,$(REMOTE)),--no-default-features)
PYTHON := .venv/bin/python
TARGET := $(or $(CARGO_TARGET_DIR),target)
BUILT := $(abspath $(TARGET))$(if $(TRIPLE),/$(TRIPLE))/$(if $(filter dev,$(PROFILE)),debug,$(PROFILE))
export FRAZIL_BIN ?= $(BUILT)/frazil
# What `make lib` makes, and where `make install` puts it.
export FRAZIL_LIB ?= $(abspath .build/lib)
# What `make plugins` makes.
export FRAZIL_PLUGIN_PATH ?= $(abspath .build/plugins)
export PREFIX ?= /usr/local
export LIBDIR ?= $(PREFIX)/lib
export DESTDIR ?=
# Changes with the interface: with the major version.
SONAME := libfrazil.so.1
# The symbols of the library have the version FRAZIL_1.0.
LINKED := -C link-arg=-Wl,-soname,$(SONAME) -C linker=$(abspath scripts/link-with-versions)
export OFFLINE

DEMO := .build/demo
SAMPLE := data/sample/squall_line_sample.nc

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-16s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: setup
setup: .build/setup-test .build/setup-check .build/setup-site fetch ## Install and fetch everything; OFFLINE=1 works from then on

.PHONY: fetch
fetch: .build/setup-build
	$(CARGO) fetch --locked $(if $(filter 1,$(OFFLINE)),--offline)
	$(CARGO) fetch --locked --manifest-path fuzz/Cargo.toml $(if $(filter 1,$(OFFLINE)),--offline)

.build/setup-build: scripts/setup requirements-build.txt
	scripts/setup build

.build/setup-test: scripts/setup requirements-test.txt
	scripts/setup test

.build/setup-check: scripts/setup
	scripts/setup check

.build/setup-bench: scripts/setup requirements-bench.txt
	scripts/setup bench

.build/setup-site: scripts/setup requirements-site.txt
	scripts/setup site

.build/setup-bench-read: scripts/setup requirements-bench-read.txt
	scripts/setup bench-read

.build/setup-bench-cloud: scripts/setup requirements-bench-cloud.txt
	scripts/setup bench-cloud

.build/setup-bench-mpi: scripts/setup requirements-bench-mpi.txt
	scripts/setup bench-mpi

.PHONY: build
build: .build/setup-build ## Build the frazil command
	$(CARGO_BUILD) $(CARGO_FLAGS) $(NETWORK) --package frazil-cli

.PHONY: lib
lib: .build/setup-build ## Build the libraries for C and Fortran: libfrazil.so and libfrazil.a
	$(CARGO) rustc $(CARGO_FLAGS) --package frazil-capi --lib --crate-type cdylib,staticlib -- \
		$(LINKED)
	scripts/make-static-library $(BUILT)/libfrazil_capi.a $(FRAZIL_LIB)/libfrazil.a
	cp -u $(BUILT)/libfrazil_capi.so $(FRAZIL_LIB)/libfrazil.so
	ln -sf libfrazil.so $(FRAZIL_LIB)/$(SONAME)

.PHONY: preload
preload: .build/setup-build ## Build the libraries that `frazil run` preloads
	$(CARGO_BUILD) $(CARGO_FLAGS) --package frazil-preload --package frazil-preload-hdf5 \
		--package frazil-preload-zlib
	mkdir -p $(FRAZIL_LIB)
	for name in libfrazil_preload libfrazil_preload_hdf5 libfrazil_preload_zlib; do \
		strip --strip-unneeded -o $(FRAZIL_LIB)/$$name.so $(BUILT)/$$name.so || exit; done

.PHONY: netcdf
netcdf: lib ## Build a netCDF-C that writes through frazil, to link models with: .build/netcdf
	$(CARGO) rustc $(CARGO_FLAGS) --package frazil-preload --lib --crate-type cdylib,staticlib
	$(CARGO) rustc $(CARGO_FLAGS) --package frazil-capi --lib --crate-type cdylib,staticlib \
		--message-format json -- $(LINKED) >.build/lib_messages.json
	python3 scripts/make_netcdf_library.py .build/lib_messages.json $(BUILT)/libfrazil_preload.a .build/netcdf

.PHONY: plugins
plugins: .build/setup-build ## Build the HDF5 plugins for stock readers: docs/filters.md
	$(CARGO_BUILD) $(CARGO_FLAGS) --package frazil-plugin --examples
	mkdir -p $(FRAZIL_PLUGIN_PATH)
	for name in lz4 bitshuffle blosc bzip2 zstd pcodec delta mafisc frazil; do \
		strip --strip-unneeded -o $(FRAZIL_PLUGIN_PATH)/libh5frazil_$$name.so \
			$(BUILT)/examples/libh5frazil_$$name.so || exit; done

.PHONY: install
install: install-command install-c install-preload install-plugins $(if $(shell command -v gfortran),install-fortran) ## Install them with headers, pkg-config and CMake files: PREFIX=/usr/local DESTDIR=

.PHONY: install-command
install-command: build
	scripts/install-command $(BUILT)/frazil

.PHONY: install-c
install-c: lib
	scripts/install-library $(FRAZIL_LIB)

.PHONY: install-preload
install-preload: lib preload
	scripts/install-preload $(FRAZIL_LIB)

.PHONY: install-plugins
install-plugins: plugins
	mkdir -p $(DESTDIR)$(PREFIX)/lib/frazil/plugins
	install -m 755 $(FRAZIL_PLUGIN_PATH)/libh5frazil_*.so $(DESTDIR)$(PREFIX)/lib/frazil/plugins/

.PHONY: install-netcdf
install-netcdf: netcdf ## Install it as a tree that build systems take for netCDF: PREFIX= DESTDIR= NETCDF_FORTRAN_SOURCE= MPICC=
	python3 scripts/install_netcdf.py .build/netcdf $(FRAZIL_LIB)/libfrazil.so

.PHONY: fortran
fortran: ## Build the Fortran modules with FC (gfortran) and CC: docs/fortran.md
	$(MAKE) -C fortran BUILD=$(abspath .build/fortran)

.PHONY: install-fortran
install-fortran:
	$(MAKE) -C fortran install BUILD=$(abspath .build/fortran)

.PHONY: mpi
mpi: ## Build the library between libfrazil and MPI, with CC=mpicc: docs/mpi.md
	$(MAKE) -C mpi BUILD=$(abspath .build/mpi)

.PHONY: wrf
wrf: ## Build the I/O package for the WRF model, all entry points named ext_frz_: docs/wrf.md
	$(MAKE) -C wrf BUILD=$(abspath .build/wrf)

.PHONY: python
python: .build/setup-build .build/setup-test ## Build the Python package and install it into .venv
	PATH=$(abspath .venv/bin):$$PATH scripts/with-env $(abspath $(PYTHON)) -m pip install --quiet \
		--disable-pip-version-check --no-deps --no-build-isolation --no-index --force-reinstall \
		--config-settings=build-args="--locked --profile $(PROFILE) $(NETWORK) $(if $(filter 1,$(OFFLINE)),--offline)" ./python

.PHONY: wheel
wheel: .build/setup-build .build/setup-test ## Build the Python package's source distribution and wheel: .build/dist
	$(PYTHON) scripts/third_party_notices.py python/THIRD-PARTY-NOTICES.txt frazil-python
	cd python && ../scripts/with-env ../.venv/bin/maturin sdist --out ../.build/dist
	cd python && PATH=$(abspath .venv/bin):$$PATH ../scripts/with-env ../.venv/bin/maturin build $(CARGO_FLAGS) \
		--interpreter $(or $(INTERPRETER),$(abspath $(PYTHON))) --out ../.build/dist

.build/setup-release: scripts/setup requirements-release.txt
	scripts/setup release

.PHONY: release
release: .build/setup-build .build/setup-test .build/setup-release ## Build wheels, tarball, Debian package, SBOM, licences and checksums: dist
	scripts/release/build

.PHONY: header
header: .build/setup-check fetch ## Make frazil.h from the crate frazil-capi
	scripts/make-header

.PHONY: demo
demo: build ## Pack the bundled sample, show the table, verify the result
	@mkdir -p $(DEMO)
	scripts/demo $(SAMPLE) $(DEMO)

.PHONY: test
test: test-rust test-python ## Run all tests

.PHONY: test-rust
test-rust: .build/setup-build ## Run the tests of the crates
	$(CARGO) test $(CARGO_FLAGS) --workspace

.PHONY: test-python
test-python: build lib preload netcdf plugins python inventory ## Run the acceptance tests on the command and the packages (with the corpus if present)
	$(PYTHON) -m pytest --numprocesses $(JOBS) --dist worksteal --durations 20 --junitxml .build/tests.xml tests

# What tests compare with h5py: all that frazil-hdf5 reads in a file.
.PHONY: inventory
inventory: .build/setup-build
	$(CARGO) build $(CARGO_FLAGS) --package frazil-hdf5 --example inventory

.PHONY: test-full
test-full: ## Run all tests, without the sampling of `make test`
	FRAZIL_FULL=1 $(MAKE) test

.PHONY: check
check: fetch .build/setup-test .build/setup-check site ## Formatting, lints, the dependency law, documents and their site
	$(CARGO) fmt --all --check
	$(CARGO) clippy $(CARGO_FLAGS) --workspace --all-targets -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc $(CARGO_FLAGS) --workspace --no-deps
	$(PYTHON) scripts/check_dependencies.py
	$(PYTHON) scripts/check_ffi.py
	scripts/check-deny
	scripts/make-header --verify
	$(PYTHON) scripts/write_netcdf_interface.py --check
	$(PYTHON) scripts/write_fortran_interfaces.py --check
	$(PYTHON) scripts/check_docs.py
	$(PYTHON) scripts/make_precision_tables.py --check
	$(PYTHON) scripts/make_bench_tables.py --check
	$(PYTHON) scripts/make_evidence.py --check
	$(PYTHON) scripts/make_reference.py --check
	$(PYTHON) -m ruff check
	$(PYTHON) -m ruff format --check

.PHONY: site
site: .build/setup-site python ## Build the documents as a site: .build/site/index.html
	NO_MKDOCS_2_WARNING=1 $(PYTHON) -m mkdocs build --strict

.PHONY: reference
reference: .build/setup-test ## Make the reference pages of the C headers and the Fortran modules
	$(PYTHON) scripts/make_reference.py

.PHONY: format
format: .build/setup-test ## Format Rust and Python sources
	$(CARGO) fmt --all
	$(PYTHON) -m ruff check --fix
	$(PYTHON) -m ruff format

.PHONY: bench
bench: bench-pack bench-choices bench-precision bench-model bench-chunks bench-filters bench-planning bench-mpi bench-wrf bench-unmodified bench-read bench-open bench-cloud bench-xarray bench-dask ## Run all benchmarks, each beside its peers

CAMPAIGN_SECONDS ?= 10800

.PHONY: campaign
campaign: build plugins python ## Damage inputs, interrupt commands, interfere with files; CAMPAIGN_SECONDS=10800
	$(PYTHON) -m campaign --seconds $(CAMPAIGN_SECONDS) $(CAMPAIGN_ARGS)

.PHONY: fuzz
fuzz: .build/setup-build ## Fuzz decoders and parsers, guided by coverage; FUZZ_SECONDS=60 for each target, FUZZ_TARGETS=
	scripts/fuzz $(FUZZ_TARGETS)

.PHONY: sanitize
sanitize: .build/setup-build ## Run tests of codecs, pipeline and reader under AddressSanitizer and ThreadSanitizer
	scripts/sanitize

.PHONY: bench-pack
bench-pack: build .build/setup-test ## frazil pack beside nccopy, h5repack and cmip7repack
	$(if $(wildcard crates/frazil-bench),$(CARGO) build $(CARGO_FLAGS) --package frazil-bench)
	$(PYTHON) bench/pack.py $(BENCH_ARGS)

.PHONY: bench-precision
bench-precision: build .build/setup-test .build/setup-bench ## Rounding and its analysis beside netCDF-C, NCO and xbitinfo
	$(CARGO) build $(CARGO_FLAGS) --package frazil-bench
	$(PYTHON) bench/precision.py $(BENCH_ARGS)

.PHONY: bench-pi
bench-pi: build .build/setup-test ## Pi at 1 to 8 digits, by frazil and by netCDF-C
	$(PYTHON) bench/pi.py

.PHONY: bench-bounds
bench-bounds: build .build/setup-test ## Ratios at absolute error bounds beside ZFP, SZ3 and SPERR
	$(PYTHON) bench/error_bounds.py $(BENCH_ARGS)

.PHONY: bench-model
bench-model: build lib .build/setup-test ## Writing from models beside netCDF-C and netcdf-fortran
	$(PYTHON) bench/model.py $(BENCH_ARGS)
	$(PYTHON) scripts/make_bench_tables.py

.PHONY: bench-mpi
bench-mpi: build lib .build/setup-test .build/setup-bench-mpi ## Ranks writing one file beside parallel netCDF-4, PnetCDF, MPI-IO, netCDF-C
	$(CARGO) build $(CARGO_FLAGS) --package frazil-bench
	.venv-bench-mpi/bin/python bench/mpi.py $(BENCH_ARGS)
	.venv-bench-mpi/bin/python scripts/make_bench_tables.py

.PHONY: bench-wrf
bench-wrf: build lib .build/setup-test ## WRF's history beside its own I/O packages; WRF=TREE, a built source tree; by default a stand-in
	$(PYTHON) bench/wrf.py $(if $(WRF),--wrf $(WRF)) $(BENCH_ARGS)

.PHONY: scaling
scaling: build lib .build/setup-test .build/setup-bench-mpi ## Measure the costs of ranks, and simulate many: docs/scaling.md
	.venv-bench-mpi/bin/python bench/scaling.py $(BENCH_ARGS)
	.venv-bench-mpi/bin/python scripts/make_bench_tables.py

# The package frazil beside its peers.
.PHONY: bench-package
bench-package: build .build/setup-bench-read
	cd python && VIRTUAL_ENV=$(abspath .venv-bench-read) ../scripts/with-env \
		../.venv-bench-read/bin/maturin develop --quiet $(CARGO_FLAGS)

.PHONY: bench-chunks
bench-chunks: build .build/setup-bench-read ## Reading maps and series by chunk shape and cache, beside every peer's default
	.venv-bench-read/bin/python bench/chunks.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: bench-filters
bench-filters: build plugins .build/setup-bench-read ## Filters beside those of SCIL's paper: ratio, time, CPU, energy
	.venv-bench-read/bin/python bench/filters.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: bench-decisions
bench-decisions: build .build/setup-test ## Check the promises of goals, on the corpus and on made-up files: docs/decisions.md
	$(PYTHON) bench/decisions.py $(BENCH_ARGS)

.PHONY: bench-choices
bench-choices: build .build/setup-test ## Sizes and times of each goal, reader level and precision on the sample: docs/which_options.md
	$(PYTHON) bench/choices.py $(BENCH_ARGS)
	$(PYTHON) scripts/make_bench_tables.py

.PHONY: bench-regret
bench-regret: build .build/setup-test ## Bytes of size and archive beyond the best filters, on whole variables
	$(PYTHON) bench/regret.py $(BENCH_ARGS)

.PHONY: bench-planning
bench-planning: build .build/setup-bench-read ## Cost of planning beside packing, by goal and reader level
	.venv-bench-read/bin/python bench/planning.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: bench-read
bench-read: bench-package .build/setup-test ## Reading beside netCDF4, h5py, h5netcdf, xarray, zarr, tensorstore, hidefix, HDF5
	.venv-bench-read/bin/python bench/reading.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: bench-unmodified
bench-unmodified: build preload .build/setup-test ## Programs that write with netCDF, alone and under `frazil run`: BENCH_ARGS="--drop-in PREFIX"
	$(PYTHON) bench/unmodified.py $(BENCH_ARGS)

.PHONY: bench-open
bench-open: bench-package .build/setup-bench-read ## Opening files and listing their contents, beside h5py, netCDF4 and xarray's engines
	$(CARGO) build $(CARGO_FLAGS) --package frazil-bench
	.venv-bench-read/bin/python bench/opening.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: bench-cloud
bench-cloud: build .build/setup-bench-cloud ## Reading over HTTP, 50 ms away, beside h5netcdf, kerchunk, VirtualiZarr, Zarr
	cd python && VIRTUAL_ENV=$(abspath .venv-bench-cloud) ../scripts/with-env \
		../.venv-bench-cloud/bin/maturin develop --quiet $(CARGO_FLAGS)
	.venv-bench-cloud/bin/python bench/cloud.py $(BENCH_ARGS)
	.venv-bench-cloud/bin/python scripts/make_bench_tables.py

.PHONY: bench-xarray
bench-xarray: bench-package ## frazil.to_netcdf beside xarray's to_netcdf and to_zarr
	.venv-bench-read/bin/python bench/xarray_writing.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: bench-dask
bench-dask: bench-package ## frazil.to_netcdf beside xarray's to_zarr on a cluster of processes, and with a worker killed
	.venv-bench-read/bin/python bench/dask_writing.py $(BENCH_ARGS)
	.venv-bench-read/bin/python scripts/make_bench_tables.py

.PHONY: evidence
evidence: .build/setup-test ## Tables and claims of five documents, beside today's results: docs/evidence.md; EVIDENCE_ARGS=--rerun
	$(PYTHON) scripts/make_evidence.py $(EVIDENCE_ARGS)

.PHONY: notices
notices: .build/setup-test ## Collect the licence texts of all bundled libraries
	$(PYTHON) scripts/third_party_notices.py .build/THIRD-PARTY-NOTICES.txt

.PHONY: clean
clean: ## Remove everything that was built or installed here
	rm -rf .build .venv .venv-bench .venv-bench-cloud .venv-bench-mpi .venv-bench-read .venv-release dist $(TARGET)
