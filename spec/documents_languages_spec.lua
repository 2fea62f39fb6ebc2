-- The documents say the same in English and Chinese: sections, tables, code, pictures, numbers.
local markdown = require "spec.support.markdown"
local read = require("spec.support.files").read

local function list_of(path, describe_element)
  local list = {}
  for _, element in ipairs(markdown.read(path)) do
    list[#list + 1] = describe_element(element)
  end
  return list
end

local function sorted_matches(text, pattern)
  local list = {}
  for word in text:gmatch(pattern) do
    list[#list + 1] = word
  end
  table.sort(list) -- sentences have another order of words
  return table.concat(list, " ")
end

local function is_line_of_table(element)
  return element.kind == "row" and not element.text:find("^|[%s|-]+$")
end

for _, paths in ipairs(markdown.documents()) do
  describe(paths[1] .. " and " .. paths[2], function()
    local function compare(describe_element)
      assert.same(list_of(paths[1], describe_element), list_of(paths[2], describe_element))
    end

    it("have the same sections, with the same tables and blocks in them", function()
      compare(function(element)
        if element.kind == "heading" then
          return ("heading %d"):format(element.level)
        elseif element.kind ~= "links" then
          return element.kind
        end
      end)
    end)

    it("have the same code, but for comments", function()
      compare(function(element)
        local is_code = element.kind == "code"
        return is_code and element.language .. "\n" .. markdown.without_comments(element) or nil
      end)
    end)

    it("show the same pictures, some in their own language", function()
      compare(function(element)
        local pictures = {}
        for _, target in ipairs(element.targets or {}) do
          if target:find("%.svg$") or target:find("%.png$") or target:find("%.gif$") then
            pictures[#pictures + 1] = target:match("[^/]+$"):gsub("%.zh%-CN%.(%l+)$", ".%1")
          end
        end
        return pictures[1] and table.concat(pictures, " ") or nil
      end)
    end)

    it("name the same methods, options and calls in their tables", function()
      compare(function(element)
        return is_line_of_table(element) and sorted_matches(element.text:match("^|(.-)|"), "`([^`]+)`") or nil
      end)
    end)

    it("have the same numbers in their tables", function()
      compare(function(element)
        return is_line_of_table(element) and sorted_matches(element.text, "%d[%d.,]*%d") or nil
      end)
    end)
  end)
end

describe("words that readers don't know, or that mean something else, are not in", function()
  -- The words of the Chinese pages stand in the last table of the glossary.
  local avoided = {
    { "hears", "is told", "are told", "watcher's area" },
    {},
  }
  local chinese = assert(read("docs/glossary.md"):match "\n| 写 | 不写 |\n(.*)$")
  for words in chinese:gmatch "|[^|\n]*| ([^|\n]*) |" do
    for word in (words .. "、"):gmatch "(.-)、" do
      if not word:find "^[- ]*$" then
        table.insert(avoided[2], word)
      end
    end
  end
  assert(#avoided[2] >= 20, "too few words in the glossary's last table")
  for _, paths in ipairs(markdown.documents()) do
    for language, path in ipairs(paths) do
      it(path, function()
        local number, in_code = 0, false
        for line in io.lines(path) do
          number = number + 1
          in_code = in_code ~= (line:find("^```") ~= nil)
          for _, word in ipairs(in_code and {} or avoided[language]) do
            assert.is_nil(line:find(word, 1, true), ("%s:%d: %s"):format(path, number, word))
          end
        end
      end)
    end
  end
end)

describe("words out of old books are not in", function()
  local old = { "dearer", "heed", "so or so", "whereof", "behind the other", "laid over", "naught" }
  for _, path in ipairs(markdown.files()) do
    it(path, function()
      local text = read(path)
      for _, word in ipairs(old) do
        assert.is_nil(text:find("%f[%a]" .. word .. "%f[%A]"), word)
      end
    end)
  end
end)

describe("the table of speed in the README", function()
  local benchmarks = { ["README.md"] = "docs/benchmarks.md", ["README.zh-CN.md"] = "docs/zh/benchmarks.md" }
  for path, other in pairs(benchmarks) do
    it("is one of the tables of the benchmarks, " .. path, function()
      local known, count, inside = {}, 0, false
      for _, row in ipairs(markdown.only(markdown.read(other), "row")) do
        known[row.text] = true
      end
      for _, element in ipairs(markdown.read(path)) do
        if element.kind == "heading" then
          inside = element.text == "Speed" or element.text == "速度"
        elseif inside and element.kind == "row" then
          count = count + 1
          assert.is_true(known[element.text], ("%s:%d is not there"):format(path, element.line))
        end
      end
      assert.is_true(count >= 4)
    end)
  end
end)
