---@meta aoi
-- The whole interface of the module aoi for the Lua language server, and for readers. To load it is an error, see its end.
--
-- Units: coordinates, radii and sizes are in whatever unit the map is in, all the same one.
-- Errors: every wrong argument raises at the caller's line, and the message names the method, the
-- argument, its value and what was expected. Such a call has changed nothing.
-- Values: a string is never a number here, even when it looks like one. Tables are read and written raw.

---@class aoi
---@field _VERSION string # such as "1.0.0"
local aoi = {}

---The name of an entity: any integer, negative and 64-bit ones too; a float with an integer value counts.
---@alias aoi.id integer

---A kind of event about an ordered pair (watcher, marker). Per pair the sequence is always enter (move)*
---leave.
---@alias aoi.op
---| "enter" # the watcher sees the marker from now on
---| "leave" # the watcher no longer sees the marker
---| "move"  # the marker was moved; the watcher saw it before and still does

---A kind of event that is gathered and drained. In events of areas the area stands in place of the watcher.
---@alias aoi.collected_op
---| aoi.op
---| "area_enter" # the marker is a member of the area from now on
---| "area_leave" # the marker is one no longer

---@alias aoi.mode
---| "wm" # watcher and marker: looks and is seen (default)
---| "w"  # watcher only: looks and is not seen
---| "m"  # marker only: is seen and does not look

---The classic callback: the space comes first.
---@alias aoi.classic_callback fun(space: aoi.space, watcher: aoi.id, marker: aoi.id, op: aoi.op)

---Functions called for events, all optional; events that no handler receives are not computed. A handler may
---call any method of its space (the events of such a call come after the handler has returned), may yield and
---may raise. Arrays that a handler gets are the module's own: valid until the handler returns.
---@class aoi.handlers
---@field on_event? fun(watcher: aoi.id, marker: aoi.id, op: aoi.op) # every event; in a space from the classic call it gets the space first
---@field on_enter? fun(watcher: aoi.id, marker: aoi.id) # only enter
---@field on_leave? fun(watcher: aoi.id, marker: aoi.id) # only leave
---@field on_move? fun(watcher: aoi.id, marker: aoi.id) # only move
---@field on_watchers? fun(marker: aoi.id, op: aoi.op, watchers: aoi.id[], n: integer) # these n watchers are to be notified about this marker: encode once, send to many; a group never spans two changes
---@field on_markers? fun(watcher: aoi.id, op: aoi.op, markers: aoi.id[], n: integer) # this watcher is to be notified about these n markers; together with on_watchers each pair is reported once: here those whose watcher is the changed entity
---@field on_view? fun(watcher: aoi.id, left: aoi.id[], nl: integer, entered: aoi.id[], ne: integer, moved: aoi.id[], nm: integer) # once per watcher and change: all that it lost, gained and saw moving
---@field on_area? fun(area: aoi.id, marker: aoi.id, op: "enter" | "leave") # the marker came into the area, or went out; after the events of views
---@field on_error? fun(err: any, watcher: aoi.id?, marker: aoi.id?, op: aoi.collected_op?) # gets the errors of the other handlers, as a message handler (debug.traceback works, yielding does not); of a group only its subject is given, and no op for on_view; delivery then goes on and the call does not raise. Without it the error reaches the caller, and the events that remain wait for the next changing call or flush

---@class aoi.common_options: aoi.handlers
---@field collect? boolean | aoi.collected_op[] # gather these kinds of events (true: all) for drain, in addition to calling handlers
---@field deferred? boolean # events wait for tick, which reports the net change since the last one; default false
---@field record? boolean # the space keeps every call that takes effect, for recorded(); default false
---@field slack? number # 0 (default) or more: visibility is judged from anchors, which a move takes along only when the place is more than slack away from it on some axis; not in a classic nine-grid

---@field limit? integer|number # with deferred: most markers in the told set of a watcher, 0 .. 2^31-1, or math.huge (default). This, enter_budget, rates or move_budget make a crowd space: each watcher is notified of a part of what it sees, its told set
---@field limit_layers? integer # crowd spaces: bits, default all; markers with none of these layers are always in the told set and not counted
---@field keep_factor? number # crowd spaces: a newcomer must be nearer by this factor to push out one that is in the told set, 1 .. 1000; default 1.2
---@field enter_budget? integer # with deferred: most ranked newcomers per watcher and tick, 1 .. 2^31-1
---@field rates? number[][] # with deferred: rings { distance, period }, such as { { 20, 1 }, { 50, 2 }, { math.huge, 5 } }: up to that distance steps are reported every so many ticks. Distances 0 or more, ascending, the last math.huge; periods 1 .. 2^29 or math.huge (never after the enter), not falling; at most 16
---@field move_budget? integer # with deferred: most move events per watcher and tick, 1 .. 2^31-1

