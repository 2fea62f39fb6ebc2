-- Viewers of regions, started from any node: each page knows its region as that is, with ghosts, and follows
-- one who walks from region to region; and one of all regions.
local skynet = require "skynet"
local Page = require "spec.skynet.page"

local PATIENCE = 500 -- hundredths of a second

-- Entities of a region or of a page's space as text: id, place, mode.
local function text_of(ids, position_of, mode_of)
  table.sort(ids)
  for i, id in ipairs(ids) do
    local x, y = position_of(id)
    ids[i] = ("%d at %g, %g %s"):format(id, x, y, mode_of(id))
  end
  return table.concat(ids, "; ")
end

-- Waits until the page of a region shows what is expected: a text, as of text_of.
local function wait_for(page, expected, what, expect)
  local text
  for _ = 1, PATIENCE // 5 do
    if page:calls() >= 0 then
      local space = page:space()
      text = text_of((space:ids()), function(id) return space:position(id) end, function(id)
        return space:traits(id).mode
      end)
      space:close()
      if text == expected then
        break
      end
    end
    skynet.sleep(5)
  end
  expect(text == expected, "%s: the page shows %s, expected %s", what, tostring(text), expected)
end

-- Waits until the newest text about the regions has this pattern.
local function wait_for_loads(page, pattern, expect)
  for _ = 1, PATIENCE // 5 do
    if page.text and page.text:find(pattern) then
      return
    end
    skynet.sleep(5)
  end
  expect(false, "the page was told %s of the regions, expected %s", tostring(page.text), pattern)
end

-- `control` is the driver's of process.lua. The world has 2 x 2 regions of 600 x 600, strips of 110, and
-- nobody in it. expect(good, text, ...) raises unless it is good.
return function(control, expect)
  local last = #control.nodes
  local pages = {}
  for region = 1, 4 do
    local asked = region == 1 and 1 or last -- its own node, or one without regions
    local address, message = control.tell(asked, "world", "viewer", region, "port=0")
    expect(address, "viewer of region %d: %s", region, tostring(message))
    pages[region] = Page.open(address)
  end
  control.tell(last, "world", "enter", 90, 100, 100, { address = false, mode = "wm" })
  control.tell(last, "world", "enter", 91, 650, 100, { address = false, mode = "wm" })
  wait_for(pages[1], "90 at 100, 100 wm; 91 at 650, 100 m", "region 1", expect)
  wait_for(pages[2], "91 at 650, 100 wm", "region 2", expect)
  control.tell(last, "world", "move", 90, 620, 620) -- from region 1 to 4, seen in all
  wait_for(pages[1], "90 at 620, 620 m; 91 at 650, 100 m", "region 1, which has handed 90 over", expect)
  wait_for(pages[2], "90 at 620, 620 m; 91 at 650, 100 wm", "region 2, a neighbour", expect)
  wait_for(pages[3], "90 at 620, 620 m", "region 3, a neighbour", expect)
  wait_for(pages[4], "90 at 620, 620 wm", "region 4, which has taken 90", expect)
  pages[5] = Page.open((control.tell(last, "world", "viewer", "world", "port=0")))
  wait_for(pages[5], "90 at 620, 620 wm; 91 at 650, 100 wm", "all regions", expect)
  local row = '{"node":"[^"]+","owned":%s,"ghosts":%s,"ticks":%%d+,"tick_time":[%%d.e-]+,"hand_overs":%s}'
  local rows = { row:format("0", "2", "1"), row:format("1", "1", "0"), row:format("0", "1", "0"),
    row:format("1", "0", "0") }
  local regions = '^{"regions":%[' .. table.concat(rows, ",") .. '%],'
  wait_for_loads(pages[2], regions .. '"ghosts":%["90"%]}$', expect)
  wait_for_loads(pages[5], regions .. '"ghosts":%[%]}$', expect)
  control.tell(last, "world", "move", 91, 100, 1100)
  wait_for(pages[5], "90 at 620, 620 wm; 91 at 100, 1100 wm", "all regions, later", expect)
  for _, page in ipairs(pages) do
    page:close()
  end
  local wrongs = { { 5, "region is 5" }, { "x", "region is x" }, { 2, "did not start", "colour=red" } }
  for _, wrong in ipairs(wrongs) do
    local address, message = control.tell(last, "world", "viewer", wrong[1], wrong[3])
    local is_refused = address == nil and message:find(wrong[2], 1, true)
    expect(is_refused, "viewer of %s: %s", wrong[1], tostring(message))
  end
  control.tell(last, "world", "leave", 90)
  control.tell(last, "world", "leave", 91)
end
