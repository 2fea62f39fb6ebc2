-- The members of a configuration, by name and by key.
local configurations = {}

-- Members: name -> key; {} of nil.
function configurations.members_of(configuration)
  local keys = {}
  for _, one in ipairs(configuration and configuration.members or {}) do
    keys[one.name] = one.key
  end
  return keys
end

-- Members: key -> name; {} of nil.
function configurations.names_of(configuration)
  local names = {}
  for _, one in ipairs(configuration and configuration.members or {}) do
    names[one.key] = one.name
  end
  return names
end

return configurations