---@class aoi.map_options: aoi.common_options
---@field x? number # the map's lower corner; default 0
---@field y? number # default 0
---@field width number # of the map, above 0; the map is closed on all four sides
---@field height number # of the map, above 0
---@field clamp? boolean # positions outside the map count in the nearest border cell instead of being an error; default false

---A grid with a radius takes cell, or cols and rows, or none of them: the cell then follows the radius.
---A grid without a radius is the classic nine-grid, and takes cell, or cols and rows.
---@class aoi.grid_options: aoi.map_options
---@field engine? "grid"
---@field cols? integer # number of columns of cells, 1 or more; with rows
---@field rows? integer # number of rows of cells, 1 or more; with cols
---@field cell? number # side of a square cell, above 0, in place of cols and rows
---@field radius? number # default view radius, 0 .. math.huge; without it, cells that touch see each other
---@field shape? "square" | "circle" # of a view; default "square"; only with radius
---@field dims? 2 | 3 # default 2; with 3, z is required everywhere (any finite number); only with radius

---A grid with a radius and without width and height has no map: any finite coordinates.
---@class aoi.grid_without_map_options: aoi.common_options
---@field engine? "grid"
---@field radius number # default view radius, 0 .. math.huge
---@field cell? number # side of a cell, above 0; default: follows the radius; required when that is 0 or math.huge
---@field shape? "square" | "circle" # of a view; default "square"
---@field dims? 2 | 3 # default 2; with 3, z is required everywhere (any finite number)

---@class aoi.crosslist_options: aoi.common_options
---@field engine "crosslist"
---@field radius? number # default view radius, 0 .. math.huge; without it every enter needs one
---@field shape? "square" | "circle" # of a view; default "square"
---@field dims? 2 | 3 # default 2; with 3, z is required everywhere (any finite number)

---@class aoi.quadtree_options: aoi.map_options
---@field engine "quadtree"
---@field radius? number # default view radius, 0 .. math.huge; without it every enter needs one
---@field shape? "square" | "circle" # of a view; default "square"
---@field dims? 2 | 3 # default 2; with 3, z is required everywhere (any finite number)
---@field capacity? integer # entities in a leaf before it is quartered, 1 .. 65536; default 64
---@field max_depth? integer # levels below the root, 0 .. 32; default 20

---Makes a space.
---
---Errors: an unknown option, one of another engine, a missing one, a wrong type, NaN, infinity, more than
---16,777,216 cells. Not enough memory: Lua's memory error.
---@param options aoi.grid_options | aoi.grid_without_map_options | aoi.crosslist_options | aoi.quadtree_options # read once, not kept
---@return aoi.space
function aoi.new(options) end

---The classic call: a nine-grid of cols × rows cells over a map from (0, 0) to (width, height), and one
---callback that gets the space first. Errors as above.
---@param width number # of the map, above 0
---@param height number # of the map, above 0
---@param cols integer # cells along x, 1 or more
---@param rows integer # cells along y, 1 or more
---@param callback aoi.classic_callback
---@return aoi.space
function aoi.new(width, height, cols, rows, callback) end

---Makes a space equal to the one of which space:save() made the string: the same calls have the same events
---as sets per change. Waiting events are delivered by the next changing call or flush; those of kinds without a
---handler are dropped. Without handlers nothing new is computed, and waiting events wait until the first
---on. A space from the classic call stays one: its on_event gets the space first.
---
---Errors: the string is damaged, not whole, of another version, or says what no space can be.
---@param string string
---@param handlers? aoi.load_options
---@return aoi.space
function aoi.load(string, handlers) end

---@class aoi.load_options: aoi.handlers
---@field collect? boolean | aoi.collected_op[] # what is gathered from now on, in place of the saved space's option
---@field record? boolean # as in aoi.new

---Where a replay ends, and what it gives.
---@class aoi.replay_options
---@field tick? integer # 0 or more: ends as soon as the space has made the tick of this number
---@field calls? integer # 0 or more: ends as soon as the space has made so many calls
---@field events? table # filled with the events of the calls, as drain does

---Makes the calls of a string from space:recorded() that the space has not made yet; the space was loaded from
---a save of the same history. Calls no handler, drops events that wait, leaves none waiting.
---
---Errors: the string is damaged, has a gap, or one is between the space and it: nothing has changed, and the
---message says how many bytes are whole. A call of another history can't be made: those before it are made.
---@param space aoi.space
---@param string string # one or more that follow each other, joined
---@param options? aoi.replay_options
---@return table? events # options.events; events[3n+1] is nil
---@return integer? n # number of events
function aoi.replay(space, string, options) end

---@class aoi.record_span
---@field from_calls integer # what the space had made before the first of these calls
---@field from_tick integer
---@field to_calls integer # and after the last
---@field to_tick integer
---@field whole integer # bytes from the start that are whole records; the other fields are about these

