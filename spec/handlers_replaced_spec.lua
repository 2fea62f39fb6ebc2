-- `on{}` in the middle of a change: what goes to the new handlers. The reference has the rule in words.
local aoi = require "aoi"

local writers = {
  view = function(watcher) return "view of " .. watcher end,
  watchers = function(_, _, watchers, n) return "watchers " .. table.concat(watchers, " ", 1, n) end,
  markers = function(watcher) return "markers of " .. watcher end,
  event = function(watcher) return "event of " .. watcher end,
}

-- A marker comes into the views of 1, 2 and 3. At the first call of the handler `at` of the set `old`, the
-- set `new` replaces it. Returns what that received, in order.
local function received(old, at, new)
  local log, space, replaced = {}, nil, false
  local function set(names, is_old)
    local handlers = {}
    for name in names:gmatch("%S+") do
      handlers["on_" .. name] = function(...)
        if replaced then
          assert.is_false(is_old)
          log[#log + 1] = writers[name](...)
        elseif name == at then
          replaced = true
          space:on(set(new, false))
        end
      end
    end
    return handlers
  end
  space = aoi.new { engine = "crosslist", radius = 10 }
  space:enter_all({ 1, 0, 0,  2, 1, 0,  3, 2, 0 }, 3, { mode = "w" })
  space:on(set(old, true))
  space:enter(9, 0, 0, { mode = "m" })
  assert.is_true(replaced)
  assert.equal(0, space:pending())
  return table.concat(log, ", ")
end

describe("handlers replaced in the middle of a change", function()
  local views, events = "view of 2, view of 3", "event of 2, event of 3"
  local all_events = "event of 1, event of 2, event of 3"
  for _, row in ipairs {
    -- Of one stage: the rest goes to the new set from its first stage on.
    { "event", "event", "event", events },
    { "event", "event", "view event", views .. ", " .. events },
    { "event", "event", "watchers", "watchers 2 3" },
    { "view", "view", "event", events },
    { "markers", "markers", "view watchers event", views .. ", watchers 2 3, " .. events },
    -- Of several: the new set takes over at the stage that was reached.
    { "view event", "view", "view event", views .. ", " .. all_events },
    { "view event", "view", "event", all_events },
    { "view event", "view", "watchers", "watchers 1 2 3" },
    { "view event", "event", "view event", events },
    { "markers event", "markers", "view watchers event", "watchers 2 3, " .. all_events },
    { "view markers", "markers", "event", events },
    { "view markers event", "markers", "event", all_events },
    -- Of several, and nothing at that stage or behind it: the rest is dropped.
    { "view event", "event", "view", "" },
    { "markers event", "event", "view", "" },
    { "view markers event", "markers", "view", "" },
    -- Unless groups were the first stage.
    { "markers event", "markers", "view", views },
  } do
    local old, at, new, expected = table.unpack(row)
    it(("%s, in %s, by %s"):format(old, at, new), function()
      assert.equal(expected, received(old, at, new))
    end)
  end
end)
