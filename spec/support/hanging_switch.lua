-- For hanging_handlers.lua: one table for a test and all simulated processes.
return { is_hung = false }
