-- When a call may come, for the re-entrancy specs: rows { name, run = function(cell),
-- leaves_rest = events may wait until the next changing call or flush }. cell:act() makes the call.

local function other_space(cell)
  -- A space of its own whose handler makes the call.
  local other
  other = require("aoi").new { engine = "crosslist", radius = 5, on_enter = function()
    other:on {}
    cell:act()
  end }
  return other
end

local rows = {
  {
    name = "in the handler",
    run = function(cell)
      cell:in_handler(function() cell:act() end)
      cell:trigger()
    end,
  },
  {
    name = "in three handlers, one after the other",
    run = function(cell)
      local times = 0
      local function act()
        times = times + 1
        cell:act()
        if times < 3 and not cell.lockstep.closed then
          cell:in_handler(act)
        end
      end
      cell:in_handler(act)
      cell:trigger()
      cell.plan = nil -- after clear there are fewer events
    end,
  },
  {
    name = "after a yield in the handler",
    run = function(cell)
      cell:in_handler(function() cell:act() end, true)
      cell:resume_to_end(cell:trigger_coroutine())
    end,
  },
  {
    name = "in a handler whose delivery another coroutine took over",
    run = function(cell)
      cell:in_handler(function() cell:act() end, true)
      local co = cell:trigger_coroutine()
      cell:trigger()
      cell:resume_to_end(co)
    end,
  },
  {
    name = "from another coroutine while the handler is suspended",
    leaves_rest = true, -- a question delivers nothing
    run = function(cell)
      cell:in_handler(nil, true)
      local co = cell:trigger_coroutine()
      cell:act()
      cell:resume_to_end(co)
    end,
  },
  {
    name = "from a coroutine that the handler resumed",
    run = function(cell)
      cell:in_handler(function()
        cell:resume_to_end(coroutine.create(function() cell:act() end))
      end)
      cell:trigger()
    end,
  },
  {
    name = "from a handler suspended earlier that the handler resumed",
    run = function(cell)
      cell:in_handler(function() cell:act() end, true)
      local sleeper = cell:trigger_coroutine()
      cell:in_handler(function()
        -- A handler is running, and another one goes on inside.
        cell:resume_to_end(sleeper)
      end)
      cell:trigger()
    end,
  },
  {
    name = "from the handler of another space",
    run = function(cell)
      local other = other_space(cell)
      cell:in_handler(function()
        other:enter(1, 0, 0)
        other:enter(2, 1, 1)
      end)
      cell:trigger()
    end,
  },
  {
    name = "in a handler that raises then",
    leaves_rest = true,
    run = function(cell)
      cell:in_handler(function()
        cell:act()
        cell:raise()
      end)
      cell:trigger()
    end,
  },
  {
    name = "in a handler that yields and raises then",
    leaves_rest = true,
    run = function(cell)
      cell:in_handler(function()
        cell:act()
        cell:raise()
      end, true)
      cell:resume_to_end(cell:trigger_coroutine())
    end,
  },
  {
    name = "after a handler has raised",
    leaves_rest = true,
    run = function(cell)
      cell:in_handler(function() cell:raise() end)
      cell:trigger()
      cell:act()
    end,
  },
  {
    name = "after the suspended coroutine was closed",
    leaves_rest = true,
    needs_close = true,
    run = function(cell)
      cell:in_handler(nil, true)
      coroutine.close(cell:trigger_coroutine())
      cell:act()
    end,
  },
  {
    name = "after the suspended coroutine was dropped and collected",
    leaves_rest = true,
    run = function(cell)
      cell:in_handler(nil, true)
      local weak = setmetatable({}, { __mode = "v" })
      weak.co = cell:trigger_coroutine()
      cell.collect()
      if weak.co then
        cell.lockstep.complain "the coroutine was not collected"
      end
      cell:act()
    end,
  },
  {
    name = "from a finalizer in the handler",
    run = function(cell)
      local finalized
      cell:in_handler(function()
        cell:leave_garbage(function()
          finalized = true
          cell:act()
        end)
        cell.collect()
        if not finalized then
          cell.lockstep.complain "the finalizer did not run"
        end
      end)
      cell:trigger()
    end,
  },
  {
    name = "in the handler, while finalizers change the space in the middle of the call",
    run = function(cell)
      cell:in_handler(function()
        cell:leave_garbage(function() cell.later.run(cell) end)
        cell:act()
        cell:act()
      end)
      cell:trigger()
      cell.collect()
    end,
  },
  {
    name = "while finalizers change the space in the middle of the delivery",
    run = function(cell)
      cell:in_handler(function()
        cell:act()
        cell:leave_garbage(function() cell.later.run(cell) end)
      end)
      cell:trigger()
      cell.collect()
    end,
  },
  {
    name = "before finalizers change the space while a delivery makes new arrays",
    run = function(cell)
      cell:in_handler(nil, true)
      local co = cell:trigger_coroutine() -- keeps the arrays that it was given
      cell:act()
      cell:leave_garbage(function() cell.later.run(cell) end)
      cell:trigger()
      cell.collect()
      cell:resume_to_end(co)
    end,
  },
  {
    name = "before a debug hook changes the space",
    run = function(cell)
      cell:in_handler(function()
        cell:act()
        debug.sethook(cell:hook(3), "c", 50)
      end)
      cell:trigger()
      debug.sethook()
    end,
  },
  {
    name = "between two steps of the collector",
    run = function(cell)
      cell:in_handler(function()
        collectgarbage "step"
        cell:act()
        collectgarbage "step"
      end)
      cell:trigger()
    end,
  },
}

return rows
