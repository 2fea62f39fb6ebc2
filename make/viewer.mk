# The viewer: the core compiled to WebAssembly, and one HTML file that has it, its page and maybe a recording.

VIEWER_BUILD := build/viewer
TOWN = $(LUA_ENVIRONMENT) $(LUA) docs/record_town.lua
# A clang that makes WebAssembly, with the C library of WASI and lld.
WASM_CC ?= clang
# The features are those that every browser has had for years. The stack stands first: one that is too deep
# ends the program, instead of writing over what it knows.
WASM_CFLAGS := --target=wasm32-wasi -std=c11 $(AOI_WARNINGS) -O2 -flto -DNDEBUG -fvisibility=hidden \
    -msimd128 -mbulk-memory -msign-ext -mnontrapping-fptoint -ffp-contract=off -fno-slp-vectorize -Isrc
WASM_LDFLAGS := --target=wasm32-wasi -mexec-model=reactor -Wl,--strip-all -Wl,--stack-first \
    -Wl,-mllvm,-vectorize-slp=false -Wl,-z,stack-size=1048576
WASM_OBJECTS := $(CORE_SOURCES:src/%.c=$(VIEWER_BUILD)/objects/%.o) $(VIEWER_BUILD)/objects/viewer.o

$(VIEWER_BUILD)/core.wasm: $(WASM_OBJECTS) make/viewer.mk
	$(call short,LD,$@)$(WASM_CC) $(WASM_LDFLAGS) -o $@ $(WASM_OBJECTS) -lm

$(VIEWER_BUILD)/objects/viewer.o: viewer/core.c make/viewer.mk
	@mkdir -p $(@D)
	$(call short,CC,$<)$(WASM_CC) $(WASM_CFLAGS) -MMD -MP -c -o $@ $<

$(VIEWER_BUILD)/objects/%.o: src/%.c make/viewer.mk
	@mkdir -p $(@D)
	$(call short,CC,$<)$(WASM_CC) $(WASM_CFLAGS) -MMD -MP -c -o $@ $<

-include $(WASM_OBJECTS:.o=.d)

# From npm, in the versions of package-lock.json: what bundles the page, and what its specs and pictures need.
NPM_BUNDLER := viewer/node_modules/.package-lock.json
NPM_BROWSER := viewer/browser/node_modules/.package-lock.json
$(NPM_BUNDLER) $(NPM_BROWSER): %/node_modules/.package-lock.json: %/package.json %/package-lock.json
	$(call short,NPM,$*/node_modules)cd $* && npm ci --silent && touch node_modules/.package-lock.json

## make viewer     build/viewer/viewer.html, which shows recordings in a browser (RECORDING=file: with it inside)
.PHONY: viewer
viewer: setup-viewer
	@$(MAKE) -s $(VIEWER_BUILD)/core.wasm $(NPM_BUNDLER)
	@node viewer/build.js $(VIEWER_BUILD)/core.wasm $(VIEWER_BUILD)/viewer.html $(if $(RECORDING),"$(RECORDING)")
	@echo "$(VIEWER_BUILD)/viewer.html"

# The core in WebAssembly against the one in Lua, and damaged recordings.
.PHONY: test-viewer
test-viewer: setup-test setup-viewer
	@$(MAKE) -s all $(VIEWER_BUILD)/core.wasm
	@LUA="$(LUA)" $(LUA_ENVIRONMENT) $(NODE_TEST) spec/viewer/*_spec.mjs

# Two towns of 10,000: each is told of 12 others, or of all that it sees.
$(VIEWER_BUILD)/large.aoi: docs/record_town.lua lua/aoi/recorder.lua $(MODULE)
	@mkdir -p $(@D)
	@$(TOWN) $@ 10000 120
$(VIEWER_BUILD)/everybody.aoi: docs/record_town.lua lua/aoi/recorder.lua $(MODULE)
	@mkdir -p $(@D)
	@$(TOWN) $@ 10000 120 0 everybody

## make viewer-bench
##                 how long the viewer takes to come to another tick, with 10,000 entities; writes the table of
##                 docs/viewer.md (not with JUMPS=40)
.PHONY: viewer-bench
viewer-bench: setup-viewer
	@$(MAKE) -s all $(VIEWER_BUILD)/core.wasm $(VIEWER_BUILD)/large.aoi $(VIEWER_BUILD)/everybody.aoi
	@JUMPS="$(JUMPS)" node bench/viewer.mjs $(VIEWER_BUILD)/bench.rows \
	    $(VIEWER_BUILD)/large.aoi $(VIEWER_BUILD)/everybody.aoi
	@$(if $(JUMPS),,$(LUA) tools/figures.lua viewer-bench table "make viewer-bench" < $(VIEWER_BUILD)/bench.rows)
