#!/bin/sh
# Uses an installed module from an empty folder: tools/use_installed.sh PREFIX INTERPRETER LUA_VERSION.
set -eu

prefix=$1
lua=$2
version=$3
files=$(cd "$(dirname "$0")/../lua/aoi/skynet" && find . -name "*.lua")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

suffix=$(echo "$version" | tr . _)
env "LUA_PATH_$suffix=$prefix/share/lua/$version/?.lua;$prefix/share/lua/$version/?/init.lua" \
    "LUA_CPATH_$suffix=$prefix/lib/lua/$version/?.so" \
    "$lua" - >said <<'LUA'
local aoi = require "aoi"
local space = aoi.new { engine = "grid", width = 100, height = 100, radius = 10, on_event = print }
space:enter(1, 10, 10)
space:enter(2, 15, 15)
space:leave(1)
aoi.new(300, 250, 6, 5, function(classic, ...) print(classic ~= nil, ...) end):enter(7, 0, 0)
space:close()
LUA
sort said >sorted
cat >expected <<'SAID'
1	2	enter
1	2	leave
2	1	enter
2	1	leave
SAID
diff expected sorted

# The files for skynet need a skynet to run: here they are there, and are Lua.
for file in $files; do
    "$lua" -e 'assert(loadfile(arg[1]))' - "$prefix/share/lua/$version/aoi/skynet/$file" </dev/null
done
echo "the installed module works"
