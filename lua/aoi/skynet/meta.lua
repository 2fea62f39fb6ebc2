---@meta aoi.skynet
-- What editors know of the client of scenes and of a scene: types and one line for each function. Never run.
-- docs/skynet.md says the rest.

---@alias aoi.properties table<integer, string|number|false> # key 0 .. 255; false only in changed: it was removed

---@class aoi.skynet.opts: aoi.traits # of enter, update, join and go
---@field address? integer|string|false # who receives what it sees; default: the sender; false: nobody
---@field data? string # what it looks like, as the game packs it; "": none
---@field extras? number[] # of a scene with the option extras: all of them
---@field stream? integer # 0 .. 2^32 - 1, later than those before; the client sets it
---@field pushes? integer # of update: the count of pushes when the place was chosen; the client sets it
---@field call? integer # of update: counts the calls of the client, which sets it
---@field take_over? boolean # of enter and join: true: an entity that is inside stays where it is, with all it has
---@field anew? boolean # of enter: true: a copy of it that came back from the store leaves first, as go has it

---@class aoi.skynet.known # what is known of an entity in view
---@field [1] number # x
---@field [2] number # y
---@field [3]? number # z, in three dimensions
---@field extras? number[] # in a scene with the option extras
---@field data? string
---@field properties? table<integer, string|number>

---@class aoi.skynet.me # ourselves
---@field [1] number # x
---@field [2] number # y
---@field [3]? number # z, in three dimensions
---@field extras? number[] # in a scene with the option extras
---@field data? string
---@field properties table<integer, string|number>
---@field traits aoi.traits # those that were told
---@field pushes integer # how often others have set the place in this stay
---@field stream integer # of the stay that was told last

---@class aoi.skynet.changes # what others have changed of us; false: removed
---@field data? string|false
---@field properties aoi.properties
---@field traits aoi.traits

---@class aoi.skynet.callbacks
---@field entered? fun(id: aoi.id, x: number, y: number, ...) # [z,] [extras,] data or nil, properties: it came into view
---@field moved? fun(id: aoi.id, x: number, y: number, ...: number) # [z,] [extras]: it moved within the view, or turned
---@field changed? fun(id: aoi.id, data: string?, properties: aoi.properties) # what is other than before
---@field left? fun(id: aoi.id) # it is out of view, or gone
---@field said? fun(id: aoi.id, ...) # one in view says something
---@field me_moved? fun(x: number, y: number, z?: number) # others have set our place
---@field me_changed? fun(changes: aoi.skynet.changes) # others have changed something else of us
---@field notified? fun(...) # a message to us alone, by the command notify
---@field refused? fun(command: string, message: string, id: aoi.id?) # something that was sent, not called, was wrong; id: the entity, or area, that it was about
---@field scene_is? fun(scene: integer) # we are in this scene now, though we have not gone there
---@field lost? fun(scene: integer) # in a world: our entity was lost with its region; we enter again by ourselves
---@field gone? fun(scene: integer, why: "ended"|"removed"|"expelled") # we are no longer in this scene, and in none, though we have not left
---@field view? fun(watcher: aoi.id, left: aoi.id[], entered: number[], moved: number[], dims: integer, changed: aoi.id[], details: table<aoi.id, table>, extras: table<aoi.id, number[]>) # in place of entered, moved, changed and left: flat lists
---@field said_to? fun(watchers: aoi.id[], id: aoi.id, ...) # in place of said
---@field packet? fun(text: string) # each message as it came

---The module aoi.skynet.client.
---@class aoi.skynet.client
local client = {}

---Replaces all callbacks.
---@param list aoi.skynet.callbacks
function client.on(list) end

---Enters a scene, or takes over. Raises when it refuses. Returns the place of an entity that was inside already;
---else nothing.
---@param scene integer
---@param id aoi.id
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts # in two dimensions the opts
---@param opts? aoi.skynet.opts
---@return number? x, number? y, number? z
function client.join(scene, id, x, y, z, opts) end

---Enters another scene with the same id, and leaves the one before. Raises when it refuses; then all is as it was.
---Takes nothing over: a copy that is inside leaves first, if it came back from a store, or with `take_over`.
---@param scene integer
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
function client.go(scene, x, y, z, opts) end

---Leaves the scene; does not wait.
function client.leave() end