---From which call and tick to which a string of records goes.
---@param string string
---@return aoi.record_span span
---@return string? problem # why not all bytes are whole
function aoi.record_span(string) end

---A file that aoi.recorder writes to: as files of Lua's io library; methods that return nothing have
---succeeded.
---@class aoi.output
---@field write fun(self: aoi.output, bytes: string): any, string?
---@field flush fun(self: aoi.output): any, string?
---@field close fun(self: aoi.output): any, string?

---@class aoi.recorder_options
---@field append? boolean # continues the file at this path, after its last whole piece; begins one if there is none
---@field keyframe_ticks? integer|number # ticks between two keyframes at most, 1 or more, or math.huge; default 6000
---@field keyframe_bytes? integer|number # bytes of records between two keyframes at most, 1 or more, or math.huge; default 4 MiB, or four times the last keyframe; in crowd spaces a quarter of that
---@field zlib? table|false # lua-zlib's module: pieces are packed

---Writes a recording: a keyframe of the space as it is now, then what it records, which it does from now on.
---A file that exists and is not empty is continued with append, and never overwritten.
---
---Errors: the file can't be opened or written; with append it is no recording, or goes further than the space.
---@param space aoi.space # stays the caller's
---@param file string | aoi.output # a path, or an object that the recorder closes
---@param opts? aoi.recorder_options
---@return aoi.recorder
function aoi.recorder(space, file, opts) end

---Takes 56 bytes of memory for each piece written, until close. A to-be-closed variable may hold it.
---@class aoi.recorder
local recorder = {}

---Appends what was recorded since the last time, in one write, flushed, and a keyframe when one is due.
---
---Errors: the write failed: the recorder has then ended, and the space records no longer.
---@param records? string # what space:recorded() has just given to a caller who wants it for more than this
---@return integer bytes # that were written
function recorder:write(records) end

---Writes what is left and the index, closes the file. The space records no longer. May be called twice.
function recorder:close() end

---A file that aoi.player reads: as files of Lua's io library.
---@class aoi.input
---@field read fun(self: aoi.input, size: integer): string?
---@field seek fun(self: aoi.input, whence: "set" | "end", offset?: integer): integer
---@field close fun(self: aoi.input)

---@class aoi.player_options
---@field zlib? table|false # lua-zlib's module; default: the one that is installed, when a piece is packed

---Opens a recording, and stands at its first moment. What was cut off or is damaged is left out.
---
---Errors: the file can't be opened, is no recording, or has no whole keyframe.
---@param file string | aoi.input # a path, or an object, which the caller closes
---@param opts? aoi.player_options
---@return aoi.player
function aoi.player(file, opts) end

---Moments are numbers: of ticks in a deferred space, of calls in others. Tick n is right after the n-th tick.
---Holds one space, one piece, and about 300 bytes for each piece. A to-be-closed variable may hold it.
---@class aoi.player
---@field space aoi.space # at this moment; not to be changed, and closed when another one takes its place
---@field unit "ticks" | "calls"
---@field problem string? # what could not be read so far, and how many bytes are whole
local player = {}

---Goes to a moment: from where it is, or from the last keyframe before. Takes the time of the calls between.
---
---Errors: n is not a whole number from first() to last().
---@param n integer
---@return integer position # less than n only where moments are missing: then that before the gap
function player:seek(n) end

---Goes n moments on, or back, but not over the ends; a gap is stepped over.
---@param n? integer # default 1
---@return integer position
function player:step(n) end

---The events that led to this moment from the one before; none at first() and after a gap.
---@param t? table # filled and returned, instead of a new table
---@return (aoi.id|aoi.collected_op)[] t # watcher, marker, op, ...; t[3n+1] is nil
---@return integer n # number of events
function player:events(t) end

---@return integer # the first moment of the recording
function player:first() end

---@return integer # the last one
function player:last() end

---@return integer # the moment that player.space is at
function player:position() end

---Closes the space, and the file if it was opened by its path. May be called twice.
function player:close() end

---The space of a recording at its last recorded call, and what could not be read, or nil. nil and a reason when
---there is no file, or no whole keyframe in it.
---
---Errors: the file is something else; a handler is none.
---@param path string
---@param handlers? aoi.handlers # called for what comes from then on
---@return aoi.space? space
---@return string? problem
function aoi.recover(path, handlers) end

---@class aoi.zones_options
---@field id? integer | fun(feature: table, number: integer): integer # the id of each area, in place of the feature's; a number: that of the first one, from which they count up
---@field sees_layers? integer # layer bits of all of them

---Adds an area for each feature of a GeoJSON table, as a JSON reader makes it: a FeatureCollection, a Feature, a
---Polygon or a MultiPolygon, with holes. All is checked before the first is added.
---
---Errors: something else is in the table, an id is in use or no integer, edges of a feature cross or touch; the
---message names the feature.
---@param space aoi.space
---@param features table
---@param opts? aoi.zones_options
---@return aoi.id[] ids # of the areas, in the order of the features
---@return integer n
function aoi.zones(space, features, opts) end

