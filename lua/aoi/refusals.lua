-- The sentences with which recorder.lua, player.lua and zones.lua refuse a wrong argument.
local refusals = {}

-- How a message shows a value.
function refusals.show(value)
  local kind = type(value)
  if kind == "nil" or kind == "boolean" or kind == "number" then
    return tostring(value)
  end
  return kind == "string" and ("the string %q"):format(value) or "a " .. kind
end
local show = refusals.show

-- Raises at the line that called the method, which calls this itself.
function refusals.refuse(method, what, value, expected)
  error(("%s: %s is %s, expected %s"):format(method, what, show(value), expected), 3)
end

-- Why the options are wrong, as the three last arguments of refuse; nil when they are right.
-- known: { name = function(value) -> what is expected, or nil when it is right }.
function refusals.fault_of_options(opts, known)
  if opts == nil then
    return nil
  elseif type(opts) ~= "table" then
    return "opts", opts, "a table of options"
  end
  local names = {}
  for name in pairs(known) do
    names[#names + 1] = name
  end
  table.sort(names)
  for name, value in pairs(opts) do
    if not known[name] then
      return "the name of an option", name, table.concat(names, ", ")
    end
    local expected = known[name](value)
    if expected then
      return "option " .. name, value, expected
    end
  end
  return nil
end

-- The expectation of option zlib; false stands for none.
function refusals.expected_of_zlib(zlib)
  local fits = zlib == false or type(zlib) == "table" and zlib.deflate and zlib.inflate
  return not fits and 'require "zlib" of lua-zlib' or nil
end

-- True when the value, a file of io's or of somebody else, has methods of these names.
function refusals.has_methods(value, ...)
  for _, name in ipairs { ... } do
    local ok, method = pcall(function() return value[name] end)
    if not ok or not method then
      return false
    end
  end
  return true
end

-- The message without the place that Lua put before it.
function refusals.bare(message)
  return (tostring(message):gsub("^[^\n]-:%d+: ", ""))
end

return refusals
