-- Handlers of each map of the churn run: for each entity `joined` and `ended` must alternate, and those that
-- have joined must be those that are there.
local maps = require "spec.skynet.churn.maps"

local HOW = { new = true, back = true, restored = true, transferred = true }
local WHY = { left = true, removed = true, dead = true, refused = true, orphan = true, replaced = true,
  transferred = true }

return function(scene)
  local inside, problems = {}, {} -- id -> how; texts
  local counts = {}               -- of each how and why

  local function note(is_good, ...)
    if not is_good then
      problems[#problems + 1] = (...):format(select(2, ...))
    end
  end

  return {
    properties = { [maps.SECRET] = { to = "me" }, [maps.PLAN] = { layers = maps.SPIES } },
    joined = function(id, how)
      note(not inside[id], "%d has joined (%s), and had joined before (%s)", id, how, inside[id])
      note(HOW[how], "%d has joined in an unknown way, %s", id, how)
      note(how ~= "back" or scene.tick > 0, "%d is back, though there are no ticks", id)
      inside[id], counts[how] = how, (counts[how] or 0) + 1
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
        local happened = counts
        counts = {}
        return list, happened
      end,
    },
  }
end