---A scene: entities, who sees whom among them, and the events that wait to be delivered.
---`#space` is the number of entities; tostring(space) tells engine, count and map; a space can be a
---to-be-closed variable. Any use of a closed space but close and tostring is an error.
---
---w sees m when w and m are not the same, w is a watcher, m is a marker, m.layers & w.sees_layers is not 0, and m
---lies in w's view. The view belongs to the watcher: with a radius r, w.x - r <= m.x <= w.x + r and
---the same for y (and z) for "square", and for "circle" also dx*dx + dy*dy (+ dz*dz) <= r*r. In the classic
---nine-grid it is the watcher's cell and the cells that touch it.
---
---A changing call takes effect whole, then delivers all events that wait, oldest first: of one change all
---leave, then all enter, then all move.
---@class aoi.space
---@operator len: integer
local space = {}

---Traits: all of an entity besides its place.
---@class aoi.traits
---@field radius? number # view radius, 0 .. math.huge; default: the space's; an error in the classic nine-grid
---@field visible_radius? number # as a marker, 0 (default) .. math.huge: seen from at least so far; an error in the classic nine-grid
---@field mode? aoi.mode # default "wm"
---@field layers? integer # the layers it shows itself on, 0 .. 2^32-1 as bits, or -1 for all; default 1
---@field sees_layers? integer # the layers it can see, likewise; default all
---@field limit? integer|number # crowd spaces: as a watcher, most markers in its told set, 0 .. 2^31-1 or math.huge; default: the space's
---@field importance? integer # crowd spaces: as a marker, 0 (default) .. 255; greater ones come before nearer ones

---Traits, and where the anchor is.
---@class aoi.entering: aoi.traits
---@field anchor? number[] # { x, y }, in three dimensions { x, y, z }: the point from which visibility is judged, at most the slack away from the position on each axis; without slack the position itself

---Adds an entity.
---
---Errors: id is already in the space; the position is outside the map (without clamp); no radius is known.
---@param id aoi.id
---@param x number # finite
---@param y number # finite
---@param opts? aoi.entering
---@overload fun(self: aoi.space, id: aoi.id, x: number, y: number, z: number, opts?: aoi.entering)
function space:enter(id, x, y, opts) end

---Moves an entity. Moving it to where it is counts as a move.
---
---Errors: id is not in the space; the position is outside the map (without clamp).
---@param id aoi.id
---@param x number # finite
---@param y number # finite
---@param z? number # finite; in three dimensions only, and required there
function space:move(id, x, y, z) end

---Removes an entity and ends every pair it is in; it receives its own `leave` events, too.
---
---Errors: id is not in the space.
---@param id aoi.id
function space:leave(id) end

---Enters an entity, or moves it and changes the given traits, in one change.
---
---Errors: the position is outside the map (without clamp); it enters and no radius is known.
---@param id aoi.id
---@param x number # finite
---@param y number # finite
---@param opts? aoi.entering # inside already: only those given change
---@return boolean entered # false when it was inside already
---@overload fun(self: aoi.space, id: aoi.id, x: number, y: number, z: number, opts?: aoi.entering): boolean
function space:update(id, x, y, opts) end

---Changes a view radius, with the enter and leave events that follow.
---
---Errors: id is not in the space; the space is a classic nine-grid.
---@param id aoi.id
---@param r number # 0 .. math.huge
function space:set_radius(id, r) end

---Changes from how far off a marker is seen at least, with the enter and leave events that follow: a pair is judged
---with the larger of the watcher's radius and this one, around the watcher.
---
---Errors: id is not in the space; the space is a classic nine-grid.
---@param id aoi.id
---@param r number # 0 .. math.huge
function space:set_visible_radius(id, r) end

---The word about one pair: layers and distance no longer count for it, modes do. It survives the marker's leave, and
---ends with the watcher's, with hand_out and clear. With the enter or leave event that follows.
---
---Errors: the watcher is not in the space; both are the same.
---@param watcher aoi.id
---@param marker aoi.id # need not be in the space
---@param how boolean? # true: it always sees it; false: never; nil: as the rule says
function space:set_sight(watcher, marker, how) end

---Changes a mode, with the enter and leave events that follow. Errors: id is not in the space.
---@param id aoi.id
---@param mode aoi.mode
function space:set_mode(id, mode) end

---Changes the layers an entity shows itself on, with the enter and leave events that follow.
---
---Errors: id is not in the space.
---@param id aoi.id
---@param bits integer # 0 .. 2^32-1, or -1 for all
function space:set_layers(id, bits) end

---Changes the layers an entity can see, with the enter and leave events that follow.
---
---Errors: id is not in the space.
---@param id aoi.id
---@param bits integer # 0 .. 2^32-1, or -1 for all
function space:set_sees_layers(id, bits) end

