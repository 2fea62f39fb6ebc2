-- A gate that drops what its clients can't take, over many entities that move, change and speak: at a quiet
-- moment each client knows what brute force says that its entity sees.
local skynet = require "skynet"
local harness = require "spec.skynet.harness"
local new_random = require("spec.support.random").new

local COUNT, SIDE, RADIUS, TICK = 40, 120, 30, 50

-- The view that the entity of `id` should have, as a reader keeps it.
local function expected(entities, id)
  local seen = {}
  local own = entities[id]
  for other, its in pairs(entities) do
    if other ~= id and math.abs(its.x - own.x) <= RADIUS and math.abs(its.y - own.y) <= RADIUS then
      seen[other] = { its.x, its.y, data = its.data, properties = next(its.properties) and its.properties }
    end
  end
  return seen
end

-- A table of properties may be there and empty.
local function tidy(seen)
  for _, marker in pairs(seen) do
    marker.properties = marker.properties and next(marker.properties) and marker.properties or nil
  end
  return seen
end

return {
  {
    name = "a gate that drops packets heals it by a resync, and its clients notice nothing",
    run = function()
      local random = new_random(1)
      local scene = harness.scene("engine=crosslist", "radius=" .. RADIUS, "tick=" .. TICK)
      local gate = skynet.newservice "dropping_gate"
      local entities = {}
      for i = 1, COUNT do
        local id = i % 10 == 0 and i << 40 or i
        local entity = { x = random:integer(0, SIDE), y = random:integer(0, SIDE), properties = {},
          data = i % 3 == 0 and "entity " .. i or nil }
        entities[id] = entity
        harness.command(gate, "enter", scene, id, entity.x, entity.y, { data = entity.data })
      end
      local ids = {}
      for id in pairs(entities) do
        ids[#ids + 1] = id
      end
      table.sort(ids)
      for _ = 1, 40 do
        for _ = 1, COUNT do
          local id = random:pick(ids)
          local entity = entities[id]
          if random:chance(0.7) then
            entity.x = random:integer(0, SIDE)
            skynet.send(scene, "lua", "move", id, entity.x, entity.y)
          else
            local key, value = random:integer(1, 3), random:pick { 1, 1 << 40, "angry", false }
            entity.properties[key] = value or nil
            skynet.send(scene, "lua", "set_property", id, key, value or nil)
          end
        end
        skynet.send(scene, "lua", "say", random:pick(ids), "hello")
        harness.command(gate, "warn", random:pick(ids), true)
        harness.command(gate, "warn", random:pick(ids), false)
        skynet.sleep(TICK // 10)
      end
      for _, id in ipairs(ids) do
        harness.command(gate, "warn", id, false)
      end
      for _, id in ipairs(ids) do -- a resync may wait for a second
        harness.becomes(expected(entities, id), "what " .. id .. " knows", function()
          return tidy(harness.command(gate, "seen", id))
        end)
      end
      local counts = harness.command(gate, "counts")
      harness.is_true(counts.dropped > 100 and counts.passed > 500 and counts.said > 0, harness.show(counts))
      harness.equal(0, counts.gaps, "gaps that clients have noticed")
      harness.stop(scene, gate)
    end,
  },
}
