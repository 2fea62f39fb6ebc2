# The game of examples/skynet-game, on the skynet in SKYNET_HOME.

## make skynet-game SKYNET_HOME=...
##                 a game to start from: prints the address to open in a browser (PORT=8002)
.PHONY: skynet-game
skynet-game: skynet-module
	@SKYNET_HOME="$(abspath $(SKYNET_HOME))" AOI_BUILD="$(SKYNET_BUILD)" AOI_LOG="$(SKYNET_BUILD)/$@.log" \
	    "$(SKYNET_HOME)/skynet" examples/skynet-game/config

## make skynet-game-robots SKYNET_HOME=...
##                 robots in that game, over websockets (ROBOTS=1000 DURATION=10 FIGURES=1: into the pages)
.PHONY: skynet-game-robots
skynet-game-robots: setup-game skynet-module
	@SKYNET_HOME="$(abspath $(SKYNET_HOME))" AOI_BUILD="$(SKYNET_BUILD)" FIGURES="$(FIGURES)" LUA="$(LUA)" \
	    node examples/skynet-game/robots/main.mjs

# Its page in a headless Chromium, with robots beside it.
.PHONY: test-game
test-game:
ifeq ($(SKYNET_HOME),)
	@echo "SKIPPED: the game was not tested; make test-game SKYNET_HOME=/path/to/skynet does so"
else ifeq ($(CHROMIUM),)
	@echo "SKIPPED: the game was not tested, as there is no Chromium; tools/setup.sh page installs it"
else
	@$(MAKE) -s setup-game skynet-module $(NPM_BROWSER)
	@SKYNET_HOME="$(abspath $(SKYNET_HOME))" AOI_BUILD="$(SKYNET_BUILD)" CHROMIUM="$(CHROMIUM)" \
	    $(NODE_TEST) spec/game/*_spec.mjs
endif
