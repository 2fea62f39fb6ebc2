# A world of many regions: several processes of skynet, each a node, on this machine. Wants SKYNET_HOME as
# make/skynet.mk does.

# Four nodes with regions, and one without, for robots.
WORLD_NODES := a b c d e
# The processes of a test or an example: the module that drives it, and the most seconds that it may take.
RUN_WORLD = SKYNET_HOME="$(SKYNET_HOME)" AOI_BUILD="$(SKYNET_BUILD)" AOI_FOLDER="$(SKYNET_BUILD)/$@" \
    AOI_PLAY="$(1)" tools/run_world.sh spec/world/config "$(2)" $(or $(3),$(WORLD_NODES))
# With one of them for agents alone.
NODES_TO_FAIL := a b c d f e

## make world-test SKYNET_HOME=...
##                 four processes and one for robots: a world tells what one space tells (WALKERS=1000
##                 TICKS=200 ONLY="words of a case" FAULTS="strip", none: FAULTS=); then some failures,
##                 as in world-faults (FAILURES="words,words", none: FAILURES=), and with a Redis
##                 (REDIS_FAILURES)
.PHONY: world-test
FAILURES ?= a node stopped for 2 s,cut in two for 2 s,a node killed for 5 s,a region moves
REDIS_FAILURES ?= what stands in Redis,coordinator's node killed,coordinator's node stopped for 1.5 s,coordinator's node drained,two \
    coordinators,Redis killed for 0.5 s
FAULTS ?= $(shell $(LUA) spec/world/faults.lua)
NO_REDIS := SKIPPED: worlds with a coordinator in Redis were not tested, as there is no redis-server; \
    tools/setup.sh world installs it
world-test:
ifeq ($(SKYNET_HOME),)
	@echo "SKIPPED: worlds were not tested; make world-test SKYNET_HOME=/path/to/skynet does so"
else
	@$(MAKE) --no-print-directory skynet-module
	@$(call RUN_WORLD,spec.world.questions,60)
	@$(call RUN_WORLD,spec.world.agents,60)
	@$(call RUN_WORLD,spec.world.test,3600)
	@if [ -n "$(FAILURES)" ]; then ONLY="$(FAILURES)" AOI_FAULTY=spec/world/transport \
	    $(call RUN_WORLD,spec.world.failures,180,$(NODES_TO_FAIL)); fi
	@tools/setup.sh world || true
	@if [ -z "$(REDIS_FAILURES)" ]; then :; elif command -v redis-server >/dev/null; then \
	    REDIS=1 ONLY="$(REDIS_FAILURES)" AOI_FAULTY=spec/world/transport \
	        $(call RUN_WORLD,spec.world.failures,180,$(NODES_TO_FAIL)); else echo "$(NO_REDIS)"; fi
	@planted="$(SKYNET_BUILD)/$@-fault-$$$$"; for fault in $(FAULTS); do \
	    rm -rf "$$planted"; \
	    $(LUA) spec/world/faults.lua "$$fault" "$$planted" || exit 1; \
	    if AOI_FAULTY="$$planted" WALKERS=400 TICKS=40 ONLY=slack \
	        $(call RUN_WORLD,spec.world.test,300) >"$$planted.out" 2>&1; then \
	        echo "nobody saw the fault $$fault" >&2; exit 1; fi; \
	    grep -q "told otherwise than by one space" "$$planted.out" || { \
	        echo "the fault $$fault was seen, but not as a difference:" >&2; \
	        tail -n 20 "$$planted.out" >&2; exit 1; }; \
	    echo "the fault $$fault was seen"; \
	done; rm -rf "$$planted" "$$planted.out"
endif

