#!/usr/bin/env bash
# The module on other processors, in an emulator, and with another C library: builds Lua and the module
# for each, plays fixed histories on every engine and compares all that is told and saved with this
# machine's; goes on on each from what all others saved; and runs specs. What can't be run because a
# package is not to be had is said at the end as "skipped".
#
#     tools/check_processors.sh HISTORIES CROSSED SPEC...
#
# HISTORIES is how many histories are played on each engine, CROSSED how many of them go on elsewhere.
# From the environment: MODULE_ROOT, the folder of this machine's module; LUA, LUA_VERSION, MAKE, JOBS;
# ONLY="names" takes some of the processors.
set -euo pipefail

export HISTORIES=$1 CROSSED=$2
shift 2
export ROOT=build/lua$LUA_VERSION-processors
export NAMES="" # of those that can be run
skipped=""

# Sets how a processor is called by compilers, emulator and Debian. There is no busted where the last is empty.
describe() {
    emulator="" debian=""
    case $1 in
    aarch64) compiler=aarch64-linux-gnu-gcc emulator="qemu-aarch64-static -L /usr/aarch64-linux-gnu" debian=arm64 ;;
    s390x) compiler=s390x-linux-gnu-gcc emulator="qemu-s390x-static -L /usr/s390x-linux-gnu" debian=s390x ;;
    i386)
        compiler="i686-linux-gnu-gcc -msse2 -mfpmath=sse" emulator="qemu-i386-static -L /usr/i686-linux-gnu"
        debian=i386
        ;;
    musl) compiler=musl-gcc ;; # of this machine's processor
    *) echo "no such processor: $1" >&2 && exit 1 ;;
    esac
}

# Runs its second argument for every processor, as many at a time as there are JOBS.
on_each() {
    echo "$NAMES" | xargs -n 1 -P "$JOBS" bash -c "set -euo pipefail; $1 \"\$1\"" on_each
}

# The histories, on a processor or here.
run_histories() {
    local name=$1 task=$2 lua=$LUA module=$MODULE_ROOT
    shift 2
    if [ "$name" != here ]; then
        lua=$ROOT/$name/lua module=$ROOT/$name
    fi
    rm -rf "${ROOT:?}/$name/$task"
    mkdir -p "$ROOT/$name/$task"
    env "LUA_PATH_${LUA_VERSION/./_}=lua/?.lua;lua/?/init.lua;./?.lua" "LUA_CPATH_${LUA_VERSION/./_}=$module/?.so" \
        "$lua" spec/host/histories.lua "$task" "$1" "$ROOT/$name/$task" "${@:2}"
}

# $ROOT/NAME/lua, the module and two C examples. Optimising them as one program would take twice as long, and is
# done on this machine.
build() {
    local name=$1 compiler emulator debian sources
    describe "$name"
    sources=$(echo "$PWD/$ROOT"/source/lua-*/src)
    if [ ! -x "$ROOT/$name/lua.program" ]; then
        # shellcheck disable=SC2046,SC2086  # several words
        $compiler -std=gnu99 -O1 -DLUA_USE_POSIX -DLUA_USE_DLOPEN -Wl,-E -o "$ROOT/$name/lua.program" \
            $(find "$sources" -name "*.c" ! -name luac.c) -lm -ldl
    fi
    printf '#!/bin/sh\nexec %s %s "$@"\n' "$emulator" "$ROOT/$name/lua.program" >"$ROOT/$name/lua"
    chmod +x "$ROOT/$name/lua"
    $MAKE --no-print-directory VARIANT="${ROOT#build/}/$name" CC="$compiler" LUA_INC="$sources" \
        AOI_LTO= CFLAGS="-O2 -Werror" all "$ROOT/$name/minimal" "$ROOT/$name/packet" >"$ROOT/$name/make.log" 2>&1 ||
        { cat "$ROOT/$name/make.log" && exit 1; }
}

build_and_play() {
    local name=$1 compiler emulator debian
    mkdir -p "$ROOT/$name"
    build "$name"
    describe "$name"
    $emulator "$ROOT/$name/minimal" | sort | diff <(sort examples/c/minimal_expected.txt) -
    $emulator "$ROOT/$name/packet" | diff examples/c/packet_expected.txt -
    run_histories "$name" play "$HISTORIES"
    diff -rq "$ROOT/here/play" "$ROOT/$name/play"
    echo "$name: the same events, answers and saves"
}

resume_from_all() {
    local name=$1 from
    for from in here $NAMES; do
        run_histories "$name" resume "$CROSSED" "$ROOT/$from/play"
        diff -rq "$ROOT/here/resume" "$ROOT/$name/resume"
    done
    echo "$name: goes on in the same way from what the others saved"
}
export -f describe run_histories build build_and_play resume_from_all

fetch() {
    [ -d "$ROOT/$1/done" ] ||
        { tools/fetch_debian.sh "$ROOT/$1" "${@:2}" >"$ROOT/$1.log" 2>&1 && mkdir "$ROOT/$1/done"; }
}

mkdir -p "$ROOT"
for name in ${ONLY:-aarch64 s390x i386 musl}; do
    describe "$name"
    # shellcheck disable=SC2086
    if command -v ${compiler%% *} >/dev/null && command -v ${emulator%% *} true >/dev/null &&
        fetch source source "lua$LUA_VERSION"; then
        NAMES="$NAMES $name"
    else
        skipped="$skipped $name"
    fi
done

if [ -n "$NAMES" ]; then
    run_histories here play "$HISTORIES"
    run_histories here resume "$CROSSED" "$ROOT/here/play"
    on_each build_and_play
    on_each resume_from_all
    echo "$(find "$ROOT/here/play" -name "*.txt" | wc -l) histories are the same here and on$NAMES: sha256" \
        "$(cd "$ROOT/here/play" && cat ./* | sha256sum | cut -c 1-16)"
fi

for name in $NAMES; do
    describe "$name"
    if [ -z "$debian" ]; then
        continue
    elif ! fetch "$name/busted" "$debian" lua-filesystem lua-system lua-term; then
        skipped="$skipped specs-on-$name"
        continue
    fi
    echo "specs on $name"
    env "LUA_PATH_${LUA_VERSION/./_}=$("$LUA" -e 'print(package.path)')" \
        "LUA_CPATH_${LUA_VERSION/./_}=$(echo "$ROOT/$name"/busted/usr/lib/*/lua/"$LUA_VERSION")/?.so" \
        tools/run_specs.sh "AOI_BUILD=$ROOT/$name $ROOT/$name/lua tools/busted.lua --ignore-lua" "$@"
done

for name in $skipped; do
    echo "skipped: $name (see $ROOT/*.log; tools/setup.sh names the packages)"
done
