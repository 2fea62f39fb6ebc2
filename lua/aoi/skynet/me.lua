-- An entity's own state as its client knows it: what the scene has told of it, with the own calls laid over
-- it that the scene had not taken in by then. Pure Lua, without skynet.
--
-- A place of our own counts until the scene tells another count of pushes: then it was too late. Each other
-- call has a number, and the scene tells the last one that it had taken in.
local blocks = require "aoi.skynet.blocks"
local own_section = require "aoi.skynet.own_section"

local DATA = blocks.DATA

local Me = {}
Me.__index = Me

local me = {}

function me.new()
  return setmetatable({
    stream = nil,   -- of what was told last; nil: nothing was
    asked = nil,    -- the latest one that we have asked for: it begins where we wanted
    pushes = 0,     -- of that stream
    place = nil,    -- { x, y [, z] }
    extras = nil,   -- list
    dims = nil,     -- coordinates of a place where we have come in, as long as none was told; nil: as told
    details = {},   -- key -> value; DATA: the data
    traits = {},    -- name -> value
    step = nil,     -- our last place: { x, y [, z] [, e1 ... en], extras =, stream =, pushes = }; extras: set
                    -- behind those that came with the place, or without any place
    laid = { details = {}, traits = {} }, -- as those above: key -> { value =, stream =, call =, before = }
  }, Me)
end

-- ---- own calls ----------------------------------------------------------------------------------

-- How many of these numbers are coordinates.
local function dims_of(self, step)
  return self.dims or self.place and #self.place or #step
end

local function is_of(step, stream, pushes)
  return step ~= nil and step.stream == stream and step.pushes == pushes
end

