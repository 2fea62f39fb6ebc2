#!/bin/sh
# Runs clang-tidy, JOBS at a time, and prints nothing but what it finds:
# tools/run_clang_tidy.sh "FLAGS OF THE COMPILER" FILE...
#
# In a function the analyzer looks at a sixth of the states that it would: each of them takes as long as the ones
# before, and lint is to stay short.
#
# A file in which it found nothing is not looked at again until the text that it reads has changed: the file
# with all headers, the flags, the checks or clang-tidy itself. build/tidied holds an empty file for each such text.
set -eu

flags=$1
shift
flags="$flags -Xclang -analyzer-config -Xclang max-nodes=40000"
rules="$flags $(cat .clang-tidy) $(clang-tidy --version)"
export flags rules
mkdir -p build/tidied
# shellcheck disable=SC2016  # these are for the inner shell
printf '%s\n' "$@" | xargs -P "${JOBS:-1}" -I FILE sh -c '
    tidied=build/tidied/$({ echo "$rules"; clang -E -dD -CC $flags FILE; } | sha256sum | cut -c 1-64)
    [ -e "$tidied" ] && exit
    clang-tidy --quiet --warnings-as-errors="*" FILE -- $flags 2>&1 | { ! grep -v "warnings* generated\.$"; } &&
        touch "$tidied"'
