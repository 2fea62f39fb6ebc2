-- Asserts that a call raises, and that its message has these words; returns the message.
local assert = require "luassert"

return function(words, ...)
  local ok, message = pcall(...)
  assert.is_false(ok)
  assert.is_truthy(tostring(message):find(words, 1, true), message)
  return message
end
