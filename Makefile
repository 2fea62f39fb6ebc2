# Builds, tests and installs lua-aoi: the C module aoi.core and its Lua side. `make help` lists the targets.

# What a user may set, on the command line or in the environment.
CFLAGS ?= -O2 -g
LDFLAGS ?=
LUA_VERSION ?= 5.4
LUA ?= lua$(LUA_VERSION)
PREFIX ?= /usr/local
DESTDIR ?=
INSTALL_CMOD ?= $(PREFIX)/lib/lua/$(LUA_VERSION)
INSTALL_LMOD ?= $(PREFIX)/share/lua/$(LUA_VERSION)
# The folder for C modules of a skynet; when given, the module is built to there.
LUA_CLIB_PATH ?=
# The script that starts busted; it runs under $(LUA).
BUSTED ?= tools/busted.lua
# What the specs are told to run; an argument such as spec/grid_spec.lua narrows it.
SPECS ?= spec
# Recorded movement for `make demo`: a file with the columns time,id,x,y.
TRACE ?=
# The view of everybody in it; an eighth of the longer side of the map when empty.
RADIUS ?=
# A skynet that is built, for `make skynet-test`, `skynet-demo` and `skynet-bench`.
SKYNET_HOME ?=

# Folder with lua.h; empty: asked of pkg-config, else where Debian has it.
LUA_INC ?=

LUA_HEADERS := $(firstword $(LUA_INC) $(patsubst -I%,%,$(shell \
    pkg-config --cflags-only-I lua$(LUA_VERSION) 2>/dev/null || \
    pkg-config --cflags-only-I lua-$(LUA_VERSION) 2>/dev/null)) \
    /usr/include/lua$(LUA_VERSION))

ifeq ($(shell uname -s),Darwin)
LIBFLAG ?= -bundle -undefined dynamic_lookup
else
LIBFLAG ?= -shared
# All symbols are bound at load time: a call into Lua then needs no detour through a stub.
AOI_LDFLAGS := -Wl,-z,now
endif

# One folder per variant below build/: builds with other flags or another Lua leave each other alone.
ifeq ($(LUA_CLIB_PATH),)
VARIANT ?= lua$(LUA_VERSION)
else
VARIANT ?= skynet
endif
OUT := build/$(VARIANT)
MODULE_ROOT := $(if $(LUA_CLIB_PATH),$(LUA_CLIB_PATH),$(OUT))
MODULE := $(MODULE_ROOT)/aoi/core.so

# Our own flags, apart from the user's. No fused multiply-add: the same events on every processor. No
# vectors made of single values: gcc reads two doubles at once that were just written one by one, and
# such a read waits until both are in memory (6 of 100 ns of a move).
AOI_DEFINES ?= -DNDEBUG
AOI_WARNINGS ?= -Wall -Wextra -Wpedantic -Wconversion -Wshadow
# A move runs through small functions of several files: optimised as one program where CC can and its
# objects are also usable without (clang's are not), for libaoi.a and whatever program links to it.
ifeq ($(origin AOI_LTO),undefined)
AOI_LTO := $(shell echo 'int main(void) { return 0; }' | \
    $(CC) -Werror -flto=auto -ffat-lto-objects -x c - -o /dev/null >/dev/null 2>&1 && \
    echo -flto=auto -ffat-lto-objects)
endif
AOI_CFLAGS := -std=c11 $(AOI_WARNINGS) $(AOI_LTO) -fPIC -fvisibility=hidden -ffp-contract=off \
    -fno-tree-slp-vectorize \
    $(shell $(CC) -Werror -fno-plt -S -o - -x c /dev/null >/dev/null 2>&1 && echo -fno-plt)

