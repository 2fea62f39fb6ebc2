-- Monsters and a fire: handlers of the meadow's scene. A monster has an area: a player who comes in is
-- noticed, and hunted until it is out of a larger one, or the monster too far from its den. A player who is
-- caught is pushed away; one who stands in the fire is hurt, and begins anew when no life is left.
local maps = require "maps"

local NOTICE, GIVE_UP = 70, 110 -- radii of the area: coming in, and going out
local LEASH = 250               -- farthest from the den
local STRIDE = 6                -- units a tick
local REACH, PUSH = 8, 40       -- how near is caught, and how far that is pushed
local FIRE = 1                  -- the area of the fire
local BURN, HEAL = 4, 1         -- life that a tick in the fire costs, and that ten ticks elsewhere give

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
      scene.move(id, x + (to_x - x) * part, y + (to_y - y) * part, math.deg(math.atan(to_y - y, to_x - x)))
    end
  end

  -- ---- players --------------------------------------------------------------------------------

  local function keep_within(value, most)
    return math.max(0, math.min(most, value))
  end

  -- Away from the monster; the player's own agent hears of it as of a push.
  local function push_away(id, player)
    local x, y = scene.query("position", id)
    local to_x, to_y = scene.query("position", player)
    local far = distance(x, y, to_x, to_y)
    local dx, dy = 1, 0
    if far > 0 then
      dx, dy = (to_x - x) / far, (to_y - y) / far
    end
    scene.move(player, keep_within(to_x + PUSH * dx, maps.meadow.width),
      keep_within(to_y + PUSH * dy, maps.meadow.height))
    scene.notify(player, ("The %s pushes you away."):format(dens[id].name))
  end

  local function set_life(player, life)
    if life ~= scene.property(player, maps.LIFE) then
      scene.set_property(player, maps.LIFE, life)
    end
  end

  local function burn(player)
    local life = (scene.property(player, maps.LIFE) or maps.MOST_LIFE) - BURN
    if life > 0 then
      set_life(player, life)
    else
      set_life(player, maps.MOST_LIFE)
      scene.move(player, maps.meadow.start.x, maps.meadow.start.y)
      scene.notify(player, "The fire was too much: you begin anew.")
    end
  end

  local ticks = 0
  local hurt = {} -- set of players whose life is not whole

  local function burn_and_heal()
    ticks = ticks + 1
    local inside, n = scene.space:members_of(FIRE)
    for i = 1, n do
      burn(inside[i])
      hurt[inside[i]] = true
    end
    for player in pairs(ticks % 10 == 0 and hurt or {}) do
      local life = scene.property(player, maps.LIFE)
      if not life or life >= maps.MOST_LIFE then
        hurt[player] = nil
      else
        set_life(player, math.min(maps.MOST_LIFE, life + HEAL))
      end
    end
  end

  -- After a reload or a crash it burns already.
  local function light_fire()
    local fire, areas = maps.meadow.fire, {}
    for _, area in ipairs((scene.query "areas")) do
      areas[area] = true
    end
    if not areas[FIRE] then
      scene.add_area(FIRE, { x = fire.x, y = fire.y, radius = fire.radius, sees_layers = maps.PLAYERS })
    end
  end

  -- ---- monsters -------------------------------------------------------------------------------

  local function enter(id, den)
    scene.enter(id, den.x, den.y, { mode = "m", layers = maps.MONSTERS, data = den.name })
    scene.add_area(id, { owner = id, radius = NOTICE, leave_radius = GIVE_UP, sees_layers = maps.PLAYERS })
  end

  return {
    properties = { [maps.LIFE] = { to = "me" } },

    start = function()
      light_fire()
      for id, den in pairs(dens) do
        if not scene.query("has", id) then
          enter(id, den)
        end
        look_around(id) -- after a reload or a crash somebody may be there
      end
    end,

    -- A player is whole when it comes, and when it comes back: what it had was lost with its leave.
    joined = function(id)
      if not dens[id] and not scene.property(id, maps.LIFE) then
        scene.set_property(id, maps.LIFE, maps.MOST_LIFE)
      end
    end,

    on_area = function(id, player, op)
      if id == FIRE then
        if op == "enter" and scene.address(player) then
          scene.notify(player, "The fire burns you!")
        end
      elseif op == "enter" and not prey[id] then
        hunt(id, player)
      elseif op == "leave" and prey[id] == player then
        look_around(id)
      end
    end,

    tick = function()
      burn_and_heal()
      for id, den in pairs(dens) do
        local x, y = scene.query("position", prey[id] or id)
        if prey[id] and (not x or distance(x, y, den.x, den.y) > LEASH) then
          give_up(id)
        end
        if prey[id] and distance(x, y, scene.query("position", id)) <= REACH then
          push_away(id, prey[id])
        elseif prey[id] then
          step(id, x, y)
        else
          step(id, den.x, den.y)
        end
      end
    end,
  }
end
