--[[ The classic nine-grid in plain Lua, as game servers usually have it, for comparison with
the module. An entity is a table, a cell is a table of the entities in it by their ids, and an entity sees
those in its own cell and in the cells around. The callbacks are gathered in a list first and called then: a
callback may move, enter or remove entities. Events are those of the module's classic grid, in the same
order: callback(watcher, marker, op), all leaves of a change, then all enters, then all moves. ]]
local plain_nine_grid = {}
plain_nine_grid.__index = plain_nine_grid

local floor, max, min = math.floor, math.max, math.min

function plain_nine_grid.new(width, height, cols, rows, callback)
  local self = setmetatable({
    cell_width = width / cols, cell_height = height / rows, cols = cols, rows = rows,
    cells = {}, entities = {}, callback = callback,
  }, plain_nine_grid)
  for row = 0, rows - 1 do
    self.cells[row] = {}
    for col = 0, cols - 1 do
      self.cells[row][col] = {}
    end
  end
  return self
end

-- Column and row of a position.
function plain_nine_grid:locate(x, y)
  return min(floor(x / self.cell_width), self.cols - 1), min(floor(y / self.cell_height), self.rows - 1)
end

local function touch(col, row, other_col, other_row)
  return col - other_col <= 1 and other_col - col <= 1 and row - other_row <= 1 and other_row - row <= 1
end

-- The ids in the cells around (col, row): all, or those that also touch (other_col, other_row) or do not.
function plain_nine_grid:around(col, row, touching, other_col, other_row)
  local list, cells = {}, self.cells
  for near_row = max(row - 1, 0), min(row + 1, self.rows - 1) do
    for near_col = max(col - 1, 0), min(col + 1, self.cols - 1) do
      if touching == nil or touch(near_col, near_row, other_col, other_row) == touching then
        for id in pairs(cells[near_row][near_col]) do
          list[#list + 1] = id
        end
      end
    end
  end
  return list
end

function plain_nine_grid:tell_both(id, op, list)
  local callback = self.callback
  for _, other in ipairs(list) do
    callback(other, id, op)
    callback(id, other, op)
  end
end

function plain_nine_grid:enter(id, x, y)
  local col, row = self:locate(x, y)
  local list = self:around(col, row)
  local entity = { id = id, x = x, y = y, col = col, row = row }
  self.entities[id] = entity
  self.cells[row][col][id] = entity
  self:tell_both(id, "enter", list)
end

function plain_nine_grid:leave(id)
  local entity = self.entities[id]
  self.entities[id] = nil
  self.cells[entity.row][entity.col][id] = nil
  self:tell_both(id, "leave", self:around(entity.col, entity.row))
end

function plain_nine_grid:move(id, x, y)
  local entity, callback = self.entities[id], self.callback
  local col, row = self:locate(x, y)
  local old_col, old_row = entity.col, entity.row
  entity.x, entity.y = x, y
  local stays
  if col == old_col and row == old_row then
    stays = self:around(col, row)
  else
    stays = self:around(col, row, true, old_col, old_row)
    local gone = self:around(old_col, old_row, false, col, row)
    local come = self:around(col, row, false, old_col, old_row)
    self.cells[old_row][old_col][id] = nil
    self.cells[row][col][id] = entity
    entity.col, entity.row = col, row
    self:tell_both(id, "leave", gone)
    self:tell_both(id, "enter", come)
  end
  for _, other in ipairs(stays) do
    if other ~= id then
      callback(other, id, "move")
    end
  end
end

return plain_nine_grid
