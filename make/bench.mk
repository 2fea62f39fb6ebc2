# Measurements, and what is drawn from them.

# The benchmark prints what it was built with next to its numbers.
## make bench      measure (ONLY="worlds plain", QUICK=1 only shows that it runs, TRACE=file.csv adds
##                 recorded movement)
.PHONY: bench
bench: setup-bench
	@$(MAKE) --no-print-directory bench-build
	@mkdir -p build/bench
	@$(LUA_ENVIRONMENT) BENCH_BUILD="$(OUT)" ONLY="$(ONLY)" QUICK="$(QUICK)" TRACE="$(TRACE)" \
	    AOI_COMPILER="$$($(CC) --version | head -n 1)" \
	    AOI_FLAGS="$(AOI_CFLAGS) $(AOI_DEFINES) $(CFLAGS) $(AOI_LDFLAGS) $(LDFLAGS)" \
	    $(LUA) bench/run.lua

.PHONY: bench-build
bench-build: all $(OUT)/bench/floor.so $(OUT)/bench/core

# The floor is built with the flags of the module.
$(OUT)/bench/floor.so: bench/floor.c $(OUT)/flags
	@mkdir -p $(@D)
	@rm -f $@
	$(call short,LD,$@)$(CC) $(LIBFLAG) $(AOI_CFLAGS) $(AOI_DEFINES) -isystem $(LUA_HEADERS) $(CFLAGS) \
	    $(AOI_LDFLAGS) $(LDFLAGS) -o $@ $<

$(OUT)/bench/core: bench/core.c src/aoi.h $(OUT)/libaoi.a
	@mkdir -p $(@D)
	$(call short,CC,$@)$(CC) -std=c11 $(AOI_WARNINGS) $(AOI_DEFINES) -Isrc $(CFLAGS) $(LDFLAGS) -o $@ $< \
	    $(OUT)/libaoi.a -lm

# Takes turns with the build of another checkout, or a core.so. ONLY="D shuffled" takes the cases with these
# words in their names, PASSES=30 may measure longer.
## make bench-compare BEFORE=/path/to/another/checkout
##                 this build next to that one, in turns (ONLY="D shuffled", PASSES=30)
BEFORE ?=
BEFORE_MODULE = $(if $(filter %.so,$(BEFORE)),$(BEFORE),$(BEFORE)/$(OUT)/aoi/core.so)
.PHONY: bench-compare
bench-compare: bench-build
	@test -n "$(BEFORE)" || { echo "bench-compare: BEFORE=/path/to/checkout-or-core.so is missing" >&2; exit 2; }
	$(if $(filter %.so,$(BEFORE)),,@$(MAKE) --no-print-directory -C "$(BEFORE)" all >/dev/null)
	@$(LUA_ENVIRONMENT) $(LUA) bench/compare.lua "$(BEFORE_MODULE)" "$(MODULE)" $(ONLY)

# The same by instructions and misses, which callgrind counts.
## make bench-instructions BEFORE=/path/to/another/checkout
##                 instructions and misses of a move, this build beside that one (ONLY="grid deferred")
.PHONY: bench-instructions
bench-instructions: bench-build
	@test -n "$(BEFORE)" || { echo "bench-instructions: BEFORE=/path/to/checkout-or-core.so is missing" >&2; exit 2; }
	@command -v valgrind >/dev/null || { echo "bench-instructions: valgrind is missing; make setup-check installs it" >&2; exit 2; }
	$(if $(filter %.so,$(BEFORE)),,@$(MAKE) --no-print-directory -C "$(BEFORE)" all >/dev/null)
	@$(LUA_ENVIRONMENT) $(LUA) bench/instructions.lua "$(BEFORE_MODULE)" "$(MODULE)" $(ONLY)

# Builds without one specialisation each (src/base/specialised.h), and one with all of them.
## make bench-specialisations
##                 what each specialisation brings (ONLY="grid deferred", PASSES=30)
SPECIALISATIONS := AVX2 FUSED_STEP LOOK_AHEAD LATE_MOVES
.PHONY: bench-specialisations $(SPECIALISATIONS:%=build-without-%) build-with-all
bench-specialisations: bench-build
	@$(MAKE) --no-print-directory build-with-all $(SPECIALISATIONS:%=build-without-%)
	@$(LUA_ENVIRONMENT) $(LUA) bench/specialisations.lua build/specialised $(ONLY)
build-with-all:
	@$(MAKE) --no-print-directory VARIANT=specialised/usual all
$(SPECIALISATIONS:%=build-without-%): build-without-%:
	@$(MAKE) --no-print-directory VARIANT=specialised/$* AOI_DEFINES="$(AOI_DEFINES) -DAOI_WITHOUT_$*" all

# The shares of the steps of one case of the benchmark: an engine, a world and a way of telling.
## make profile    where the time of a move goes (WALK="grid B per-call"), with perf
WALK ?= grid B per-call
.PHONY: profile
profile: all
	@mkdir -p build/bench
	@$(LUA_ENVIRONMENT) bench/profile.sh $(LUA) $(WALK)

## make bench-report   draw docs/charts/ and write the tables of the documents, from the last full run
.PHONY: bench-report
bench-report: setup-charts
	$(LUA) bench/report.lua build/bench/results.json docs/charts
	$(LUA) bench/tables.lua build/bench/results.json

## make pictures   draw docs/pictures/
.PHONY: pictures
pictures: setup-build
	@$(MAKE) --no-print-directory all
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_queries.lua
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_areas.lua
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_view.lua
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_crowd.lua
	@$(LUA_ENVIRONMENT) $(LUA) docs/draw_sights.lua
