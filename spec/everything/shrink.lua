-- Makes a history that fails shorter: fewer calls, actions of handlers, rows, options, as long as it still
-- fails.
local shrink = {}

local function copy(value)
  if type(value) ~= "table" then
    return value
  end
  local other = {}
  for name, part in pairs(value) do
    other[name] = copy(part)
  end
  return other
end

-- The lists of a history that may be made shorter, each as { table, name of the list in it }.
local function lists_of(history)
  local lists = { { history, "calls" } }
  for _, call in ipairs(history.calls) do
    if call.rows then
      lists[#lists + 1] = { call, "rows" }
    end
  end
  return lists
end

local function without(list, first, last)
  local rest = {}
  for i, item in ipairs(list) do
    if i < first or i > last then
      rest[#rest + 1] = item
    end
  end
  return rest
end

-- Takes away chunks of list number `index`, ever smaller ones. Returns the shorter history.
local function shorten_list(history, index, fails)
  local holder = lists_of(history)[index]
  local chunk = math.max(1, #holder[1][holder[2]] // 2)
  while chunk >= 1 do
    local first, removed = 1, false
    while first <= #lists_of(history)[index][1][holder[2]] do
      local candidate = copy(history)
      local entry = lists_of(candidate)[index]
      entry[1][entry[2]] = without(entry[1][entry[2]], first, first + chunk - 1)
      if fails(candidate) then
        history, removed = candidate, true
      else
        first = first + chunk
      end
    end
    if chunk > 1 or not removed then
      chunk = chunk // 2
    end
  end
  return history
end

-- Fields that may go one by one, each as { table, name }: options, opts, scripts and their actions.
local function fields_of(history)
  local fields = {}
  local function add(holder)
    local names = {}
    for name in pairs(holder or {}) do
      names[#names + 1] = name
    end
    table.sort(names, function(a, b) return tostring(a) < tostring(b) end)
    for _, name in ipairs(names) do
      fields[#fields + 1] = { holder, name }
    end
  end
  for _, space in ipairs(history.spaces) do
    add(space.options)
    add(space.script)
    for _, name in ipairs { "classic_call" } do
      if space[name] then
        fields[#fields + 1] = { space, name }
      end
    end
  end
  for _, call in ipairs(history.calls) do
    add(call.opts)
    add(call.script)
    for _, name in ipairs { "opts", "counted", "form", "collect", "close", "packed" } do
      if call[name] ~= nil and not (name == "opts" and call.area) then
        fields[#fields + 1] = { call, name }
      end
    end
  end
  return fields
end

local function drop_fields(history, fails)
  local index = 1
  while index <= #fields_of(history) do
    local candidate = copy(history)
    local field = fields_of(candidate)[index]
    field[1][field[2]] = nil
    if fails(candidate) then
      history = candidate
    else
      index = index + 1
    end
  end
  return history
end

-- Fewer handlers in a set.
local function drop_handlers(history, fails)
  local function each_list(h)
    local lists = {}
    for _, space in ipairs(h.spaces) do
      lists[#lists + 1] = space.handlers
    end
    for _, call in ipairs(h.calls) do
      lists[#lists + 1] = call.handlers
    end
    return lists
  end
  for i in ipairs(each_list(history)) do
    for j = #each_list(history)[i], 1, -1 do
      local candidate = copy(history)
      table.remove(each_list(candidate)[i], j)
      if fails(candidate) then
        history = candidate
      end
    end
  end
  return history
end

-- The end of the list goes while the rest fails.
local function cut_end(history, fails)
  local low, high = 1, #history.calls
  while low < high do
    local middle = (low + high) // 2
    local candidate = copy(history)
    candidate.calls = without(candidate.calls, middle + 1, #candidate.calls)
    if fails(candidate) then
      history, high = candidate, middle
    else
      low = middle + 1
    end
  end
  return history
end

-- The kind of a failure: its first words. A failure with other first words is another one.
local function kind_of(text)
  return text:match "^[%w_]+ heard" or text:match "^%S+"
end

-- A short history that fails in the same way. fails(history) returns a text, or nil when it passes.
function shrink.history(history, fails)
  local first = fails(history)
  local function still_fails(candidate)
    local text = fails(candidate)
    return text and kind_of(text) == kind_of(first)
  end
  if not still_fails(history) then
    return history
  end
  history = cut_end(history, still_fails)
  for _ = 1, 2 do
    history = shorten_list(history, 1, still_fails)
    history = drop_fields(history, still_fails)
    history = drop_handlers(history, still_fails)
  end
  for index = 2, #lists_of(history) do
    history = shorten_list(history, index, still_fails)
  end
  return history
end

return shrink
