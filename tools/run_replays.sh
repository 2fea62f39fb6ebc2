#!/bin/sh
# Runs the inputs of the fuzzers without a fuzzer: tools/run_replays.sh FOLDER_OF_PROGRAMS TARGET...
set -eu

folder=$1
shift
for target in "$@"; do
    log=$folder/replay_$target.log
    "$folder/replay_$target" "fuzz/corpus/$target" "fuzz/regressions/$target" 2>"$log" || {
        tail -n 40 "$log"
        exit 1
    }
done
