-- Handlers whose hooks give as many tables in each other as skynet packs, and log how many come back.
local skynet = require "skynet"

local DEPTH = 32

local function make()
  local value = {}
  for _ = 2, DEPTH do
    value = { value }
  end
  return value
end

local function count(value)
  return value and 1 + count(value[1]) or 0
end

return function()
  return {
    pack = make,
    save = make,
    unpack = function(_, value) skynet.error(("unpacked %d tables"):format(count(value))) end,
    load = function(value) skynet.error(("loaded %d tables"):format(count(value))) end,
  }
end
