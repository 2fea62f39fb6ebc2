-- The READMEs: their code runs and prints what they show; both say the same, section by section.
local markdown = require "spec.support.markdown"

local paths = { "README.md", "README.zh-CN.md" }
local readmes = {}
for _, path in ipairs(paths) do
  readmes[path] = markdown.read(path)
end

-- Runs a block of code; returns what it printed.
local function run(block, path)
  local printed = {}
  local environment = setmetatable({
    print = function(...)
      local words = {}
      for i = 1, select("#", ...) do
        words[i] = tostring((select(i, ...)))
      end
      printed[#printed + 1] = table.concat(words, "\t") .. "\n"
    end,
  }, { __index = _G })
  assert(load(block.text, ("@%s:%d"):format(path, block.line), "t", environment))()
  return table.concat(printed)
end

-- Pairs of a Lua block and the block after it, if that shows an output.
local function lua_blocks(path)
  local list, last = {}, nil
  for _, element in ipairs(readmes[path]) do
    if element.kind == "heading" then
      last = nil
    elseif element.kind == "code" then
      if element.language == "text" then
        assert(last, ("%s:%d: an output without code before it"):format(path, element.line))
        last.output = element
        last = nil
      elseif element.language == "lua" then
        last = { code = element }
        list[#list + 1] = last
      else
        last = nil
      end
    end
  end
  return list
end

for _, path in ipairs(paths) do
  describe(path, function()
    local blocks = lua_blocks(path)

    it("has code with output", function()
      assert.is_true(#blocks >= 15)
      assert.equal("text", blocks[1].output and blocks[1].output.language)
    end)

    it("begins with a script of 15 lines at most", function()
      local lines = 0
      for _, line in ipairs(blocks[1].code.lines) do
        lines = lines + (line:find("%S") and 1 or 0)
      end
      assert.is_true(lines <= 15, lines .. " lines")
    end)

    for _, block in ipairs(blocks) do
      if block.output then
        it(("shows what the code of line %d prints"):format(block.code.line), function()
          assert.equal(block.output.text, run(block.code, path))
        end)
      else
        it(("has code in line %d that compiles"):format(block.code.line), function()
          assert(load(block.code.text, ("@%s:%d"):format(path, block.code.line), "t"))
        end)
      end
    end

    it("links to files and headings that exist", function()
      local anchors = {}
      for _, heading in ipairs(markdown.only(readmes[path], "heading")) do
        local anchor = heading.text:lower():gsub("、", ""):gsub("[^%w%- \128-\255]", ""):gsub(" ", "-")
        anchors[anchor] = true
      end
      for _, links in ipairs(markdown.only(readmes[path], "links")) do
        for _, target in ipairs(links.targets) do
          local where = ("%s:%d: %s"):format(path, links.line, target)
          if target:find("^#") then
            assert.is_true(anchors[target:sub(2)], where)
          elseif not target:find("^https?:") then
            local file = io.open(target)
            assert.is_truthy(file, where)
            file:close()
          end
        end
      end
    end)
  end)
end

describe("both READMEs", function()
  local function compare(describe_element)
    local lists = {}
    for i, path in ipairs(paths) do
      lists[i] = {}
      for _, element in ipairs(readmes[path]) do
        lists[i][#lists[i] + 1] = describe_element(element)
      end
    end
    assert.same(lists[1], lists[2])
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
      return element.kind == "code" and element.language .. "\n" .. markdown.without_comments(element) or nil
    end)
  end)

  it("show the same pictures", function()
    compare(function(element)
      local pictures = {}
      for _, target in ipairs(element.targets or {}) do
        pictures[#pictures + 1] = target:match("%.svg$") and target
      end
      return pictures[1] and table.concat(pictures, " ") or nil
    end)
  end)

  it("name the same methods, options and calls in their tables", function()
    compare(function(element)
      if element.kind == "row" and not element.text:find("^|[%s|-]+$") then
        local first = element.text:match("^|(.-)|")
        local code = {}
        for word in first:gmatch("`([^`]+)`") do
          code[#code + 1] = word
        end
        table.sort(code) -- sentences have another order of words
        return table.concat(code, " ")
      end
    end)
  end)
end)

describe("the service for skynet in the README", function()
  -- A skynet that serves one message at a time and remembers what is sent.
  local function fake_skynet()
    local fake = { sent = {} }
    local function remember(address, name, ...)
      local words = { address, name }
      for i = 1, select("#", ...) do
        local value = select(i, ...)
        local list = type(value) == "table" and "[" .. table.concat(value, " ") .. "]"
        words[#words + 1] = list or tostring(value)
      end
      fake.sent[#fake.sent + 1] = table.concat(words, " ")
    end
    fake.send, fake.rawsend = remember, remember
    function fake.packstring(...)
      local words = table.pack(...)
      for i = 1, words.n do
        words[i] = tostring(words[i])
      end
      return table.concat(words, " ")
    end
    function fake.retpack(...)
      fake.returned = table.pack(...)
    end
    function fake.start(f)
      f()
    end
    function fake.dispatch(_, f)
      fake.serve = f
    end
    fake.error = error
    return fake
  end

  it("tells agents who comes and goes", function()
    local code
    for _, block in ipairs(lua_blocks(paths[1])) do
      if block.code.text:find('require "skynet"', 1, true) then
        code = block.code
      end
    end
    assert.is_truthy(code)
    local skynet = fake_skynet()
    package.loaded.skynet = skynet
    local ok, message = pcall(run, code, paths[1])
    package.loaded.skynet = nil
    assert(ok, message)

    skynet.serve(1, 101, "enter", 1, 10, 10)
    skynet.serve(1, 102, "enter", 2, 20, 10)
    assert.same({ "102 lua aoi_list enter [1] [10.0 10.0]", "101 lua aoi enter 2 20.0 10.0" }, skynet.sent)
    skynet.sent = {}
    skynet.serve(0, 102, "move", 2, 21, 10)
    assert.same({ "101 lua aoi move 2 21.0 10.0" }, skynet.sent)
    skynet.serve(1, 101, "fireball", 0, 0, 15)
    assert.same({ { 1 }, n = 1 }, skynet.returned)
    skynet.sent = {}
    skynet.serve(1, 102, "leave", 2)
    assert.same({ "102 lua aoi_list leave [1] [10.0 10.0]", "101 lua aoi leave 2 nil" }, skynet.sent)
  end)
end)

describe("the pictures of the queries", function()
  it("are what docs/draw_queries.lua draws", function()
    local count = 0
    for name, text in pairs(require "docs.draw_queries") do
      local file = assert(io.open(name))
      assert.equal(text, file:read("a"), name .. " is old: run make pictures")
      file:close()
      count = count + 1
    end
    assert.equal(5, count)
  end)
end)
