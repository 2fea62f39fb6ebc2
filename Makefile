# Builds and installs lua-aoi: the C module aoi.core, its Lua side and the core for C programs.
# `make help` lists the targets; tests, checks and benchmarks are in make/.

# What a user may set, on the command line or in the environment.
CFLAGS ?= -O2 -g
LDFLAGS ?=
LUA_VERSION ?= 5.4
LUA ?= lua$(LUA_VERSION)
PREFIX ?= /usr/local
DESTDIR ?=
# Where `make install` puts the module, its Lua files, the header for C programs and their library.
INSTALL_CMOD ?= $(PREFIX)/lib/lua/$(LUA_VERSION)
INSTALL_LMOD ?= $(PREFIX)/share/lua/$(LUA_VERSION)
INSTALL_INC ?= $(PREFIX)/include
INSTALL_LIB ?= $(PREFIX)/lib
# Takes the debug symbols out of what is installed; STRIP=: keeps them.
STRIP ?= strip -S -x
OBJCOPY ?= objcopy
# Folder with lua.h; empty: asked of pkg-config, else where Debian has it.
LUA_INC ?=
# The folder for C modules of a skynet; when given, the module is built to there.
LUA_CLIB_PATH ?=
# 1 shows whole commands.
V ?=

# As many jobs as there are processors, unless -j says otherwise; several goals (`make clean all`) then one
# after another. A make below another one has its number of jobs from that one.
PROCESSORS := $(shell nproc 2>/dev/null || getconf _NPROCESSORS_ONLN 2>/dev/null || echo 1)
ifeq ($(MAKELEVEL),0)
ifeq ($(filter -j% --jobs%,$(shell echo "$$MAKEFLAGS"; ps -o args= -p $$PPID 2>/dev/null)),)
MAKEFLAGS += -j$(PROCESSORS)
ifneq ($(word 2,$(MAKECMDGOALS)),)
.NOTPARALLEL:
endif
endif
endif

LUA_HEADERS := $(firstword $(LUA_INC) $(patsubst -I%,%,$(shell \
    pkg-config --cflags-only-I lua$(LUA_VERSION) 2>/dev/null || \
    pkg-config --cflags-only-I lua-$(LUA_VERSION) 2>/dev/null)) \
    /usr/include/lua$(LUA_VERSION))

ifeq ($(shell uname -s),Darwin)
LIBFLAG ?= -bundle -undefined dynamic_lookup
else
LIBFLAG ?= -shared
# All symbols are bound at load time: a call into Lua then needs no detour through a stub.
AOI_LDFLAGS := -Wl,-z,now
endif

# One folder per variant below build/: builds with other flags or another Lua leave each other alone.
ifeq ($(LUA_CLIB_PATH),)
VARIANT ?= lua$(LUA_VERSION)
else
VARIANT ?= skynet
endif
OUT := build/$(VARIANT)
MODULE_ROOT := $(if $(LUA_CLIB_PATH),$(LUA_CLIB_PATH),$(OUT))
MODULE := $(MODULE_ROOT)/aoi/core.so

# Our own flags, apart from the user's. No fused multiply-add: the same events on every processor. No
# vectors made of single values: gcc reads two doubles at once that were just written one by one, and
# such a read waits until both are in memory (6 of 100 ns of a move).
AOI_DEFINES ?= -DNDEBUG
AOI_WARNINGS ?= -Wall -Wextra -Wpedantic -Wconversion -Wshadow
# A move runs through small functions of several files: optimised as one program where CC can and its
# objects are also usable without (clang's are not), for libaoi.a and whatever program links to it.
ifeq ($(origin AOI_LTO),undefined)
AOI_LTO := $(shell echo 'int main(void) { return 0; }' | \
    $(CC) -Werror -flto=auto -ffat-lto-objects -x c - -o /dev/null >/dev/null 2>&1 && \
    echo -flto=auto -ffat-lto-objects)
endif
AOI_CFLAGS := -std=c11 $(AOI_WARNINGS) $(AOI_LTO) -fPIC -fvisibility=hidden -ffp-contract=off \
    -fno-tree-slp-vectorize \
    $(shell $(CC) -Werror -fno-plt -S -o - -x c /dev/null >/dev/null 2>&1 && echo -fno-plt)

