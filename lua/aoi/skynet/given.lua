-- All that an agent has given a scene since its entity joined, to enter with again when the entity is lost.
local with_opts = require("aoi.skynet.entering").with_opts

local Given = {}
Given.__index = Given

local given = {}

-- Of the place and opts with which the entity joined.
function given.new(...)
  local opts, x, y, z = with_opts({}, ...)
  z = math.type(z) and z or nil
  return setmetatable({ place = { x, y, z }, dims = z and 3 or 2, opts = opts, properties = {} }, Given)
end

-- Notes what opts, extras among them, and a place change.
function Given:note(place, opts)
  for i = 1, place[1] ~= nil and self.dims or 0 do
    self.place[i] = place[i]
  end
  for name, value in pairs(opts or {}) do
    self.opts[name] = value
  end
  if place[self.dims + 1] ~= nil then
    self.opts.extras = table.move(place, self.dims + 1, #place, 1, {})
  end
end

-- Place and opts to enter with. takes_over: true when the entity may be inside.
function Given:arguments(takes_over)
  local opts = { take_over = takes_over or nil }
  for name, value in pairs(self.opts) do
    opts[name] = value
  end
  local arguments = table.move(self.place, 1, self.dims, 1, {})
  arguments[self.dims + 1] = opts
  return table.unpack(arguments)
end

return given