---Crowd spaces: changes how many markers a watcher is notified of at most, from the next tick on.
---
---Errors: id is not in the space; the space is no crowd space.
---@param id aoi.id
---@param n integer|number # 0 .. 2^31-1, or math.huge
function space:set_limit(id, n) end

---Crowd spaces: changes how important a marker is, from the next tick on: greater ones come before nearer ones.
---
---Errors: id is not in the space; the space is no crowd space.
---@param id aoi.id
---@param n integer # 0 .. 255
function space:set_importance(id, n) end

---Crowd spaces: from the next tick on the marker is in the watcher's told set whenever the watcher sees it, and
---is not counted: a friend, a target, an attacker. The pins of a watcher end when it leaves.
---
---Errors: the watcher is not in the space; the space is no crowd space.
---@param watcher aoi.id
---@param marker aoi.id # need not be in the space
function space:pin(watcher, marker) end

---Crowd spaces: the end of a pin; nothing, if there is none. Errors as pin's.
---@param watcher aoi.id
---@param marker aoi.id # need not be in the space
function space:unpin(watcher, marker) end

---Deferred spaces: the entity counts as moved at the next tick, also where it stands still: it turned, or its
---properties have changed. It holds for the id, also when that leaves and comes back before, and goes along in
---`hand_out`. O(1).
---
---Errors: id is not in the space; the space is not deferred.
---@param id aoi.id
function space:touch(id) end

---Deferred spaces: the entity goes to another space, which takes the string that this returns with hand_in: traits,
---place and anchor now and at the last tick, pins, and of whom it was notified. Here the id stays as a marker (mode
---"m"); who sees it goes on seeing it, and it is not notified of leaves. One of mode "w" is gone. In which areas without
---owner it was goes along, and the areas that it owns, with their members: these are gone here, and no leave is reported.
---The string is the only copy, so this call alone delivers nothing, not even what has waited.
---
---Errors: id is not in the space; the space was made without option deferred.
---@param id aoi.id
---@return string entity
function space:hand_out(id) end

---Deferred spaces: takes in an entity that another space has handed out: it enters, or the marker of that id becomes
---it. The next tick reports to it the difference between what it sees then and of whom it was notified; and of areas
---without owner, and those that came along, the difference to the members that they had.
---
---Errors: the string is damaged or of another kind of space; the id is in the space, and watches; an area that it brings
---is there already; its place is outside the map; the space was made without option deferred.
---@param entity string # from hand_out
function space:hand_in(entity) end

---The rows of a batch. A flat list: id, x, y, id, x, y, ... (id, x, y, z, ... in three dimensions). Or a
---string of packed rows, little-endian, as string.pack writes <i8 d d (<i8 d d d), and with "f" as the last
---argument <i8 f f (<i8 f f f).
---@alias aoi.rows (aoi.id|number)[] | string

---Adds many entities: as the single calls one after the other, but all or none, and handlers run after all.
---
---Errors as enter's; the message names the row. No row has taken effect then.
---@param t aoi.rows
---@param n? integer # number of rows; default: as many as t holds
---@param opts? aoi.traits # of all of them
---@param f? "f" # t is a string, of floats
---@overload fun(self: aoi.space, t: aoi.rows, opts: aoi.traits, f?: "f")
---@overload fun(self: aoi.space, t: string, f: "f")
function space:enter_all(t, n, opts, f) end

---Moves many entities: as the single calls one after the other, but all or none, and handlers run after all.
---
---Errors as move's; the message names the row. No row has taken effect then.
---@param t aoi.rows
---@param n? integer # number of rows; default: as many as t holds
---@param skip? "skip" # pass over unknown ids instead of raising
---@param f? "f" # t is a string, of floats
---@return integer? skipped # with "skip": how many rows were passed over
---@overload fun(self: aoi.space, t: string, f: "f")
function space:move_all(t, n, skip, f) end

---Enters or moves many entities: as `update` one after the other, but all or none, and handlers run after all.
---
---Errors as update's; the message names the row. No row has taken effect then.
---@param t aoi.rows
---@param n? integer # number of rows; default: as many as t holds
---@param opts? aoi.traits # of all of them; of those inside already only these change
---@param f? "f" # t is a string, of floats
---@return integer entered # how many were not inside before
---@overload fun(self: aoi.space, t: aoi.rows, opts: aoi.traits, f?: "f"): integer
---@overload fun(self: aoi.space, t: string, f: "f"): integer
function space:update_all(t, n, opts, f) end

---Removes many entities: as the single calls one after the other, but all or none, and handlers run after all.
---
---Errors as leave's; the message names the row. No row has taken effect then.
---@param ids aoi.id[]|string # a list, or packed rows of <i8
---@param n? integer # how many of ids; default: all
function space:leave_all(ids, n) end