-- We are at this place now, chosen in this stream with this count of pushes. place: coordinates, and behind
-- them all extras or none.
function Me:step_to(place, stream, pushes)
  local before, step = self.step, table.move(place, 1, #place, 1, { stream = stream, pushes = pushes })
  if is_of(before, stream, pushes) then
    step.extras = #place <= dims_of(self, place) and before.extras or nil
    table.move(before, #step + 1, #before, #step + 1, step) -- extras that are told by now, or will be
  end
  self.step = step
end

-- These are our extras now, wherever we are: as for `step_to`.
function Me:turn_to(extras, stream, pushes)
  if not is_of(self.step, stream, pushes) then
    self.step = { stream = stream, pushes = pushes }
  end
  self.step.extras = table.move(extras, 1, #extras, 1, {})
end

-- Where we are: { x, y [, z] }, a new table, and the extras, nil without any. How many coordinates there are
-- is known when something was told.
function Me:where()
  local step, place, extras = self.step or {}, self.place, self.extras
  local dims = dims_of(self, step)
  if #step > dims then
    extras = table.move(step, dims + 1, #step, 1, {})
  end
  place = step[1] and step or place
  return place and table.move(place, 1, dims, 1, {}), step.extras or extras
end

-- The scene has refused a place of ours.
function Me:step_back()
  self.step = nil
end

-- A call of this number sets a value; nil: removes it. kind: details or traits.
function Me:lay(kind, key, value, stream, call)
  local laid = self.laid[kind]
  local before = laid[key]
  if before then
    before.before = nil
  end
  laid[key] = { value = value, stream = stream, call = call, before = before }
end

-- Lays what the opts of `enter`, `update` or `set_traits` name.
function Me:lay_opts(opts, stream, call)
  if opts.data ~= nil then
    self:lay("details", DATA, opts.data ~= "" and opts.data or nil, stream, call)
  end
  for _, name in ipairs(own_section.TRAIT_NAMES) do
    if opts[name] ~= nil then
      self:lay("traits", name, opts[name], stream, call)
    end
  end
end

-- The scene has refused the call of this number: the one before it counts.
function Me:take_back(stream, call)
  for _, laid in pairs(self.laid) do
    for key, entry in pairs(laid) do
      if entry.call == call and entry.stream == stream then
        laid[key] = entry.before
      end
    end
  end
end

-- ---- the whole of it ----------------------------------------------------------------------------

-- All that was told of this kind, with the own calls over it: a new table.
local function shown(self, kind)
  local values = {}
  for key, value in pairs(self[kind]) do
    values[key] = value
  end
  for key, entry in pairs(self.laid[kind]) do
    values[key] = entry.value
  end
  return values
end

-- { x, y [, z], data =, properties =, traits =, extras =, pushes =, stream = }, a new table; nil when nothing
-- was told.
function Me:known()
  if not self.stream then
    return nil
  end
  local place, extras = self:where()
  place = place or {}
  local properties = shown(self, "details")
  local data = properties[DATA]
  properties[DATA] = nil
  return { place[1], place[2], place[3], data = data, properties = properties, traits = shown(self, "traits"),
    extras = extras, pushes = self.pushes, stream = self.stream }
end

-- ---- what is told -------------------------------------------------------------------------------

-- Takes in values of this kind, and drops the own calls that they outdate.
local function take_in(self, kind, told, section, stream)
  local calls, laid = section.calls or 0, self.laid[kind]
  if section.is_whole then
    self[kind] = {}
  end
  for key, value in pairs(told) do
    self[kind][key] = value or nil
  end
  for key, entry in pairs(laid) do
    local is_named = section.is_whole or told[key] ~= nil
    if entry.stream ~= stream or is_named and not blocks.is_later(entry.call, calls) then
      laid[key] = nil
    end
  end
end

-- The values that are others than before, false for those that were removed; nil without any.
local function difference(before, after)
  local changed = {}
  for key in pairs(before) do
    if after[key] == nil then
      changed[key] = false
    end
  end
  for key, value in pairs(after) do
    if value ~= before[key] then
      changed[key] = value
    end
  end
  return next(changed) ~= nil and changed or nil
end

local function named_traits(packed)
  local traits = {}
  local _, values = blocks.details(packed or "")
  for key, value in pairs(values or {}) do
    traits[own_section.TRAIT_NAMES[key] or key] = value
  end
  return traits
end

-- Keeps the details; "" and nil: there are no data.
local function read_details(packed)
  local data, properties = blocks.details(packed or "")
  local told = properties or {}
  if data then
    told[DATA] = data ~= "" and data
  end
  return told
end

-- Whether a place that was told, nil: none, is another one than this; behind that may stand extras.
local function is_elsewhere(place, told)
  for i = 1, place and told and #told or 0 do
    if place[i] ~= told[i] then
      return true
    end
  end
  return false
end

-- The changes as `take` returns them, as far as the details are other than these.
local function changes(details, now, other_traits)
  local changed = difference(details, now)
  local data = changed and changed[DATA]
  if changed then
    changed[DATA] = nil
  end
  if changed or other_traits then
    return { data = data, properties = changed or {}, traits = other_traits or {} }
  end
end

-- As `take` returns it, of all that was told before we knew that we are in: what we have not given ourselves.
-- place: { x, y [, z] [, e1 ... en] }; opts: as for `lay_opts`.
function Me:beyond(place, opts)
  local given = { [DATA] = opts.data ~= "" and opts.data or nil }
  return self.pushes > 0 and is_elsewhere(place, self.place), changes(given, shown(self, "details"))
end

-- Takes in a section, as own_section.read gives it, of a block of this stream. Returns whether others have
-- moved us, and what else is other than `known` gave before: { data =, properties =, traits = }, false for
-- what was removed; nil: nothing. Traits that are told for the first time are no change.
function Me:take(section, stream)
  local place, details = self:where(), shown(self, "details")
  local traits = next(self.traits) and shown(self, "traits")
  local is_asked = self.asked == stream and self.stream ~= stream -- perhaps before the scene has answered
  local pushes = is_asked and 0 or self.stream == stream and self.pushes or section.pushes
  self.stream, self.pushes = stream, section.pushes
  if section.place then
    self.place, self.dims = section.place, nil
  end
  self.extras = section.extras or self.extras
  local step = self.step
  if step and (step.stream ~= stream or step.pushes ~= section.pushes) then
    self.step = nil
  end
  take_in(self, "details", read_details(section.details), section, stream)
  take_in(self, "traits", named_traits(section.traits), section, stream)
  local other_traits = traits and difference(traits, shown(self, "traits")) or nil
  return pushes ~= section.pushes or not is_asked and is_elsewhere(place, (self:where())),
    changes(details, shown(self, "details"), other_traits)
end

return me
