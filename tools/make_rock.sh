#!/bin/sh
# Packs the commit that is checked out as a rock for `luarocks install`: tools/make_rock.sh FOLDER LUA_VERSION.
# The rock lies in FOLDER, has the version of src/aoi.h and holds all sources: nothing is fetched when it is
# installed.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
# A hyphen stands only before the revision.
version=$(sed -n 's/^#define AOI_VERSION "\(.*\)"/\1/p' src/aoi.h | tr -d -)
sources=lua-aoi-$version
name=$sources-1
rm -f "$folder"/lua-aoi-*
git archive --prefix="$sources/" -o "$folder/$sources.tar.gz" HEAD
sed -e "s|lua-aoi-dev|$sources|" -e "s|^version = .*|version = \"$version-1\"|" -e "s|file://|file://$folder/|" \
    rockspec/lua-aoi-dev-1.rockspec >"$folder/$name.rockspec"
cd "$folder"
luarocks --lua-version="$2" pack "$name.rockspec" >pack.log 2>&1 || { cat pack.log; exit 1; }
rm "$sources.tar.gz" "$name.rockspec"
echo "$1/$name.src.rock"
