#!/bin/sh
# Runs a fuzz target for some seconds and says what it did: tools/run_fuzzer.sh TARGET CORPUS SECONDS.
# What it finds to be new is kept beside the target; an input that fails, too, and it is named.
set -eu

target=$1
corpus=$2
seconds=$3
log=$target.log
mkdir -p "$target.found"

# No leak detection: the targets count their bytes themselves, on every input.
if ! ASAN_OPTIONS="detect_leaks=0:quarantine_size_mb=16:allocator_may_return_null=1" UBSAN_OPTIONS=print_stacktrace=1 \
    "$target" -max_total_time="$seconds" -max_len=2000 -len_control=0 -timeout=20 \
    -print_final_stats=1 -artifact_prefix="$target.failed-" "$target.found" "$corpus" >"$log" 2>&1; then
    tail -n 60 "$log"
    exit 1
fi
awk -v name="$(basename "$target")" -v seconds="$seconds" '
    /^#[0-9]+.*cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    /^stat::number_of_executed_units/ { executions = $2 }
    END { printf "%s: %d executions in %d seconds, %d edges of the code reached, nothing failed\n",
          name, executions, seconds, edges }' "$log"