---Moves us; at most one message a tick, with the last place. Behind it stand, in this order: z in three dimensions;
---all extras or none; { pushes =, stream = } when the place was chosen, default: as the call finds them.
---@param x number
---@param y number
---@param ... number|{ pushes?: integer, stream?: integer }
function client.move(x, y, ...) end

---Moves us and changes what opts name. Raises when the scene refuses.
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
function client.update(x, y, z, opts) end

---Changes what opts name, and stays where we are. Raises when the scene refuses.
---@param opts aoi.skynet.opts # without anchor, address, stream
function client.set_traits(opts) end

---Sets a property of ours; nil: removes it.
---@param key integer # 0 .. 255
---@param value string|number|nil
function client.set_property(key, value) end

---Says something to all who see us.
---@param ... any
function client.say(...) end

---Asks the scene. Raises when the arguments are wrong.
---@param shape string # rect, circle, sector, segment, nearest, polygon, or a question
---@param ... any
---@return any ...
function client.query(shape, ...) end

---Asks to be notified of all that we see. In no scene it does nothing.
function client.resync() end

---The view, as it was reported last. Do not change it.
---@param watcher? aoi.id # another one of our entities
---@return table<aoi.id, aoi.skynet.known>
function client.known(watcher) end

---Ourselves, as reported, with our own calls on top: a new table; nil before the first packet.
---@param watcher? aoi.id # another one of our entities
---@return aoi.skynet.me?
function client.me(watcher) end

---The number of our stay's stream, as blocks carry it; nil in no scene, and when it is not known yet.
---@return integer?
function client.stream() end

---The scene, and who we are in it; nil when in none.
---@return integer? scene
---@return aoi.id? id
function client.scene() end

---The table that an outbox is made of.
---@class aoi.skynet.outbox.options
---@field send fun(packet: string) # sends it to the client
---@field ask fun(number: integer) # asks the client to send this number back, after what was sent before
---@field resync fun() # asks the scene for a list of all that is in view
---@field overflow fun() # more waits for the client than is kept: close it
---@field tick? number # length of the scene's ticks in ms; default 100
---@field n? integer # most messages that are not acknowledged; default: the larger of 20 and three seconds of ticks
---@field waits? boolean # true: a stay goes on at this client; no view is passed on before a list comes
---@field now? fun(): integer # hundredths of a second; default skynet.now

---The messages to one client, which may be slow: the module aoi.skynet.outbox makes it.
---@class aoi.skynet.outbox
local outbox = {}

---@param of aoi.skynet.outbox.options
---@return aoi.skynet.outbox
function outbox.new(of) end

---Passes on a packet, or what of it is not dropped.
---@param packet string
function outbox:pass_on(packet) end

---The client has given back this number.
---@param number any
function outbox:echo(number) end

---The client has missed something.
function outbox:resync() end

---The callbacks of players: those of the client with the id of the player first.
---@class aoi.skynet.players.callbacks
---@field entered? fun(id: aoi.id, other: aoi.id, x: number, y: number, ...)
---@field moved? fun(id: aoi.id, other: aoi.id, x: number, y: number, ...: number)
---@field changed? fun(id: aoi.id, other: aoi.id, data: string?, properties: aoi.properties)
---@field left? fun(id: aoi.id, other: aoi.id)
---@field said? fun(id: aoi.id, other: aoi.id, ...)
---@field me_moved? fun(id: aoi.id, x: number, y: number, z?: number)
---@field me_changed? fun(id: aoi.id, changes: aoi.skynet.changes)
---@field notified? fun(id: aoi.id, ...)
---@field refused? fun(id: aoi.id?, command: string, message: string)
---@field scene_is? fun(id: aoi.id, scene: integer)
---@field lost? fun(id: aoi.id, scene: integer)
---@field gone? fun(id: aoi.id, scene: integer, why: "ended"|"removed"|"expelled")
---@field packet? fun(id: aoi.id, text: string) # the blocks that are for this player

---The module aoi.skynet.players: what the client is for one entity, for many, by their ids.
---@class aoi.skynet.players
local players = {}

---Replaces all callbacks.
---@param list aoi.skynet.players.callbacks
function players.on(list) end

---@param scene integer
---@param id aoi.id
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
---@return number? x, number? y, number? z
function players.join(scene, id, x, y, z, opts) end

