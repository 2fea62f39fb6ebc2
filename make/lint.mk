# The source code: its layers, its layout, and what can be said of it without running it.

C_FILES := $(wildcard src/*.h src/*/*.[ch] examples/c/*.c bench/*.c spec/host/*.[ch] fuzz/*.[ch] viewer/*.c \
    clients/c/*.[ch] spec/packets/*.c)

## make lint       direction of includes, comments, luacheck, Lua 5.3, clang-tidy, cppcheck, layout of the C code
.PHONY: lint
lint: setup-lint
	$(LUA) tools/check_layers.lua
	$(LUA) tools/check_comments.lua
	$(LUA) tools/mutate.lua check
	$(LUA) spec/world/faults.lua check
	luacheck --quiet --no-color .
	@find lua spec tools bench examples -name '*.lua' | xargs -n 1 luac5.3 -p # what Lua 5.4 alone reads
	clang-format --dry-run -Werror $(C_FILES)
	@JOBS=$(PROCESSORS) tools/run_clang_tidy.sh \
	    "-std=c11 -DAOI_SELF_CHECK -Isrc -Ispec/host -Iclients/c -I$(LUA_HEADERS)" $(filter %.c,$(C_FILES))
	cppcheck -j $(PROCESSORS) --quiet --error-exitcode=1 --std=c11 --enable=warning,performance,portability \
	    --inline-suppr --suppress=missingIncludeSystem --max-configs=3 --suppress=toomanyconfigs \
	    -Isrc -Ispec/host -Iclients/c $(filter %.c,$(C_FILES))

## make format     lay out the C code
.PHONY: format
format:
	clang-format -i $(C_FILES)

## make count      lines of code and functions by capability (BEFORE=/path/to/another/checkout: beside it, and
##                 into docs/inside/design.md)
.PHONY: count
count: setup-count
	@$(LUA) tools/count_code.lua $(BEFORE)

# The core without optimising, so that every call is one; each function tells that it is entered.
WITH_TRIPS = $(CC) -std=c11 -g -O0 -no-pie -finstrument-functions $(AOI_DEFINES) -ffp-contract=off
TRIPS_SOURCES = $(filter-out $(1)/src/lua/%,$(wildcard $(1)/src/*/*.c))
$(OUT)/trips: bench/trips.c src/aoi.h $(CORE_SOURCES) $(wildcard src/*/*.h)
	$(call short,CC,$@)$(WITH_TRIPS) -Isrc -o $@ $< $(call TRIPS_SOURCES,.) -lm

## make trips      files and functions that a move, ticks, a hand-over and a transfer pass
##                 (BEFORE=/path/to/another/checkout: beside it, and into docs/inside/design.md)
.PHONY: trips
trips: all $(OUT)/trips
	$(if $(BEFORE),@$(MAKE) --no-print-directory -C "$(BEFORE)" all >/dev/null)
	$(if $(BEFORE),$(call short,CC,$(OUT)/trips-before)$(WITH_TRIPS) -I"$(BEFORE)/src" -o $(OUT)/trips-before \
	    bench/trips.c $(call TRIPS_SOURCES,$(BEFORE)) -lm)
	@$(LUA_ENVIRONMENT) $(LUA) tools/count_trips.lua $(OUT)/trips $(OUT) \
	    $(if $(BEFORE),"$(BEFORE)" $(OUT)/trips-before "$(BEFORE)/$(OUT)")