BINDING := src/lua/lua_aoi.c
CORE_SOURCES := $(filter-out src/lua/%,$(sort $(wildcard src/*/*.c)))
CORE_OBJECTS := $(CORE_SOURCES:src/%.c=$(OUT)/objects/%.o)
BINDING_OBJECT := $(BINDING:src/%.c=$(OUT)/objects/%.o)
LUA_SOURCES := $(wildcard lua/aoi/*.lua)
SKYNET_SOURCES := $(wildcard lua/aoi/skynet/*.lua)

# Where Lua finds our files. The names with a version come first for Lua, before any the user has set.
LUA_SUFFIX := $(subst .,_,$(LUA_VERSION))
LUA_ENVIRONMENT = LUA_PATH_$(LUA_SUFFIX)="lua/?.lua;lua/?/init.lua;;" \
    LUA_CPATH_$(LUA_SUFFIX)="$(MODULE_ROOT)/?.so;;"
# .busted takes the folder of the C module from AOI_BUILD. UNDER: a program that watches Lua run.
RUN_BUSTED = AOI_BUILD="$(MODULE_ROOT)" $(UNDER) $(LUA) $(BUSTED) --ignore-lua
RUN_SETUP = @CC="$(CC)" LUA="$(LUA)" LUA_VERSION="$(LUA_VERSION)" LUA_HEADERS="$(LUA_HEADERS)" tools/setup.sh

.PHONY: all
all: $(MODULE)

.PHONY: help
help:
	@echo "make            build $(MODULE)"
	@echo "make demo       build and play the demo scenes (TRACE=file.csv replays recorded movement)"
	@echo "make test       build and run all specs, the C example and an installation"
	@echo "make check      sanitizers, valgrind, self-checks, other compilers, Lua 5.3, the rock"
	@echo "make fuzz       let fuzzers look for faults for SECONDS=$(SECONDS) each"
	@echo "make coverage   lines and branches of src/ that the tests reach"
	@echo "make mutate     break the C code on purpose, to see that the specs see it (ONLY=\"words\")"
	@echo "make soak       10,000,000 random calls on every engine, some minutes (CALLS=n, SEED=n)"
	@echo "make lint       luacheck, clang-tidy, cppcheck, layout of the C code"
	@echo "make format     lay out the C code"
	@echo "make bench      measure (ONLY=\"worlds plain\", QUICK=1, TRACE=file.csv); bench-report draws charts"
	@echo "make bench-compare BEFORE=/path/to/another/checkout"
	@echo "                this build next to that one, in turns (ONLY=\"D shuffled\", PASSES=30)"
	@echo "make profile    where the time of a move goes (WALK=\"grid B per-call\"), with perf"
	@echo "make install    to PREFIX=$(PREFIX) (DESTDIR, INSTALL_CMOD, INSTALL_LMOD)"
	@echo "make pictures   draw docs/pictures/"
	@echo "make clean      remove build/"
	@echo "make setup      install what building and testing need (demo and test do so themselves)"
	@echo "make skynet-demo SKYNET_HOME=/path/to/skynet"
	@echo "                robots in a scene service on that skynet (ROBOTS=2000 DURATION=10 CONSOLE=8000)"
	@echo "make skynet-test and skynet-bench with SKYNET_HOME"
	@echo "                test the scene service; compare it with one message per event"
	@echo "For a skynet:   make LUA_INC=<skynet>/3rd/lua LUA_CLIB_PATH=<skynet>/luaclib"
	@echo "For Lua 5.3:    make LUA_VERSION=5.3 (test, demo, install ... likewise)"

# ---- building ----

# A loaded module is mapped into memory: a new one must be a new file, not new bytes in the old one.
$(MODULE): $(CORE_OBJECTS) $(BINDING_OBJECT) $(OUT)/flags
	@mkdir -p $(@D)
	rm -f $@
	$(CC) $(LIBFLAG) $(AOI_LTO) $(CFLAGS) $(AOI_LDFLAGS) $(LDFLAGS) -o $@ $(CORE_OBJECTS) $(BINDING_OBJECT) -lm

# Only the binding sees a Lua header.
$(BINDING_OBJECT): INCLUDES = -isystem $(LUA_HEADERS)

$(OUT)/objects/%.o: src/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(CC) $(AOI_CFLAGS) $(AOI_DEFINES) -Isrc $(INCLUDES) $(CFLAGS) -MMD -MP -c -o $@ $<

# The core alone, for C programs.
$(OUT)/libaoi.a: $(CORE_OBJECTS) $(OUT)/flags
	rm -f $@
	$(AR) rcs $@ $(CORE_OBJECTS)

# Holds the flags and the list of sources of the last build; newer than the objects when they changed.
$(OUT)/flags: export AOI_FLAGS_NOW = $(CC) $(AOI_CFLAGS) $(AOI_DEFINES) $(CFLAGS) $(LUA_HEADERS) \
    $(LIBFLAG) $(AOI_LDFLAGS) $(LDFLAGS) $(CORE_SOURCES) $(MODULE)
$(OUT)/flags: force
	@mkdir -p $(@D)
	@echo "$$AOI_FLAGS_NOW" | cmp -s - $@ || echo "$$AOI_FLAGS_NOW" > $@

.PHONY: force
force:

-include $(CORE_OBJECTS:.o=.d) $(BINDING_OBJECT:.o=.d)

# ---- installing ----

.PHONY: install
install: all
	mkdir -p "$(DESTDIR)$(INSTALL_CMOD)/aoi" "$(DESTDIR)$(INSTALL_LMOD)/aoi/skynet"
	rm -f "$(DESTDIR)$(INSTALL_CMOD)/aoi/core.so"
	install -m 755 $(MODULE) "$(DESTDIR)$(INSTALL_CMOD)/aoi/core.so"
	install -m 644 $(LUA_SOURCES) "$(DESTDIR)$(INSTALL_LMOD)/aoi/"
	install -m 644 $(SKYNET_SOURCES) "$(DESTDIR)$(INSTALL_LMOD)/aoi/skynet/"

.PHONY: clean
clean:
	rm -rf build

.PHONY: setup
setup:
	$(RUN_SETUP) test

.PHONY: setup-test setup-check setup-fuzz setup-lint
setup-test:
	$(RUN_SETUP) test
setup-check:
	$(RUN_SETUP) check
setup-fuzz:
	$(RUN_SETUP) fuzz
setup-lint:
	$(RUN_SETUP) lint

# ---- testing ----

.PHONY: test
test: setup-test
	@$(MAKE) --no-print-directory specs test-c test-memory test-replay test-install skynet-test

.PHONY: specs
specs: all
	@tools/run_specs.sh '$(RUN_BUSTED)' $(SPECS)

# C programs that know only src/aoi.h and the core's library; first.c is the one of docs/c.md. The order of
# events inside one kind and change is free, so the lines are compared sorted.
.PHONY: test-c
test-c: $(OUT)/first $(OUT)/minimal
	@set -e; for example in first minimal; do \
	    $(OUT)/$$example >$(OUT)/$$example.said; \
	    sort $(OUT)/$$example.said >$(OUT)/$$example.sorted; \
	    sort examples/c/$${example}_expected.txt | diff - $(OUT)/$$example.sorted; \
	done
	@echo "the C examples say what they should"

$(OUT)/first $(OUT)/minimal: $(OUT)/%: examples/c/%.c src/aoi.h $(OUT)/libaoi.a
	$(CC) -std=c11 $(AOI_WARNINGS) -Isrc $(CFLAGS) $(LDFLAGS) -o $@ $< $(OUT)/libaoi.a -lm

# Lua inside a program whose allocator counts: no space leaves a byte behind.
.PHONY: test-memory
test-memory: $(OUT)/count_bytes
	@$(LUA_ENVIRONMENT) $(OUT)/count_bytes spec/host/spaces.lua dropped closed_in_handlers abandoned reloaded

$(OUT)/count_bytes $(OUT)/refuse_lua: $(OUT)/%: spec/host/%.c spec/host/accountant.h $(MODULE)
	$(CC) -std=c11 $(AOI_WARNINGS) -isystem $(LUA_HEADERS) $(CFLAGS) $(LDFLAGS) -o $@ $< -llua$(LUA_VERSION) -lm

# Every allocation fails once, in the core and in Lua.
.PHONY: test-allocation
test-allocation: $(OUT)/refuse_core $(OUT)/refuse_lua
	@$(OUT)/refuse_core
	@$(LUA_ENVIRONMENT) $(OUT)/refuse_lua spec/host/refuse.lua

$(OUT)/refuse_core: spec/host/refuse_core.c spec/host/accountant.h src/aoi.h $(OUT)/libaoi.a
	$(CC) -std=c11 $(AOI_WARNINGS) -Isrc $(CFLAGS) $(LDFLAGS) -o $@ $< $(OUT)/libaoi.a -lm

# The inputs of the fuzzers, those that failed once among them, without a fuzzer. The one about Lua
# needs a Lua with warnings.
REPLAYS := replay_c replay_load $(if $(filter 5.3,$(LUA_VERSION)),,replay_lua)
.PHONY: test-replay
test-replay: $(REPLAYS:%=$(OUT)/%)
	@for replay in $(REPLAYS); do \
	    $(OUT)/$$replay fuzz/corpus/$${replay#replay_} fuzz/regressions/$${replay#replay_} \
	        2>$(OUT)/$$replay.log || { tail -n 40 $(OUT)/$$replay.log; exit 1; }; \
	done

# Installs below build/, as a packager would, and uses what was installed from another folder.
.PHONY: test-install
test-install: all
	rm -rf $(OUT)/installed
	$(MAKE) --no-print-directory install DESTDIR="$(CURDIR)/$(OUT)/installed" PREFIX=/usr
	tools/use_installed.sh "$(CURDIR)/$(OUT)/installed/usr" $(LUA) $(LUA_VERSION)

# ---- checking ----

# Fewer and shorter random sequences where every step is slow.
CHECK_SEQUENCES ?= 24
VALGRIND_SEQUENCES ?= 1
# What valgrind looks at, some forty times slower than usual; of the spec about memory, the cases of
# spaces made, dropped and closed.
VALGRIND_SPECS ?= $(addprefix spec/,$(addsuffix _spec.lua,construct modes differential \
    differential_batches differential_bounds differential_groups differential_queries coroutine))

# The test build: every engine checks its invariant after every operation, capacities are tiny.
TEST_BUILD := AOI_DEFINES="-DAOI_SELF_CHECK -DAOI_TINY"
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
# The test build looks at all entities after every step, so the cases with large crowds would take
# minutes there: their names end in #crowd. They run in the other builds.
NO_CROWDS := --exclude-tags=crowd

.PHONY: check
check: setup-check
	@$(MAKE) --no-print-directory check-compilers check-sanitizers check-scalar check-valgrind \
	    check-allocation check-mutate check-fuzz check-soak check-lua53 check-rock test-install
	@echo "check: all well"

# Compilers with warnings as errors, and what the shared object shows to the outside. For aarch64 the
# core only: Debian has Lua's headers for one processor at a time.
.PHONY: check-compilers
check-compilers:
	@$(MAKE) --no-print-directory VARIANT=gcc CC=gcc CFLAGS="-O2 -Werror" all test-c
	@$(MAKE) --no-print-directory VARIANT=gcc-O0 CC=gcc CFLAGS="-O0 -Werror" all test-c
	@$(MAKE) --no-print-directory VARIANT=gcc-asserts CC=gcc CFLAGS="-O2 -Werror" $(TEST_BUILD) all test-c
	@$(MAKE) --no-print-directory VARIANT=clang CC=clang CFLAGS="-O2 -Werror" all test-c
	@tools/check_exports.sh build/gcc/aoi/core.so
	@if command -v aarch64-linux-gnu-gcc >/dev/null; then \
	    $(MAKE) --no-print-directory VARIANT=aarch64 CC=aarch64-linux-gnu-gcc \
	        AR=aarch64-linux-gnu-ar CFLAGS="-O2 -Werror" build/aarch64/minimal; \
	else \
	    echo "skipped: no cross compiler for aarch64 (package gcc-aarch64-linux-gnu)"; \
	fi

# -O1 keeps the traces readable. The sanitizer's library must be loaded before Lua's own.
.PHONY: check-sanitizers
check-sanitizers:
	@$(MAKE) --no-print-directory VARIANT=sanitizers CC=gcc $(TEST_BUILD) \
	    CFLAGS="-O1 -g -fno-omit-frame-pointer $(SANITIZE)" LDFLAGS="$(SANITIZE)" all test-c
	@SEQUENCES=$(CHECK_SEQUENCES) \
	    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
	    UBSAN_OPTIONS=print_stacktrace=1 \
	    tools/run_specs.sh "LD_PRELOAD=$$(gcc -print-file-name=libasan.so) AOI_BUILD=build/sanitizers \
	    $(LUA) $(BUSTED) --ignore-lua $(NO_CROWDS)" $(SPECS)

# Millions of random calls with handlers that call back, on every engine; takes some minutes. CALLS=n
# and SEED=n make other runs. check-soak is the short form.
.PHONY: soak check-soak
soak: $(OUT)/count_bytes
	@$(LUA_ENVIRONMENT) $(OUT)/count_bytes spec/host/soak.lua
check-soak:
	@CALLS=$${CALLS:-200000} $(MAKE) --no-print-directory soak

# The paths for processors without vector instructions, or with fewer.
SCALAR_SPECS := $(addprefix spec/,$(addsuffix _spec.lua,differential differential_deferred \
    differential_queries cross_engine))
.PHONY: check-scalar
check-scalar:
	@$(MAKE) --no-print-directory VARIANT=asserts $(TEST_BUILD) all
	for without in AOI_SCALAR AOI_NO_AVX512; do \
	    env $$without=1 SEQUENCES=$(CHECK_SEQUENCES) \
	    AOI_BUILD=build/asserts $(LUA) $(BUSTED) --ignore-lua $(SCALAR_SPECS) || exit 1; done

.PHONY: check-valgrind
check-valgrind: UNDER = valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite \
    --error-exitcode=99
check-valgrind: all
	SEQUENCES=$(VALGRIND_SEQUENCES) $(RUN_BUSTED) $(VALGRIND_SPECS)
	$(RUN_BUSTED) --filter="10,000 spaces" spec/memory_spec.lua

# With the self-checks, and everything so tiny that it grows at every chance.
.PHONY: check-allocation
check-allocation:
	@$(MAKE) --no-print-directory VARIANT=asserts $(TEST_BUILD) test-allocation

# Which lines and branches of src/ the tests reach; tools/unreached.txt has the reasons for the others.
COVERAGE_SEQUENCES ?= 6
COVERAGE_BUILD := VARIANT=coverage CC=gcc AOI_LTO= $(TEST_BUILD) CFLAGS="-O0 -g --coverage" LDFLAGS=--coverage
.PHONY: coverage coverage-run
coverage: setup-check
	@$(MAKE) --no-print-directory $(COVERAGE_BUILD) all
	@find build/coverage -name "*.gcda" -delete
	@$(MAKE) --no-print-directory $(COVERAGE_BUILD) coverage-run
	@$(LUA) tools/coverage.lua build/coverage/objects
coverage-run: export SEQUENCES = $(COVERAGE_SEQUENCES)
coverage-run: test-c test-memory test-replay test-allocation
	$(RUN_BUSTED) $(NO_CROWDS) $(SPECS)
	AOI_SCALAR=1 $(RUN_BUSTED) $(SCALAR_SPECS)
	AOI_NO_AVX512=1 $(RUN_BUSTED) $(SCALAR_SPECS)

# Breaks the C code on purpose, in one place at a time: no fault may go unseen. ONLY="words" takes those
# with one of these words in their name or file. check-mutate is the short form.
.PHONY: mutate check-mutate
mutate:
	@LUA=$(LUA) $(LUA) tools/mutate.lua $(ONLY)
check-mutate:
	@LUA=$(LUA) $(LUA) tools/mutate.lua short

# ---- fuzzing, see fuzz/README.md ----

SECONDS ?= 600
CHECK_FUZZ_SECONDS ?= 60
# Two of them run at a time.
FUZZ_TARGETS := c lua load
FUZZ_BUILD := VARIANT=fuzz CC=clang $(TEST_BUILD) CFLAGS="-O1 -g -fno-omit-frame-pointer $(SANITIZE) \
    -fsanitize=fuzzer-no-link"

.PHONY: fuzz
fuzz: setup-fuzz
	@$(MAKE) --no-print-directory $(FUZZ_BUILD) $(FUZZ_TARGETS:%=build/fuzz/fuzz_%)
	@printf "%s\n" $(FUZZ_TARGETS) | xargs -P 2 -I TARGET \
	    tools/run_fuzzer.sh build/fuzz/fuzz_TARGET fuzz/corpus/TARGET $(SECONDS)

.PHONY: check-fuzz
check-fuzz:
	@$(MAKE) --no-print-directory fuzz SECONDS=$(CHECK_FUZZ_SECONDS)

# A target with a fuzzer, or with a main that replays files.
FUZZ_SOURCES = fuzz/$(notdir $(subst replay_,fuzz_,$@)).c
FUZZ_FILES := $(wildcard fuzz/*.[ch]) spec/host/accountant.h
FUZZ_COMPILE = $(CC) -std=c11 $(AOI_WARNINGS) -ffp-contract=off -Isrc -Ispec/host -isystem $(LUA_HEADERS)

$(OUT)/fuzz_%: MAIN = -fsanitize=fuzzer
$(OUT)/replay_%: MAIN = fuzz/replay.c
$(OUT)/fuzz_c $(OUT)/replay_c: $(FUZZ_FILES) $(OUT)/libaoi.a
	$(FUZZ_COMPILE) -O2 -c -o $(OUT)/model.o fuzz/model.c
	$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(OUT)/model.o $(OUT)/libaoi.a -lm
$(OUT)/fuzz_load $(OUT)/replay_load: $(FUZZ_FILES) $(OUT)/libaoi.a
	$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(OUT)/libaoi.a -lm
$(OUT)/fuzz_lua $(OUT)/replay_lua: $(FUZZ_FILES) $(OUT)/libaoi.a $(BINDING_OBJECT)
	$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(BINDING_OBJECT) $(OUT)/libaoi.a \
	    -llua$(LUA_VERSION) -lm

.PHONY: check-lua53
check-lua53:
	@SEQUENCES=$(CHECK_SEQUENCES) $(MAKE) --no-print-directory LUA_VERSION=5.3 LUA=lua5.3 LUA_INC= \
	    specs test-install

# Compiles the binding against the headers of another Lua, for instance those of a skynet:
# make check-headers LUA_INC=<skynet>/3rd/lua
.PHONY: check-headers
check-headers:
	@for compiler in gcc clang; do \
	    $(MAKE) --no-print-directory VARIANT=headers-$$compiler CC=$$compiler CFLAGS="-O2 -Werror" \
	        build/headers-$$compiler/objects/lua/lua_aoi.o || exit 1; done

# Builds and installs the rock into a tree below build/ and uses it; nothing is fetched.
.PHONY: check-rock
check-rock:
	rm -rf build/rocks
	luarocks --lua-version=$(LUA_VERSION) make --tree="$(CURDIR)/build/rocks" --deps-mode=none \
	    $(firstword $(wildcard rockspec/*.rockspec))
	tools/use_installed.sh "$(CURDIR)/build/rocks" $(LUA) $(LUA_VERSION)

# ---- source code ----

C_FILES := $(wildcard src/*.h src/*/*.[ch] examples/c/*.c bench/*.c spec/host/*.[ch] fuzz/*.[ch])

.PHONY: lint
lint: setup-lint
	luacheck --quiet --no-color .
	clang-format --dry-run -Werror $(C_FILES)
	@printf "%s\n" $(filter %.c,$(C_FILES)) | xargs -P 2 -I FILE sh -c ' \
	    clang-tidy --quiet --warnings-as-errors="*" FILE -- -std=c11 -DAOI_SELF_CHECK -Isrc -Ispec/host -I$(LUA_HEADERS) 2>&1 | \
	    { ! grep -v "warnings* generated\.$$"; }'
	cppcheck --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    --inline-suppr --suppress=missingIncludeSystem -Isrc -Ispec/host $(filter %.c,$(C_FILES))

.PHONY: format
format:
	clang-format -i $(C_FILES)

# ---- skynet ----

# The module for that skynet's own Lua, in a folder of its own.
SKYNET_VARIANT := for-$(notdir $(abspath $(SKYNET_HOME)))
SKYNET_BUILD := build/$(SKYNET_VARIANT)
# Skynet's configuration, and the most seconds it may run.
RUN_SKYNET = SKYNET_HOME="$(SKYNET_HOME)" AOI_BUILD="$(SKYNET_BUILD)" AOI_LOG="$(SKYNET_BUILD)/$@.log" \
    tools/run_skynet.sh

.PHONY: skynet-test
skynet-test:
ifeq ($(SKYNET_HOME),)
	@echo "SKIPPED: the scene service was not tested; make skynet-test SKYNET_HOME=/path/to/skynet does so"
else
	@$(MAKE) --no-print-directory skynet-module
	@if ONLY=no_such_file $(RUN_SKYNET) spec/skynet/config 60 >/dev/null 2>&1; then \
	    echo "spec/skynet/main.lua takes any name in ONLY" >&2; exit 1; fi
	@SEED="$(SEED)" ONLY="$(ONLY)" $(RUN_SKYNET) spec/skynet/config 600
endif

.PHONY: skynet-demo
skynet-demo: skynet-module
	@AOI_MAIN=main $(RUN_SKYNET) examples/skynet/config "$(SKYNET_SECONDS)"

.PHONY: skynet-bench
skynet-bench: skynet-module
	@AOI_MAIN=bench $(RUN_SKYNET) examples/skynet/config "$(SKYNET_SECONDS)"

# The demo with DURATION=0 goes on until it is stopped.
ifeq ($(DURATION),0)
SKYNET_SECONDS := 0
else
SKYNET_SECONDS := 600
endif

.PHONY: skynet-module
skynet-module:
	@test -x "$(SKYNET_HOME)/skynet" -a -f "$(SKYNET_HOME)/3rd/lua/lua.h" || \
	    { echo "SKYNET_HOME is \"$(SKYNET_HOME)\", expected the folder of a skynet that is built" >&2; exit 1; }
	@$(MAKE) --no-print-directory VARIANT="$(SKYNET_VARIANT)" LUA_CLIB_PATH= LUA_INC="$(SKYNET_HOME)/3rd/lua" all

# ---- use ----

.PHONY: demo
demo: setup-test all
	@$(LUA_ENVIRONMENT) $(LUA) examples/demo/main.lua $(if $(TRACE),"$(TRACE)" $(RADIUS))

# `make bench ONLY="worlds plain"` runs parts, QUICK=1 only shows that it runs, TRACE=file.csv adds
# recorded movement. The benchmark prints what it was built with next to its numbers.
.PHONY: bench
bench: setup-test
	@$(MAKE) --no-print-directory bench-build
	@mkdir -p build/bench
	@$(LUA_ENVIRONMENT) BENCH_BUILD="$(OUT)" ONLY="$(ONLY)" QUICK="$(QUICK)" TRACE="$(TRACE)" \
	    AOI_COMPILER="$$($(CC) --version | head -n 1)" \
	    AOI_FLAGS="$(AOI_CFLAGS) $(AOI_DEFINES) $(CFLAGS) $(AOI_LDFLAGS) $(LDFLAGS)" \
	    $(LUA) bench/run.lua

.PHONY: bench-build
bench-build: all $(OUT)/bench/floor.so $(OUT)/bench/core

# This build next to another, in turns: BEFORE is the folder of another checkout, or a core.so. ONLY="D
# shuffled" takes the cases with these words in their names, PASSES=30 may measure longer.
BEFORE ?=
BEFORE_MODULE = $(if $(filter %.so,$(BEFORE)),$(BEFORE),$(BEFORE)/$(OUT)/aoi/core.so)
.PHONY: bench-compare
bench-compare: bench-build
	@test -n "$(BEFORE)" || { echo "bench-compare: BEFORE=/path/to/checkout-or-core.so is missing" >&2; exit 2; }
	$(if $(filter %.so,$(BEFORE)),,@$(MAKE) --no-print-directory -C "$(BEFORE)" all >/dev/null)
	@$(LUA_ENVIRONMENT) $(LUA) bench/compare.lua "$(BEFORE_MODULE)" "$(MODULE)" $(ONLY)

# The shares of the steps of one case of the benchmark: an engine, a world and a way of telling.
WALK ?= grid B per-call
.PHONY: profile
profile: all
	@mkdir -p build/bench
	@$(LUA_ENVIRONMENT) bench/profile.sh $(LUA) $(WALK)

# The floor is built with the flags of the module.
$(OUT)/bench/floor.so: bench/floor.c $(OUT)/flags
	@mkdir -p $(@D)
	rm -f $@
	$(CC) $(LIBFLAG) $(AOI_CFLAGS) $(AOI_DEFINES) -isystem $(LUA_HEADERS) $(CFLAGS) $(AOI_LDFLAGS) \
	    $(LDFLAGS) -o $@ $<

$(OUT)/bench/core: bench/core.c src/aoi.h $(OUT)/libaoi.a
	@mkdir -p $(@D)
	$(CC) -std=c11 $(AOI_WARNINGS) $(AOI_DEFINES) -Isrc $(CFLAGS) $(LDFLAGS) -o $@ $< $(OUT)/libaoi.a -lm

# The pictures of the documents.
.PHONY: pictures
pictures: setup-test all
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_queries.lua
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_view.lua

# Charts from the last full run, for the documents.
.PHONY: bench-report
bench-report:
	$(RUN_SETUP) charts
	$(LUA) bench/report.lua build/bench/results.json docs/charts