---As client.move, for this player; so are those below.
---@param id aoi.id
---@param x number
---@param y number
---@param ... number|{ pushes?: integer, stream?: integer }
function players.move(id, x, y, ...) end

---@param id aoi.id
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
function players.update(id, x, y, z, opts) end

---@param id aoi.id
---@param opts aoi.skynet.opts # without anchor, address, stream
function players.set_traits(id, opts) end

---@param id aoi.id
---@param key integer # 0 .. 255
---@param value string|number|nil
function players.set_property(id, key, value) end

---@param id aoi.id
---@param scene integer
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
function players.go(id, scene, x, y, z, opts) end

---@param id aoi.id
function players.leave(id) end

---@param id aoi.id
---@param ... any
function players.say(id, ...) end

---@param id aoi.id
---@param shape string # rect, circle, sector, segment, nearest, polygon, or a question
---@param ... any
---@return any ...
function players.query(id, shape, ...) end

---Does nothing when the player is in no scene.
---@param id aoi.id
function players.resync(id) end

---@param id aoi.id
---@return aoi.skynet.me?
function players.me(id) end

---@param id aoi.id
---@return integer?
function players.stream(id) end

---The scene that the player is in; nil: none.
---@param id aoi.id
---@return integer? scene
function players.scene(id) end

---@return aoi.id[]
function players.ids() end

---@param id aoi.id
---@return table<aoi.id, aoi.skynet.known>
function players.known(id) end

---The scene, which the module of handlers gets as first argument. Its functions are the commands of a scene;
---what those refuse is an error here.
---@class aoi.skynet.scene
---@field space aoi.space # its entities; change them through the functions below, which know of addresses and data
---@field dims integer
---@field tick integer # ms; 0: all is reported at once
local scene = {}

---@param id aoi.id
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
function scene.enter(id, x, y, z, opts) end

---@param id aoi.id
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts
---@param opts? aoi.skynet.opts
---@return true
---@return boolean? entered # nil in a world, when its region is asked
function scene.update(id, x, y, z, opts) end

---Behind the place stand z in three dimensions, then all extras or none.
---@param id aoi.id
---@param x number
---@param y number
---@param ... number
function scene.move(id, x, y, ...) end

---@param id aoi.id
function scene.leave(id) end

---Changes what opts name, and stays where it is.
---@param id aoi.id
---@param opts aoi.skynet.opts # without anchor and stream
function scene.set_traits(id, opts) end

---Sets a property; nil: removes it. Data and properties of an entity take at most 16,384 bytes together.
---@param id aoi.id
---@param key integer # 0 .. 255
---@param value string|number|nil
function scene.set_property(id, key, value) end

---Says something to all who see the entity; at most 59,972 bytes, packed.
---@param id aoi.id
---@param ... any
function scene.say(id, ...) end

---A message to the agent of the entity alone, with the tick; at most 59,972 bytes, packed.
---@param id aoi.id
---@param ... any
function scene.notify(id, ...) end

---@param shape string
---@param ... any
---@return any ...
function scene.query(shape, ...) end

---A property of an entity; nil: none, or there is no such entity.
---@param id aoi.id
---@param key integer # 0 .. 255
---@return string|number|nil
function scene.property(id, key) end

---The data of an entity; nil: none, or there is no such entity.
---@param id aoi.id
---@return string?
function scene.data(id) end

---The extras of an entity, as many as the scene has; nil: there is no such entity.
---@param id aoi.id
---@return number? e1, number? e2, number? e3, number? e4
function scene.extras(id) end

---The address that is told what the entity sees; nil: none, or there is no such entity.
---@param id aoi.id
---@return integer?
function scene.address(id) end

---@class aoi.skynet.last: aoi.skynet.known # what an entity was when it left

---Hooks of the life of an entity, in the table that a module of handlers returns; all may be left out.
---@class aoi.skynet.lives
---@field joined? fun(id: aoi.id, how: "new"|"back"|"restored"|"transferred"|"handed")
---@field ended? fun(id: aoi.id, why: "left"|"removed"|"dead"|"refused"|"orphan"|"replaced"|"transferred"|"handed", last: aoi.skynet.last)
---@field taken_over? fun(id: aoi.id) # another address has taken over an entity that goes on

