#!/bin/sh
# Runs skynet with a configuration until it ends: tools/run_skynet.sh CONFIG SECONDS (0: no limit).
# Wants in the environment what the configuration names: SKYNET_HOME, AOI_BUILD, AOI_LOG. Fails when the last
# lines have no "skynet: all well", or when it takes longer than SECONDS; only then the log stays.
set -eu

config=$1
seconds=$2
said=$(mktemp)
trap 'rm -f "$said"' EXIT
trap 'exit 130' INT TERM
rm -f "$AOI_LOG"

# macOS has no timeout: there it runs until it ends. No timeout without a limit: Ctrl-C would not come through it.
limit=
if [ "$seconds" != 0 ] && command -v timeout >/dev/null; then
    limit="timeout $seconds"
fi
$limit "$SKYNET_HOME/skynet" "$config" 2>&1 | tee "$said"
tail -n 5 "$said" | grep -q "^skynet: all well" || {
    echo "skynet did not end well; its log is in $AOI_LOG" >&2
    exit 1
}
rm -f "$AOI_LOG"
