#!/usr/bin/env bash
# Runs the commands of pages as they are printed, in an empty folder with the commit that is checked out and a
# skynet beside it: tools/try_pages.sh SKYNET_HOME PAGE... Fails with the page whose commands fail.
set -euo pipefail

skynet=$1
shift
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
git clone -q . "$folder/lua-aoi"
ln -s "$skynet" "$folder/skynet"
cd "$folder/lua-aoi"
for page in "$@"; do
    # The lines of blocks of the language sh.
    awk '/^```/ { inside = $0 == "```sh"; next } inside' "$page" >"$folder/commands"
    env -u MAKEFLAGS -u MAKELEVEL bash -e "$folder/commands" >"$folder/said" 2>&1 </dev/null || {
        tail -n 40 "$folder/said"
        echo "the commands of $page fail" >&2
        exit 1
    }
    echo "the commands of $page run"
done
