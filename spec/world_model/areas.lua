-- The areas of a member in the model, as world/areas.lua keeps them: all members judge commands about them
-- alike. The text of a command is { area, "add" or "remove", owner or nil }. The trail has the commands that
-- took effect, in their order.
local checks = require "spec.world_model.checks"
local copied = require "spec.world_model.copied"
local numbers = require "aoi.skynet.world.numbers"

-- Gives the land of a process the functions for areas.
return function(land)
  local all = { tick = 0, results = {}, undo = {}, fixed = {}, owned = {}, trail = {} }

  -- Areas end with their owners.
  local function sweep(member)
    for id, entry in pairs(all.owned) do
      local known = member.directory[entry[1]]
      all.owned[id] = known and known.stay == entry[2] and entry or nil
    end
  end

  local function judge(member, id, what, owner)
    local is_in = all.fixed[id] or all.owned[id]
    local known = owner and member.directory[owner]
    if what == "remove" and not is_in or what == "add" and (is_in or owner and not known) then
      return false
    end
    table.insert(all.undo, { id, all.fixed[id] or false, all.owned[id] or false })
    all.fixed[id] = what == "add" and not owner or nil
    all.owned[id] = what == "add" and owner and { owner, known.stay } or nil
    return true
  end

  function land.judge_areas(member, tick, list)
    sweep(member)
    all.tick, all.results, all.undo = tick, {}, {}
    local judged = {}
    for i, command in ipairs(list) do
      local ok = judge(member, table.unpack(command.text, 1, 3))
      judged[i] = { ok and "done" or "refused" }
      all.results[command.key .. command.uid] = judged[i]
      for _, uid in ipairs(all.trail) do
        if uid == command.uid then
          checks.breach("call %d about an area was judged twice", uid)
        end
      end
      all.trail[#all.trail + 1] = ok and command.uid or nil
    end
    return judged
  end

  function land.areas()
    return copied(all)
  end

  function land.put_areas(member, given, is_unfinished)
    all = copied(given)
    if is_unfinished then
      for i = #all.undo, 1, -1 do
        local id, fixed, owned = table.unpack(all.undo[i])
        all.fixed[id], all.owned[id], all.trail[#all.trail] = fixed or nil, owned or nil, nil
      end
      all.tick, all.results, all.undo = all.tick - 1, {}, {}
    end
    sweep(member)
  end

  -- All of it, to be compared.
  function land.areas_text()
    local parts = { "areas", table.concat(all.trail, ",") }
    for _, id in ipairs(numbers.sorted(all.fixed)) do
      parts[#parts + 1] = "area " .. id
    end
    for _, id in ipairs(numbers.sorted(all.owned)) do
      parts[#parts + 1] = ("area %d of %s"):format(id, all.owned[id][2])
    end
    return table.concat(parts, " ")
  end

  function land.areas_trail()
    return all.trail
  end
end
