-- Many players in one service, with clients of all speeds: at a quiet moment each knows what its entity sees,
-- and has heard each of its notifications once and in order.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"

local COUNT, SIDE, RADIUS = 300, 300, 30

local function new_scene()
  return harness.scene("engine=grid", "shape=circle", "width=" .. SIDE + 1, "height=" .. SIDE + 1,
    "radius=" .. RADIUS, "tick=50")
end

-- The view that a player should have, by all places.
local function expected(beliefs, id)
  local seen, own = {}, beliefs[id]
  for other, its in pairs(beliefs) do
    if other ~= id and its.scene == own.scene
      and (its.x - own.x) ^ 2 + (its.y - own.y) ^ 2 <= RADIUS ^ 2 then
      seen[other] = { its.x, its.y }
    end
  end
  return seen
end

return {
  {
    name = "players: hundreds in one service, of clients with 1 kB a second and more",
    run = function()
      local scenes = { new_scene(), new_scene() }
      local gate = skynet.newservice "many"
      harness.command(gate, "start", scenes, COUNT, SIDE, { 1000, 1000, 3000, 20000, 1e6 })
      local is_done = false
      skynet.fork(function()
        harness.command(gate, "act", 60)
        is_done = true
      end)
      local given = {} -- player -> how many notifications were taken
      while not is_done do
        for id = 1, COUNT, 3 do
          for _, scene in ipairs(scenes) do
            if skynet.call(scene, "lua", "notify", id, ("%d"):format((given[id] or 0) + 1)) then
              given[id] = (given[id] or 0) + 1
            end
          end
        end
        skynet.sleep(7)
      end
      harness.wait_until(60, "all has come", function()
        return harness.command(gate, "is_quiet")
      end)
      for _, scene in ipairs(scenes) do
        harness.await_ticks(scene, 3)
      end
      harness.wait_until(20, "that, too", function()
        return harness.command(gate, "is_quiet")
      end)
      local beliefs, counts = harness.command(gate, "beliefs")
      local notified = 0
      for id, belief in pairs(beliefs) do
        harness.equal(expected(beliefs, id), belief.seen, "the view of " .. id)
        local heard = {}
        for _, number in ipairs(belief.notices) do
          harness.is_true(not heard[number], ("%d has heard %s twice"):format(id, number))
          heard[number] = true
        end
        harness.equal(given[id] or 0, #belief.notices, "notifications of " .. id)
        notified = notified + #belief.notices
      end
      harness.equal({ 0, 0 }, { counts.lost, counts.wrong })
      harness.is_true(counts.dropped > COUNT / 10 and notified > COUNT, "some were slow")
      print(("       %d players: %d lists for those that had to catch up, %d notifications"):format(COUNT,
        counts.dropped, notified))
      harness.stop(gate, table.unpack(scenes))
    end,
  },
}
