-- Handlers of each map of the churn run: for each entity `joined` and `ended` must alternate, and those that
-- have joined must be those that are there; members of areas come and go in turn, and those that have come
-- must be those that are in it, also when the scene has come back from its store.
local maps = require "spec.skynet.churn.maps"

local HOW = { new = true, back = true, restored = true, transferred = true }
local WHY = { left = true, removed = true, dead = true, refused = true, orphan = true, replaced = true,
  transferred = true }

return function(scene)
  local inside, problems = {}, {} -- id -> how; texts
  local counts = {}               -- of each how and why
  local members = {}              -- area -> set of its members, as on_area has told; it may outlive its area

  local function note(is_good, ...)
    if not is_good then
      problems[#problems + 1] = (...):format(select(2, ...))
    end
  end

  -- The members of all areas as the space has them: area -> set.
  local function members_of_space()
    local all = {}
    for _, area in ipairs((scene.query "areas")) do
      all[area] = {}
      for _, id in ipairs((scene.query("members_of", area))) do
        all[area][id] = true
      end
    end
    return all
  end

  local function compare_members(list)
    local of_space = members_of_space()
    for _, pair in ipairs { { members, of_space, "is told to be in" }, { of_space, members, "is in" } } do
      local some, others, words = table.unpack(pair)
      for area, set in pairs(some) do
        for id in pairs(set) do
          if not (others[area] and others[area][id]) then
            list[#list + 1] = ("%d %s area %d, and otherwise not"):format(id, words, area)
          end
        end
      end
    end
  end

  local function take(area, id, op)
    local set = members[area] or {}
    members[area] = set
    note(op == "enter" or op == "leave", "area %d: %s", area, op)
    note(not set[id] == (op == "enter"), "area %d: %s of %d, which is %s", area, op, id,
      set[id] and "in it" or "not in it")
    set[id] = op == "enter" or nil
  end

  return {
    start = function()
      scene.update_area(maps.MIDDLE, { x = 100, y = 100, radius = maps.AREA_RADIUS })
    end,
    on_area = function(area, id, op)
      take(area, id, op)
      scene.log(area, id, op)
      counts["area_" .. op] = (counts["area_" .. op] or 0) + 1
    end,
    save = function() return members end,
    load = function(saved) members = saved end,
    logged = take,
    properties = { [maps.SECRET] = { to = "me" }, [maps.PLAN] = { layers = maps.SPIES } },
    joined = function(id, how)
      note(not inside[id], "%d has joined (%s), and had joined before (%s)", id, how, inside[id])
      note(HOW[how], "%d has joined in an unknown way, %s", id, how)
      note(how ~= "back" or scene.tick > 0, "%d is back, though there are no ticks", id)
      inside[id], counts[how] = how, (counts[how] or 0) + 1
      if maps.is_guard(id) then
        scene.update_area(maps.GUARDED + id, { owner = id, radius = maps.AREA_RADIUS })
      end
    end,
    ended = function(id, why, last)
      note(inside[id], "%d has ended (%s), and had not joined", id, why)
      note(WHY[why] and math.type(last[1]) and math.type(last[2]), "%d has ended by %s at %s, %s", id, why,
        last[1], last[2])
      inside[id], counts[why] = nil, (counts[why] or 0) + 1
    end,
    taken_over = function(id)
      note(inside[id] and scene.address(id), "%d is taken over, and is nobody's or not there", id)
      counts.taken_over = (counts.taken_over or 0) + 1
    end,
    commands = {
      -- The faults up to now, and how often what has happened.
      lives = function()
        local list, of_space = table.move(problems, 1, #problems, 1, {}), {}
        problems = {}
        for _, id in ipairs((scene.query "ids")) do
          of_space[id] = true
          if not inside[id] then
            list[#list + 1] = ("%d is there, and has not joined"):format(id)
          end
        end
        for id in pairs(inside) do
          if not of_space[id] then
            list[#list + 1] = ("%d has joined, and is not there"):format(id)
          end
        end
        compare_members(list)
        local happened = counts
        counts = {}
        return list, happened
      end,
    },
  }
end
