-- Events by time; those of one time in the order in which they came: a heap.
local Queue = {}
Queue.__index = Queue

local function is_before(a, b)
  return a.at < b.at or a.at == b.at and a.number < b.number
end

-- Adds a table with the field at, a time.
function Queue:push(event)
  local heap = self.heap
  self.count = self.count + 1
  event.number = self.count
  local i = #heap + 1
  while i > 1 and is_before(event, heap[i // 2]) do
    heap[i] = heap[i // 2]
    i = i // 2
  end
  heap[i] = event
end

-- Takes out the first one.
function Queue:pop()
  local heap = self.heap
  local first, last = heap[1], table.remove(heap)
  local n, i = #heap, 1
  if n == 0 then
    return first
  end
  while 2 * i <= n do
    local child = 2 * i
    if child < n and is_before(heap[child + 1], heap[child]) then
      child = child + 1
    end
    if not is_before(heap[child], last) then
      break
    end
    heap[i] = heap[child]
    i = child
  end
  heap[i] = last
  return first
end

-- The time of the first one, or nil.
function Queue:next_time()
  return self.heap[1] and self.heap[1].at
end

return {
  new = function()
    return setmetatable({ heap = {}, count = 0 }, Queue)
  end,
}
