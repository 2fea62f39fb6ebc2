#!/bin/sh
# Fails when a shared object shows more than the function that Lua looks for: tools/check_exports.sh FILE.
set -eu

shown=$(nm -D --defined-only "$1" | awk '{ print $3 }')
if [ "$shown" != luaopen_aoi_core ]; then
    echo "$1 shows these symbols, but should show luaopen_aoi_core alone:" >&2
    echo "$shown" >&2
    exit 1
fi
