-- A tool of tools/ that checks a folder and says on stderr what is wrong: run in this process, on a folder
-- made for each case, in which faults are planted.
local assert = require "luassert"
local files = require "spec.support.files"

local function run(command)
  assert(os.execute(command), command)
end

-- The checker of this tool. Its folder is filled by `fill`, a command in which %s stands for the folder.
return function(tool, fill)
  local checker = {}
  local folder

  function checker.begin()
    folder = files.new_folder()
    run((fill:gsub("%%s", function() return folder end)))
  end

  function checker.finish()
    files.remove(folder)
  end

  -- Writes a file of the folder; mode: as io.open takes it.
  function checker.plant(name, text, mode)
    run(("mkdir -p \"$(dirname '%s/%s')\""):format(folder, name))
    local file = assert(io.open(folder .. "/" .. name, mode))
    file:write(text, "\n")
    file:close()
  end

  function checker.remove(name)
    assert(os.remove(folder .. "/" .. name))
  end

  -- Whether all is well in the folder, or in another root, and what the tool says.
  function checker.check(root)
    local succeeded
    local said = {}
    local stderr = { write = function(_, ...) said[#said + 1] = table.concat({ ... }) end }
    local environment = setmetatable({
      arg = { root or folder },
      io = setmetatable({ stderr = stderr }, { __index = io }),
      os = { exit = function(well) succeeded = well end },
    }, { __index = _G })
    assert(loadfile(tool, "t", environment))()
    return succeeded, table.concat(said)
  end

  function checker.check_fails(expected)
    local succeeded, said = checker.check()
    assert.is_false(succeeded)
    assert.is_truthy(said:find(expected, 1, true), said)
  end

  function checker.check_holds(root)
    local succeeded, said = checker.check(root)
    assert.equal("", said)
    assert.is_true(succeeded)
  end

  return checker
end
