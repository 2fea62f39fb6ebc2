-- Handlers that keep what the hooks of lives were told, and give it to the command `lives`.
return function()
  local told = {}
  return {
    joined = function(id, how)
      told[#told + 1] = ("joined %d %s"):format(id, how)
    end,
    ended = function(id, why, last)
      told[#told + 1] = ("ended %d %s at %d, %d"):format(id, why, last[1] // 1, last[2] // 1)
    end,
    commands = { lives = function() return told end },
  }
end
