-- The opts of `enter`, `update` and `set_traits`: complaints about what they say of streams, pushes
-- and taking over. Pure Lua, without skynet.
local blocks = require "aoi.skynet.blocks"
local own_state = require "aoi.skynet.own_state"

-- Words that `set_traits` does not take, of those that are the scene's own.
local OF_PLACES = { "anew", "take_over", "pushes", "call" }

-- `scene` is the table of scene.lua. Returns the functions that complain.
return function(scene)
  local rules = {}

  -- The complaint about a word of these opts that fits no update; nil: none.
  local function problem_with_words(method, own)
    if own.take_over ~= nil and (type(own.take_over) ~= "boolean" or method ~= "enter") then
      return ("take_over is %s, expected true or false, and of enter alone"):format(tostring(own.take_over))
    end
  end

  -- The complaint about what the opts say of streams and pushes, and a number: the last stream, when the one
  -- that is wanted must be later; nil: none.
  function rules.problem(method, inside, id, own)
    local problem = problem_with_words(method, own) or own_state.problem(own)
    local last = id and scene.streams:last_of(id)
    if problem then
      return problem
    elseif own.stream and not own.pushes and last and not blocks.is_later(own.stream, last) then
      return ("stream is %d, expected a later one than %d, the last of entity %d"):format(own.stream, last,
        id), last
    elseif own.pushes == nil then
      return nil
    elseif method ~= "update" or own.address ~= nil then
      return "pushes is for an update without address: another stay has none yet"
    elseif not inside then
      return ("entity %s is not in the space, and a step with pushes enters nobody"):format(tostring(id))
    end
  end

  -- The complaint about the opts of set_traits: the scene's own, and the others; nil: none.
  function rules.problem_with_traits(own, others)
    for _, name in ipairs(OF_PLACES) do
      if own[name] ~= nil then
        return ("option %s is none of this command, but of update or enter"):format(name)
      end
    end
    if own.stream ~= nil and own.address == nil then
      return "option stream is none of this command without an address: then it begins no stay"
    elseif others.anchor ~= nil then
      return "option anchor is none of this command, but of update: it goes with a place"
    end
  end

  return rules
end
