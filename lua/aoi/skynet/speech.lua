-- Words of entities of a scene: passed to all who see them, to each after it was told of the speaker.
local blocks = require "aoi.skynet.blocks"
local packet = require "aoi.skynet.packet"

-- `scene` is the table of scene.lua: space, views, options and the notes for the next tick; `ticks` is of
-- ticks.lua. Returns the function that says something.
return function(scene, ticks)
  -- The watchers of an entity that know it already, and the others: the next tick tells those of it, unless
  -- their told sets have no place for it.
  local function by_knowledge(id, watchers, n)
    if not ticks.are_on() then
      return watchers, n, {}, 0
    end
    local told, known, unknown = {}, {}, {}
    local list, count = scene.space:told_watchers_of(id)
    for i = 1, count do
      told[list[i]] = not scene.newcomers[list[i]]
    end
    for i = 1, n do
      local to = told[watchers[i]] and known or unknown
      to[#to + 1] = watchers[i]
    end
    return known, #known, unknown, #unknown
  end

  -- Passes the message of an entity to all who see it: at once, or with the tick that tells them of it.
  -- Returns true, or nil and a message.
  return function(id, ...)
    local space = scene.space
    local ok, watchers, n = pcall(space.watchers_of, space, id)
    if not ok then
      return nil, "say: " .. tostring(watchers):gsub("^watchers_of: ", "")
    end
    local body, is_text = packet.speech(...)
    if #body > blocks.SAID_LIMIT then
      return nil, ("say: what is said is %d bytes long, expected at most %d"):format(#body, blocks.SAID_LIMIT)
    end
    id = math.tointeger(id)
    scene.counters.said = scene.counters.said + 1
    local known, n_known, unknown, n_unknown = by_knowledge(id, watchers, n)
    scene.views.say(id, known, n_known, body, is_text)
    if n_unknown > 0 then
      scene.unsaid[#scene.unsaid + 1] = { id, unknown, n_unknown, body, is_text }
    end
    return true
  end
end
