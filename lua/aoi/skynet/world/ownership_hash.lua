-- A hash of an entity and the epoch of its ownership: the hashes of many, by exclusive or, tell whether two
-- sides have the same ones. Pure Lua, without skynet.
return function(id, epoch)
  local n = id * 0x9E3779B97F4A7C15 + epoch * 0x42B2AE3D27D4EB4F
  n = (n ~ n >> 32) * 0x56E8FEB86659FD93
  return n ~ n >> 32
end
