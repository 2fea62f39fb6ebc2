-- The table of docs/world.md, in both languages, is what examples/world/cost.lua prints.
local read = require("spec.support.files").read

describe("The cost of a world on paper", function()
  local lines = {}
  assert(loadfile("examples/world/cost.lua", "t", setmetatable({
    print = function(line) lines[#lines + 1] = line end,
  }, { __index = _G })))()
  local text = table.concat(lines, "\n") .. "\n"

  for _, path in ipairs { "docs/world.md", "docs/zh/world.md" } do
    it("is what " .. path .. " says", function()
      assert.is_true(#lines > 5)
      assert.is_truthy(read(path):find("\n| --- |[^\n]*\n" .. text:gsub("%p", "%%%0") .. "\n"), text)
    end)
  end
end)
