-- The rock: built and installed by the Makefile, with LuaRocks' own compiler, flags and folders.
-- Until the project has a public address, `luarocks install` has nowhere to fetch it from. In a checkout:
--     luarocks --lua-version=5.4 make rockspec/lua-aoi-dev-1.rockspec     builds and installs it
--     make rock                 packs it with its sources, under the version of src/aoi.h; then
--     luarocks --lua-version=5.4 install build/packed/lua-aoi-*.src.rock     on any machine
rockspec_format = "3.0"
package = "lua-aoi"
version = "dev-1"
source = {
  -- `make rock` puts its folder before the name.
  url = "file://lua-aoi-dev.tar.gz",
  dir = "lua-aoi-dev",
}
description = {
  summary = "Area of interest for game servers: who sees whom in a scene, and when that changes",
  detailed = [[
    A C module with several exact engines (grid, nine-grid, cross-list, quadtree) behind one interface.
    It tells which entities enter, move within and leave the view of which others; areas, crowds and
    recordings are part of it. Made for skynet services; runs in any Lua 5.3 or newer.
  ]],
  license = "MIT",
  labels = { "game", "aoi", "mmo", "skynet", "spatial" },
  -- Whoever publishes it names homepage, issues_url and maintainer here.
}
dependencies = {
  "lua >= 5.3, < 5.6",
}
build = {
  type = "make",
  build_target = "all",
  install_target = "install-module",
  -- A build folder of its own, so that a checkout's ordinary build stays.
  variables = {
    VARIANT = "rock",
    CC = "$(CC)",
    CFLAGS = "$(CFLAGS)",
    LIBFLAG = "$(LIBFLAG)",
    LUA_INC = "$(LUA_INCDIR)",
    INSTALL_CMOD = "$(LIBDIR)",
    INSTALL_LMOD = "$(LUADIR)",
  },
}
