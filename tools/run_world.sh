#!/bin/sh
# Runs one process of skynet for each node, on this machine: tools/run_world.sh CONFIG SECONDS NODE...
# The last node drives and says what comes of it. Wants in the environment SKYNET_HOME, AOI_BUILD, AOI_PLAY and
# AOI_FOLDER, where logs and all else go, into a folder with the number of this process. Fails when the driver
# does not end with "world: all well", or takes longer than SECONDS. Nothing that it started lives on behind it. A file
# $AOI_FOLDER/NODE.again, which it takes away, has it start a node anew that was killed. With REDIS in the
# environment a Redis of its own runs, too, on a port that is free, which stands in $AOI_FOLDER/redis.port; it is
# a process with the name redis. With JEMALLOC in the environment the nodes have that allocator, as every skynet
# has that was not built without it.
set -eu

config=$1
seconds=$2
shift 2

# Each run has a folder of its own, so that there may be several at once; those of runs that have ended go.
for folder in "${AOI_FOLDER:?}"/[1-9]*; do
    kill -0 "$(basename "$folder")" 2>/dev/null || rm -rf "$folder"
done
AOI_FOLDER=$AOI_FOLDER/$$
mkdir -p "$AOI_FOLDER"
export AOI_FOLDER
AOI_NODES="$*"
AOI_FAULTY=${AOI_FAULTY:-$AOI_FOLDER/none}
export AOI_NODES AOI_FAULTY

reader=
starter=
end_all() {
    for process in $starter $(cat "$AOI_FOLDER"/*.pid) $reader; do
        kill -KILL "$process" 2>/dev/null || true
    done
}
trap end_all EXIT
trap 'exit 1' HUP INT TERM

# macOS has no timeout: there they run until they end.
limit=
if command -v timeout >/dev/null; then
    limit="timeout -s KILL $seconds"
fi

# What is to be loaded into a node so that it has jemalloc.
preload=
if [ -n "${JEMALLOC:-}" ]; then
    if grep -q "<jemalloc>" "$SKYNET_HOME/skynet"; then
        echo "allocator: the jemalloc in this skynet"
    elif [ "$(uname)" = Linux ] && [ -z "$(LD_PRELOAD=libjemalloc.so.2 true 2>&1)" ]; then
        echo "allocator: the system's jemalloc, as this skynet was built without it"
        preload=libjemalloc.so.2
    else
        echo "allocator: the C library's, as this skynet was built without jemalloc, and the system has none"
    fi
fi

# Starts Redis at that port. What it has answered stands on its disk, also when it is killed.
start_redis() {
    rm -f "$AOI_FOLDER/redis.pid"
    $limit sh -c 'echo $$ >"$AOI_FOLDER/redis.pid"; exec redis-server --bind 127.0.0.1 --port "$0" \
        --dir "$AOI_FOLDER" --save "" --appendonly yes --appendfsync always' "$1" >>"$AOI_FOLDER/redis.log" 2>&1 &
}

# Waits until the Redis that was started last listens; fails when it has ended, as its port is not free.
listens() {
    until [ -s "$AOI_FOLDER/redis.pid" ]; do
        sleep 0.1
    done
    until grep -q "Ready to accept connections" "$AOI_FOLDER/redis.log" 2>/dev/null; do
        kill -0 "$(cat "$AOI_FOLDER/redis.pid")" 2>/dev/null || return 1
        sleep 0.1
    done
}

# A process that may write no more to its disk goes on, as where the disk is full.
trap '' XFSZ

# Starts $node; its log is $1.
start_node() {
    AOI_NODE=$node
    AOI_LOG=$1
    export AOI_NODE AOI_LOG
    # exec: the process's own id is the one that is known here.
    LD_PRELOAD="${LD_PRELOAD:-}${preload:+ $preload}" $limit \
        sh -c 'echo $$ >"$AOI_FOLDER/$AOI_NODE.pid"; exec "$0" "$@"' "$SKYNET_HOME/skynet" "$config" \
        >>"$AOI_FOLDER/$node.out" 2>&1 &
}

if [ -n "${REDIS:-}" ]; then
    port=$((20000 + $$ % 20000))
    start_redis $port
    until listens; do
        port=$((port + 1))
        [ $port -le 45000 ] || exit 1
        start_redis $port
    done
    echo $port >"$AOI_FOLDER/redis.port"
fi

for node in "$@"; do
    : >"$AOI_FOLDER/$node.out"
    start_node "$AOI_FOLDER/$node.log"
    driver=$!
done

# Starts nodes anew, until it is ended itself.
(
    again=0
    while sleep 0.1; do
        for file in "$AOI_FOLDER"/*.again; do
            if [ -e "$file" ]; then
                rm -f "$file"
                again=$((again + 1))
                node=$(basename "$file" .again)
                if [ "$node" = redis ]; then
                    start_redis "$(cat "$AOI_FOLDER/redis.port")"
                else
                    start_node "$AOI_FOLDER/$node.$again.log"
                fi
            fi
        done
    done
) &
starter=$!

# What the driver says is seen as it comes.
tail -n +1 -f "$AOI_FOLDER/$node.out" &
reader=$!
wait "$driver" || true
sleep 1
tail -n 5 "$AOI_FOLDER/$node.out" | grep -q "^world: all well" || {
    for node in "$@"; do
        echo "---- the end of $AOI_FOLDER/$node.log" >&2
        tail -n 15 "$AOI_FOLDER/$node.log" >&2 || true
    done
    exit 1
}
