-- Whole files, and folders of a spec. All raise when something can't be done.
local files = {}

function files.read(path)
  local file = assert(io.open(path, "rb"))
  local bytes = file:read "a"
  file:close()
  return bytes
end

function files.write(path, bytes)
  local file = assert(io.open(path, "wb"))
  assert(file:write(bytes))
  assert(file:close())
end

-- Makes an empty folder and returns its path.
function files.new_folder()
  local path = os.tmpname() -- which makes a file
  assert(os.remove(path))
  assert(os.execute("mkdir " .. path))
  return path
end

-- Removes a folder with all in it.
function files.remove(folder)
  assert(os.execute("rm -r " .. folder))
end

return files
