#!/bin/sh
# Installs through apt what a make target needs and is not there, or says what is missing on other systems:
# tools/setup.sh build|test|check|coverage|processors|fuzz|lint|count|bench|charts|viewer|game|page|world|
# world-bench.
# Does nothing, and quickly, when everything is there.
set -eu

task=${1:-test}
version=${LUA_VERSION:-5.4}
lua=${LUA:-lua$version}
missing=

# need TEST PACKAGE...: the packages are wanted when the test fails.
need() {
    if ! eval "$1" >/dev/null 2>&1; then
        shift
        missing="$missing $*"
    fi
}

has_header() {
    [ -f "${LUA_HEADERS:-/usr/include/lua$version}/lua.h" ]
}

# A compiler without the C library's headers is of no use.
compiles() {
    printf '#include <stdint.h>\n' | "${CC:-cc}" -S -o - -x c -
}

# The compiler, its linker, the C library of WASI and the compiler's own library.
makes_wasm() {
    printf '#include <stdio.h>\nint main(void) { return printf("%%Lf", 1.0L); }\n' |
        "${WASM_CC:-clang}" --target=wasm32-wasi -x c - -o /dev/null
}

# Debian keeps the run time library of clang's sanitizers and its fuzzer in a package of its own.
fuzzes() {
    printf 'int LLVMFuzzerTestOneInput(void) { return 0; }\n' |
        clang -fsanitize=fuzzer,address -x c - -o /dev/null
}

need "compiles" gcc libc6-dev
need "command -v $lua" "lua$version"
need "has_header" "liblua$version-dev"
need "command -v pkg-config" pkg-config
# The specs run under busted; building and showing need none.
case $task in
build | count | bench | charts | viewer | game | world | world-bench) ;;
*) need "$lua -e 'require [[busted.runner]]'" lua-busted ;;
esac
# Recordings can be packed; only specs need it.
has_zlib() {
    $lua -e 'require [[zlib]]'
}

# The loader of Linux says what it can't load; elsewhere nothing is loaded.
has_jemalloc() {
    [ "$(uname)" != Linux ] || [ -z "$(LD_PRELOAD=libjemalloc.so.2 true 2>&1)" ]
}

case $task in
test)
    need "has_zlib" lua-zlib
    ;;
check)
    need "has_zlib" lua-zlib
    need "command -v gcc" gcc
    need "command -v clang" clang
    need "command -v valgrind" valgrind
    need "command -v luarocks" luarocks
    need "command -v git" git
    need "command -v lua5.3" lua5.3
    need "[ -f /usr/include/lua5.3/lua.h ]" liblua5.3-dev
    need "fuzzes" clang libclang-rt-dev
    ;;
count)
    need "command -v cloc" cloc
    need "command -v ctags" universal-ctags
    need "$lua -e 'require [[dkjson]]'" lua-dkjson
    ;;
coverage)
    need "command -v gcovr" gcovr
    need "$lua -e 'require [[dkjson]]'" lua-dkjson
    ;;
processors)
    need "command -v aarch64-linux-gnu-gcc" gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    need "command -v s390x-linux-gnu-gcc" gcc-s390x-linux-gnu libc6-dev-s390x-cross
    need "command -v i686-linux-gnu-gcc" gcc-i686-linux-gnu libc6-dev-i386-cross
    need "command -v qemu-aarch64-static" qemu-user-static
    need "command -v musl-gcc" musl-tools
    ;;
fuzz)
    need "fuzzes" clang libclang-rt-dev
    ;;
lint)
    need "command -v luacheck" lua-check
    need "command -v clang-tidy" clang-tidy
    need "command -v clang-format" clang-format
    need "command -v cppcheck" cppcheck
    need "command -v luac5.3" lua5.3
    ;;
bench)
    need "$lua -e 'require [[dkjson]]'" lua-dkjson
    ;;
charts)
    need "$lua -e 'require [[dkjson]]'" lua-dkjson
    need "command -v gnuplot" gnuplot-nox
    ;;
viewer)
    need "makes_wasm" clang lld wasi-libc libclang-rt-dev-wasm32
    need "command -v node" nodejs
    need "command -v npm" npm
    ;;
game)
    need "command -v node" nodejs
    need "command -v npm" npm
    ;;
world)
    need "command -v redis-server" redis-server
    ;;
world-bench)
    need "has_jemalloc" libjemalloc2
    ;;
page)
    need "command -v chromium || command -v chromium-browser || command -v google-chrome" chromium
    need "fc-list :lang=zh | grep ." fontconfig fonts-wqy-microhei
    ;;
esac

[ -n "$missing" ] || exit 0

install="env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends$missing"
# What a Mac has instead of a Debian package: the command that installs it.
for_macos() {
    case $1 in
    gcc | libc6-dev | clang | libclang-rt-dev | git) echo "xcode-select --install" ;;
    lua-busted) echo "luarocks --lua-version=$version install busted" ;;
    lua-check) echo "luarocks install luacheck" ;;
    lua-zlib) echo "luarocks --lua-version=$version install lua-zlib" ;;
    lua5.* | liblua5.*-dev) echo "brew install $(echo "$1" | sed 's/^lib//; s/-dev$//; s/^lua/lua@/')" ;;
    pkg-config) echo "brew install pkgconf" ;;
    nodejs | npm) echo "brew install node" ;;
    redis-server) echo "brew install redis" ;;
    clang-tidy) echo "brew install llvm" ;;
    gnuplot-nox) echo "brew install gnuplot" ;;
    valgrind) echo "(no valgrind for macOS: make check needs Linux)" ;;
    *) echo "brew install $1" ;;
    esac
}

if [ "$(uname -s)" = Darwin ]; then
    echo "missing; please install and try again:" >&2
    for package in $missing; do
        for_macos "$package"
    done | sort -u | sed 's/^/    /' >&2
    exit 1
fi
if ! command -v apt-get >/dev/null 2>&1; then
    echo "missing:$missing (names of Debian packages). Please install them and try again." >&2
    exit 1
fi
if [ "$(id -u)" = 0 ]; then
    as_root=
elif command -v sudo >/dev/null 2>&1 && sudo -n true 2>/dev/null; then
    as_root="sudo -n"
elif command -v sudo >/dev/null 2>&1 && [ -t 0 ]; then
    as_root=sudo
else
    echo "missing:$missing" >&2
    echo "As root, run this once, then try again:" >&2
    echo "    apt-get update && apt-get install -y$missing" >&2
    exit 1
fi

echo "installing:$missing"
# The list of packages may be empty or old; fetch it only when the first try fails.
# shellcheck disable=SC2086  # the words are meant to be split
$as_root $install >/dev/null 2>&1 || { $as_root apt-get update && $as_root $install; }