---Notes values that skynet can pack, with the chunk that this tick writes into the store. After a crash the
---hook `logged` gets what was noted since the last full save. Without a store it does nothing.
---@param ... any
function scene.log(...) end

---@param id aoi.id
---@param radius number
function scene.set_radius(id, radius) end

---@param id aoi.id
---@param radius number # in a world at most its max_radius
function scene.set_visible_radius(id, radius) end

---@param watcher aoi.id
---@param marker aoi.id
---@param how boolean? # in a world false or nil
function scene.set_sight(watcher, marker, how) end

---@param id aoi.id
---@param mode aoi.mode
function scene.set_mode(id, mode) end

---@param id aoi.id
---@param bits integer
function scene.set_layers(id, bits) end

---@param id aoi.id
---@param bits integer
function scene.set_sees_layers(id, bits) end

---Crowds: most entities that this one is notified of.
---@param id aoi.id
---@param limit number
function scene.set_limit(id, limit) end

---@param id aoi.id
---@param importance integer # 0 .. 255
function scene.set_importance(id, importance) end

---Crowds: the watcher is always notified of this marker while it sees it.
---@param watcher aoi.id
---@param marker aoi.id
function scene.pin(watcher, marker) end

---@param watcher aoi.id
---@param marker aoi.id
function scene.unpin(watcher, marker) end

---Adds an area. In a world it is there a tick or two later, in all regions that it touches.
---@param area integer
---@param opts aoi.area
function scene.add_area(area, opts) end

---@param area integer
---@param opts aoi.area # what is to change
function scene.set_area(area, opts) end

---Adds the area, or changes what opts names, whichever fits.
---@param area integer
---@param opts aoi.area
---@return true
---@return boolean? added # nil in a world, where it takes effect later
function scene.update_area(area, opts) end

---@param area integer
---@param x number
---@param y number
---@param z? number
function scene.move_area(area, x, y, z) end

---@param area integer
function scene.remove_area(area) end

---The entity goes to another scene, with its address, data, properties and traits, but for what opts name.
---Waits for that scene's answer; an error when it refuses, and the entity stays.
---@param id aoi.id
---@param to integer # address of the other scene
---@param x number
---@param y number
---@param z? number|aoi.skynet.opts # in two dimensions the opts
---@param opts? aoi.skynet.opts
function scene.transfer(id, to, x, y, z, opts) end

---The words that a world is started with, as in "columns=2"; all others are those of a scene.
---@class aoi.skynet.world.options
---@field node string # the name of this node in the cluster
---@field nodes string # of all that begin, with commas between; at most 254
---@field coordinator? string # the node that makes configurations; default: the first of nodes; redis:HOST:PORT
---@field configuration? string # on that node: path of a file for the last configuration; with Redis none
---@field lease? integer # with Redis: ms that the coordinator's lease lasts; default 3000
---@field regions? boolean # false: this node gets none
---@field columns? integer # of regions; default 1
---@field rows? integer
---@field x? number # the lower corner of the map; default 0
---@field y? number
---@field width number
---@field height number
---@field max_radius number # the largest radius of any watcher, and the largest visible radius
---@field margin? number # how far outside its region an entity keeps its owner; default: a tenth of max_radius
---@field tick? integer # ms, a multiple of 10; default 100
---@field silence? number # ms after which a node that says nothing is expelled; default 2000
---@field name? string # under which it is registered on each node; default: world
---@field log? string # path of a file for the commands of this node's regions, as they were applied
---@field orphan? number # ms that entities wait for another agent when its node is lost; default 60000
---@field store? string # path of a folder that the regions of this node are stored in, and come back from
---@field sync? integer # 1: each chunk of a store waits for the disk; default 0
---@field save_every? number # ms between two full saves into the store; default 60000

