-- The notes of waiting_handlers.lua: a list for each scene, which outlives a module of handlers.
return setmetatable({}, { __mode = "k" })
