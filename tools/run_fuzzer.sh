#!/bin/sh
# Runs a fuzz target on what is kept in fuzz/corpus and fuzz/regressions, lets it search, and says what it did:
#
#     tools/run_fuzzer.sh FOLDER TARGET seconds N    as long as that, from another seed each time
#     tools/run_fuzzer.sh FOLDER TARGET runs N       as many inputs, the same ones each time
#
# What it finds to be new is kept beside the target; an input that fails, too, and it is named. A run by seconds
# leaves a row for docs/inside/reliability.md beside it, too.
set -eu

program=$1/fuzz_$2
kept="fuzz/corpus/$2 fuzz/regressions/$2"
how=$3
count=$4
log=$program.log
found=$program.found

case $how in
seconds)
    mkdir -p "$found"
    # shellcheck disable=SC2086  # the words are meant to be split
    set -- -max_total_time="$count" -timeout=20 "$found" $kept
    ;;
runs)
    # Nothing may depend on the machine: neither the order of files in a folder, nor what an earlier search
    # has found, nor the addresses that the code compares, nor how long an input takes.
    found=$program.found-in-gate
    rm -rf "$found"
    mkdir -p "$found"
    # shellcheck disable=SC2086  # the words are meant to be split
    find $kept -type f | LC_ALL=C sort | tr '\n' ',' | sed 's/,$//' >"$program.inputs"
    set -- -runs="$count" -seed=1 -use_cmp=0 -timeout=1200 -seed_inputs="@$program.inputs" "$found"
    ;;
*)
    echo "run_fuzzer.sh: $how is neither seconds nor runs" >&2
    exit 2
    ;;
esac

# No leak detection: the targets count their bytes themselves, on every input.
if ! ASAN_OPTIONS="detect_leaks=0:quarantine_size_mb=16:allocator_may_return_null=1" UBSAN_OPTIONS=print_stacktrace=1 \
    "$program" -max_len=2000 -len_control=0 -print_final_stats=1 -artifact_prefix="$program.failed-" \
    "$@" >"$log" 2>&1; then
    tail -n 60 "$log"
    exit 1
fi
row=
[ "$how" = runs ] || row=$program.row
awk -v name="$(basename "$program")" -v asked="$count $how" -v row="$row" '
    /^#[0-9]+.*cov: / { for (i = 1; i < NF; i++) if ($i == "cov:") edges = $(i + 1) }
    /^stat::number_of_executed_units/ { executions = $2 }
    END { printf "%s: %d executions in %s, %d edges of the code reached, nothing failed\n",
          name, executions, asked, edges
          if (row != "") printf "| %s | %d | %d | %d |\n", substr(name, 6), asked, executions, edges > row }' "$log"
