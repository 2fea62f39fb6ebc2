#!/bin/sh
# Packs the commit that is checked out as a rock for `luarocks install`: tools/make_rock.sh FOLDER LUA_VERSION.
# The rock lies in FOLDER and holds all sources: nothing is fetched when it is installed.
set -eu

mkdir -p "$1"
folder=$(cd "$1" && pwd)
rockspec=$(ls rockspec/*.rockspec)
name=$(basename "$rockspec" .rockspec)
sources=${name%-*}
git archive --prefix="$sources/" -o "$folder/$sources.tar.gz" HEAD
sed "s|file://|file://$folder/|" "$rockspec" >"$folder/$name.rockspec"
cd "$folder"
luarocks --lua-version="$2" pack "$name.rockspec" >pack.log 2>&1 || { cat pack.log; exit 1; }
rm "$sources.tar.gz" "$name.rockspec"
echo "$1/$name.src.rock"
