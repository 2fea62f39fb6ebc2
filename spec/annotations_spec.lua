-- Documents keep up with the code: every method is in the README, the reference and the annotations of the
-- language server, and one version stands everywhere.
local aoi = require "aoi"

local read = require("spec.support.files").read

local function method_names()
  local space = aoi.new { engine = "crosslist", radius = 10 }
  local names = {}
  for name, value in pairs(debug.getmetatable(space).__index) do
    if type(value) == "function" and not name:find("^__") then
      names[#names + 1] = name
    end
  end
  table.sort(names)
  assert(#names >= 23, "too few methods in the metatable")
  return names
end

-- Fails with the list of all names for which no pattern matches.
local function every(names, text, patterns_for)
  local missing = {}
  for _, name in ipairs(names) do
    local found = false
    for _, pattern in ipairs(patterns_for(name)) do
      found = found or text:find(pattern) ~= nil
    end
    if not found then
      missing[#missing + 1] = name
    end
  end
  assert.equal("", table.concat(missing, " "))
end

-- The table of all calls names a method in code.
local function in_table(name)
  return { "`" .. name .. "[`({]" }
end

-- The reference has its arguments in the first column of a table, or in text.
local function in_reference(name)
  return { "`" .. name .. "%s?[({]", "`space:" .. name .. "%s?[({]" }
end

-- In the annotations a method is a function of the class.
local function in_annotations(name)
  return { "function%s+[%w_.]+[:.]" .. name .. "%s*%(", "%-%-%-@field%s+" .. name .. "%s" }
end

local options = { "engine", "x", "y", "width", "height", "cols", "rows", "cell", "radius", "shape",
  "dims", "clamp", "capacity", "max_depth", "collect", "deferred", "slack", "limit", "limit_layers",
  "keep_factor", "enter_budget", "rates", "move_budget", "record", "on_event", "on_enter", "on_leave",
  "on_move",
  "on_watchers", "on_markers", "on_view", "on_area", "on_error" }

describe("every method", function()
  for path, heading in pairs { ["docs/reference.md"] = "All calls", ["docs/zh/reference.md"] = "全部调用" } do
    it("is in the table of all calls in " .. path, function()
      every(method_names(), assert(read(path):match("\n## " .. heading .. "\n(.-)\n## ")), in_table)
    end)
  end

  for _, path in ipairs { "docs/reference.md", "docs/zh/reference.md" } do
    it("is described in " .. path, function()
      every(method_names(), read(path), in_reference)
    end)
  end

  it("is annotated in lua/aoi/meta.lua", function()
    every(method_names(), read("lua/aoi/meta.lua"), in_annotations)
  end)

  -- { name = "id, x, y, opts" } of all that looks like a call; the first one that is found counts.
  local function arguments(text, pattern)
    local lists = {}
    for name, list in text:gmatch(pattern) do
      list = list:gsub("[%[%]%s\"]", ""):gsub(",+", ", ")
      lists[name] = lists[name] or list
    end
    return lists
  end

  for _, path in ipairs { "docs/reference.md", "docs/zh/reference.md" } do
    it("has the same arguments in " .. path .. " and in the annotations", function()
      local annotated = arguments(read("lua/aoi/meta.lua"), "\nfunction space:([%w_]+)(%b())")
      local described = arguments(read(path), "\n| `([%w_]+)(%b())")
      local count = 0
      for name, list in pairs(annotated) do
        if described[name] then
          count = count + 1
          local flat = described[name]:gsub(", z", "") -- overloads have the third dimension
          assert.equal((list:gsub(", z", "")), flat, name)
        end
      end
      assert.is_true(count >= 27, count .. " methods")
    end)
  end

  it("and nothing else is annotated", function()
    local known = { new = true }
    for _, file in ipairs { "recorder", "player" } do
      for name in read(("lua/aoi/%s.lua"):format(file)):gmatch("\nfunction %u%l+:(%l+)%(") do
        known[name] = true
      end
    end
    for _, name in ipairs(method_names()) do
      known[name] = true
    end
    local count = 0
    for name in read("lua/aoi/meta.lua"):gmatch("\nfunction%s+[%w_.]+[:.]([%w_]+)%s*%(") do
      assert.is_true(known[name] or aoi[name] ~= nil, name .. " does not exist")
      count = count + 1
    end
    assert.is_true(count > 0)
  end)
end)

describe("the annotations", function()
  it("are a meta file that loads and name every option", function()
    local text = read("lua/aoi/meta.lua")
    assert.is_truthy(text:find("---@meta", 1, true))
    assert(load(text, "@lua/aoi/meta.lua"))
    every(options, text, function(name)
      return { "%-%-%-@field%s+" .. name .. "%??%s" }
    end)
  end)

  it("are not to be used", function()
    local line = debug.getinfo(1, "l").currentline + 1
    local ok, message = pcall(function() require "aoi.meta" end)
    assert.is_false(ok)
    assert.is_truthy(message:find(("annotations_spec.lua:%d: aoi.meta"):format(line), 1, true), message)
    assert.is_truthy(message:find('require "aoi"', 1, true), message)
    assert.is_nil(package.loaded["aoi.meta"])
  end)
end)

describe("every command that handlers call", function()
  local list = read("lua/aoi/skynet/handlers.lua"):match "\nlocal METHODS = (%b{})"
  local names = assert(load("return " .. list))()

  for _, path in ipairs { "docs/skynet-handlers.md", "docs/zh/skynet-handlers.md" } do
    it("is in the table of " .. path, function()
      every(names, read(path), function(name)
        return { "\n| [^|\n]*`scene%." .. name .. "%(" }
      end)
    end)
  end

  it("is annotated", function()
    every(names, read("lua/aoi/skynet/meta.lua"), function(name)
      return { "\nfunction scene%." .. name .. "%(" }
    end)
  end)
end)

describe("every option", function()
  for _, path in ipairs { "docs/reference.md", "docs/zh/reference.md" } do
    it("is described in " .. path, function()
      every(options, read(path), function(name)
        return { "`" .. name .. "[`(%s=]", "`[^`\n]*%f[%w_]" .. name .. "%f[^%w_][^`\n]*`" }
      end)
    end)
  end
end)

describe("every field of stats() and of its held", function()
  local names = {}
  local stats = aoi.new({ engine = "grid", width = 10, height = 10, cell = 5 }):stats()
  for _, fields in ipairs { stats, stats.held } do
    for name in pairs(fields) do
      names[#names + 1] = name
    end
  end
  table.sort(names)

  for _, path in ipairs { "docs/reference.md", "docs/zh/reference.md" } do
    it("is described in " .. path, function()
      every(names, read(path), function(name)
        return { "\n|[^|\n]*`" .. name .. "`[^|\n]*|" }
      end)
    end)
  end

  it("is annotated", function()
    every(names, read("lua/aoi/meta.lua"), function(name)
      return { "%-%-%-@field " .. name .. "%?? " }
    end)
  end)
end)

describe("the version", function()
  local version = aoi._VERSION

  it("is the first one in CHANGELOG.md", function()
    local first
    for line in io.lines("CHANGELOG.md") do
      first = first or line:match("^##%s*(%d+%.%d+%.%d+[%w-]*)")
    end
    assert.equal(version, first)
  end)

  it("is the one of the core's header", function()
    assert.equal(version, read("src/aoi.h"):match('#define%s+AOI_VERSION%s+"([^"]+)"'))
  end)

  it("stands in no rockspec, which would have to be changed with it", function()
    local rockspec = {}
    assert(loadfile("rockspec/lua-aoi-dev-1.rockspec", "t", rockspec))()
    assert.same({ "dev-1", "lua-aoi" }, { rockspec.version, rockspec.package })
  end)
end)
