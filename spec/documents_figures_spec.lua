-- Measured figures in the pages are those that their tools wrote last (tools/figures.lua), and stand nowhere
-- else.
local figures = require "tools.figures"
local read = require("spec.support.files").read

-- Times that only a clock can tell. Whole milliseconds are also settings, such as a tick of 100 ms.
local MEASURED = {
  "%d ?ns%f[%A]", "%d ?µs", "%d ?us%f[%A]", "%d%.%d+ ?ms%f[%A]", "%d nanoseconds", "%d microseconds",
  "%d%.%d+ milliseconds", "%d ?纳秒", "%d ?微秒", "%d%.%d+ ?毫秒",
}

-- Units at the head of a table.
local HEADS = { "%f[%a]ns%f[%A]", "%f[%a]ms%f[%A]", "nanoseconds", "milliseconds", "纳秒", "毫秒" }

-- Calls outside(line, where, is_head) for the lines of a page that no tool has written.
local function each_typed_line(path, outside)
  local number, kind, before = 0, nil, ""
  for line in io.lines(path) do
    number = number + 1
    local name = line:match "^<!%-%- figures: ([%w-]+), "
    if name then
      kind = figures.last(name)
    elseif line == "<!-- end -->" or kind == "table" and line:find "^%s*[^|%s]" then
      kind = nil
    end
    if not kind then
      outside(line, ("%s:%d: %s"):format(path, number, line), line:find "^|" and not before:find "^|")
    end
    before = line
  end
end

local used = {}

describe("measured figures in", function()
  for _, path in ipairs(figures.pages()) do
    it(path .. " are those that their tools wrote last", function()
      assert.equal(figures.filled(path, used), read(path))
    end)

    it(path .. " stand where their tools write them", function()
      each_typed_line(path, function(line, where, is_head)
        assert.is_nil(line:find "^```console", where)
        for _, pattern in ipairs(is_head and HEADS or MEASURED) do
          assert.is_nil(line:find(pattern), where)
        end
      end)
    end)
  end

  it("any page, and only there, are kept in docs/figures", function()
    for _, name in ipairs(figures.names()) do
      assert.is_true(used[name] or false, name .. " stands in no page")
    end
  end)
end)
