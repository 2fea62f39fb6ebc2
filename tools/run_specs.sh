#!/usr/bin/env bash
# Runs each spec file in a busted of its own, JOBS at a time (as many as there are processors when not set).
#
#     tools/run_specs.sh "command of busted" file-or-folder ...
#
# Prints what the failing ones say, and at the end one line of sums in busted's own words.
set -euo pipefail

busted=$1
shift
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# The longest first, so that none of them runs alone at the end.
longest="everything_1 everything_2 differential differential_crowds reentrancy snapshot differential_hand_over
    differential_slack
    differential_deferred differential_queries differential_harness large_coordinates"
find "$@" -name '*_spec.lua' |
    awk -F / -v longest="$longest" '
        BEGIN { n = split(longest, names, " "); for (i = 1; i <= n; i++) rank[names[i] "_spec.lua"] = i }
        { print ($NF in rank ? rank[$NF] : $NF ~ /^differential/ ? n + 1 : n + 2), $NF, $0 }' |
    sort -k1,1n -k2,2 | cut -d ' ' -f 3 > "$results/files"

run_one() {
    local log
    log=$results/$(basename "$2").log
    if eval "$1 \"\$2\"" > "$log" 2>&1; then
        echo "$2: $(tail -n 1 "$log")"
    else
        echo "$2: failed"
        sed 's/^/    /' "$log"
        touch "$log.failed"
    fi
}
export -f run_one
export results
jobs=${JOBS:-$(nproc 2>/dev/null || getconf _NPROCESSORS_ONLN)}
xargs -P "$jobs" -I FILE bash -c 'run_one "$@"' run_one "$busted" FILE < "$results/files"

# "12 successes / 0 failures / 0 errors / 0 pending : 1.2 seconds", or "1 success / 1 failure / ..."
cat "$results"/*.log | awk -v files="$(wc -l < "$results/files")" '
    /^[0-9]+ success(es)? \/ [0-9]+ failures? \/ [0-9]+ errors? \/ [0-9]+ pending/ {
        runs++; passed += $1; failed += $4; broken += $7; pending += $10
    }
    END {
        broken += files - runs # one that ends without a summary has not passed
        printf "%d successes / %d failures / %d errors / %d pending\n", passed, failed, broken,
            pending
    }'
! compgen -G "$results/*.failed" > /dev/null
