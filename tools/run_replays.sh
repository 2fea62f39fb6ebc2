#!/bin/sh
# Runs the inputs of the fuzzers without a fuzzer: tools/run_replays.sh FOLDER_OF_PROGRAMS TARGET...
# An archive of the sources has only those that failed once.
set -eu

folder=$1
shift
for target in "$@"; do
    log=$folder/replay_$target.log
    inputs=
    for kind in corpus regressions; do
        [ ! -d "fuzz/$kind/$target" ] || inputs="$inputs fuzz/$kind/$target"
    done
    # shellcheck disable=SC2086  # the words are meant to be split
    [ -z "$inputs" ] || "$folder/replay_$target" $inputs 2>"$log" || {
        tail -n 40 "$log"
        exit 1
    }
done
