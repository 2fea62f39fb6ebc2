#!/bin/sh
# Runs the C examples and compares what they say: tools/run_c_examples.sh FOLDER_OF_PROGRAMS NAME...
# The order of events inside one kind and change is free, so the lines are compared sorted.
set -eu

folder=$1
shift
for name in "$@"; do
    "$folder/$name" >"$folder/$name.said"
    sort "$folder/$name.said" >"$folder/$name.sorted"
    sort "examples/c/${name}_expected.txt" | diff - "$folder/$name.sorted"
done
echo "the C examples say what they should"
