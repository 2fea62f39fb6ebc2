-- A Lua that is too old meets one sentence of the compiler, not a page of what follows from it.
local files = require "spec.support.files"

local function write(path, text)
  local file = assert(io.open(path, "w"))
  file:write(text)
  file:close()
end

-- Compiles the binding against headers that say no more than this; returns the compiler's errors.
local function errors_with(definition)
  local folder = files.new_folder()
  write(folder .. "/lua.h", definition)
  local pipe = assert(io.popen(("%s -std=c11 -fsyntax-only -Isrc -isystem %s src/lua/module.c 2>&1"):format(
    os.getenv "CC" or "cc", folder)))
  local errors = {}
  for line in pipe:lines() do
    if line:find "error:" then
      errors[#errors + 1] = line
    end
  end
  pipe:close()
  files.remove(folder)
  return errors
end

describe("the headers of", function()
  for name, definition in pairs {
    ["Lua 5.1 or LuaJIT"] = "#define LUA_VERSION_NUM 501\n",
    ["Lua 5.2"] = "#define LUA_VERSION_NUM 502\n",
    ["no Lua"] = "\n",
  } do
    it(name .. " are refused in one sentence", function()
      local errors = errors_with(definition)
      assert.equal(1, #errors, table.concat(errors, "\n"))
      assert.is_truthy(errors[1]:find("lua-aoi needs Lua 5.3, 5.4 or 5.5", 1, true), errors[1])
    end)
  end

  it("a newer Lua are taken as far as they go", function()
    for _, line in ipairs(errors_with "#define LUA_VERSION_NUM 504\n") do
      assert.is_nil(line:find("lua-aoi needs", 1, true), line)
    end
  end)
end)
