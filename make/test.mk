# The tests: the specs, the C examples, memory, the inputs of the fuzzers, an installation.

# The script that starts busted; it runs under $(LUA).
BUSTED ?= tools/busted.lua
# What the specs are told to run; an argument such as spec/grid_spec.lua narrows it.
SPECS ?= spec

# .busted takes the folder of the C module from AOI_BUILD. UNDER: a program that watches Lua run.
RUN_BUSTED = AOI_BUILD="$(MODULE_ROOT)" $(UNDER) $(LUA) $(BUSTED) --ignore-lua
RUN_SPECS = JOBS=$(PROCESSORS) tools/run_specs.sh
# node's test runner. A file that takes longer than NODE_TEST_LIMIT milliseconds fails and is ended: what it waits
# for may never come. With JUNIT=folder it leaves a JUnit file there, as tools/busted.lua does.
NODE_TEST_LIMIT ?= 600000
NODE_TEST = node --test --test-timeout=$(NODE_TEST_LIMIT) --test-reporter=spec \
    $(if $(JUNIT),--test-reporter-destination=stdout --test-reporter=junit \
    --test-reporter-destination="$(JUNIT)/$@.xml")

# Targets that take all processors themselves: $(IN_ORDER) target ...; those that take one, JOBS of them at a
# time: $(SIDE_BY_SIDE) target ... A + goes before, for make does not see that these are makes: without it each of
# them would build with one job.
IN_ORDER = tools/in_order.sh "$(MAKE)"
SIDE_BY_SIDE = JOBS=$(PROCESSORS) tools/side_by_side.sh "$(MAKE)"

## make test       build and run all specs, the C examples and an installation (specs SPECS=file: those alone)
.PHONY: test
test: setup-test
	+@$(IN_ORDER) all specs test-c test-packets test-memory test-replay test-install skynet-test test-viewer \
	    test-page test-game

.PHONY: specs
specs: all
	@$(RUN_SPECS) '$(RUN_BUSTED)' $(SPECS)

# C programs that know only src/aoi.h and the core's library; first.c is the one of docs/c.md. packet.c knows
# only the reader of packets.
C_EXAMPLES := first minimal crowd
# A program with the core's library, by the machine code in it, which is all that an installed one has: optimising
# it as one program takes a hundred times as long.
C_PROGRAM = $(CC) -std=c11 -fno-lto $(AOI_WARNINGS) -Isrc $(CFLAGS) $(LDFLAGS)
PACKET_READER := clients/c/aoi_packet.h clients/c/aoi_packet.c
.PHONY: test-c
test-c: $(C_EXAMPLES:%=$(OUT)/%) $(OUT)/packet
	@tools/run_c_examples.sh $(OUT) $(C_EXAMPLES) packet

$(C_EXAMPLES:%=$(OUT)/%): $(OUT)/%: examples/c/%.c src/aoi.h $(OUT)/libaoi.a
	$(call short,CC,$@)$(C_PROGRAM) -o $@ $< $(OUT)/libaoi.a -lm

$(OUT)/packet: examples/c/packet.c $(PACKET_READER) $(OUT)/flags
	$(call short,CC,$@)$(CC) -std=c11 $(AOI_WARNINGS) -Iclients/c $(CFLAGS) $(LDFLAGS) -o $@ \
	    $(filter %.c,$^)

# The reader of packets in JavaScript; spec/packet_readers_spec.lua compares it with the others.
.PHONY: test-packets
test-packets:
	@if command -v node >/dev/null; then $(NODE_TEST) spec/packets/*_spec.mjs; \
	    else echo "SKIPPED: the reader of packets in JavaScript was not tested, as there is no node"; fi

# Lua inside a program whose allocator counts: no space leaves a byte behind. The same without Lua: what
# is no longer needed goes back, and nothing goes to and fro.
.PHONY: test-memory
test-memory: $(OUT)/arrays $(OUT)/count_bytes $(OUT)/give_back
	@$(OUT)/arrays
	@$(LUA_ENVIRONMENT) $(OUT)/count_bytes spec/host/spaces.lua dropped closed_in_handlers abandoned reloaded
	@$(OUT)/give_back

$(OUT)/count_bytes $(OUT)/refuse_lua: $(OUT)/%: spec/host/%.c spec/host/accountant.h $(MODULE)
	$(call short,CC,$@)$(CC) -std=c11 $(AOI_WARNINGS) -isystem $(LUA_HEADERS) $(CFLAGS) $(LDFLAGS) -o $@ $< \
	    -llua$(LUA_VERSION) -lm

# Every allocation fails once, in the core and in Lua.
.PHONY: test-allocation test-allocation-core test-allocation-lua refusing
test-allocation: test-allocation-core test-allocation-lua
test-allocation-core: $(OUT)/refuse_core
	@$(OUT)/refuse_core
test-allocation-lua: $(OUT)/refuse_lua
	@$(LUA_ENVIRONMENT) $(OUT)/refuse_lua spec/host/refuse.lua
	@$(LUA_ENVIRONMENT) $(OUT)/refuse_lua spec/host/dropped.lua
	@$(LUA_ENVIRONMENT) $(OUT)/refuse_lua spec/host/moves.lua

refusing: $(OUT)/refuse_core $(OUT)/refuse_lua

$(OUT)/refuse_core: spec/host/refuse_steps.h
$(OUT)/arrays $(OUT)/refuse_core $(OUT)/give_back: $(OUT)/%: spec/host/%.c spec/host/accountant.h src/aoi.h $(OUT)/libaoi.a
	$(call short,CC,$@)$(C_PROGRAM) $(AOI_DEFINES) -o $@ $< $(OUT)/libaoi.a -lm

# The inputs of the fuzzers, those that failed once among them, without a fuzzer. The one about Lua
# needs a Lua with warnings.
REPLAYS := c areas hand load replay packet $(if $(filter 5.3,$(LUA_VERSION)),,lua)
.PHONY: test-replay
test-replay: $(REPLAYS:%=$(OUT)/replay_%)
	@tools/run_replays.sh $(OUT) $(REPLAYS)

# Installs below build/, as a packager would, and uses what was installed from another folder.
.PHONY: test-install
test-install: all $(OUT)/libaoi.a
	@rm -rf $(OUT)/root
	@$(MAKE) --no-print-directory install DESTDIR="$(CURDIR)/$(OUT)/root" PREFIX=/usr
	@tools/use_installed.sh "$(CURDIR)/$(OUT)/root/usr" $(LUA) $(LUA_VERSION)
	@CC="$(CC)" tools/use_installed_library.sh "$(CURDIR)/$(OUT)/root" /usr/lib
