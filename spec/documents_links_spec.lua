-- Links in all Markdown files lead to files and headings that exist; files named in code exist, too.
local markdown = require "spec.support.markdown"

local anchors_of = {}

local function anchors(path)
  if not anchors_of[path] then
    anchors_of[path] = {}
    for _, heading in ipairs(markdown.only(markdown.read(path), "heading")) do
      anchors_of[path][heading.anchor] = true
    end
  end
  return anchors_of[path]
end

-- "docs/zh/../charts/a.svg" is "docs/charts/a.svg"; nil for what is above the project.
local function resolve(path)
  local names = {}
  for name in path:gmatch("[^/]+") do
    if name ~= ".." then
      names[#names + 1] = name ~= "." and name or nil
    elseif not table.remove(names) then
      return nil
    end
  end
  return table.concat(names, "/")
end

local function exists(path)
  local file = path and io.open(path)
  return file and file:close() or false
end

-- All files of the project, by path, and by what stands behind each / in it: "space/step.c", "step.c".
local known = {}
local listing = assert(io.popen("find . '(' -name build -o -name node_modules -o -name .git ')' -prune -o " ..
  "-type f -print"))
for path in listing:lines() do
  local rest = path
  repeat
    rest = rest:match("/(.*)$")
    known[rest or ""] = true
  until not rest
end
listing:close()

describe("the links of", function()
  local files = markdown.files()

  it("more than a few files are looked at", function()
    assert.is_true(#files >= 15, #files .. " files")
  end)

  for _, path in ipairs(files) do
    it(path .. " lead somewhere", function()
      for _, links in ipairs(markdown.only(markdown.read(path), "links")) do
        for _, target in ipairs(links.targets) do
          local where = ("%s:%d: %s"):format(path, links.line, target)
          if not target:find("^https?:") then
            local name, anchor = target:match("^([^#]*)#?(.*)$")
            local other = name == "" and path or resolve((path:match("^(.*/)") or "") .. name)
            assert.is_truthy(exists(other), where)
            if anchor ~= "" then
              assert.is_true(anchors(other)[anchor], where)
            end
          end
        end
      end
    end)
  end
end)

describe("the files that are named in", function()
  for _, path in ipairs(markdown.files()) do
    it(path .. " exist", function()
      for line in io.lines(path) do
        for name in line:gmatch("`([%w_./-]+%.%l+)[^%w`]*`") do
          local ending = name:match("[^.]*$")
          local is_foreign = name:find("^game/") or name == "lua.h"
          if not is_foreign and (" c h lua sh md mk "):find(" " .. ending .. " ", 1, true) then
            assert.is_true(known[name] or false, name)
          end
        end
      end
    end)
  end
end)