# The other files of src/lua are parts of this one.
BINDING_SOURCES := src/lua/module.c
# WITHOUT: a capability that is left out of the build, the folder of src/ with all that there is of it. What then
# stands for its part of the interface is spec/host/without_*.c; see check-without.
WITHOUT ?=
CORE_SOURCES := $(filter-out src/lua/% $(WITHOUT:%=src/%/%),$(sort $(wildcard src/*/*.c)))
CORE_OBJECTS := $(CORE_SOURCES:src/%.c=$(OUT)/objects/%.o) $(WITHOUT:%=$(OUT)/without_%.o)
BINDING_OBJECTS := $(BINDING_SOURCES:src/%.c=$(OUT)/objects/%.o)

.PHONY: all help install install-module install-c clean setup demo force
all: $(MODULE)

## make            build the module on all processors; V=1 shows whole commands
## make install    to PREFIX=/usr/local (DESTDIR, INSTALL_CMOD, INSTALL_LMOD, INSTALL_INC, INSTALL_LIB,
##                 STRIP); install-module and install-c do one half
## make clean      remove build/
## make setup      install what building and testing need (demo and test do so themselves)
## make demo       build, then show a walker's view, two scenes and a table (TRACE=file.csv replays movement)
help:
	@sed -n "s/^## //p" $(filter Makefile %.mk,$(MAKEFILE_LIST))
	@echo "For a skynet:   make LUA_INC=<skynet>/3rd/lua LUA_CLIB_PATH=<skynet>/luaclib"
	@echo "For Lua 5.3:    make LUA_VERSION=5.3 (test, demo, install ... likewise)"

# ---- building ----

# Goes before a command: one short line instead of it, $(call short,CC,file).
short = $(if $(filter 1,$(V)),,@echo "$(1) $(2)";)

# A loaded module is mapped into memory: a new one must be a new file, not new bytes in the old one.
$(MODULE): $(CORE_OBJECTS) $(BINDING_OBJECTS) $(OUT)/flags
	@mkdir -p $(@D)
	@rm -f $@
	$(call short,LD,$@)$(CC) $(LIBFLAG) $(AOI_LTO) $(CFLAGS) $(AOI_LDFLAGS) $(LDFLAGS) -o $@ \
	    $(CORE_OBJECTS) $(BINDING_OBJECTS) -lm

# Only the binding sees a Lua header.
$(BINDING_OBJECTS): INCLUDES = -isystem $(LUA_HEADERS)

$(OUT)/objects/%.o: src/%.c $(OUT)/flags
	@mkdir -p $(@D)
	$(call short,CC,$<)$(CC) $(AOI_CFLAGS) $(AOI_DEFINES) -Isrc $(INCLUDES) $(CFLAGS) -MMD -MP -c -o $@ $<

$(OUT)/without_%.o: spec/host/without_%.c $(OUT)/flags
	$(call short,CC,$<)$(CC) $(AOI_CFLAGS) $(AOI_DEFINES) -Isrc $(CFLAGS) -c -o $@ $<

# The core alone, for C programs.
$(OUT)/libaoi.a: $(CORE_OBJECTS) $(OUT)/flags
	@rm -f $@
	$(call short,AR,$@)$(AR) rcs $@ $(CORE_OBJECTS)

# The core as it is installed: one object, so that a program which has an aoi_create from elsewhere ends in an error
# of the linker and not in a crash; without debug symbols and what only link-time optimisation reads.
$(OUT)/installed/libaoi.a: $(CORE_OBJECTS) $(OUT)/flags
	@mkdir -p $(@D)
	@rm -f $@
	$(call short,AR,$@)$(LD) -r -o $(@D)/aoi.o $(CORE_OBJECTS)
	$(STRIP) $(@D)/aoi.o
	$(if $(AOI_LTO),$(OBJCOPY) -w -R '.gnu.lto_*' -R '.gnu.debuglto_*' $(@D)/aoi.o)
	@$(AR) rcs $@ $(@D)/aoi.o

# Holds the flags and the list of sources of the last build; newer than the objects when they changed.
$(OUT)/flags: export AOI_FLAGS_NOW = $(CC) $(AOI_CFLAGS) $(AOI_DEFINES) $(CFLAGS) $(LUA_HEADERS) \
    $(LIBFLAG) $(AOI_LDFLAGS) $(LDFLAGS) $(CORE_SOURCES) $(BINDING_SOURCES) $(MODULE)
$(OUT)/flags: force
	@mkdir -p $(@D)
	@echo "$$AOI_FLAGS_NOW" | cmp -s - $@ || echo "$$AOI_FLAGS_NOW" > $@

-include $(CORE_OBJECTS:.o=.d) $(BINDING_OBJECTS:.o=.d)

# ---- installing ----

install: install-module install-c
	@$(if $(DESTDIR)$(filter /usr/local /usr,$(PREFIX)),:,printf '%s\n' 'Lua finds the module with' \
	    'export LUA_PATH="$(INSTALL_LMOD)/?.lua;$(INSTALL_LMOD)/?/init.lua;;" LUA_CPATH="$(INSTALL_CMOD)/?.so;;"')

install-module: all
	$(call short,INSTALL,$(DESTDIR)$(INSTALL_LMOD)/aoi)mkdir -p "$(DESTDIR)$(INSTALL_CMOD)/aoi" \
	    "$(DESTDIR)$(INSTALL_LMOD)/aoi/skynet/world" \
	    "$(DESTDIR)$(INSTALL_LMOD)/aoi/skynet/region" "$(DESTDIR)$(INSTALL_LMOD)/aoi/skynet/parts" && \
	for folder in "" /skynet /skynet/world /skynet/region /skynet/parts; do \
	    install -m 644 lua/aoi$$folder/*.lua "$(DESTDIR)$(INSTALL_LMOD)/aoi$$folder/" || exit 1; \
	done
	$(call short,INSTALL,$(DESTDIR)$(INSTALL_CMOD)/aoi/core.so)rm -f "$(DESTDIR)$(INSTALL_CMOD)/aoi/core.so" && \
	install -m 755 $(MODULE) "$(DESTDIR)$(INSTALL_CMOD)/aoi/core.so" && \
	$(STRIP) "$(DESTDIR)$(INSTALL_CMOD)/aoi/core.so"

install-c: $(OUT)/installed/libaoi.a
	mkdir -p "$(DESTDIR)$(INSTALL_INC)" "$(DESTDIR)$(INSTALL_LIB)/pkgconfig"
	install -m 644 src/aoi.h "$(DESTDIR)$(INSTALL_INC)/"
	install -m 644 $(OUT)/installed/libaoi.a "$(DESTDIR)$(INSTALL_LIB)/"
	sed -e 's|@PREFIX@|$(PREFIX)|' \
	    -e 's|@LIBDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INSTALL_LIB))|' \
	    -e 's|@INCLUDEDIR@|$(patsubst $(PREFIX)/%,$${prefix}/%,$(INSTALL_INC))|' \
	    -e "s|@VERSION@|$$(sed -n 's/^#define AOI_VERSION "\(.*\)"/\1/p' src/aoi.h)|" \
	    aoi.pc.in > "$(DESTDIR)$(INSTALL_LIB)/pkgconfig/aoi.pc"

clean:
	rm -rf build

# ---- trying ----

# Where Lua finds our files. The names with a version come first for Lua, before any the user has set.
LUA_SUFFIX := $(subst .,_,$(LUA_VERSION))
LUA_ENVIRONMENT = LUA_PATH_$(LUA_SUFFIX)="lua/?.lua;lua/?/init.lua;;" \
    LUA_CPATH_$(LUA_SUFFIX)="$(MODULE_ROOT)/?.so;;"

# Installs what the targets of a kind need: build, test, check, fuzz, lint, count, charts, viewer, game, page or
# world.
setup: setup-test
setup-%:
	@CC="$(CC)" LUA="$(LUA)" LUA_VERSION="$(LUA_VERSION)" LUA_HEADERS="$(LUA_HEADERS)" tools/setup.sh $*

# A recorded movement is a file with the columns time,id,x,y; without RADIUS, the view of everybody in it
# is an eighth of the longer side of the map.
demo: setup-build
	@$(MAKE) --no-print-directory all
	@$(LUA_ENVIRONMENT) $(LUA) examples/demo/main.lua $(if $(TRACE),"$(TRACE)" $(RADIUS))

include make/test.mk make/check.mk make/processors.mk make/fuzz.mk make/lint.mk make/skynet.mk make/bench.mk \
    make/viewer.mk make/page.mk make/game.mk make/world.mk