## make world-faults SKYNET_HOME=...
##                 a world whose nodes are stopped, killed and cut off, whose messages are lost, doubled and
##                 held up, whose disks are full and whose stores are damaged: what is told at all times and
##                 known afterwards, and how long that takes (ONLY="words of a row" WHY=1;
##                 MINUTES=15 SEED=1: rows in random order for so long; PLANTED=: no faults planted;
##                 STORES="none folder": without and with stores; COORDINATORS="node redis")
.PHONY: world-faults
STORES ?= none folder
COORDINATORS ?= node redis
PLANTED ?= $(shell $(LUA) spec/world/faults.lua failures | cut -d: -f1)
SECONDS_OF_FAULTS = $(if $(MINUTES),$(shell expr $(MINUTES) \* 60 + 600),1800)
world-faults: skynet-module
	@tools/setup.sh world || true
	@for where in $(COORDINATORS); do for store in $(STORES); do \
	    redis=$${where#node}; \
	    if [ -n "$$redis" ] && ! command -v redis-server >/dev/null; then echo "$(NO_REDIS)"; continue; fi; \
	    echo "coordinator: $$where, stores: $$store"; \
	    MINUTES="$(MINUTES)" SEED="$(SEED)" REDIS=$$redis STORE=$$store AOI_FAULTY=spec/world/transport \
	        $(call RUN_WORLD,spec.world.failures,$(SECONDS_OF_FAULTS),$(NODES_TO_FAIL)) || exit 1; done; done
	@planted="$(SKYNET_BUILD)/$@-planted-$$$$"; for fault in $(PLANTED); do \
	    rm -rf "$$planted"; mkdir -p "$$planted"; \
	    cp -R spec/world/transport/. "$$planted"; \
	    $(LUA) spec/world/faults.lua "$$fault" "$$planted" || exit 1; \
	    after=$$($(LUA) spec/world/faults.lua failures | sed -n "s/^$$fault://p"); \
	    redis=; case $$after in "the coordinator's"*) redis=redis;; esac; \
	    if [ -n "$$redis" ] && ! command -v redis-server >/dev/null; then echo "$(NO_REDIS)"; continue; fi; \
	    if REDIS=$$redis AOI_FAULTY="$$planted" ONLY="$$after" \
	        $(call RUN_WORLD,spec.world.failures,120,$(NODES_TO_FAIL)) >"$$planted.out" 2>&1; then \
	        echo "nobody saw the fault $$fault after: $$after" >&2; exit 1; fi; \
	    seen=$$($(LUA) spec/world/faults.lua "$$fault"); \
	    grep -q "WRONG.*$$seen" "$$planted.out" && \
	    grep -q "not all is right after failures" "$$planted.out" || { \
	        echo "the fault $$fault was seen, but not as something wrong:" >&2; \
	        tail -n 20 "$$planted.out" >&2; exit 1; }; \
	    echo "the fault $$fault was seen after: $$after"; \
	done; rm -rf "$$planted" "$$planted.out"

## make world-demo SKYNET_HOME=...
##                 robots in one world on four processes, of which one is killed, one is drained, and both are
##                 added again (ROBOTS=4000 DURATION=8)
.PHONY: world-demo
world-demo: skynet-module
	@$(call RUN_WORLD,examples.world.demo,120)

## make world-bench SKYNET_HOME=...
##                 one scene against worlds of 1 to 8 regions on 1 to 4 processes: CPU, messages, the price
##                 of borders (ROBOTS=4000 DURATION=5 RUNS=5 ONLY="words of lines;of others"
##                 FIGURES=1: into the pages); with jemalloc, which a usual skynet has (JEMALLOC=: with the
##                 allocator that is built in)
.PHONY: world-bench
JEMALLOC ?= 1
world-bench: skynet-module
	@tools/setup.sh world-bench || true
	@FIGURES="$(FIGURES)" JEMALLOC="$(JEMALLOC)" $(call RUN_WORLD,examples.world.bench,1200)

# Kinds of schedules, each by some workers.
WORLD_MODEL_KINDS := random exhaustive faults
WORLD_MODEL_WORKERS = $(foreach kind,$(WORLD_MODEL_KINDS),$(foreach worker,$(shell seq $(PROCESSORS)),\
    "$(kind) $(worker) $(PROCESSORS)"))
## make world-model
##                 the protocol of worlds as a model without skynet: SCHEDULES=100000 at random from FIRST=1 on,
##                 all short courses, planted faults; SEED=n: that one alone
.PHONY: world-model
world-model:
	@printf "%s\n" $(if $(SEED),"seed $(SEED)",$(WORLD_MODEL_WORKERS)) | \
	    LUA_PATH="./lua/?.lua;./?.lua" xargs -P $(PROCESSORS) -L 1 $(LUA) spec/world_model/search.lua

## make world-search
##                 worlds on simulated processes, against one space or with nodes that fail: new ones for
##                 SECONDS=600, or that of SEED=n
.PHONY: world-search
world-search: all
	@printf "%s\n" $(if $(SEED),1,$(shell seq $(PROCESSORS))) | SECONDS=$(SECONDS) SEED=$(SEED) \
	    LUA_PATH="lua/?.lua;lua/?/init.lua;./?.lua" LUA_CPATH="$(MODULE_ROOT)/?.so" \
	    xargs -P $(PROCESSORS) -n 1 $(LUA) spec/world/search.lua
