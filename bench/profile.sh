#!/bin/sh
# Where the time of a move goes: runs bench/walk.lua under perf, and adds up the samples by the steps that
# docs/inside/performance.md tells of. Called by `make profile`; arguments: the Lua to run, and those of walk.lua.
set -eu
command -v perf >/dev/null || { echo "profile: perf is missing (Debian: package linux-perf)" >&2; exit 1; }
data=build/bench/perf.data
lua=$1
shift
perf record -q -F 4000 -o "$data" "$lua" bench/walk.lua "$@"

# A line is: share; object; function; source file. Headers of vector instructions belong to their function.
perf report -q -i "$data" --stdio -t ';' -s dso,sym,srcfile 2>/dev/null | awk -F ';' '
function step(object, name, file) {
    if (object !~ /core\.so/) return "Lua: script, interpreter, API, handlers"
    if (file ~ /^(module|messages|arguments|attempt|deliverer|delivery|handlers|changes|questions|spaces)\.c/ ||
        file ~ /^lua_versions\./) return "binding: arguments, delivery"
    if (file ~ /^idmap\./) return "id map"
    if (file ~ /^(queue|telling)\./) return "queue and groups"
    if (name ~ /(pair_judge|judge_high|judge_plainly|judge_(square_|circle_)?avx2)/) return "tick: judging pairs"
    if (file ~ /^pair_judge\./) return "tick: judging pairs"
    if (name ~ /point_rows|pairs_avx2|pairs_scalar|walk_pairs|scan_run/ ||
        file ~ /^point_rows\./) return "tick: rows of points"
    if (file ~ /^pairs\./) return "tick: lists of pairs"
    if (file ~ /^tick\./) return "tick: crowds and outcomes"
    if (file ~ /^(old_states|late_moves)\./) return "old states"
    if (name ~ /^(step_(scalar|avx)|fetch_hits_of_next_)/) return "short way of a step"
    if (name ~ /judge|note_inside/) return "exact pass"
    if (file ~ /^visibility\./ || name ~ /^(visibility|find_in|step_in_classes)/) return "ring"
    if (file ~ /^(grid|quadtree|crosslist|axis|axis_scan|buckets|bucket_scan|ring)\./ ||
        name ~ /^(scan_|axis|grid|quadtree|crosslist)/) return "engine"
    if (file ~ /^(change|radius_class|memory|space)\./ || name ~ /^aoi_move/) return "course of the change"
    return "other"
}
{
    for (i = 2; i <= 4; i++) gsub(/^ *(\[[.k]\])? *| +$/, "", $i)
    shares[step($2, $3, $4)] += $1
}
END { for (name in shares) printf "%5.1f %%  %s\n", shares[name], name }' | sort -rn
