#!/bin/sh
# Makes targets one after another, each on all processors, until one fails: tools/in_order.sh MAKE TARGET...
set -eu

make=$1
shift
for target in "$@"; do
    "$make" --no-print-directory "$target"
done
