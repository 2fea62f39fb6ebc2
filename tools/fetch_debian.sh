#!/bin/sh
# Fetches Debian packages without installing them, with lists of packages of its own: the machine's own
# packages and architectures stay as they are, and nobody has to be root.
#
#     tools/fetch_debian.sh FOLDER source PACKAGE...         unpacks what the authors released
#     tools/fetch_debian.sh FOLDER ARCHITECTURE PACKAGE...   unpacks packages for these processors
set -eu

folder=$1 kind=$2
shift 2
command -v apt-get >/dev/null
mkdir -p "$folder/apt/sources" "$folder/apt/lists/partial" "$folder/apt/cache/archives/partial"
folder=$(cd "$folder" && pwd)

# The machine's own places of Debian packages.
for list in /etc/apt/sources.list /etc/apt/sources.list.d/debian.sources; do
    if [ -f "$list" ] && [ "$kind" = source ]; then
        sed 's/^Types:.*/Types: deb-src/; s/^deb /deb-src /' "$list" >"$folder/apt/sources/${list##*/}"
    elif [ -f "$list" ]; then
        cp "$list" "$folder/apt/sources/"
    fi
done
if [ -f "$folder/apt/sources/sources.list" ]; then # in a folder of sources, names end in .list
    mv "$folder/apt/sources/sources.list" "$folder/apt/sources/debian.list"
fi

architecture=$kind
if [ "$kind" = source ]; then
    architecture=$(dpkg --print-architecture)
fi
apt() {
    apt-get -q -o Dir::Etc::SourceList=/dev/null -o Dir::Etc::SourceParts="$folder/apt/sources" \
        -o Dir::State::Lists="$folder/apt/lists" -o Dir::Cache="$folder/apt/cache" \
        -o Dir::State::status=/dev/null -o APT::Sandbox::User= \
        -o APT::Architecture="$architecture" -o APT::Architectures="$architecture" "$@"
}

cd "$folder"
apt update || true # what matters is whether the packages can be had
if [ "$kind" = source ]; then
    apt source --download-only "$@"
    for archive in *.orig.tar.*; do
        tar -xf "$archive"
    done
else
    apt download "$@"
    for package in *.deb; do
        dpkg -x "$package" .
    done
fi
