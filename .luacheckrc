-- How luacheck looks at the Lua side, the specs and the tools.
std = "lua53+lua54"
max_line_length = 110
include_files = {
  "**/*.lua", "rockspec/*.rockspec", ".busted", ".luacheckrc",
}
exclude_files = { "build" }

-- Annotations for the language server: empty functions whose arguments are only documented.
files["lua/aoi/meta.lua"] = { ignore = { "212", "241" }, max_line_length = false }
files["lua/aoi/skynet/meta.lua"] = { ignore = { "212", "241" }, max_line_length = false }
files["spec"] = { std = "+busted" }
files["rockspec"] = { std = "+rockspec" }
