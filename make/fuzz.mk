# Fuzzing, see fuzz/README.md.

SECONDS ?= 600
FUZZ_TARGETS := c lua load replay packet areas hand
# Inputs in the gate; 0: those that are kept, and no search. What the one about Lua reaches differs from run
# to run, since Lua's tables are in an order that depends on addresses and the time: it searches in `make fuzz`.
CHECK_FUZZ_RUNS := c=2000 lua=0 load=5000 replay=2500 packet=50000 areas=750 hand=75
FUZZ_BUILD := VARIANT=fuzz CC=clang $(TEST_BUILD) CFLAGS="-O1 -g -fno-omit-frame-pointer $(SANITIZE) \
    -fsanitize=fuzzer-no-link"
# Two of them run at a time.
EACH_FUZZER := xargs -P 2 -n 3 tools/run_fuzzer.sh build/fuzz

.PHONY: fuzz-build
fuzz-build: setup-fuzz
	@$(MAKE) --no-print-directory $(FUZZ_BUILD) $(FUZZ_TARGETS:%=build/fuzz/fuzz_%)

## make fuzz       let fuzzers look for faults for SECONDS=600 each (FUZZ_TARGETS="c lua ...")
.PHONY: fuzz
fuzz: fuzz-build
	@printf "%s seconds $(SECONDS)\n" $(FUZZ_TARGETS) | $(EACH_FUZZER)
	@{ echo "| target | seconds | executions | edges |"; echo "| --- | --- | --- | --- |"; \
	    cat build/fuzz/fuzz_*.row; } | $(LUA) tools/figures.lua fuzz text "make fuzz"

## make everything histories of all features at once, against a model: new ones for SECONDS=600, or that of SEED=n
.PHONY: everything
everything: all
	@printf "%s\n" 1 2 | SECONDS=$(SECONDS) LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua" \
	    LUA_CPATH="$(MODULE_ROOT)/?.so" xargs -P 2 -n 1 $(LUA) spec/everything/search.lua

# The same inputs each time: what it says follows from the sources alone.
.PHONY: check-fuzz
check-fuzz: fuzz-build
	@printf "%s\n" $(subst =, runs ,$(CHECK_FUZZ_RUNS)) | $(EACH_FUZZER)

# A target with a fuzzer, or with a main that replays files.
FUZZ_SOURCES = fuzz/$(notdir $(subst replay_,fuzz_,$@)).c
FUZZ_FILES := $(wildcard fuzz/*.[ch]) spec/host/accountant.h
FUZZ_C_PARTS := $(wildcard fuzz/c_*.c)
# Not optimised as one program with the core: that takes longer than what they do.
FUZZ_COMPILE = $(CC) -std=c11 -fno-lto $(AOI_WARNINGS) -ffp-contract=off -Isrc -Ispec/host -isystem $(LUA_HEADERS)

$(OUT)/fuzz_%: MAIN = -fsanitize=fuzzer
$(OUT)/replay_%: MAIN = fuzz/replay.c
$(OUT)/fuzz_model.o: $(FUZZ_FILES) $(OUT)/flags
	$(call short,CC,$@)$(FUZZ_COMPILE) -O2 -c -o $@ fuzz/model.c
$(OUT)/fuzz_c $(OUT)/replay_c: $(FUZZ_FILES) $(OUT)/fuzz_model.o $(OUT)/libaoi.a
	$(call short,CC,$@)$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(FUZZ_C_PARTS) $(MAIN) \
	    $(OUT)/fuzz_model.o $(OUT)/libaoi.a -lm
$(addprefix $(OUT)/,fuzz_areas replay_areas fuzz_load replay_load fuzz_replay replay_replay fuzz_hand \
    replay_hand): $(FUZZ_FILES) $(OUT)/libaoi.a
	$(call short,CC,$@)$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(OUT)/libaoi.a -lm
$(OUT)/fuzz_packet $(OUT)/replay_packet: $(FUZZ_FILES) $(PACKET_READER) $(OUT)/flags
	$(call short,CC,$@)$(FUZZ_COMPILE) -Iclients/c $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) \
	    clients/c/aoi_packet.c
$(OUT)/fuzz_lua $(OUT)/replay_lua: $(FUZZ_FILES) $(OUT)/libaoi.a $(BINDING_OBJECTS)
	$(call short,CC,$@)$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(BINDING_OBJECTS) \
	    $(OUT)/libaoi.a -llua$(LUA_VERSION) -lm
