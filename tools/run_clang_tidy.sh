#!/bin/sh
# Runs clang-tidy, JOBS at a time, and prints nothing but what it finds:
# tools/run_clang_tidy.sh "FLAGS OF THE COMPILER" FILE...
set -eu

flags=$1
shift
export flags
# shellcheck disable=SC2016  # these are for the inner shell
printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I FILE sh -c '
    clang-tidy --quiet --warnings-as-errors="*" FILE -- $flags 2>&1 | { ! grep -v "warnings* generated\.$"; }'
