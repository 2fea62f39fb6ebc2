-- The agents of a test: what each of them is told, read from the messages that it gets, as texts.
local new_known = require("aoi.skynet.known").new

local Listeners = {}
Listeners.__index = Listeners

local function number_text(value)
  return value and ("%.17g"):format(value) or "-"
end

local function details_text(details)
  if not details then
    return ""
  end
  local parts = { " data " .. tostring(details[1]) }
  for key, value in pairs(details[2] or {}) do
    parts[#parts + 1] = ("%s=%s"):format(key, value)
  end
  table.sort(parts)
  return table.concat(parts, " ")
end

function Listeners.new()
  return setmetatable({ known = {}, events = {} }, Listeners)
end

local function flat_texts(list, dims, f)
  for i = 1, #(list or {}), dims + 1 do
    local z = dims == 3 and number_text(list[i + 3]) or ""
    f(list[i], number_text(list[i + 1]), number_text(list[i + 2]), z)
  end
end

function Listeners:make(address)
  local events = self.events
  local function add(...)
    events[#events + 1] = ("%x: "):format(address) .. table.concat({ ... }, " ")
  end
  return new_known {
    view = function(watcher, news)
      local details = news.details or {}
      for _, id in ipairs(news.left or {}) do
        add(watcher, "left", id)
      end
      flat_texts(news.entered, news.dims, function(id, x, y, z)
        add(watcher, "entered", id, x, y, z, details_text(details[id]))
      end)
      flat_texts(news.moved, news.dims, function(id, x, y, z)
        add(watcher, "moved", id, x, y, z)
      end)
      for _, id in ipairs(news.changed or {}) do
        add(watcher, "changed", id, details_text(details[id]))
      end
    end,
    said = function(watchers, id, body)
      for _, watcher in ipairs(watchers) do
        add(watcher, "hears", id, body)
      end
    end,
    refused = function() end,
    elsewhere = function() error "elsewhere" end,
    gap = function(watcher) error(("%x: blocks for %d are missing"):format(address, watcher)) end,
  }
end

function Listeners:deliver(address, text)
  local known = self.known[address]
  if not known then
    known = self:make(address)
    self.known[address] = known
  end
  known:read(text)
end

-- An event that no message told.
function Listeners:add(address, ...)
  table.insert(self.events, ("%x: "):format(address) .. table.concat({ ... }, " "))
end

-- The events since the last time, as one text, and how many events.
function Listeners:take()
  local n = #self.events
  table.sort(self.events)
  local text = table.concat(self.events, "\n")
  for i = n, 1, -1 do
    self.events[i] = nil
  end
  return text, n
end

-- All that is known, as one text.
function Listeners:known_text()
  local parts = {}
  for address, known in pairs(self.known) do
    for watcher in pairs(known.watchers) do
      for id, marker in pairs(known:markers(watcher)) do
        parts[#parts + 1] = ("%x %d %d %s %s %s%s"):format(address, watcher, id, number_text(marker[1]),
          number_text(marker[2]), number_text(marker[3]), details_text { marker.data, marker.properties })
      end
    end
  end
  table.sort(parts)
  return table.concat(parts, "\n")
end

return Listeners
