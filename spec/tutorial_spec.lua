-- The steps of the tutorial are files of examples/tutorial; spec/documents_code_spec.lua runs what the pages
-- show, spec/skynet/cases/tutorial.lua the last step.
local markdown = require "spec.support.markdown"
local read = require("spec.support.files").read

local FILES = {
  "loop", "tick", "packet", "area", "crowd", "record", "skynet/main", "skynet/player", "skynet/wolves",
}

-- A file as a block of code, without its first line.
local function block_of(path)
  local block = { language = "lua", lines = {} }
  for line in read(path):gsub("^[^\n]*\n", "", 1):gmatch "([^\n]*)\n" do
    block.lines[#block.lines + 1] = line
  end
  return block
end

describe("the steps of", function()
  for _, path in ipairs { "docs/tutorial.md", "docs/zh/tutorial.md" } do
    it(path .. " are files that run", function()
      local number = 0
      for _, block in ipairs(markdown.only(markdown.read(path), "code")) do
        if block.language == "lua" then
          number = number + 1
          local file = block_of(("examples/tutorial/%s.lua"):format(FILES[number]))
          assert.equal(markdown.without_comments(file), markdown.without_comments(block))
        end
      end
      assert.equal(#FILES, number)
    end)
  end
end)
