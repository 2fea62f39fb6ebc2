-- The rock: built and installed by the Makefile, with LuaRocks' own compiler, flags and folders.
-- Until the project has a public address, `luarocks install` has nowhere to fetch it from. In a checkout:
--     luarocks make rockspec/lua-aoi-0.1.0-1.rockspec     builds and installs it
--     make rock                                           packs it with its sources (`luarocks pack`); then
--     luarocks install build/packed/lua-aoi-0.1.0-1.src.rock     on any machine
rockspec_format = "3.0"
package = "lua-aoi"
version = "0.1.0-1"
source = {
  -- `make rock` puts its folder before the name.
  url = "file://lua-aoi-0.1.0.tar.gz",
  dir = "lua-aoi-0.1.0",
}
description = {
  summary = "Area of interest for game servers: who sees whom in a scene, and when that changes",
  detailed = [[
    A C module with several exact engines (nine-grid, cross-list, quadtree) behind one interface.
    It tells which entities enter, move within and leave the view of which others.
    Made for skynet services; runs in any Lua 5.3 or newer.
  ]],
  license = "MIT",
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
