-- A table that makes what it is asked for, once for each key, and remembers it. Pure Lua.
return function(make)
  return setmetatable({}, { __index = function(cache, key)
    local value = make(key)
    cache[key] = value
    return value
  end })
end
