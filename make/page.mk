# The viewer's page in a browser: its specs, and the pictures that it makes for the documents.

CHROMIUM ?= $(firstword $(shell command -v chromium || command -v chromium-browser || command -v google-chrome))

# Recordings to look at: a town, one watcher and all reasons, two regions, a town with slack; the large one is made in make/viewer.mk.
$(VIEWER_BUILD)/town.aoi: docs/record_town.lua $(MODULE)
	@mkdir -p $(@D)
	@$(TOWN) $@
$(VIEWER_BUILD)/watch.aoi: spec/viewer/watch.lua $(MODULE)
	@mkdir -p $(@D)
	@rm -f $@
	@$(LUA_ENVIRONMENT) $(LUA) $< $@
$(VIEWER_BUILD)/picture.aoi: spec/page/picture.lua $(MODULE)
	@mkdir -p $(@D)
	@rm -f $@
	@$(LUA_ENVIRONMENT) $(LUA) $< $@
$(VIEWER_BUILD)/slack.aoi: docs/record_town.lua $(MODULE)
	@mkdir -p $(@D)
	@$(TOWN) $@ 100 20 6

## make test-page  open the viewer in a headless Chromium, and use it as a person would;
##                 with SKYNET_HOME=... also in front of a real skynet
.PHONY: test-page
test-page: setup-viewer
ifeq ($(CHROMIUM),)
	@echo "SKIPPED: the viewer's page was not opened, as there is no Chromium; tools/setup.sh page installs it"
else
	@$(MAKE) -s viewer RECORDING= >/dev/null
	@$(MAKE) -s $(VIEWER_BUILD)/town.aoi $(VIEWER_BUILD)/slack.aoi $(VIEWER_BUILD)/large.aoi \
	    $(VIEWER_BUILD)/watch.aoi $(VIEWER_BUILD)/picture.aoi $(NPM_BROWSER)
	@CHROMIUM="$(CHROMIUM)" SKYNET_HOME="$(SKYNET_HOME)" $(NODE_TEST) --test-concurrency=1 \
	    spec/page/*_spec.mjs
endif

# The viewer's part of `make pictures`.
.PHONY: pictures-viewer
pictures: pictures-viewer
pictures-viewer: setup-viewer setup-page
	@$(MAKE) -s viewer RECORDING= >/dev/null
	@$(MAKE) -s $(VIEWER_BUILD)/town.aoi $(NPM_BROWSER)
	@CHROMIUM="$(CHROMIUM)" node docs/draw_viewer.mjs
