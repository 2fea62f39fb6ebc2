# Other processors and another C library, with Debian's cross compilers and emulators.

# How many histories are played on each engine, how many of them go on elsewhere, and which specs are run.
PROCESSOR_HISTORIES ?= 6
PROCESSOR_CROSSED ?= 3
PROCESSOR_SPECS ?= $(addprefix spec/,$(addsuffix _spec.lua,construct cross_engine deferred slack \
    three_dimensions grid_without_map))

## make check-processors   the same events, answers and saves on aarch64, s390x and i386, and with musl
##                 (check-processors-long: more histories, each going on everywhere, and all specs)
.PHONY: check-processors check-processors-long
check-processors: all
	@$(MAKE) --no-print-directory setup-processors || echo "not all packages can be installed"
	@MODULE_ROOT="$(MODULE_ROOT)" LUA="$(LUA)" LUA_VERSION="$(LUA_VERSION)" MAKE="$(MAKE)" JOBS="$(PROCESSORS)" \
	    SEQUENCES="$${SEQUENCES:-1}" tools/check_processors.sh $(PROCESSOR_HISTORIES) $(PROCESSOR_CROSSED) \
	    $(PROCESSOR_SPECS)
check-processors-long:
	@SEQUENCES="$${SEQUENCES:-20}" $(MAKE) --no-print-directory check-processors PROCESSOR_HISTORIES=100 \
	    PROCESSOR_CROSSED=100 PROCESSOR_SPECS=spec