---Gives the space another map; the entities stay where they are. Grid and quadtree only. A grid keeps its cell,
---or its cols and rows, whichever was given. In a classic nine-grid enter and leave events may follow, as one
---change; with a radius nobody's view changes. Costs time in proportion to the number of entities.
---
---Errors: an entity would be outside (without clamp); the space has no map; a value is not finite or no size.
---@param x number # lower corner
---@param y number # lower corner
---@param width number # above 0
---@param height number # above 0
function space:set_bounds(x, y, width, height) end

---Whether an entity is in the space.
---@param id aoi.id
---@return boolean
function space:has(id) end

---The true position of an entity; nil for an unknown id.
---@param id aoi.id
---@return number? x
---@return number? y
---@return number? z # in three dimensions only
function space:position(id) end

---The point from which visibility is judged: without slack the position; nil for an unknown id.
---@param id aoi.id
---@return number? x
---@return number? y
---@return number? z # in three dimensions only
function space:anchor(id) end

---The true positions of many entities: t[2i-1], t[2i] are x, y of ids[i], or false, false when it is unknown
---(in three dimensions three entries each).
---@param ids aoi.id[]|string # a list, or packed rows of <i8
---@param n? integer # how many of ids, 0 or more; default: all. A table or "packed" here is t
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <d d (<d d d), NaN for an unknown id
---@return (number|false)[]|string t # the entry after the last is nil
---@return integer n
function space:positions(ids, n, t) end

---All traits of an entity, as enter takes them; nil for an unknown id.
---@param id aoi.id
---@return aoi.traits?
function space:traits(id) end

---The view radius of an entity, 0 in a classic nine-grid; nil for an unknown id.
---@param id aoi.id
---@return number?
function space:radius(id) end

---The ids of all entities, in no particular order.
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:ids(t) end

---Whether a sees b; false for unknown ids.
---@param a aoi.id
---@param b aoi.id
---@return boolean
function space:sees(a, b) end

---The markers that id sees, in no particular order. Errors: id is not in the space.
---@param id aoi.id
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:markers_of(id, t) end

---The watchers that see id, in no particular order. Errors: id is not in the space.
---@param id aoi.id
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:watchers_of(id, t) end

---The markers that id was told of, as of the last tick: its told set in a crowd space, what it saw then in
---another deferred space; elsewhere as markers_of. In no particular order; some may have left since.
---
---Errors: id is not in the space.
---@param id aoi.id
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:told_markers_of(id, t) end

---The watchers that were told of id, as of the last tick: the recipients for news about id between two ticks.
---In no particular order, only those that are in the space now.
---
---Errors: id is not in the space.
---@param id aoi.id
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:told_watchers_of(id, t) end

---The pairs of a watcher about which there is a word: marker, true or false, marker, … in ascending order of the
---markers.
---
---Errors: the watcher is not in the space.
---@param watcher aoi.id
---@param t? table # filled and returned, instead of a new table
---@return (aoi.id|boolean)[] t # t[2*n+1] is nil
---@return integer n # pairs
function space:sights(watcher, t) end

---Why a watcher is notified of a marker, or not; the first of these that holds now.
---@alias aoi.reason
---| "unknown" # one of them is not in the space
---| "self"    # they are the same
---| "mode"    # one is no watcher, or the other no marker
---| "hidden"  # a sight of false; with one of true the next two do not count
---| "layer"   # the watcher sees no layer of the marker
---| "range"   # the marker is not in the view
---| "told"    # crowd spaces: it is in the told set, as of the last tick
---| "limit"   # crowd spaces: it would not be among the first if the tick came now
---| "waits"   # crowd spaces: it comes at the next tick, with enter_budget maybe later
---| "sees"    # other spaces: the watcher sees it

---Why a watcher is notified of a marker, or not.
---@param watcher aoi.id
---@param marker aoi.id
---@return aoi.reason reason
---@return integer? rank # with "limit": its place among those that are ranked, if the tick came now
function space:explain(watcher, marker) end

---The queries below find markers only (no entity of mode "w"), those on any of the given layers. Shapes are
---closed (their borders belong to them), and may reach over the map's borders. They speak of true places.

---Markers in a rectangle between two opposite corners (a box in three dimensions), ascending by id:
---min(x1, x2) <= x <= max(x1, x2), the same for y (and z).
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@param layer_bits? integer # 0 .. 2^32-1, or -1 for all; default all
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
---@overload fun(self: aoi.space, x1: number, y1: number, z1: number, x2: number, y2: number, z2: number, t?: table|"packed", layer_bits?: integer): aoi.id[]|string, integer
function space:query_rect(x1, y1, x2, y2, t, layer_bits) end

