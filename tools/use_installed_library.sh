#!/bin/sh
# Builds a C example with what is installed, as pkg-config names it, and runs it:
# tools/use_installed_library.sh DESTDIR LIBDIR. CC: the compiler.
set -eu

installed=$1$2
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# The files know where they will be, but are still below DESTDIR.
flags=$(PKG_CONFIG_SYSROOT_DIR=$1 PKG_CONFIG_PATH=$installed/pkgconfig PKG_CONFIG_ALLOW_SYSTEM_CFLAGS=1 \
    PKG_CONFIG_ALLOW_SYSTEM_LIBS=1 pkg-config --cflags --libs aoi)
# shellcheck disable=SC2086  # the words are meant to be split
"${CC:-cc}" -std=c11 -o "$folder/minimal" examples/c/minimal.c $flags
tools/run_c_examples.sh "$folder" minimal >/dev/null

# A program that has an aoi_create from elsewhere must not link, and use that one.
echo 'void *aoi_create(void); void *aoi_create(void) { return 0; }' >"$folder/other.c"
# shellcheck disable=SC2086
if "${CC:-cc}" -std=c11 -o "$folder/both" examples/c/minimal.c "$folder/other.c" $flags 2>/dev/null; then
    echo "a program with another aoi_create links with the installed library" >&2
    exit 1
fi
echo "the installed library works"