---The answer of stats() about a node, flat: these, and sums over its regions of the counts of a scene.
---stats("world") gives the sums over all nodes, with by_node and by_region.
---@class aoi.skynet.world.stats
---@field tick integer # the number of the last tick that was told; of all nodes: the least
---@field tick_length integer # ms
---@field regions integer # of this node
---@field owned integer # entities that they own
---@field ghosts integer # entities of other regions that they know of
---@field entities_of_world integer # in all regions of all nodes
---@field hand_overs integer # by regions of this node
---@field moves integer # that were sent by agents of this node, and taken
---@field replaced integer # moves of agents of this node in whose place later ones came before the tick
---@field refused integer # commands of its agents that were sent, and refused here
---@field relayed integer # packets that were given to agents here
---@field dead_addresses integer # agents of this node that were found dead
---@field border_bytes integer # told by its regions to others, on whatever node
---@field bytes_sent integer # to agents, by its regions
---@field lost integer # entities of agents here that were lost with their region
---@field again integer # answers "again"
---@field unknown integer # answers "unknown"
---@field expelled integer # how often this node was expelled
---@field configuration integer # number of the one in effect; 0: none
---@field members integer # nodes that are in it
---@field coordinates integer # 1: the coordinator is on this node; 0: it is not
---@field queued integer # commands that wait to be sent
---@field kept integer # commands that were sent and may have to be sent again
---@field ticks integer # that were told
---@field tick_time number # ms that they have taken
---@field wait_time number # ms for which this node waited for messages of others
---@field waits table<string, number> # node -> ms of these: whose message came last
---@field oldest_call number # ms for which the oldest call without an answer waits; of "world": the most
---@field stood number # ms for which the world stood for the last change; of "world": the most of all nodes
---@field node_pieces integer # messages to other nodes, in pieces of less than 32 kB
---@field node_bytes integer
---@field cpu number # ms, of the services world and region
---@field mailbox integer # messages that wait
---@field by_node? table<string, aoi.skynet.world.stats|string> # of "world" alone: each node's; a text: why not
---@field by_region? table<integer, table> # of "world" alone: what the service of each region counts, and its node

---The service world takes the commands of a scene and these: skynet.call(world, "lua", name, ...).
---@class aoi.skynet.world
local world = {}

---Waits for the tick after the next, or for another configuration.
---@return true? # nil: there is no configuration, or no tick for long
---@return "again"? why
function world.tick() end

---A configuration of a world.
---@class aoi.skynet.world.configuration
---@field number integer # greater than those before
---@field key string # random
---@field members { name: string, key: string }[] # nodes, with the keys of their processes
---@field owners table<integer, string> # region -> node
---@field drained? table<string, true> # nodes that are to go, or have gone

---The configuration in effect on this node.
---@return aoi.skynet.world.configuration? configuration
function world.configuration() end

---Of this node and its regions; with "world" of all of them.
---@param of? "world"
---@return aoi.skynet.world.stats
function world.stats(of) end

---Which node has a region, and the region's service when that is this node.
---@return table<integer, { node: string, address: integer? }>
function world.regions() end

---Moves a region to another node, given by its name. Answers when the region is there; or nil and why not.
---@param region integer
---@param node string
---@return true? moved
---@return number|string pause # ms from the last tick until the world goes on, or a message
function world.migrate(region, node) end

---Has a node be a member, also one that was drained. Answers when it is one; or nil and why not.
---@param node string
---@return true? added
---@return string? message
function world.add_node(node) end

---Has the regions of a node move to others, and then the node go. Answers when it has gone; with a message for
---the coordinator's own node, whose regions alone go (with Redis it goes, too); or nil and why not.
---@param node string
---@return true? drained
---@return string? message
function world.drain_node(node) end

---Has the first configuration be made without nodes that are missing.
---@return true? taken
---@return string? message # it has begun
function world.begin() end

---Where an entity is: its region, the node of that, the address of its agent as a text, and its stream.
---@param id integer
---@return { region: integer, node: string, address: string?, stream: integer? }? where
---@return string? message
function world.where(id) end

---Starts a viewer of a region, on the node that has it; of all of them on one map, on this node, with "world".
---words: those of the service viewer, as in "port=8001".
---@param region integer|"world"
---@param ... string
---@return string? address # for a browser
---@return string? message
function world.viewer(region, ...) end

---Loads the module of handlers again, in all regions of this node; "unknown": one of them hangs.
---@return true? taken
---@return string? message
function world.reload(name) end

---Asks. Over several regions the answer is of one moment, some two ticks later.
---@param shape string # rect, circle, sector, segment, polygon, nearest, or a question
---@param ... any
---@return any ... # nil and a message when it is refused; nil and "again" when nodes fail meanwhile
function world.query(shape, ...) end

return client
