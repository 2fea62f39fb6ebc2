# The scene service on a skynet that is built, in the folder SKYNET_HOME.

SKYNET_HOME ?=

# The module for that skynet's own Lua, in a folder of its own.
SKYNET_VARIANT := for-$(notdir $(abspath $(SKYNET_HOME)))
SKYNET_BUILD := build/$(SKYNET_VARIANT)
# Skynet's configuration, and the most seconds it may run. Each run has a log of its own: $$$$ is its process.
RUN_SKYNET = SKYNET_HOME="$(SKYNET_HOME)" AOI_BUILD="$(SKYNET_BUILD)" AOI_LOG="$(SKYNET_BUILD)/$@.$$$$.log" \
    tools/run_skynet.sh

## make skynet-test SKYNET_HOME=/path/to/skynet
##                 test the scene service on that skynet
.PHONY: skynet-test
skynet-test:
ifeq ($(SKYNET_HOME),)
	@echo "SKIPPED: the scene service was not tested; make skynet-test SKYNET_HOME=/path/to/skynet does so"
else
	@$(MAKE) --no-print-directory skynet-module
	@if AOI_MAIN=main ONLY=no_such_file $(RUN_SKYNET) spec/skynet/config 60 >/dev/null 2>&1; then \
	    echo "spec/skynet/main.lua takes any name in ONLY" >&2; exit 1; fi; rm -f "$(SKYNET_BUILD)/$@.$$$$.log"
	@AOI_MAIN=main SEED="$(SEED)" ONLY="$(ONLY)" $(RUN_SKYNET) spec/skynet/config 600
	@if [ -z "$(ONLY)" ]; then $(MAKE) --no-print-directory skynet-churn; fi
endif

## make skynet-churn SKYNET_HOME=...
##                 a part of skynet-test, about two minutes: clients over sockets come, crash, hang and log in
##                 again while agents, scenes and callers die; then a fault that it must see (SEED=1
##                 CLIENTS=240 ROUNDS=8 SHOW=20 EVENTS="kinds that are to happen")
CHURN_FAULT := $(SKYNET_BUILD)/churn-fault
.PHONY: skynet-churn
skynet-churn: skynet-module
	@AOI_MAIN=churn/main SEED="$(SEED)" $(RUN_SKYNET) spec/skynet/config 400
	@rm -rf "$(CHURN_FAULT)"; mkdir -p "$(CHURN_FAULT)/aoi/skynet"
	@cp "$(SKYNET_BUILD)/aoi/core.so" "$(CHURN_FAULT)/aoi/"
	@$(LUA) spec/skynet/churn/plant.lua "$(CHURN_FAULT)"
	@if AOI_MAIN=churn/main EVENTS="walk caller_of_scene_dies" ROUNDS=1 SKYNET_HOME="$(SKYNET_HOME)" \
	    AOI_BUILD="$(CHURN_FAULT)" AOI_LOG="$(CHURN_FAULT)/log" tools/run_skynet.sh spec/skynet/config 400 \
	    >"$(CHURN_FAULT)/out" 2>&1; then \
	    echo "nobody saw that a scene drops agents which live" >&2; exit 1; fi
	@grep -q "has let it go (removed)" "$(CHURN_FAULT)/out" || { \
	    echo "a planted fault was seen, but not as agents that are removed:" >&2; \
	    tail -n 20 "$(CHURN_FAULT)/out" >&2; exit 1; }
	@echo "the planted fault was seen: a scene drops agents which live"

## make skynet-demo SKYNET_HOME=...
##                 robots in a scene service, to be seen in a browser, until Ctrl-C or for DURATION seconds
##                 (ROBOTS=2000 VIEWER=8001 CONSOLE=8000 STORE=folder FIGURES=1: into the pages)
.PHONY: skynet-demo
skynet-demo: skynet-module $(if $(filter 0,$(VIEWER)),,skynet-demo-page)
	@AOI_MAIN=main FIGURES="$(FIGURES)" $(RUN_SKYNET) examples/skynet/config 0

# The page that the demo's viewer serves. The demo goes on without it: its viewer then says what is missing.
.PHONY: skynet-demo-page
skynet-demo-page:
	@if command -v node >/dev/null && command -v npm >/dev/null; then \
	    $(MAKE) -s viewer RECORDING= >/dev/null || true; fi
	@test -f $(VIEWER_BUILD)/viewer.html || \
	    echo "the viewer has no page yet, and says so in the browser; make viewer builds it, with node and npm"

## make skynet-tutorial SKYNET_HOME=...
##                 the last step of docs/tutorial.md: two maps, a wolf, and a player that goes from one to the other
.PHONY: skynet-tutorial
skynet-tutorial: skynet-module
	@$(RUN_SKYNET) examples/tutorial/skynet/config 60

## make skynet-bench SKYNET_HOME=...
##                 compare the scene service with one message per event, and with a nine-grid in plain Lua;
##                 what extras and properties cost (ROBOTS=1000 DURATION=10 WALKERS="1000 4000" ROUNDS=3
##                 ONLY="per tick;plain" or costs, FIGURES=1: into the pages)
.PHONY: skynet-bench
skynet-bench: skynet-module
	@AOI_MAIN=bench ONLY="$(ONLY)" FIGURES="$(FIGURES)" $(RUN_SKYNET) examples/skynet/config 900

.PHONY: skynet-module
skynet-module:
	@test -x "$(SKYNET_HOME)/skynet" -a -f "$(SKYNET_HOME)/3rd/lua/lua.h" || \
	    { echo "SKYNET_HOME is \"$(SKYNET_HOME)\", expected the folder of a skynet that is built" >&2; exit 1; }
	@$(MAKE) --no-print-directory VARIANT="$(SKYNET_VARIANT)" LUA_CLIB_PATH= LUA_INC="$(SKYNET_HOME)/3rd/lua" all
