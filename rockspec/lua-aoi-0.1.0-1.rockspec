-- The rock: built and installed by the Makefile, with LuaRocks' own compiler, flags and folders.
rockspec_format = "3.0"
package = "lua-aoi"
version = "0.1.0-1"
source = {
  -- The rock is made from a checkout (`luarocks make`); it is not published anywhere yet.
  url = "git+file://.",
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
