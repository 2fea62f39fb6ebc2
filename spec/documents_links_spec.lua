-- Links in all Markdown files lead to files and headings that exist.
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
