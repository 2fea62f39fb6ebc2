-- The page of worlds, in both languages, has each text with which a world refuses something.
local files = require "spec.support.files"

local SOURCES = { "lua/aoi/skynet/world.lua", "lua/aoi/skynet/region.lua",
  "lua/aoi/skynet/region/commands.lua" }
for _, name in ipairs { "area_rules", "details", "entities", "notices", "resync", "steps", "stream_opts" } do
  SOURCES[#SOURCES + 1] = ("lua/aoi/skynet/%s.lua"):format(name)
end
for _, name in ipairs { "agents", "areas", "asking", "operators", "overview", "queries", "transfer" } do
  SOURCES[#SOURCES + 1] = ("lua/aoi/skynet/world/%s.lua"):format(name)
end

local OF_WORLDS = "load: this region has begun already" -- no agent gets it

-- How the texts of refusals stand in the sources. Texts of `refusal` have the word `transfer` in front.
local REFUSALS = { 'return nil, %(?"([^"]+)"', 'refusal%(+"([^"]+)"', 'refusal%([^"\n]+%("([^"]+)"',
  'return %("([^"]+)"', '": ([%l]+)"' }

-- Whatever has a value in a text is "…", and so is the command in front of it.
local function general(text)
  text = text:gsub("%%[sd]", "…"):gsub("%d+", "…")
  text = text:gsub("^[%l_]+: ", ""):gsub("^…: ", "")
  return (text:gsub("^[%l_]+ is ", "… is "))
end

local SHORTEST = 9 -- letters of the begin of a text that are enough to find it

-- List of the texts in code of a page's table of refusals, without what stands behind the last value.
local function texts_of(path)
  local list, is_there = {}, false
  for line in io.lines(path) do
    is_there = line:find "^| `again` " or is_there and line:find "^|"
    for text in is_there and line:match "^|([^|]*)|":gmatch "`([^`]+)`" or function() end do
      text = general(text):gsub("[ …]+$", "")
      list[#list + 1] = text
    end
  end
  return list
end

describe("the refusals of worlds", function()
  for _, path in ipairs { "docs/world.md", "docs/zh/world.md" } do
    it("are all in " .. path, function()
      local texts, missing, count = texts_of(path), {}, 0
      for _, source in ipairs(SOURCES) do
        local content = files.read(source)
        for _, pattern in ipairs(REFUSALS) do
          for refusal in content:gmatch(pattern) do
            local wanted = general(refusal)
            local is_text = wanted:find "%a.*[^ ]$" -- it is no other string, nor only the begin of a text
            local is_there = refusal == OF_WORLDS or not is_text
            for _, text in ipairs(texts) do
              is_there = is_there or wanted == text
                or #text >= SHORTEST and wanted:sub(1, #text) == text
            end
            count = count + 1
            missing[#missing + 1] = not is_there and source .. ": " .. refusal or nil
          end
        end
      end
      assert.same({}, missing)
      assert.is_true(count > 35, count)
    end)
  end
end)
