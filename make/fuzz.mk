# Fuzzing, see fuzz/README.md.

SECONDS ?= 600
CHECK_FUZZ_SECONDS ?= 60
# Two of them run at a time.
FUZZ_TARGETS := c lua load
FUZZ_BUILD := VARIANT=fuzz CC=clang $(TEST_BUILD) CFLAGS="-O1 -g -fno-omit-frame-pointer $(SANITIZE) \
    -fsanitize=fuzzer-no-link"

## make fuzz       let fuzzers look for faults for SECONDS=600 each
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
$(OUT)/fuzz_model.o: $(FUZZ_FILES) $(OUT)/flags
	$(call short,CC,$@)$(FUZZ_COMPILE) -O2 -c -o $@ fuzz/model.c
$(OUT)/fuzz_c $(OUT)/replay_c: $(FUZZ_FILES) $(OUT)/fuzz_model.o $(OUT)/libaoi.a
	$(call short,CC,$@)$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(OUT)/fuzz_model.o \
	    $(OUT)/libaoi.a -lm
$(OUT)/fuzz_load $(OUT)/replay_load: $(FUZZ_FILES) $(OUT)/libaoi.a
	$(call short,CC,$@)$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(OUT)/libaoi.a -lm
$(OUT)/fuzz_lua $(OUT)/replay_lua: $(FUZZ_FILES) $(OUT)/libaoi.a $(BINDING_OBJECTS)
	$(call short,CC,$@)$(FUZZ_COMPILE) $(CFLAGS) $(LDFLAGS) -o $@ $(FUZZ_SOURCES) $(MAIN) $(BINDING_OBJECTS) \
	    $(OUT)/libaoi.a -llua$(LUA_VERSION) -lm