---Markers in a disc (a ball in three dimensions), ascending by id: dx*dx + dy*dy (+ dz*dz) <= r*r, inside the
---square (cube) around it.
---@param x number
---@param y number
---@param r number # 0 .. math.huge
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@param layer_bits? integer # 0 .. 2^32-1, or -1 for all; default all
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
---@overload fun(self: aoi.space, x: number, y: number, z: number, r: number, t?: table|"packed", layer_bits?: integer): aoi.id[]|string, integer
function space:query_circle(x, y, r, t, layer_bits) end

---Markers in a sector of a disc, ascending by id; it looks at x and y only. The apex belongs to it.
---@param x number # apex
---@param y number # apex
---@param r number # 0 .. math.huge
---@param direction number # in radians: 0 is towards greater x, a quarter turn towards greater y
---@param angle number # full opening angle in radians, 0 (a ray) and up; a full turn or more is the whole disc
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@param layer_bits? integer # 0 .. 2^32-1, or -1 for all; default all
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:query_sector(x, y, r, direction, angle, t, layer_bits) end

---Markers within width / 2 of a segment (a beam, a charge), ascending by id; it looks at x and y only. A
---segment of length 0 is a disc.
---@param x1 number
---@param y1 number
---@param x2 number
---@param y2 number
---@param width number # 0 .. math.huge
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@param layer_bits? integer # 0 .. 2^32-1, or -1 for all; default all
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:query_segment(x1, y1, x2, y2, width, t, layer_bits) end

---Markers in a polygon, by ascending id: by the even-odd rule over all edges, half-open, and exact. Edges may not
---touch but where neighbours share a corner.
---@param points number[]|number[][] # one ring { x1, y1, x2, y2, ... } of three corners or more, or a list of rings
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@param layer_bits? integer # 0 .. 2^32-1, or -1 for all; default all
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:query_polygon(points, t, layer_bits) end

---A description of an area. It is placed by owner, or by x, y (and z in three dimensions); a polygon by its
---points alone.
---@class aoi.area
---@field shape? "circle" | "square" | "rect" | "polygon" # default "circle"; in three dimensions a ball and a cube; rect and polygon hold for every z
---@field radius? number # circle, square: 0 .. math.huge, required
---@field leave_radius? number # circle, square: radius .. math.huge; members stay members up to here; default: radius
---@field width? number # rect: 0 .. math.huge, required; around its place
---@field height? number # rect: likewise
---@field points? number[]|number[][] # polygon: as for query_polygon, required
---@field owner? aoi.id # an entity: the area goes where it goes, has it as no member, and ends when it leaves
---@field dx? number # finite: so far away from the owner; default 0
---@field dy? number
---@field dz? number # in three dimensions only
---@field x? number # finite: a place of its own
---@field y? number
---@field z? number # in three dimensions only, and required there
---@field sees_layers? integer # the layers whose markers may be members, 0 .. 2^32-1 as bits, or -1 for all; default all

---Adds an area, in one change: those inside come in.
---
---Errors: the area is already in the space; the owner is not; the shape or the place is missing.
---@param area aoi.id # apart from the ids of entities
---@param opts aoi.area
function space:add_area(area, opts) end

---Changes what opts names, in one change: the shape whole, the placement whole, sees_layers. A polygon drops the placement that
---the area had; another shape after a polygon needs one.
---
---Errors: the area or the owner is not in the space.
---@param area aoi.id
---@param opts aoi.area
function space:set_area(area, opts) end

---Adds the area, or changes what opts names, whichever fits, in one change. O(k).
---@param area aoi.id
---@param opts aoi.area
---@return boolean added
function space:update_area(area, opts) end

---Moves an area that was placed by x and y.
---
---Errors: the area is not in the space; it has an owner, or is a polygon.
---@param area aoi.id
---@param x number # finite
---@param y number # finite
---@param z? number # in three dimensions only, and required there
function space:move_area(area, x, y, z) end

---Removes an area: its members go out. Errors: the area is not in the space.
---@param area aoi.id
function space:remove_area(area) end

---The markers in an area, in no particular order.
---
---Errors: the area is not in the space.
---@param area aoi.id
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:members_of(area, t) end

---The areas that an entity is a member of, in no particular order.
---
---Errors: id is not in the space.
---@param id aoi.id
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:areas_of(id, t) end

---Whether an entity is a member of an area; false for unknown ones.
---@param area aoi.id
---@param id aoi.id
---@return boolean
function space:in_area(area, id) end

---All areas, in no particular order.
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
function space:areas(t) end

---The k nearest markers, by distance, then id. A table or "packed" right after k is t.
---@param x number
---@param y number
---@param k integer # 0 or more
---@param max_r? number # 0 .. math.huge: only those in the disc of query_circle; default: no limit
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8
---@param layer_bits? integer # 0 .. 2^32-1, or -1 for all; default all
---@return aoi.id[]|string t # t[n+1] is nil
---@return integer n
---@overload fun(self: aoi.space, x: number, y: number, k: integer, t: table|"packed", layer_bits?: integer): aoi.id[]|string, integer
---@overload fun(self: aoi.space, x: number, y: number, z: number, k: integer, max_r?: number, t?: table|"packed", layer_bits?: integer): aoi.id[]|string, integer
function space:query_nearest(x, y, k, max_r, t, layer_bits) end

