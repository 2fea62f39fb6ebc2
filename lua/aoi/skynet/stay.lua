-- One stay of an entity in a scene, as its client knows it: what its commands carry, so that the scene drops
-- those that come too late, and how they are laid over what was told of the entity. Pure Lua, without skynet.
local blocks = require "aoi.skynet.blocks"

local Stay = {}
Stay.__index = Stay

local stay = {}

-- known: of known.lua, by which this service hears. told: the first stream that is told here; nil: another
-- service is told. number: the stream of the stay; nil: not known before the scene has told it. scene: where
-- it is.
function stay.new(known, id, told, number, scene)
  return setmetatable({
    known = known, id = id, stream = told, number = number, scene = scene,
    calls = 0,       -- that had a number
    left_in = nil,   -- the stream in which we left; later ones that are told then are of another stay
    ended = nil,     -- why, when that was while we were joining another scene
  }, Stay)
end

-- The scene that has told a stay of the entity behind this one, and its stream: this scene has passed it on,
-- which it has not said yet, or may not do after all. nil: there is none.
function Stay:ahead()
  local scene, stream = self.known:told_by(self.id)
  local is_other = scene and scene ~= self.scene and math.type(self.scene) -- a global name tells nothing
  if self.stream and is_other and blocks.is_later(stream, self.number) then
    return scene, stream
  end
end

-- The entity's own state, of me.lua; nil: another service is told, or there is none yet, or it is of a stay
-- behind this one.
function Stay:me()
  return self.stream and not self:ahead() and self.known:me(self.id) or nil
end

-- The stream of the stay, which commands carry; nil: not known yet. The scene may have begun a later one, by
-- its command load.
function Stay:current()
  local me = self:me()
  local told = me and me.stream
  if told and not blocks.is_later(self.number or told, told) then
    return told
  end
  return self.number
end

-- For a command that changes nothing of ours: { stream = }; nil: nothing.
function Stay:carried()
  local stream = self:current()
  return stream and { stream = stream }
end

-- For one with a number: { stream =, call = }; nil: nothing.
function Stay:next_call()
  local carried = self:carried()
  if carried then
    self.calls = self.calls + 1
    carried.call = self.calls
  end
  return carried
end

-- For one that sets our place: { stream =, pushes = }, or nil; the place is laid over what was told, unless
-- it comes too late. place: nil: where we are. pushes: the count when it was chosen; nil: it is chosen now.
-- extras: a list, in place of those behind the coordinates; anything else: nothing is said of them.
function Stay:step(place, pushes, extras)
  local me = self:me()
  if not self.stream then
    return nil -- we do not hear of pushes
  end
  local stream = self:current()
  local count = me and me.stream == stream and me.pushes or 0
  local is_chosen = me and (pushes == nil or pushes == count)
  if is_chosen and place then
    me:step_to(place, stream, count)
  end
  if is_chosen and type(extras) == "table" then
    me:turn_to(extras, stream, count)
  end
  return stream and { stream = stream, pushes = pushes or count }
end

-- Whether a place that carries this is too late by what was told.
function Stay:is_late(carried)
  local me = self.stream and self.known:me(self.id)
  return carried and me and (carried.stream ~= me.stream or carried.pushes ~= me.pushes) or false
end

-- Lays values over what was told. carried: what their command does, or nil.
function Stay:lay_opts(opts, carried)
  local me = self:me()
  if me then
    me:lay_opts(opts, carried and carried.stream, carried and carried.call)
  end
end

function Stay:lay_property(key, value, carried)
  local me = self:me()
  if me then
    me:lay("details", math.type(key) and math.tointeger(key) or key, value, carried and carried.stream,
      carried and carried.call)
  end
end

-- The scene has refused a command: it is to tell all. is_step: it was to set our place. carried: by the
-- command, if that is known.
function Stay:refused(is_step, carried)
  local me = self:me()
  if not me then
    return -- nothing was laid
  end
  if is_step then
    me:step_back()
  end
  if carried then
    me:take_back(carried.stream, carried.call)
  end
  self.known:doubt(self.id, self.scene)
end

-- We have come in, to this place and with these opts. When we were told that already: returns whether others
-- have moved us since, and what else was told that we have not given, as me.lua has it.
function Stay:came_in(place, opts)
  local me = self:me()
  if me and me.stream == self.number then
    return me:beyond(place, opts)
  elseif me then
    me.dims = #place
    me:step_to(place, self.number, 0)
    if type(opts.extras) == "table" then
      me:turn_to(opts.extras, self.number, 0)
    end
    me:lay_opts(opts, self.number, 0)
  end
end

return stay
