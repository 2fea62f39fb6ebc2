#!/usr/bin/env bash
# Makes targets, JOBS at a time (one when not set), and prints what each said when it ends:
#
#     tools/side_by_side.sh MAKE TARGET...
#
# All of them are made, and it fails when one did. For targets that take one processor, each with a build of
# its own or one that is there: two makes must not build the same files at a time.
set -euo pipefail

make=$1
shift
said=$(mktemp -d)
trap 'rm -rf "$said"' EXIT

make_one() {
    local status=0
    "$make" --no-print-directory "$1" > "$said/$1" 2>&1 || status=$?
    # One at a time prints; the descriptor is closed before make could give it to others.
    (flock 9 2> /dev/null || true; cat "$said/$1"; [ "$status" -eq 0 ] || echo "make $1 failed") 9> "$said/printing"
    return "$status"
}
export -f make_one
export make said
printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I TARGET bash -c 'make_one TARGET'