---Replaces the whole set of handlers, from the next change on: changes that wait go to the new ones, one
---that is being reported goes on to its end with those that it began with. Kinds of events without a
---handler are dropped, and not made up afterwards. In a space from the classic call on_event gets the
---space first.
---@param handlers aoi.handlers
function space:on(handlers) end

---Delivers the events that wait, as a changing call would. Inside a handler it does nothing.
function space:flush() end

---Deferred spaces: reports the net change since the last tick, as one change: each ordered pair has one
---event at most. `move` means that the marker is at another place than at the last tick, and that the
---watcher saw it then and sees it now. An id that left and came back counts as having stayed. Questions
---and queries always speak of now. What the handlers of a tick change belongs to the next one.
---
---In a crowd space the pairs are those of the told sets, and `move` means that the marker was at another place at
---some tick since the pair's last event than at the tick before.
---
---Errors: the space was made without option deferred; the number is not greater than the last one; the last tick had
---the number 2^53.
---@param n? integer # number of this tick, greater than that of the last one, up to 2^53; default: one more
function space:tick(n) end

---How many events wait to be delivered.
---@return integer
function space:pending() end

---Takes out the events gathered since the last drain: watcher, marker, op, watcher, marker, op, ...
---
---Errors: the space was made without option collect.
---@param t? table|"packed" # filled and returned, instead of a new table; "packed": a string of <i8 i8 B, op being 1 for enter, 2 for leave, 4 for move, 8 and 16 for area_enter and area_leave
---@return (aoi.id|aoi.collected_op)[]|string t # 3n slots; t[3n+1] is nil
---@return integer n # number of events
function space:drain(t) end

---From the next call on the space keeps every call that takes effect, for recorded(), or no longer. What was
---not taken stays. Costs memory until it is taken: a move 10 bytes and its id, 18 when a coordinate is no
---float of 4 bytes. No part of save.
---@param on boolean
function space:record(on) end

---Takes out what was recorded since the last time, for aoi.replay; "" when there is nothing.
---@return string
function space:recorded() end

---The whole space as a string, for aoi.load: options, map, entities, waiting and gathered events, and what the
---next tick needs. Handlers are not in it. The same state gives the same string on every machine.
---@return string
function space:save() end

---Bytes that a space holds, by purpose; all of them together are `bytes`.
---@class aoi.held
---@field entities integer # the entities and their ids, true places, the space itself
---@field index integer # cells, ordered axes or leaves; moves that the index has not been told of
---@field changes integer # deferred: what the changed entities were at the last tick
---@field events integer # events that wait, and those gathered
---@field crowd integer # crowd spaces: told sets, pins, limits and importance; elsewhere 0
---@field areas integer # areas, where they are, and the members of those with a leave_radius
---@field sights integer # words about pairs
---@field tick integer # deferred: what a tick works with
---@field record integer # calls that were recorded and not yet taken
---@field scratch integer # what other calls work with: rows of batches, entities found

---@class aoi.stats
---@field engine string # "grid", "crosslist" or "quadtree"
---@field deferred boolean # the option
---@field dims integer # the option: 2 or 3
---@field entities integer
---@field bytes integer # memory held by the space; Lua's own count does not include it
---@field held aoi.held # what for
---@field cells integer # cells of the map (grid; without a map the places that cells share), blocks of the ordered axes (crosslist), leaves (quadtree)
---@field longest_chain integer # most entities in one cell, block or leaf
---@field depth integer # quadtree: levels below the root; elsewhere 0
---@field delivered integer # events delivered so far; a group counts as the events in it
---@field pending integer # events that wait to be delivered
---@field collected integer # events gathered and not yet drained
---@field changed integer # deferred: entities that the next tick will look at; elsewhere 0
---@field areas integer # number of areas
---@field sights integer # number of pairs about which there is a word
---@field calls integer # calls that changed the space so far; a batch is one
---@field tick integer # the number of the last tick
---@field cols? integer # grid with a map: cells along x
---@field rows? integer # grid with a map: cells along y
---@field cell_width? number # grid with a map
---@field cell_height? number # grid with a map

---Counts and sizes; costs time in proportion to the number of cells.
---@return aoi.stats
function space:stats() end

---Removes all entities, areas, and all waiting and gathered events, without notifying anybody; in a handler also
---that event for the handlers that have not received it yet.
function space:clear() end

---Frees all that the space holds, without notifying anybody. May be called twice, and in a handler.
function space:close() end

-- Its functions do nothing: who requires it should hear of that now.
if _VERSION then
  error('aoi.meta is read by language servers and can\'t be used: require "aoi"', 3)
end

return aoi
