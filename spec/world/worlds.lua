-- Starts a world on all processes of a test, and waits until all of them are its members.
local skynet = require "skynet"

local PATIENCE = 20 -- seconds

local worlds = {}

-- Waits until the nodes (nil: all) are in one configuration with so many members.
function worlds.wait_for(control, members, nodes)
  local limit = skynet.now() + PATIENCE * 100
  for node = 1, nodes or #control.nodes do
    repeat
      local configuration = control.tell(node, "world", "configuration")
      local is_there = configuration and #configuration.members == members
      if not is_there and skynet.now() > limit then
        error(("node %s is in no world of %d members"):format(control.nodes[node], members), 0)
      end
      skynet.sleep(is_there and 0 or 5)
    until is_there
  end
end

-- words_of(control, node) gives the words of a node.
function worlds.start(control, words_of)
  for node = 1, #control.nodes do
    control.tell(node, "start_world", words_of(control, node))
  end
  worlds.wait_for(control, #control.nodes)
end

return worlds
