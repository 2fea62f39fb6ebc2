-- The monsters of the meadow: handlers of its scene. Each has an area around it: a player who comes in is
-- noticed, and hunted until it is out of a larger one, or the monster too far from its den.
local maps = require "maps"

local NOTICE, GIVE_UP = 70, 110 -- radii of the area: coming in, and going out
local LEASH = 250               -- farthest from the den
local STRIDE = 6                -- units a tick

return function(scene)
  local dens = maps.meadow.monsters
  local prey = {} -- monster -> the player that it hunts

  local function hunt(id, player)
    prey[id] = player
    scene.set_property(id, maps.MOOD, "angry")
    scene.say(id, "grr!")
  end

  local function give_up(id)
    prey[id] = nil
    scene.set_property(id, maps.MOOD, "calm")
  end

  -- Hunts somebody who is in the area already, if there is anybody.
  local function look_around(id)
    local inside, n = scene.space:members_of(id)
    if n > 0 then
      hunt(id, inside[1])
    else
      give_up(id)
    end
  end

  local function distance(x1, y1, x2, y2)
    return math.sqrt((x1 - x2) ^ 2 + (y1 - y2) ^ 2)
  end

  -- One step towards a place.
  local function step(id, to_x, to_y)
    local x, y = scene.query("position", id)
    local far = distance(x, y, to_x, to_y)
    if far > 0 then
      local part = math.min(1, STRIDE / far)
      scene.move(id, x + (to_x - x) * part, y + (to_y - y) * part)
    end
  end

  local function enter(id, den)
    scene.enter(id, den.x, den.y, { mode = "m", layers = maps.MONSTERS, data = den.name })
    scene.add_area(id, { owner = id, radius = NOTICE, leave_radius = GIVE_UP, sees_layers = maps.PLAYERS })
  end

  return {
    start = function()
      for id, den in pairs(dens) do
        if not scene.query("has", id) then
          enter(id, den)
        end
        look_around(id) -- after a reload or a crash somebody may be there
      end
    end,

    on_area = function(id, player, op)
      if op == "enter" and not prey[id] then
        hunt(id, player)
      elseif op == "leave" and prey[id] == player then
        look_around(id)
      end
    end,

    tick = function()
      for id, den in pairs(dens) do
        local x, y = scene.query("position", prey[id] or id)
        if prey[id] and (not x or distance(x, y, den.x, den.y) > LEASH) then
          give_up(id)
        end
        if prey[id] then
          step(id, x, y)
        else
          step(id, den.x, den.y)
        end
      end
    end,
  }
end
