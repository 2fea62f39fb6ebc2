# Tests that take longer, and look deeper: other compilers, sanitizers, valgrind, faults made on purpose.

# Fewer and shorter random sequences where every step is slow, and still fewer where only Lua is another one, or only
# what is done to be fast.
CHECK_SEQUENCES ?= 1
PLAIN_SEQUENCES ?= 1
LUA53_SEQUENCES ?= 1
VALGRIND_SEQUENCES ?= 1
# Where only the C code is built in another way: the specs, but not those of documents, of files that are all Lua,
# and of the specs themselves. SPECS_OF_C=spec takes all.
SPECS_OF_C ?= $(filter-out $(addprefix spec/,annotations% comments% differential_harness% documents% layers% \
    lua_versions% model% pictures% skynet% world_model%),$(wildcard spec/*_spec.lua))
C_SPECS = $(if $(filter spec,$(SPECS)),$(SPECS_OF_C),$(SPECS))
# What valgrind looks at, some forty times slower than usual; of the spec about memory, the cases of
# spaces made, dropped and closed.
VALGRIND_SPECS ?= $(addprefix spec/,$(addsuffix _spec.lua,construct modes differential \
    differential_batches differential_bounds differential_groups differential_queries coroutine))
# The paths for processors without vector instructions.
SCALAR_SPECS := $(addprefix spec/,$(addsuffix _spec.lua,differential differential_deferred \
    differential_queries cross_engine))

# The test build: every engine checks its invariant after every operation, capacities are tiny. Optimising it as
# one program would double the time of the build, and find nothing.
TEST_BUILD := AOI_LTO= AOI_DEFINES="-DAOI_SELF_CHECK -DAOI_TINY"
ASSERTS_BUILD := VARIANT=asserts CC=gcc CFLAGS="-O2 -g -Werror" $(TEST_BUILD)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=undefined
# The test build looks at all entities after every step, so the cases with large crowds would take
# minutes there: their names end in #crowd. They run in the other builds.
NO_CROWDS := --exclude-tags=crowd
# Before a program that calls make itself: that make is then one of its own, not part of this one.
OUTSIDE := MAKEFLAGS= MAKELEVEL=

## make check      sanitizers, valgrind, self-checks, other compilers, Lua 5.3, the rock
.PHONY: check
check: setup-check
	+@$(IN_ORDER) all check-compilers check-sanitizers check-plain check-lua53 check-fuzz $(OUT)/count_bytes
	+@$(SIDE_BY_SIDE) check-allocation-lua check-valgrind check-mutate check-allocation-core check-without \
	    check-soak check-scalar check-rock # the longest first
	@echo "check: all well"

# Compilers with warnings as errors, and what the shared object shows to the outside. Those for other
# processors: make check-processors.
.PHONY: check-compilers
check-compilers: all
	@$(MAKE) --no-print-directory VARIANT=gcc-O0 CC=gcc CFLAGS="-O0 -Werror" AOI_LTO= all test-c
	@$(MAKE) --no-print-directory $(ASSERTS_BUILD) all test-c refusing
	@$(MAKE) --no-print-directory VARIANT=clang CC=clang CFLAGS="-O2 -Werror" all test-c
	@$(MAKE) --no-print-directory VARIANT=gcc-O3 CC=gcc CFLAGS="-O3 -march=native -Werror" AOI_LTO= all
	@$(MAKE) --no-print-directory VARIANT=clang-O3 CC=clang CFLAGS="-O3 -march=native -Werror" AOI_LTO= all
	@tools/check_exports.sh "$(MODULE_ROOT)/aoi/core.so"

# -O1 keeps the traces readable. The sanitizer's library must be loaded before Lua's own. What looks at bytes, at
# numbers, or at one thing for a long time, takes minutes there, and goes no other ways than the rest.
NOT_SANITIZED := $(addprefix spec/,$(addsuffix _spec.lua,memory_held crowd_properties large_coordinates \
    usual_radius quadtree_distributions sights_in_motion))
SANITIZED_SPECS = $(filter-out $(if $(filter spec,$(SPECS)),$(NOT_SANITIZED)),$(C_SPECS))
.PHONY: check-sanitizers
check-sanitizers:
	@$(MAKE) --no-print-directory VARIANT=sanitizers CC=gcc $(TEST_BUILD) \
	    CFLAGS="-O1 -g -fno-omit-frame-pointer $(SANITIZE)" LDFLAGS="$(SANITIZE)" all test-c
	@SEQUENCES=$(CHECK_SEQUENCES) \
	    ASAN_OPTIONS=detect_leaks=1:allocator_may_return_null=1 \
	    UBSAN_OPTIONS=print_stacktrace=1 \
	    $(RUN_SPECS) "LD_PRELOAD=$$(gcc -print-file-name=libasan.so) AOI_BUILD=build/sanitizers \
	    $(LUA) $(BUSTED) --ignore-lua $(NO_CROWDS)" $(SANITIZED_SPECS)

# Millions of random calls with handlers that call back, on every engine. check-soak is the short form.
## make soak       10,000,000 random calls on every engine, some minutes (CALLS=n, SEED=n)
.PHONY: soak check-soak
soak: $(OUT)/count_bytes
	@$(LUA_ENVIRONMENT) $(OUT)/count_bytes spec/host/soak.lua
check-soak:
	@CALLS=$${CALLS:-200000} $(MAKE) --no-print-directory soak

.PHONY: check-scalar
check-scalar:
	@SEQUENCES=$(CHECK_SEQUENCES) $(MAKE) --no-print-directory $(ASSERTS_BUILD) specs-scalar

.PHONY: specs-scalar
specs-scalar: all
	AOI_SCALAR=1 $(RUN_BUSTED) $(SCALAR_SPECS)

# Without any of what is done in a special way to be fast: see src/base/specialised.h. All of that is about moves
# and searches: the specs that compare these with the model, or engines with each other.
PLAIN_SPECS := $(filter $(addprefix spec/,differential% cross_engine% deferred% events% everything_% \
    grid_without_map% kinds% many_pairs% moves% slack% sights_spec% usual_radius%),$(SPECS_OF_C))
.PHONY: check-plain
check-plain:
	@SEQUENCES=$(PLAIN_SEQUENCES) $(MAKE) --no-print-directory VARIANT=plain AOI_LTO= \
	    AOI_DEFINES="-DNDEBUG -DAOI_PLAIN" CFLAGS="-O2 -g -Werror" \
	    SPECS="$(if $(filter spec,$(SPECS)),$(PLAIN_SPECS),$(SPECS))" specs

# A capability is a folder that can be left out: what lies below it knows nothing of it. Without areas, all specs
# but those whose world has some, and long ones about what knows nothing of areas or is Lua.
SPECS_WITHOUT_AREAS := $(filter-out $(addprefix spec/,$(addsuffix _spec.lua,areas areas_polygons \
    differential_areas errors_areas everything_1 everything_2 kinds reentrancy sights_recorded zones \
    crowd_properties determinism hostile_values large_coordinates memory packet_readers player \
    quadtree_distributions sights_in_motion)),$(SPECS_OF_C))
.PHONY: check-without
check-without:
	@$(MAKE) --no-print-directory VARIANT=without_area WITHOUT=area AOI_LTO= CFLAGS="-O2 -Werror" all
	@SEQUENCES=1 $(RUN_SPECS) "AOI_BUILD=build/without_area $(LUA) $(BUSTED) --ignore-lua \
	    --filter-out=[Aa]rea --exclude-tags=crowd,areas" $(SPECS_WITHOUT_AREAS)

.PHONY: check-valgrind
check-valgrind: UNDER = valgrind --quiet --leak-check=full --errors-for-leak-kinds=definite \
    --error-exitcode=99
check-valgrind: all
	SEQUENCES=$(VALGRIND_SEQUENCES) $(RUN_BUSTED) $(VALGRIND_SPECS)
	$(RUN_BUSTED) --filter="10,000 spaces" spec/memory_spec.lua

# With the self-checks, and everything so tiny that it grows at every chance.
.PHONY: check-allocation check-allocation-core check-allocation-lua
check-allocation: check-allocation-core check-allocation-lua
check-allocation-core check-allocation-lua: check-%:
	@$(MAKE) --no-print-directory $(ASSERTS_BUILD) test-$*

# tools/unreached.txt has the reasons for the lines that no test reaches.
## make coverage   lines and branches of src/ that the tests reach
COVERAGE_SEQUENCES ?= 6
COVERAGE_BUILD := VARIANT=coverage CC=gcc $(TEST_BUILD) CFLAGS="-O0 -g --coverage" LDFLAGS=--coverage
.PHONY: coverage coverage-run coverage-specs
coverage: setup-coverage
	@$(MAKE) --no-print-directory $(COVERAGE_BUILD) all
	@find build/coverage -name "*.gcda" -delete
	@SEQUENCES=$(COVERAGE_SEQUENCES) $(MAKE) --no-print-directory $(COVERAGE_BUILD) coverage-run
	gcovr --root . --filter src/ --exclude-branches-by-pattern ".*SELF_CHECK.*" --print-summary --txt \
	    --json build/coverage/lines.json --json-summary build/coverage/files.json --fail-under-line 95 \
	    build/coverage/objects
	@$(LUA) tools/check_unreached.lua build/coverage/lines.json
	@$(LUA) tools/sum_coverage.lua build/coverage/files.json | $(LUA) tools/figures.lua coverage text "make coverage"
coverage-run:
	+@$(IN_ORDER) test-c test-memory test-replay $(OUT)/refuse_core $(OUT)/refuse_lua
	+@$(SIDE_BY_SIDE) test-allocation specs-scalar coverage-specs
coverage-specs:
	@$(RUN_SPECS) '$(RUN_BUSTED) $(NO_CROWDS)' $(C_SPECS)

# ONLY takes the faults with one of these words in their name or file. check-mutate is the short form.
## make mutate     break the code on purpose, to see that the specs see it; goes on where it was ended
##                 (JOBS=2 at a time; ONLY="words")
.PHONY: mutate check-mutate
mutate:
	@JUNIT= $(OUTSIDE) LUA=$(LUA) $(LUA) tools/mutate.lua $(ONLY)
check-mutate:
	@JUNIT= $(OUTSIDE) LUA=$(LUA) JOBS=1 $(LUA) tools/mutate.lua short

# The core is the same: random sequences are here for the binding, which a few of them go all through. Specs of the
# core alone, and of files as texts, are not run. Worlds need a skynet, which has a later Lua.
LUA53_SPECS := $(filter-out $(addprefix spec/,annotations% areas_polygons% comments% cross_engine% \
    crowd_properties% determinism% differential_areas% differential_crowds% differential_deferred% \
    differential_hand_over% differential_harness% differential_records% differential_slack% \
    differential_steps% documents% everything_% kinds% large_coordinates% layers% model% \
    pictures% polygons% quadtree_distributions% sights_in_motion% sights_recorded% skynet_region% skynet_world% \
    usual_radius% world_model%),$(wildcard spec/*_spec.lua))
.PHONY: check-lua53
check-lua53:
	@SEQUENCES=$(LUA53_SEQUENCES) $(MAKE) --no-print-directory LUA_VERSION=5.3 LUA=lua5.3 LUA_INC= \
	    SPECS="$(if $(filter spec,$(SPECS)),$(LUA53_SPECS),$(SPECS))" specs test-install

# Compiles the binding against the headers of another Lua, for instance those of a skynet:
# make check-headers LUA_INC=<skynet>/3rd/lua
.PHONY: check-headers headers
check-headers:
	@$(MAKE) --no-print-directory VARIANT=headers-gcc CC=gcc CFLAGS="-O2 -Werror" headers
	@$(MAKE) --no-print-directory VARIANT=headers-clang CC=clang CFLAGS="-O2 -Werror" headers
headers: $(BINDING_OBJECTS)

## make try-pages SKYNET_HOME=...
##                 the commands of README and tutorial as they are printed, in an empty folder
.PHONY: try-pages
try-pages:
	@tools/try_pages.sh "$(abspath $(SKYNET_HOME))" README.md README.zh-CN.md docs/tutorial.md docs/zh/tutorial.md

## make rock       pack build/packed/lua-aoi-<version>.src.rock for `luarocks install`
.PHONY: rock
rock:
	@tools/make_rock.sh build/packed $(LUA_VERSION)

# Installs the rock of the sources as they are, and the packed one of the commit that is checked out, each
# into a tree below build/, and uses it; nothing is fetched.
LUAROCKS = $(OUTSIDE) luarocks --lua-version=$(LUA_VERSION)
.PHONY: check-rock
check-rock: rock
	@rm -rf build/rocks build/packed_rocks
	$(LUAROCKS) make --deps-mode=none --tree="$(CURDIR)/build/rocks" rockspec/lua-aoi-dev-1.rockspec
	tools/use_installed.sh "$(CURDIR)/build/rocks" $(LUA) $(LUA_VERSION)
	$(LUAROCKS) install --deps-mode=none --tree="$(CURDIR)/build/packed_rocks" build/packed/*.src.rock
	tools/use_installed.sh "$(CURDIR)/build/packed_rocks" $(LUA) $(LUA_VERSION)
