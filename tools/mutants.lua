-- Faults to put into the C code one at a time, and into parts of scenes and worlds, for tools/mutate.lua: in
-- this file, as seen from src/, `to` in the place of `from`, which stands there exactly once (layout does not
-- matter). seen_by names the check that is likely to see the fault, and is tried first; short: part of the
-- short form.
--
-- A fault that changes nothing but speed, or that another part makes up for, does not belong here.

return {
  -- ---- axis.c, axis_scan.c, crosslist.c ----
  {
    file = "index/axis.c", name = "a node with an equal coordinate is looked for past itself",
    from = "block->slot[rank] < key.slot)", to = "block->slot[rank] <= key.slot)",
    seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "a lane is not emptied when its node goes",
    from = "block->coordinate[block->count] = block->other[block->count] = NAN;", to = "",
    seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "the separator of a split is one node too low",
    from = "{high->coordinate[0], high->slot[0], fresh}",
    to = "{low->coordinate[kept - 1], low->slot[kept - 1], fresh}",
    seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "nodes that a split moves do not learn their block",
    from = "remember_block(axis, fresh);", to = "", seen_by = "differential", short = true,
  },
  {
    file = "index/axis.c", name = "nodes that a join moves do not learn their block",
    from = "block->count += source->count; remember_block(axis, number);",
    to = "block->count += source->count;", seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "after a split the upper half is not considered",
    from = "if (!key_less(key, (struct node_key){high->coordinate, high->slot})) position++;",
    to = "(void)high;", seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "a separator with an equal coordinate is passed by",
    from = "return separator->coordinate <= coordinate;",
    to = "return separator->coordinate < coordinate;", seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "a hint is believed that is too far away",
    from = "(position == last || separators[position + 1].coordinate > key.coordinate);",
    to = "1;", seen_by = "regressions",
  },
  {
    file = "index/axis.c", name = "a step to the coordinate of a block's first node stays in the block",
    from = "(block->coordinate[0] < coordinate)", to = "(block->coordinate[0] <= coordinate)",
    seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "an emptied block is not joined with the one before it",
    from = "if (position > 0) axis_join_next(axis, position - 1);", to = "",
    seen_by = "differential",
  },
  {
    file = "index/axis.c", name = "blocks stay apart after a batch",
    from = "axis->batching = false; if (!axis->untidy) return;", to = "if (axis != NULL) return;",
    seen_by = "memory",
  },
  {
    file = "index/axis.c", name = "blocks stay apart when a batch is over",
    from = "axis->batching = false; if (!axis->untidy) return;", to = "",
    seen_by = "memory",
  },
  {
    file = "index/axis_scan.c", name = "a block in which the strip begins is taken whole",
    from = "if (more && (double)strip->low <= row[i].coordinate &&", to = "if (more &&",
    seen_by = "differential",
  },
  {
    file = "index/axis_scan.c", name = "without vectors a strip begins with its block",
    from = "in_band = (strip->low <= along) & (along <= strip->high);",
    to = "in_band = along <= strip->high;",
    seen_by = "differential without vectors",
  },
  {
    file = "index/crosslist.c", name = "the strip at the upper sentinel is empty",
    from = "above = {inner.y2 - slip_y, outer.y2, in.y2,", to = "above = {outer.y2, outer.y2, out.y2,",
    seen_by = "cross_engine", short = true,
  },
  {
    file = "index/crosslist.c", name = "a step longer than the view searches where its strips overlap",
    from = "bool hollow = (in.x1 < in.x2) & (in.y1 < in.y2);",
    to = "bool hollow = ring->inner[0] != 0;", seen_by = "differential",
  },
  {
    file = "index/crosslist.c", name = "who is inside on x in floats is in two strips",
    from = "const float from = next_number(in.x1), to = -next_number(-in.x2);",
    to = "const float from = in.x1, to = in.x2;", seen_by = "large_coordinates",
  },
  {
    file = "index/crosslist.c", name = "a strip ends where it does in doubles",
    from = "left = {outer.x1, inner.x1 + slip_x,", to = "left = {outer.x1, inner.x1,",
    seen_by = "large_coordinates",
  },
  {
    file = "index/crosslist.c", name = "the other axis is searched with the wrong strip",
    from = "return axis_search(y, &lying, first_y, hits);",
    to = "return axis_search(y, &upright, first_y, hits);", seen_by = "differential",
  },
  {
    file = "index/crosslist.c", name = "who is well inside is judged as well",
    from = "kept += 1 - is_inside;", to = "kept++;", seen_by = "differential",
  },
  {
    file = "index/crosslist.c", name = "a step does not change the order on y",
    from = "axis_relocate(&list->axes[AXIS_Y], slot, y, x);", to = "", seen_by = "differential",
  },

  -- ---- tick, old_states.c, late_moves.c, questions.c, pair_judge.c, point_rows.c, pairs.c ----
  {
    file = "tick/stages.h", name = "the longest step does not widen the search",
    from = "(radius + half + tick->longest_half) * (1 + 0x1p-40)", to = "(radius + half)",
    seen_by = "differential_deferred",
  },
  {
    file = "space/old_states.h", name = "with slack, a move is told by the anchors",
    from = "return old->slack->limit > 0 ? old->places.items[number] : (aoi_point){state->x",
    to = "return (aoi_point){state->x",
    seen_by = "differential_slack",
  },
  {
    file = "tick/gather.c", name = "who sees other layers now still counts as what it was",
    from = "before->mode != 0 && entities_alike(before, now) &&",
    to = "before->mode != 0 && before->mode == now->mode && before->layers == now->layers &&",
    seen_by = "deferred",
  },
  {
    file = "tick/gather.c", name = "a step in height counts as flat",
    from = "tick->flat = tick->flat && before->z == now->z;", to = "",
    seen_by = "deferred",
  },
  {
    file = "tick/gather.c", name = "those with an old state take part twice",
    from = "space->entities.at[slot].mode != 0 && !space->entities.at[slot].changed)",
    to = "space->entities.at[slot].mode != 0)", seen_by = "differential_deferred",
  },
  {
    file = "tick/tick_pairs.c", name = "leaves are told where entities are now, and where they were",
    from = "[ARRIVALS] = {NOTHING, NOTHING, ENTERS, moves}",
    to = "[ARRIVALS] = {NOTHING, LEAVES, ENTERS, moves}", seen_by = "differential_deferred",
  },
  {
    file = "tick/tick_pairs.c", name = "those who stand still are looked for where they once were",
    from = "(late_moves_apply(&space->late_moves) && tick_visit_all(tick, visit_still))",
    to = "tick_visit_all(tick, visit_still)", seen_by = "deferred",
  },
  {
    file = "space/late_moves.c", name = "moves of watchers of unusual radius are not applied",
    from = "(in_radius_class(entity) &&", to = "(false && in_radius_class(entity) &&",
    seen_by = "differential_deferred",
  },
  {
    file = "space/late_moves.c", name = "what was applied before memory lacked is not taken off the list",
    from = "memmove(late->slots.items, late->slots.items + passed, "
      .. "late->slots.count * sizeof *late->slots.items);",
    to = "(void)passed;", seen_by = "test-allocation",
  },
  {
    file = "query/box_search.c", name = "a query finds entities where they once were",
    from = "late_moves_apply(&space->late_moves) && index->engine->search", to = "index->engine->search",
    seen_by = "differential_deferred",
  },
  {
    file = "lua/values.h", name = "watchers and markers change their names",
    from = "[AOI_WATCHER] = \"w\", [AOI_MARKER] = \"m\"", to = "[AOI_WATCHER] = \"m\", [AOI_MARKER] = \"w\"",
    seen_by = "differential",
  },
  {
    file = "lua/questions.c", name = "no limit comes back as a large one",
    from = "else if (type == AOI_LIMIT && bits > INT32_MAX) lua_pushnumber(L, HUGE_VAL);", to = "",
    seen_by = "traits",
  },
  {
    file = "query/questions.c", name = "who sees whom is asked of old places",
    from = "if (!late_moves_apply(&space->late_moves)) return AOI_NOMEM;", to = "", seen_by = "deferred",
  },
  {
    file = "events/pairs.c", name = "a single pair is not written apart",
    from = "if (pairs->count > 0) /* else", to = "if (pairs->count > 1) /* else",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/stages.h", name = "of many pairs all count as moved",
    from = "return outcome == MOVES && !moved ? NOTHING : outcome;", to = "return moved ? outcome : outcome;",
    seen_by = "many_pairs",
  },
  {
    file = "tick/many_pairs.c", name = "many pairs are grouped by their watchers always",
    from = "many->is_by_marker[outcome] = by_marker ? UINT32_MAX : 0;",
    to = "many->is_by_marker[outcome] = by_marker ? 0 : 0;", seen_by = "many_pairs",
  },
  {
    file = "tick/stages.h", name = "of kept pairs all count as moved",
    from = "return outcome == MOVES && !moved ? NOTHING : outcome;", to = "return moved ? outcome : outcome;",
    seen_by = "deferred",
  },
  {
    file = "tick/kept_pairs.c", name = "a kept pair is told the wrong way round",
    from = "*next[back][SUBJECT_MARKER] = (struct pair){b, a};",
    to = "*next[back][SUBJECT_MARKER] = (struct pair){a, b};", seen_by = "differential_deferred",
    short = true,
  },
  {
    file = "tick/kept_pairs.c", name = "the second block of kept pairs is not written",
    from = "block != NULL; block = block->next) { for (size_t i = 0; i < block->count; i++) { "
      .. "const aoi_id a = ids[block",
    to = "block == kept->first; block = block->next) { for (size_t i = 0; i < block->count; i++) { "
      .. "const aoi_id a = ids[block", seen_by = "hand_over",
  },
  {
    file = "tick/tick_pairs.c", name = "many pairs are listed, too",
    from = "pairs[list / 2][list % 2].count = before[list / 2][list % 2];", to = "(void)before;",
    seen_by = "many_pairs",
  },
  {
    file = "tick/tick.c", name = "many pairs of those who were handed in are not listed",
    from = "must_be_listed = some_handed ||", to = "must_be_listed =",
    seen_by = "many_pairs",
  },
  {
    file = "tick/tick.c", name = "many pairs are not listed where there are exceptions",
    from = "some_handed || space->visibility.exceptions > 0;", to = "some_handed;",
    seen_by = "many_pairs",
  },
  {
    file = "events/pairs.c", name = "of two lists the second one is written last",
    from = "const uint64_t listed = first <= other ? first : other;", to = "const uint64_t listed = first;",
    seen_by = "differential_deferred",
  },
  {
    file = "events/net_change.c", name = "moves come first, leaves last",
    from = "queue_begin_change(listener->queue); for (int kind = 0; kind < QUEUE_KINDS; kind++) {",
    to = "queue_begin_change(listener->queue); for (int kind = QUEUE_KINDS - 1; kind >= 0; kind--) {",
    seen_by = "differential_deferred", short = true,
  },
  {
    file = "tick/stages.h", name = "a move is told of who stands still",
    from = "outcome == MOVES && !moved ? NOTHING : outcome", to = "moved ? outcome : outcome",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/tick_pairs.c", name = "a watcher of unusual radius is told of itself",
    from = "if (marker->id != watcher->id)", to = "", seen_by = "differential_deferred",
  },
  {
    file = "tick/gather.c", name = "who both went and came looks around twice",
    from = "if (is_one && !also_arrives && !visit(tick, participant,",
    to = "(void)also_arrives; if (is_one && !visit(tick, participant,", seen_by = "differential_deferred",
  },
  {
    file = "tick/gather.c", name = "participants that were passed by stay at hand",
    from = "at_hand->from = first; }", to = "at_hand->from = first; at_hand->to = end; }",
    seen_by = "test-memory",
  },
  {
    file = "tick/gather.c", name = "others are judged as who stands in the place of their numbers",
    from = "points->keys[at].index = numbers[points->keys[at].index];", to = "(void)at;",
    seen_by = "differential_deferred",
  },
  {
    file = "events/net_change.c", name = "many pairs are written for groups alone",
    from = "|| change->are_many;", to = ";", seen_by = "many_pairs",
  },
  {
    file = "tick/tick_pairs.c", name = "pairs count as well inside however far the other one went",
    from = "return radius_inside(rule, radius) - half - tick->longest_half;",
    to = "return radius_inside(rule, radius) - half;", seen_by = "deferred",
  },
  {
    file = "sight/sight.h", name = "the corners of a square count as inside a circle",
    from = "square_in_circle = 0.7071", to = "square_in_circle = 1",
    seen_by = "deferred",
  },
  {
    file = "tick/gather.c", name = "unusual watchers are forgotten when the last one is usual",
    from = "tick->some_unusual = tick->some_unusual || !usual;", to = "tick->some_unusual = !usual;",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/tick.c", name = "pairs of the last tick are told again",
    from = "pairs[outcome][0].count = pairs[outcome][1].count = 0;",
    to = "(void)outcome;", seen_by = "test-allocation",
  },
  {
    file = "tick/aoi_tick.c", name = "old states are kept after the tick",
    from = "old_states_clear(&space->old_states);", to = "", seen_by = "deferred",
  },
  {
    file = "space/old_states.c", name = "the state that takes a freed number leaves its true place behind",
    from = "if (old->places.items != NULL) old->places.items[number] = old->places.items[last];", to = "",
    seen_by = "deferred",
  },
  {
    file = "space/old_states.c", name = "who comes back does not count as changed",
    from = "old->of_slot.items[slot] = number; entity->changed = 1;",
    to = "old->of_slot.items[slot] = number;",
    seen_by = "deferred",
  },
  {
    file = "space/old_states.c", name = "the state of who came and went is not taken out",
    from = "if (old->states[number].mode == 0) {", to = "if (old->states[number].mode > 3) {",
    seen_by = "deferred", short = true,
  },
  {
    file = "space/old_states.c", name = "who comes back is still among the gone",
    from = "idmap_remove(&old->gone, IDS_OF(old->states, id), number); " ..
      "old->states[number].current_slot = slot;",
    to = "old->states[number].current_slot = slot;", seen_by = "deferred",
  },
  {
    file = "space/old_states.c", name = "every change adds an old state",
    from = "if (!old->entities->at[slot].changed) add_state(old", to = "add_state(old", seen_by = "deferred",
  },
  {
    file = "space/old_states.c", name = "the old true place is not kept",
    from = "if (old->slack->limit > 0) old->places.items[number] = place;", to = "(void)place;",
    seen_by = "deferred",
  },
  {
    file = "tick/pair_judge.c", name = "the way back is judged by the way there's layers",
    from = "_mm_shuffle_epi32(other_bits, 0xB1)", to = "_mm_shuffle_epi32(other_bits, 0xA0)",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/pair_judge.c", name = "who is seen on the way back is who is seen on the way there",
    from = "(sight & BACK_SEES ? SEES : 0)", to = "(sight & THERE_SEES ? SEES : 0)",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/pair_judge.c", name = "without vectors the layers of the last tick decide",
    from = "markers[] = {stance_before(marker, 0, 0), stance_now(marker, 0, 0)};",
    to = "markers[] = {stance_before(marker, 0, 0), {marker->now, 0, 0, marker->shown_before, 0}};",
    seen_by = "differential_deferred without vectors",
  },
  {
    file = "tick/pair_judge.h", name = "watchers of unusual radius see the layers of the last tick",
    from = "radius, one->shown_now, one->looked_now};",
    to = "radius, one->shown_before, one->looked_now};", seen_by = "differential_deferred",
  },
  {
    file = "tick/point_rows.c", name = "the next row is searched from the point's own column on",
    from = "column > span ? column - span : 0;",
    to = "column;", seen_by = "differential_deferred with a crowd",
  },
  {
    file = "tick/point_rows.c", name = "the next row is not searched",
    from = "next_end = row + 1 < points->rows ? starts[row + 2] : row_end;", to = "next_end = row_end;",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/point_rows.c", name = "no allowance for rounding outside",
    from = "(float)(outer + slip)", to = "(float)(outer + 0x1p-147)", seen_by = "differential_deferred",
  },
  {
    file = "tick/point_rows.c", name = "no allowance for rounding inside",
    from = "(float)(inner - slip)", to = "(float)inner", seen_by = "deferred",
  },
  {
    file = "tick/point_rows.c", name = "no allowance for what is least in a float",
    from = "* 0x1p-21 + 0x1p-147;", to = "* 0x1p-21;", seen_by = "regressions",
  },
  {
    file = "tick/point_rows.c", name = "the top row around a point is not searched",
    from = "row <= high.row; row++)", to = "row < high.row; row++)", seen_by = "differential_deferred",
  },
  {
    file = "events/pairs.c", name = "negative ids come after positive ones",
    from = "return (uint64_t)subject_of(pair, by) ^ FIRST_BIT;",
    to = "return (uint64_t)subject_of(pair, by);", seen_by = "deferred",
  },

  -- ---- change.c ----
  {
    file = "space/change.c", name = "a step is not written to the index of the radius class",
    from = "indexes->engine->relocate(indexes->classes[entity->radius_class].index, slot, " ..
      "after->x, after->y);",
    to = "(void)0;", seen_by = "differential",
  },
  {
    file = "space/change.c", name = "another radius in the same class is not written down",
    from = "is_unusual && entity->radius == after->radius;",
    to = "is_unusual && entity->radius_class == after->radius_class;", seen_by = "differential",
  },
  {
    file = "space/change.c", name = "who stands still and sees other layers counts as unchanged",
    from = "sight_radius(rule, before) == sight_radius(rule, after) && entities_alike(before, after);",
    to = "sight_radius(rule, before) == sight_radius(rule, after) && before->mode == " ..
      "after->mode && before->layers == after->layers;",
    seen_by = "differential",
  },
  {
    file = "space/change.c", name = "positions outside the map are taken",
    from = "if (!space->map.clamp) return AOI_OUTSIDE;", to = "", seen_by = "errors",
  },
  {
    file = "space/change.c", name = "the anchor never moves",
    from = "if (slack_keeps_anchor(&space->slack, entity, (aoi_point){after->x, after->y, after->z})) {",
    to = "{", seen_by = "slack",
  },
  {
    file = "space/change.c", name = "an unusual move is not noted for the indexes",
    from = "if (moves && space->late_moves.used) { late_moves_note(&space->late_moves, slot);",
    to = "if (moves && space_moves_late(space)) { (void)slot;", seen_by = "differential_deferred",
  },
  {
    file = "space/change.c", name = "with another radius an update keeps the class",
    from = "if (traits != NULL && (traits->given & AOI_TRAIT_RADIUS)) set_radius_class(space, &after);",
    to = "", seen_by = "differential",
  },
  {
    file = "space/change.c", name = "a change is not noted for the next tick",
    from = "if (space->deferred) old_states_note_change(&space->old_states, slot);",
    to = "", seen_by = "deferred",
  },
  {
    file = "space/change.c", name = "an unusual move leaves the true place behind",
    from = "change_entity(space, slot, change->after, change->visible); " ..
      "slack_set_place(&space->slack, slot, change->place);",
    to = "change_entity(space, slot, change->after, change->visible);",
    seen_by = "differential_slack",
  },
  {
    file = "space/change.c", name = "who leaves changes nothing about what is usual",
    from = "return call_done(space, choose_usual_after(space, 1, status));",
    to = "return call_done(space, status);", seen_by = "usual_radius",
  },
  {
    file = "space/change.c", name = "the watcher and the marker of an enter change places",
    from = "{AOI_ENTER, SEGMENT_SUBJECT_WATCHES}", to = "{AOI_ENTER, 0}", seen_by = "differential",
  },
  {
    file = "space/change.c", name = "who gathers what areas tell gathers what watchers see",
    from = "if (lists[i].op & ops)", to = "if ((lists[i].op | lists[i].side) & ops)", seen_by = "kinds",
  },

  -- ---- move.c ----
  {
    file = "space/move.c", name = "a usual move may leave the map",
    from = "if (map_holds(&space->map, x, y) &&",
    to = "if (x - x + y - y == 0 &&", seen_by = "errors",
  },
  {
    file = "space/move.c", name = "a step of unusual radius is taken for a usual one",
    from = "entity_is_usual(&space->entities.at[slot])) {", to = "slot != NO_SLOT) {",
    seen_by = "differential",
  },
  {
    file = "space/course.c", name = "in three dimensions a usual move forgets the height",
    from = "[SIGHT_CUBE] = {BY_CHANGE, BY_CHANGE}",
    to = "[SIGHT_CUBE] = {BY_SEARCH, BY_NOTE}", seen_by = "three_dimensions",
  },
  {
    file = "space/course.c", name = "a usual move of a deferred space is told at once",
    from = "[SIGHT_SQUARE] = {BY_SEARCH, BY_NOTE}",
    to = "[SIGHT_SQUARE] = {BY_SEARCH, BY_SEARCH}", seen_by = "deferred",
  },
  {
    file = "space/course.c", name = "every engine takes steps",
    from = "space->step != NULL ? BY_STEP",
    to = "space->visibility.rule != SIGHT_CELLS ? BY_STEP", seen_by = "differential",
  },
  {
    file = "space/course.c", name = "with circles, a usual move of a deferred space is told at once",
    from = "[SIGHT_CIRCLE] = {BY_SEARCH, BY_NOTE}",
    to = "[SIGHT_CIRCLE] = {BY_SEARCH, BY_SEARCH}", seen_by = "differential_deferred",
  },
  {
    file = "space/move.c", name = "a deferred nine-grid does not note moves inside a cell",
    from = "if (space->deferred) return note_move_of_cells(space, slot, x, y);", to = "",
    seen_by = "deferred",
  },
  {
    file = "space/move.c", name = "a deferred move forgets the cell",
    from = "if (status == AOI_OK) space_locate(space, entity);", to = "", seen_by = "differential_deferred",
  },
  {
    file = "space/move.c", name = "who listens for moves is told of none inside a cell",
    from = "if ((space_ops(space) & AOI_MOVE) ||",
    to = "if (", seen_by = "differential",
  },
  {
    file = "space/move.c", name = "what is no step is no move",
    from = "case STEP_OTHERWISE: break;", to = "case STEP_OTHERWISE: return AOI_OK;",
    seen_by = "differential",
  },
  {
    file = "space/move.c", name = "a usual move inside the slack is not told",
    from = "if (stays && !(ops & AOI_MOVE))",
    to = "if (stays)", seen_by = "slack",
  },
  {
    file = "space/move.c", name = "a usual move inside the slack moves the anchor",
    from = "if (!stays) { entity->x = x;", to = "(void)stays; { entity->x = x;",
    seen_by = "slack",
  },
  {
    file = "space/move.c", name = "a usual move leaves the true place behind",
    from = "slack_set_place(&space->slack, slot, (aoi_point){x, y, 0});", to = "", seen_by = "slack",
  },
  {
    file = "space/move.c", name = "a usual move is not noted for the next tick",
    from = "return AOI_NOMEM; old_states_note_change(&space->old_states, slot);", to = "return AOI_NOMEM;",
    seen_by = "deferred",
  },
  {
    file = "space/move.c", name = "a usual move is not noted for the indexes",
    from = "if (late) late_moves_note(&space->late_moves, slot); else",
    to = "if (!late)", seen_by = "deferred",
  },
  {
    file = "space/move.c", name = "a usual move of a deferred space moves the anchor inside the slack",
    from = "stays = space->slack.limit > 0 && " ..
      "slack_keeps_anchor(&space->slack, entity, (aoi_point){x, y, 0});",
    to = "stays = false; (void)entity;", seen_by = "differential_slack",
  },
  {
    file = "space/move.c", name = "a usual move is not written to the index",
    from = "if (!stays) index->engine->relocate(index, slot, x, y);", to = "", seen_by = "differential",
  },
  {
    file = "space/move.c", name = "a usual move of a deferred space is not written to the index",
    from = "else index->engine->relocate(index, slot, x, y);", to = "else (void)index;",
    seen_by = "differential_deferred",
  },
  {
    file = "space/move.c", name = "who listens for moves gets the short way of who does not",
    from = "ops & AOI_MOVE ? space->step_with_moves : space->step;",
    to = "space->step;", seen_by = "differential",
  },

  -- ---- batch.c ----
  {
    file = "space/batch.c", name = "taking moves back forgets the true places",
    from = "change_entity(space, undo->slot, &before, space_visible(space, undo->slot)); " ..
      "slack_set_place(&space->slack, undo->slot, undo->place);",
    to = "change_entity(space, undo->slot, &before, space_visible(space, undo->slot));", seen_by = "slack",
  },
  {
    file = "space/batch.c", name = "taking a batch back forgets the cells",
    from = "space_locate(space, &before);", to = "", seen_by = "deferred",
  },
  {
    file = "space/batch.c", name = "taking a batch back forgets the heights",
    from = "before.z = undo->position.z;", to = "", seen_by = "test-allocation",
  },
  {
    file = "space/batch.c", name = "taking updates back forgets the true places",
    from = "change_entity(space, undo->slot, &undo->before, undo->visible); " ..
      "slack_set_place(&space->slack, undo->slot, undo->place);",
    to = "change_entity(space, undo->slot, &undo->before, undo->visible);", seen_by = "snapshot",
  },
  {
    file = "space/batch.c", name = "taking updates back forgets who was changed",
    from = "change_entity(space, undo->slot, &undo->before, undo->visible);", to = "",
    seen_by = "packed_rows",
  },
  {
    file = "space/batch.c", name = "taking updates back leaves those who entered",
    from = "take_back_enter(batch, row); return;", to = "return;",
    seen_by = "packed_rows",
  },
  {
    file = "space/batch.c", name = "an id enters twice in one batch of updates",
    from = "slot = space_find(space, row->id); undo->slot", to = "undo->slot",
    seen_by = "differential_batches",
  },
  {
    file = "space/batch.c", name = "updates change nothing about what is usual",
    from = "batch.counted + (count - batch.counted) * change_counts_for_usual(traits)", to = "0",
    seen_by = "usual_radius",
  },
  {
    file = "space/look_ahead.h", name = "the slot of another row is kept for a row",
    from = "look_at_entity(space, &rows[row + SEARCH_AHEAD]);",
    to = "look_at_entity(space, &rows[row + SEARCH_AHEAD - 1]);", seen_by = "differential_batches",
  },
  {
    file = "space/look_ahead.h", name = "the first rows are not looked at",
    from = "ahead.pays && row < SEARCH_AHEAD && row < count;", to = "false;",
    seen_by = "differential_batches",
  },
  {
    file = "space/batch.c", name = "taking a batch back leaves its events",
    from = "queue_take_back(&space->pending, batch->pending);", to = "",
    seen_by = "differential_batches",
  },
  {
    file = "space/batch.c", name = "taking a batch back leaves its collected events",
    from = "queue_take_back(&space->collected, batch->collected);", to = "", seen_by = "delivery",
  },
  {
    file = "space/batch.c", name = "taking a batch back leaves the first who entered",
    from = "while (row > 0) take_back(batch, --row);", to = "while (row > 1) take_back(batch, --row);",
    seen_by = "differential_batches",
  },
  {
    file = "space/batch.c", name = "a batch that is taken back leaves its moves noted",
    from = "take_back(batch, --row); old_states_take_back(&space->old_states, batch->noted);",
    to = "take_back(batch, --row);", seen_by = "test-allocation",
  },
  {
    file = "space/batch.c", name = "those who leave together see each other go twice",
    from = "space->entities.at[slot].mode}; space->entities.at[slot].mode = 0;",
    to = "space->entities.at[slot].mode};",
    seen_by = "differential_batches",
  },
  {
    file = "space/batch.c", name = "who is in a batch twice leaves twice",
    from = "slot == NO_SLOT || space->entities.at[slot].mode == 0)", to = "slot == NO_SLOT)",
    seen_by = "deferred",
  },
  {
    file = "space/batch.c", name = "a deferred batch makes room for one who leaves",
    from = "old_states_reserve(&space->old_states, row + 1)",
    to = "old_states_reserve(&space->old_states, 1)",
    seen_by = "deferred",
  },
  {
    file = "space/batch.c", name = "who is skipped does not count",
    from = "*skipped = batch.counted;", to = "*skipped = 0;", seen_by = "differential_batches",
  },
  {
    file = "index/buckets.c", name = "a crowd whose left part is well inside the view is inside it",
    from = "const bool inner = (left < s->inner_x) & (right < s->inner_x) &",
    to = "const bool inner = (left < s->inner_x) &", seen_by = "events",
  },
  {
    file = "index/buckets.c", name = "a crowd is outside the view when its left side is",
    from = "const bool outer = (-left > s->outer_x) |", to = "const bool outer = (left > s->outer_x) |",
    seen_by = "events",
  },
  {
    file = "index/buckets.h", name = "who steps out of a crowd does not widen its extent",
    from = "if (extent != 0) bucket_extent_widen(&buckets->extents.items[extent], (float)x, (float)y);",
    to = "(void)extent;", seen_by = "events",
  },
  {
    file = "index/buckets.c", name = "a new block of a crowd does not know its extent",
    from = "buckets->extent_of.items[first] = buckets->extent_of.items[bucket->first];",
    to = "buckets->extent_of.items[first] = 0;", seen_by = "events",
  },
  {
    file = "space/step.c", name = "a view that has the right side of the map inside has the left one, too",
    from = "return (inner.x1 < map->x1) &", to = "return (inner.x1 < map->x2) &",
    seen_by = "events",
  },
  {
    file = "space/batch.c", name = "those who leave together change nothing about what is usual",
    from = "rebuild_for_usual_radius(space, count);", to = "",
    seen_by = "usual_radius",
  },

  -- ---- entities.c, slack.h ----
  {
    file = "entity/entities.c", name = "a free slot is forgotten",
    from = "entities->free_slot = slot;", to = "", seen_by = "differential",
  },
  {
    file = "entity/entities.c", name = "a slot that is taken stays free",
    from = "entities->free_slot = entities->at[slot].next_free_slot;", to = "", seen_by = "differential",
  },
  {
    file = "entity/entities.c", name = "who takes a slot is noted a second time",
    from = "entities->at[slot].late = late;", to = "entities->at[slot].late = 0; (void)late;",
    seen_by = "deferred",
  },
  {
    file = "entity/entities.c", name = "who has left is found by id",
    from = "idmap_remove(&entities->ids, IDS_OF(entities->at, id), slot);", to = "", seen_by = "differential",
  },
  {
    file = "entity/entities.h", name = "who has left is found in the slot that its id tells of",
    from = "entities->at[guess].id == id && entities->at[guess].mode != 0)",
    to = "entities->at[guess].id == id)", seen_by = "differential",
  },
  {
    file = "entity/entities.h", name = "whoever is in the slot that an id tells of is taken for it",
    from = "guess < entities->used && entities->at[guess].id == id &&",
    to = "guess < entities->used &&", seen_by = "differential",
  },
  {
    file = "entity/entities.c", name = "who has left still counts",
    from = "entities->count--;", to = "", seen_by = "differential",
  },
  {
    file = "space/slack.h", name = "a step as long as the slack moves the anchor",
    from = "fabs(place.x - entity->x) <= slack->limit", to = "fabs(place.x - entity->x) < slack->limit",
    seen_by = "slack",
  },
  {
    file = "space/slack.h", name = "a step along y as long as the slack moves the anchor",
    from = "fabs(place.y - entity->y) <= slack->limit", to = "fabs(place.y - entity->y) < slack->limit",
    seen_by = "slack",
  },
  {
    file = "space/slack.h", name = "a step up as long as the slack moves the anchor",
    from = "fabs(place.z - entity->z) <= slack->limit", to = "fabs(place.z - entity->z) < slack->limit",
    seen_by = "slack",
  },
  {
    file = "space/slack.h", name = "with slack an entity is at its anchor",
    from = "return slack->limit > 0 ? slack->places.items[slot]",
    to = "return slack->limit < 0 ? slack->places.items[slot]", seen_by = "slack",
  },

  -- ---- what is given back: high_water.c and those who ask it ----
  {
    file = "base/array.c", name = "a grown array forgets its items",
    from = "if (count > 0) memcpy(resized, items, count * item_size);", to = "", seen_by = "test-memory",
  },
  {
    file = "base/array.c", name = "what is refused is counted as room",
    from = "if (resized == NULL && total > 0) return items;",
    to = "if (resized == NULL && total > 0) { *capacity = total; return items; }",
    seen_by = "test-memory",
  },
  {
    file = "base/pool.c", name = "a pool is never one block",
    from = "pool->wanted = most + most / SPARE_PART;", to = "", seen_by = "test-memory",
  },
  {
    file = "base/pool.c", name = "pieces of a pool lie on each other",
    from = "pool->used += bytes;", to = "pool->used += bytes / 2;", seen_by = "test-memory",
  },
  {
    file = "base/high_water.c", name = "room goes back after one quiet period",
    from = "if (mark->quiet < quiet_periods << ", to = "if (mark->quiet < 1U << ", seen_by = "memory_held",
  },
  {
    file = "base/high_water.c", name = "room never goes back",
    from = "if (mark->quiet < quiet_periods << ", to = "if (mark->quiet / 1000 < quiet_periods << ",
    seen_by = "memory_held", short = true,
  },
  {
    file = "base/high_water.c", name = "room goes back where all of it is used",
    from = "return used > most - most / 4;", to = "return used > most;", seen_by = "test-memory",
  },
  {
    file = "base/high_water.c", name = "quiet periods count that were not in a row",
    from = "is_quiet ? mark->quiet + 1 : 0;", to = "mark->quiet + is_quiet;", seen_by = "memory_held",
    short = true,
  },
  {
    file = "base/high_water.c", name = "what was used before room went back is not forgotten",
    from = "mark->most = mark->quiet = mark->since = 0;", to = "mark->quiet = mark->since = 0;",
    seen_by = "test-memory",
  },
  {
    file = "base/high_water.c", name = "what a period used counts for the next one, too",
    from = "mark->used = 0;", to = "", seen_by = "memory_held",
  },
  {
    file = "base/high_water.c", name = "each burst is a new one",
    from = "return !reaches(larger(mark->most, mark->too_early), mark->used);", to = "return mark->used > 0;",
    seen_by = "memory",
  },
  {
    file = "base/high_water.c", name = "room is kept no longer when it went back too early",
    from = "mark->mistakes += mark->mistakes < MOST_MISTAKES;", to = "", seen_by = "test-memory",
  },
  {
    file = "base/high_water.c", name = "room that went back too early once is kept longer for ever",
    from = "mark->too_early = mark->mistakes = 0;", to = "mark->too_early = 0;", seen_by = "test-memory",
  },
  {
    file = "events/queue.c", name = "the last pair of a segment has another one behind it",
    from = "queue->index + 1 < segment_count(segment)) {", to = "queue->index < segment_count(segment)) {",
    seen_by = "deferred",
  },
  {
    file = "events/queue.c", name = "the first burst is kept",
    from = "high_water_end(&queue->use, QUIET_CALLS) || is_first",
    to = "high_water_end(&queue->use, QUIET_CALLS) && !is_first", seen_by = "memory",
  },
  {
    file = "events/queue.c", name = "events that are taken back are not noted",
    from = "note_taken(queue); queue->words.count = queue->head + mark.words;",
    to = "queue->words.count = queue->head + mark.words;", seen_by = "test-memory",
  },
  {
    file = "space/life.c", name = "in a deferred space deliveries are periods, too",
    from = "queue->use.used == 0 || space->deferred", to = "queue->use.used == 0",
    seen_by = "test-memory",
  },
  {
    file = "tick/scratch.c", name = "pairs of a crowded tick are kept",
    from = "if (high_water_end(&scratch->use, QUIET_TICKS))", to = "if (false)",
    seen_by = "memory_held",
  },
  {
    file = "tick/scratch.c", name = "the pool of a crowded tick is kept",
    from = "pool_end(&space->tick_pool);", to = "space->tick_pool.used = 0;",
    seen_by = "memory_held",
  },
  {
    file = "space/old_states.c", name = "states of those who came and went are not noted",
    from = "high_water_note(&old->use, old->count); uint32_t last", to = "uint32_t last",
    seen_by = "test-memory",
  },
  {
    file = "space/old_states.c", name = "old states of a crowded tick are kept",
    from = "if (high_water_end(&old->use, QUIET_TICKS)) free_states(old);", to = "",
    seen_by = "memory_held",
  },
  {
    file = "space/scratch.c", name = "rows of a large batch are kept",
    from = "high_water_note(&space->visibility.use, count);", to = "", seen_by = "memory_held",
  },
  {
    file = "sight/search.h", name = "what a search has found is not noted",
    from = "high_water_note(&visibility->use, visibility->hits.count + visibility->inside.count);",
    to = "", seen_by = "test-memory",
  },
  {
    file = "entity/idmap.c", name = "the id map stays as large as it was",
    from = "map->count < size_of(map) / 16", to = "map->count + size_of(map) < 16",
    seen_by = "memory_held",
  },
  {
    file = "entity/idmap.c", name = "a smaller id map forgets some",
    from = "for (size_t i = 0; i < size_of(map); i++)", to = "for (size_t i = 0; i < size; i++)",
    seen_by = "memory_held",
  },

  -- ---- queue.c, telling.c ----
  {
    file = "events/queue.c", name = "the queue slides down and keeps its end",
    from = "queue->head = 0; queue->words.count = used;", to = "queue->head = 0;",
    seen_by = "packed_rows",
  },
  {
    file = "events/queue.c", name = "changes grow together when kinds are dropped",
    from = "if (starts) flags |= SEGMENT_STARTS_CHANGE;", to = "", seen_by = "deferred",
  },
  {
    file = "events/queue.c", name = "events taken back still count",
    from = "queue->events = mark.events;", to = "", seen_by = "differential_batches",
  },
  {
    file = "events/queue.c", name = "the next segment begins where the last one ended",
    from = "queue->index = index & ~is_last;", to = "queue->index = index;", seen_by = "differential",
  },
  {
    file = "events/telling.c", name = "a telling is advanced twice",
    from = "progress->index++;", to = "progress->index += 2;", seen_by = "differential_groups",
    short = true,
  },
  {
    file = "events/telling.c", name = "views are told from the highest id on",
    from = "if (!found || subject < telling->subject)", to = "if (!found || subject > telling->subject)",
    seen_by = "differential_deferred",
  },
  {
    file = "events/telling.c", name = "a look at an event is the end of the groups",
    from = "return (wants & AOI_TELL_EVENT) && peek_event(queue, AOI_TELL_EVENT, telling);",
    to = "if (!(wants & AOI_TELL_EVENT)) return false; queue_enter_stage(queue, IN_EVENTS); " ..
      "return peek_event(queue, AOI_TELL_EVENT, telling);",
    seen_by = "test-replay",
  },
  {
    file = "events/telling.c", name = "a view goes on into another kind",
    from = "segment != NULL && subject_watches(segment) && op_of(segment) == queue_order[kind];",
    to = "segment != NULL && subject_watches(segment);", seen_by = "differential_groups",
  },
  {
    file = "events/telling.c", name = "on{} has the rest of a change",
    from = "progress->is_older = true; progress->wants = listeners->before;",
    to = "progress->wants = listeners->before;", seen_by = "handlers_replaced",
  },
  {
    file = "events/telling.c", name = "on{} takes the areas out of a change that has begun",
    from = "progress->wants = listeners->before; fixed = change_words(queue);",
    to = "progress->wants = listeners->before; fixed = part_words(queue);",
    seen_by = "handlers_replaced",
  },
  {
    file = "events/telling.c", name = "a second on{} is what a change has begun with",
    from = "if (progress->is_older) {", to = "if (progress->is_older && queue->words.count == 0) {",
    seen_by = "handlers_replaced",
  },
  {
    file = "events/telling.c", name = "those who listen after a load are not the first",
    from = "} else if (listeners->are_first) {",
    to = "} else if (listeners->are_first && queue->words.count == 0) {",
    seen_by = "handlers_replaced",
  },
  {
    file = "events/telling.c", name = "the first handlers go back to a stage that is over",
    from = "if (next > last) { queue_drop_part(queue); return 0; }", to = "", seen_by = "handlers_replaced",
  },
  {
    file = "area/area_found.c", name = "areas are a change of their own",
    from = "i < 2; i++) { if (ops[i] & AOI_AREA_LEAVE) pairs_write(",
    to = "i < 2; i++) { queue_begin_change(queues[i]); if (ops[i] & AOI_AREA_LEAVE) pairs_write(",
    seen_by = "handlers_replaced",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "another one's entity is removed for a dead agent",
    from = "local is_theirs = scene.addresses.of[id] == address",
    to = "local is_theirs = true", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "an entity is entered twice while a handler waits",
    from = "inside = scene.space:has(key) -- another one",
    to = "inside = false -- another one", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/steps.lua", name = "extras are put behind a move that waits",
    from = "(scene.tick == 0 or scene.space:pending() > 0) then -- handlers may",
    to = "scene.tick == 0 then -- handlers may", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/ticks.lua", name = "a tick cuts the hook of before it in two",
    from = "parts.lives.when_started(function() ok, message = pcall(ticks.tell)",
    to = "skynet.fork(function() ok, message = pcall(ticks.tell)", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "an entity that has left has that of another agent leave",
    from = "entering.leave_there(where, key, math.type(ok) and ok)",
    to = "entering.leave_there(where, key)", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "a scene that ends has told nothing of one on its way",
    from = "local may_have_been = not called or not ok",
    to = "local may_have_been = not ok and called", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "an entity on its way keeps the address of before a load",
    from = "local present = scene.addresses.of[key] -- another",
    to = "local present = address -- another", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "records are remembered while a handler waits",
    from = "elseif this ~= running then",
    to = "elseif false then", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/notices.lua", name = "a full save that fails forgets what is stored",
    from = "is_stored = is_stored or next(waiting) ~= nil -- what",
    to = "is_stored = next(waiting) ~= nil -- what", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a client takes the name of a scene for its address",
    from = "address = skynet.localname(to)", to = "address = to", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/lives.lua", name = "another space comes before lives are noted",
    from = "parts.entities.finish_all()", to = "", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua", name = "a giver has back what its taker has written",
    from = "return list.tick > one.tick", to = "return false", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/queries.lua", name = "a query leaves out regions that are read",
    from = "return nil -- it is read from its store", to = "-- it is read from its store",
    seen_by = "skynet_world_interleaved",
  },
  {
    file = "../lua/aoi/skynet/world.lua", name = "the hook lost is not called",
    from = "skynet.send(address, \"lua\", \"lost\", ids)", to = "",
    seen_by = "skynet_world_interleaved",
  },
  {
    file = "../lua/aoi/skynet/world.lua", name = "a world's own command is refused without a word",
    from = "parts.agents.refuse(source, name, message, id)", to = "",
    seen_by = "skynet_world_interleaved",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "a tick does not wait for hooks of lives",
    from = "skynet.fork(parts.lives.when_started, function()", to = "skynet.fork(skynet.fork, function()",
    seen_by = "skynet_world_interleaved",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "a scene gets an address as a world has it",
    from = "copy.address = handle_of(address)", to = "",
    seen_by = "skynet_world_interleaved",
  },
  {
    file = "../lua/aoi/skynet/region/addresses.lua", name = "packets that wait stay where a region was",
    from = "self.packets = state.packets", to = "", seen_by = "skynet_world_interleaved",
  },
  {
    file = "../lua/aoi/skynet/known.lua", name = "nobody hears of a list of a stay before",
    from = "self.hear.late_list(watcher, block.stream)", to = "", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a late list of our own scene has us leave",
    from = "if is_ours and hearing.source() ~= scene then", to = "if is_ours then", seen_by = "skynet_client",
  },
  {
    file = "lua/delivery.c", name = "an error goes to the on_error of the event before",
    from = "lua_settop(L, FRAME_RESULT); /* the on_error of the event before", to = "/* the on_error",
    seen_by = "handlers_replaced",
  },
  {
    file = "lua/records.c", name = "aoi.replay says to call it with a colon",
    from = "if (to_space(L, 1) == NULL)", to = "if (false)", seen_by = "records",
  },
  {
    file = "lua/records.c", name = "a refused replay drops what waits",
    from = "aoi_replay(self->space, bytes, size, &span, &now, &complaint);", to = "AOI_OK; (void)now;",
    seen_by = "records",
  },
  {
    file = "../lua/aoi/recorder.lua", name = "a keyframe is made ahead of what is written",
    from = "return is_due and self.space:stats().calls == self.last.to_calls", to = "return is_due",
    seen_by = "recorder",
  },
  {
    file = "../lua/aoi/player.lua", name = "a step goes past all integers",
    from = "math.max(-most, math.min(most, whole))", to = "whole", seen_by = "player",
  },
  {
    file = "lua/delivery.c", name = "the end of a change is heard by those of the next",
    from = "set = next_set(L, self); /* the change of those before may have been over */", to = "",
    seen_by = "handlers_replaced",
  },
  {
    file = "lua/delivery.c", name = "a finalizer replaces the handlers of a group that is made",
    from = "get_reference(L, FRAME_SPACE, next_set(L, self) + handler);",
    to = "get_reference(L, FRAME_SPACE, handler);", seen_by = "handlers_replaced",
  },
  {
    file = "lua/delivery.c", name = "nobody hears the rest of a change when on{} names none",
    from = "self->handlers == 0 || is_delivering",
    to = "(self->handlers & ~HAS_EARLIER) == 0 || is_delivering", seen_by = "handlers_replaced",
  },
  {
    file = "lua/handlers.c", name = "handlers that are done are kept",
    from = "self->handlers &= ~HAS_EARLIER; drop_set(L, EARLIER);", to = "self->handlers &= ~HAS_EARLIER;",
    seen_by = "handlers_replaced",
  },
  {
    file = "events/telling.c", name = "moves of a tick are grouped by watcher",
    from = "op == AOI_MOVE ? SUBJECT_MARKER : SUBJECT_WATCHER;",
    to = "op == AOI_MOVE ? SUBJECT_WATCHER : SUBJECT_WATCHER;", seen_by = "deferred",
  },
  {
    file = "events/telling.c", name = "regrouping a change loses the next one",
    from = "anew.words.count += rest;", to = "",
    seen_by = "deferred",
  },

  -- ---- idmap.c, bounds.c, rebuild.c, indexes.c ----
  {
    file = "entity/idmap.c", name = "whoever is at home stays behind a gap",
    from = "((probe - home) & mask) >= ((probe - hole) & mask)",
    to = "((probe - home) & mask) > ((probe - hole) & mask)", seen_by = "differential",
  },
  {
    file = "entity/idmap.c", name = "the map of ids is filled to its last place",
    from = "more <= most && map->count <= most - more",
    to = "more <= 2 * most && map->count <= 2 * most - more", seen_by = "differential",
  },
  {
    file = "space/rebuild.c", name = "a lack of memory leaves entities the handles of an index that is gone",
    from = "entity->class_handle = notes->class_handle;", to = "", seen_by = "test-allocation",
  },
  {
    file = "space/rebuild.c", name = "a lack of memory leaves some of the events",
    from = "queue_take_back(&space->pending, rebuild->pending);", to = "",
    seen_by = "test-allocation",
  },
  {
    file = "space/rebuild.c", name = "another map leaves the cells as they were",
    from = "space_locate(space, entity);", to = "", seen_by = "differential_bounds",
  },
  {
    file = "space/bounds.c", name = "new bounds that fail leave everybody noted as changed",
    from = "old_states_take_back(&space->old_states, noted);",
    to = "(void)noted;", seen_by = "test-allocation",
  },
  {
    file = "space/bounds.c", name = "a deferred nine-grid does not note the old cells",
    from = "if (!space_is_classic(space) || !space->deferred) return true;",
    to = "if (space != NULL) return true;", seen_by = "deferred",
  },
  {
    file = "space/rebuild.c", name = "a lack of memory leaves another usual radius",
    from = "space->indexes = rebuild->indexes;",
    to = "const double usual = space->indexes.usual_radius; space->indexes = rebuild->indexes; " ..
      "space->indexes.usual_radius = usual;",
    seen_by = "test-allocation",
  },
  {
    file = "space/rebuild.c", name = "a lack of memory leaves other radius classes",
    from = "entity->cell = notes->cell; space_classify(space, entity);",
    to = "entity->cell = notes->cell;", seen_by = "test-allocation",
  },
  {
    file = "space/rebuild.c", name = "whoever came first says what is usual, for ever",
    from = "space->radius_changes += changes;", to = "(void)changes;", seen_by = "usual_radius",
  },
  {
    file = "index/indexes.c", name = "a radius that all are far below stays usual",
    from = "|| *radius < indexes->usual_radius / 2", to = "", seen_by = "usual_radius",
  },
  {
    file = "index/indexes.c", name = "the smallest radius of a class is not noted",
    from = "class->smallest = fmin(class->smallest, entity->radius);", to = "", seen_by = "differential",
  },
  {
    file = "index/indexes.c", name = "the largest radius of a class is not noted",
    from = "class->largest = fmax(class->largest, entity->radius);", to = "", seen_by = "differential",
  },
  {
    file = "index/indexes.c", name = "no room is made in the index of a class",
    from = "(!in_radius_class(entity) || indexes_reserve_class(indexes, entity->radius_class));",
    to = "entity != NULL;", seen_by = "differential",
  },
  {
    file = "index/indexes.c", name = "who leaves stays in the index of its class",
    from = "if (in_radius_class(&indexes->setup.entities->at[slot])) " ..
      "indexes_remove_from_class(indexes, slot);",
    to = "", seen_by = "differential",
  },
  {
    file = "index/indexes.c", name = "a clear leaves watchers of unusual radius counted",
    from = "indexes->unusual_watchers = 0;", to = "", seen_by = "differential",
  },
  {
    file = "index/indexes.c", name = "the radii of those who do not watch say what is usual",
    from = "if (!(entity->mode & AOI_WATCHER)) continue;", to = "if (entity->mode == 0) continue;",
    seen_by = "usual_radius",
  },
  {
    file = "index/indexes.c", name = "a batch does not begin in the indexes of classes",
    from = "indexes->engine->begin_batch(indexes->classes[i].index);", to = "(void)0;",
    seen_by = "test-allocation",
  },
  {
    file = "index/indexes.c", name = "a class that comes in a batch does not know of it",
    from = "class->index != NULL && indexes->batching", to = "false", seen_by = "regressions",
  },

  -- ---- orientation.c, polygon.c ----
  {
    file = "shape/orientation.c", name = "rounding decides near a line",
    from = "return exact_orientation(a, b, p);", to = "return sign_of(determinant);", seen_by = "polygons",
  },
  {
    file = "shape/orientation.c", name = "rounding is believed without a bound",
    from = "(3.0 + 16.0 * EPSILON) * EPSILON", to = "0.0", seen_by = "polygons",
  },
  {
    file = "shape/orientation.c", name = "a product loses its last part",
    from = "of_a.low * of_b.low - error", to = "-error", seen_by = "polygons",
  },
  {
    file = "shape/polygon.c", name = "several rings count as one chain",
    from = ".is_joined = first + count <= polygon->starts.items[ring + 1]", to = ".is_joined = true",
    seen_by = "polygons",
  },
  {
    file = "shape/polygon.c", name = "edges are open below",
    from = "from_below = edge.from.y <= p.y, to_below = edge.to.y <= p.y",
    to = "from_below = edge.from.y < p.y, to_below = edge.to.y < p.y", seen_by = "polygons",
  },
  {
    file = "shape/polygon.c", name = "who stands on a rising edge is inside",
    from = "return from_below ? orientation(edge.from, edge.to, p) > 0",
    to = "return from_below ? orientation(edge.from, edge.to, p) >= 0", seen_by = "polygons",
  },
  {
    file = "shape/polygon.c", name = "neighbours may go back along each other",
    from = "return (forward && turns_back(edges[a], edges[b]))", to = "return (false)", seen_by = "polygons",
  },
  {
    file = "shape/polygon.c", name = "a corner that repeats is a fault of edges",
    from = "if (corner.x != next.x || corner.y != next.y)", to = "if (true)", seen_by = "polygons",
  },
  {
    file = "shape/polygon.c", name = "half of the pairs of edges are not looked at",
    from = "return fault.is_there ? fault : find_fault(polygon, chains[cut].right, other);",
    to = "return fault;", seen_by = "polygons",
  },
  -- ---- quadtree.c ----
  {
    file = "index/quadtree.c", name = "a point on the middle line goes to the left",
    from = "(x >= node->x ? 1 : 0)", to = "(x > node->x ? 1 : 0)", seen_by = "deferred",
  },
  {
    file = "index/quadtree.c", name = "a leaf keeps who steps onto its far border",
    from = "y < region->y2;", to = "y <= region->y2;", seen_by = "differential_areas",
  },
  {
    file = "index/quadtree.c", name = "a search begins in a region that is not high enough",
    from = "tree->nodes[start].region.y1 <= outer.y1 &&", to = "", seen_by = "quadtree_distributions",
  },
  {
    file = "index/quadtree.c", name = "leaves stay quartered after a batch",
    from = "} else if (merges) {", to = "} else if (merges && !tree) {", seen_by = "memory",
  },
  {
    file = "index/quadtree.c", name = "quarters are not given back",
    from = "tree->free_four = first;", to = "", seen_by = "differential",
  },
  {
    file = "index/quadtree.c", name = "after a split the entity goes to the parent",
    from = "leaf = leaf_at(tree, leaf, x, y);", to = "", seen_by = "differential",
  },
  {
    file = "index/quadtree.c", name = "a step inside a leaf is not written",
    from = "buckets_set(&tree->buckets, handle, x, y);", to = "", seen_by = "differential",
  },

  -- ---- query.c, sort.c, memory.c ----
  {
    file = "query/box_search.h", name = "a query forgets the slack",
    from = "return limit > 0 ? limit + (fabs(bound) + limit) * 0x1p-50 : 0;",
    to = "return (void)limit, fabs(bound) * 0;", seen_by = "differential_slack",
  },
  {
    file = "query/query.c", name = "a shape is open above",
    from = "at->y <= shape->high.y &&", to = "at->y < shape->high.y &&",
    seen_by = "differential_queries",
  },
  {
    file = "query/query.c", name = "of two as near the higher id wins",
    from = "a.square == b.square && a.id > b.id", to = "a.square == b.square && a.id < b.id",
    seen_by = "differential_queries",
  },
  {
    file = "query/query.c", name = "a sector of more than half a circle ends at both edges",
    from = "return left || right;", to = "return left && right;", seen_by = "differential_queries",
  },
  {
    file = "query/query.c", name = "queries find watchers that are no markers",
    from = "(entity->mode & AOI_MARKER) != 0 &&", to = "", seen_by = "differential_queries",
  },
  {
    file = "query/query.c", name = "a segment goes on past its end",
    from = "if (!(t < 1)) t = 1;", to = "", seen_by = "differential_queries",
  },
  {
    file = "base/sort.c", name = "runs of sorted ids are left unmerged",
    from = "width *= 2)", to = "width *= 4)", seen_by = "differential_queries",
  },
  {
    file = "base/complaint.c", name = "what is wrong is said with its last letter cut off",
    from = "vsnprintf(complaint->text, sizeof complaint->text, format, values);",
    to = "complaint->text[vsnprintf(complaint->text, sizeof complaint->text, format, values) - 1] = 0;",
    seen_by = "errors_areas",
  },
  {
    file = "base/memory.c", name = "what is given back still counts",
    from = "memory->bytes += new_size - old_size;", to = "memory->bytes += new_size;",
    seen_by = "construct", short = true,
  },

  -- ---- ring.c, step_ring.h, judge.h, sight_pairs.h, visibility.c ----
  {
    file = "index/ring.c", name = "the hole of a ring reaches as far as its wider side",
    from = "fmin(below, above)", to = "fmax(below, above)", seen_by = "differential_queries",
  },
  {
    file = "index/ring.c", name = "the hole of a ring makes no allowance for rounding",
    from = "- ring_allowance(fabs(middle) + outer);", to = "+ 0 * outer;", seen_by = "large_coordinates",
  },
  {
    file = "index/ring.c", name = "a box makes no allowance for rounding",
    from = "half + ring_allowance(size)}", to = "half}", seen_by = "large_coordinates",
  },
  {
    file = "sight/step_ring.h", name = "half a step does not widen the ring",
    from = ".outer = xy_of(largest) + wall,", to = ".outer = xy_of(largest + allowance),",
    seen_by = "differential",
  },
  {
    file = "sight/step_ring.h", name = "half a step does not narrow the hole of the ring",
    from = ".inner = xy_of(radius_inside(rule, smallest)) - wall,",
    to = ".inner = xy_of(radius_inside(rule, smallest) - allowance),", seen_by = "differential",
  },
  {
    file = "sight/step_ring.h", name = "half a step does not thicken the walls of other radii",
    from = ".wall = wall};", to = ".wall = xy_of(allowance)};", seen_by = "differential",
  },
  {
    file = "sight/step_ring.h", name = "the corners of a square count as inside a circle of another radius",
    from = ".inner_part = radius_inside(rule, 1),", to = ".inner_part = 1,", seen_by = "differential",
  },
  {
    file = "sight/step_ring.h", name = "a step makes no allowance for rounding",
    from = "double allowance = ring_allowance(size);", to = "double allowance = 0 * size;",
    seen_by = "large_coordinates",
  },
  {
    file = "sight/judge.h", name = "an entity sees itself",
    from = "counts = slot != self;", to = "counts = 1 | (slot == self);", seen_by = "differential",
  },
  {
    file = "sight/judge.h", name = "watchers of a class are found in the main index, too",
    from = "(0U - (counts & (unsigned)(is_unusual(entity) == unusual)));",
    to = "(0U - counts); (void)unusual;", seen_by = "differential",
  },
  {
    file = "sight/sight_pairs.h", name = "who changes layers is judged by the layers from before",
    from = "second = alike ? first : (watcher2->looked_for & marker2->shown) != 0;",
    to = "second = alike ? first : (watcher1->looked_for & marker1->shown) != 0;", seen_by = "modes",
  },
  {
    file = "sight/sight_pairs.h", name = "of two circles compared at once the first decides about both",
    from = "second = _mm_and_pd(second, _mm_unpackhi_pd(round, round));",
    to = "second = _mm_and_pd(second, _mm_unpacklo_pd(round, round));", seen_by = "differential",
  },
  {
    file = "sight/sight_pairs.h", name = "of two squares compared at once both have the first radius",
    from = "reach2 = xy_of(radius2);", to = "reach2 = xy_of(radius1);", seen_by = "differential",
  },
  {
    file = "sight/sight_pairs.h", name = "of two circles compared at once both have the first radius",
    from = "largest = {radius1 * radius1, radius2 * radius2};",
    to = "largest = {radius1 * radius1, radius1 * radius1};", seen_by = "differential",
  },
  {
    file = "sight/sight_pairs.h", name = "of two views compared at once only x decides",
    from = "return inside & inside >> 1 & (IN_FIRST | IN_SECOND);",
    to = "return inside & (IN_FIRST | IN_SECOND);", seen_by = "differential",
  },
  {
    file = "sight/sight_pairs.h", name = "of four views compared at once only x decides",
    from = "_mm256_unpackhi_pd(there, back));", to = "_mm256_unpacklo_pd(there, back));",
    seen_by = "differential_deferred",
  },
  {
    file = "sight/sight_pairs.h", name = "of four circles compared at once only one axis decides",
    from = "_mm256_permute_pd(squares, 5)", to = "squares", seen_by = "differential_deferred",
  },
  {
    file = "sight/visibility.c", name = "a step is not told to watchers of unusual radius",
    from = "if ((directions & AS_MARKER) && !step_in_classes(judgement, &change))",
    to = "if (visibility->indexes->unusual_watchers > 1 && (directions & AS_MARKER) && " ..
      "!step_in_classes(judgement, &change))",
    seen_by = "differential",
  },
  {
    file = "sight/search.c", name = "half a map is a whole map",
    from = "radius > reach + rounding);", to = "radius > reach / 2 + rounding);",
    seen_by = "events",
  },
  {
    file = "sight/search.c", name = "who sees the whole map is told of no step",
    from = "if (!wants_inside && sees_whole_map(visibility, at->smallest))",
    to = "if (sees_whole_map(visibility, at->smallest))", seen_by = "differential",
  },
  {
    file = "sight/judge.h", name = "well inside, watchers of a class are found in the main index, too",
    from = "(size_t)(is_unusual(other) == unusual) &", to = "", seen_by = "differential",
  },
  {
    file = "sight/visibility.c", name = "one watcher of unusual radius is not asked",
    from = "visibility->indexes->unusual_watchers == 0 ||",
    to = "visibility->indexes->unusual_watchers <= 1 ||", seen_by = "differential",
  },
  {
    file = "sight/search.c", name = "who sees other layers changes no pair well inside",
    from = "if (!entities_alike(before, after)) return false;",
    to = "if (before->mode != after->mode || before->layers != after->layers) return false;",
    seen_by = "differential",
  },
  {
    file = "sight/search.c", name = "two views that nearly touch are searched apart",
    from = "allowance = 8 * ring_allowance(largest);", to = "allowance = 0 * largest;",
    seen_by = "large_coordinates",
  },

  -- ---- visible radii and sights: beacons.c, sights.c, exceptions.c, tick_exceptions.c ----
  {
    file = "sight/exceptions.h", name = "the smaller of both radii counts",
    from = "own > visible ? own : visible", to = "own < visible ? own : visible",
    seen_by = "differential", short = true,
  },
  {
    file = "sight/exceptions.c", name = "the visible radius of the watcher counts, not the marker's",
    from = "const double own = is_after ? change->visible_after : change->visible_before;",
    to = "const double own = is_after ? change->visible_before : change->visible_after;",
    seen_by = "differential",
  },
  {
    file = "sight/exceptions.h", name = "watchers who see far are not asked beside a visible radius",
    from = "least >= indexes->usual_radius && indexes->unusual_watchers == 0;",
    to = "least >= indexes->usual_radius;", seen_by = "differential",
  },
  {
    file = "sight/exceptions.h", name = "a visible radius below the usual one decides alone",
    from = "return least > 0 && least >= indexes->usual_radius &&", to = "return least > 0 &&",
    seen_by = "differential",
  },
  {
    file = "sight/exceptions.c", name = "a beacon sees no other one",
    from = "return beacons->all.count > (is_one ? 1 : 0);", to = "return beacons->all.count > 0 && !is_one;",
    seen_by = "differential",
  },
  {
    file = "sight/exceptions.c", name = "of a marker seen from afar, who is near is told twice",
    from = "!in_view_of(change, before, marker, before->radius) &&", to = "", seen_by = "differential",
  },
  {
    file = "sight/exceptions.c", name = "watchers around a marker seen from afar are not looked for",
    from = "keep_seen(change, AS_MARKER, ENTERED_WATCHERS, false) && search_watchers(change));",
    to = "keep_seen(change, AS_MARKER, ENTERED_WATCHERS, false));", seen_by = "differential", short = true,
  },
  {
    file = "sight/exceptions.c", name = "markers seen from afar are not looked for",
    from = "!keep_seen(change, AS_WATCHER, ENTERED_MARKERS, false) || !search_beacons(change)",
    to = "!keep_seen(change, AS_WATCHER, ENTERED_MARKERS, false)", seen_by = "differential",
  },
  {
    file = "sight/exceptions.c", name = "who goes on being seen from afar is told to have left",
    from = "!keep_seen(change, AS_WATCHER, LEFT_MARKERS, true) ||", to = "", seen_by = "differential",
  },
  {
    file = "sight/exceptions.c", name = "words about the changed entity do not count",
    from = "(!(directions & AS_MARKER) || apply_all_words(change, AS_MARKER))", to = "true",
    seen_by = "differential", short = true,
  },
  {
    file = "sight/exceptions.c", name = "a pair with a word is told by the rule, too",
    from = "kept += i >= found[number] || !id_list_has(&sorted, list->ids[i]);", to = "kept++;",
    seen_by = "differential",
  },
  {
    file = "sight/exceptions.h", name = "a word counts for one who does not watch",
    from = "word == AOI_SIGHT_ALWAYS && (watcher->mode & AOI_WATCHER) != 0 &&",
    to = "word == AOI_SIGHT_ALWAYS &&", seen_by = "differential",
  },
  {
    file = "sight/beacons.c", name = "an entity does not know that it is a beacon",
    from = "entity->beacon = radius > 0;", to = "entity->beacon = 0;", seen_by = "sights",
  },
  {
    file = "sight/beacons.c", name = "from where a beacon may be seen is listed once",
    from = "if (!area_grid_holds(&beacons->boxes, slot, &box)) {",
    to = "if (beacons->boxes.places[slot].level == NO_LEVEL) {", seen_by = "sights_in_motion",
  },
  {
    file = "sight/beacons.c", name = "a marker seen from afar stays where it was",
    from = "if (beacon->radius < INFINITY) place_box(beacons, slot);",
    to = "if (beacon->radius < 0) place_box(beacons, slot);", seen_by = "differential",
  },
  {
    file = "sight/borders.c", name = "the border of a marker seen from afar stays where it was",
    from = "fabs(border->x - other->x) * border->inverse <= most &&", to = "", seen_by = "differential",
  },
  {
    file = "sight/beacons.c", name = "from two cells a beacon is listed twice",
    from = "*entered, TO, left));", to = "*entered, TO, NULL));", seen_by = "sights_in_motion",
  },
  {
    file = "sight/borders.c", name = "a border is thought to be where rounding has not put it",
    from = "#define LISTED_ROOM 0.375", to = "#define LISTED_ROOM 0.0", seen_by = "sights_in_motion",
  },
  {
    file = "sight/beacons.c", name = "a long step is taken for one from cell to cell",
    from = "if (!is_beside(last_column, column) || !is_beside(last_row, row))", to = "if (0)",
    seen_by = "sights_in_motion",
  },
  {
    file = "sight/borders.h", name = "a step out of a beacon's reach crosses no border",
    from = "(float4_greater(first, last) < rows[2])", to = "(first < rows[2])", seen_by = "sights_in_motion",
  },
  {
    file = "sight/borders.c", name = "far from 0 a beacon's reach has no inside of a negative radius",
    from = "inner = border->radius > off ? float_below(border->radius - off) : 0;",
    to = "inner = float_below(border->radius - off);", seen_by = "differential_groups",
  },
  {
    file = "sight/borders.c", name = "a border that comes keeps cells that it was not in",
    from = "(at[0] <= column && column <= at[1])", to = "(at[0] - 1 <= column && column <= at[1])",
    seen_by = "sights_in_motion",
  },
  {
    file = "sight/borders.c", name = "what floats round is not allowed for at a beacon's border",
    from = "off = size * 0x1p-20 + 0x1p-60;", to = "off = 0;", seen_by = "sights_in_motion",
  },
  {
    file = "sight/borders.c", name = "the fifth beacon of a cell is looked for, and those after it are not",
    from = "at = at == NOT_CHAINED ? at : chained[at].next;", to = "at = NOT_CHAINED;",
    seen_by = "sights_in_motion",
  },
  {
    file = "sight/borders.c", name = "a cell of beacons loses one when another leaves",
    from = "at_hand[i] = unchain(borders, &first);", to = "unchain(borders, &first);",
    seen_by = "sights_in_motion",
  },
  {
    file = "sight/beacons.c", name = "beacons in the chain of a cell have no borders",
    from = "(step[0] | step[1]) != 0 || border_cell_has_chain(cell)", to = "(step[0] | step[1]) != 0",
    seen_by = "sights_in_motion",
  },
  {
    file = "sight/beacons.c", name = "beacons too wide for cells have no borders",
    from = "if (borders->apart.at_hand[0] != 0)", to = "if (false)", seen_by = "sights_in_motion",
  },
  {
    file = "space/step.c", name = "a step that finds nobody passes no marker seen from afar",
    from = "if (!found && is_over)", to = "if (!found)", seen_by = "differential_steps",
  },
  {
    file = "sight/visibility.c", name = "who is quiet may have a word about one who looks",
    from = "sights_find(sights, entities_find(visibility->entities, other), id)) !=",
    to = "AOI_SIGHT_BY_RULE) !=", seen_by = "differential_steps",
  },
  {
    file = "sight/visibility.c", name = "who is quiet may pass a marker seen from afar",
    from = "if ((lists[LEFT_MARKERS].count > 0 && has_beacon(visibility, &lists[LEFT_MARKERS])) ||",
    to = "if (", seen_by = "differential_steps",
  },
  {
    file = "sight/beacons.c", name = "from how far it was seen at the last tick is forgotten",
    from = "return number == NO_SLOT ? beacons_radius(beacons, id) : beacons->former.items[number].radius;",
    to = "(void)number; return beacons_radius(beacons, id);", seen_by = "differential_deferred",
  },
  {
    file = "sight/sights.c", name = "a word does not end with the watcher's leave",
    from = "remove_word(sights, number); } } static void free_words",
    to = "sights->items[number].marker++; break; } } static void free_words", seen_by = "differential",
    short = true,
  },
  {
    file = "sight/sights.c", name = "of three words the second loses its watcher with the first",
    from = "second->watcher = sight->watcher; second->next_of_watcher", to = "second->next_of_watcher",
    seen_by = "sights",
  },
  {
    file = "sight/sights.c", name = "the second of two words has no watcher",
    from = "set_number(&second->next_of_watcher, first);", to = "(void)first;", seen_by = "sights",
  },
  {
    file = "sight/sights.c", name = "a watcher has no more words than are looked at first",
    from = "uint32_t by_marker = by_watcher == NO_SIGHT ? NO_SIGHT : sights_of_marker(sights, marker);",
    to = "uint32_t by_marker = NO_SIGHT;", seen_by = "sights",
  },
  {
    file = "sight/former_sights.c", name = "what a word was is noted anew by each change",
    from = "if (!sights->deferred || sights_find_note(sights, watcher, marker) != NULL) return;",
    to = "if (!sights->deferred) return;", seen_by = "sights",
  },
  {
    file = "sight/visibility.c", name = "a word gives no event",
    from = "return sees == will_see || (ops & (sees ? AOI_LEAVE : AOI_ENTER)) == 0 ||", to = "return true ||",
    seen_by = "differential",
  },
  {
    file = "space/set_sight.c", name = "a word is not noted for the tick",
    from = "old_states_note_change(&space->old_states, slot);", to = "", seen_by = "differential_crowds",
  },
  {
    file = "tick/tick_exceptions.c", name = "who can see from afar at a tick is not told of departures",
    from = "look_for_watchers(tick, &beacon, ARRIVALS) && look_for_watchers(tick, &beacon, DEPARTURES)",
    to = "look_for_watchers(tick, &beacon, ARRIVALS)", seen_by = "differential_deferred",
  },
  {
    file = "tick/tick_exceptions.c", name = "a tick knows only the words of now",
    from = "const bool saw = visibility_saw(visibility, watcher.then, marker.then);",
    to = "const bool saw = visibility_sees(visibility, watcher.then, marker.then);",
    seen_by = "differential_deferred",
  },
  {
    file = "tick/tick_exceptions.c", name = "words that have ended are not looked at",
    from = "bool done = add_former_words(tick, &apart);", to = "bool done = true;",
    seen_by = "differential_deferred",
  },
  {
    file = "keep/saved_exceptions.c", name = "a save forgets what words were",
    from = "save_former_sights(stream, &space->visibility.sights);",
    to = "stream_write_count(stream, 0);", seen_by = "differential_hand_over",
  },
  {
    file = "crowd/newcomers.c", name = "nobody outside the view of a crowd's watcher can be told",
    from = "(chooser->rule != SIGHT_WITH_EXCEPTIONS || look_at_exceptions(chooser)) &&", to = "",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/chooser.h", name = "words do not count in a crowd",
    from = "(!chooser->has_words && sees(", to = "(sees(", seen_by = "differential_crowds",
  },
  {
    file = "hand_over/hand_over.c", name = "words stay when their watcher is handed out",
    from = "sights_end(&visibility->sights, after.id, slot);", to = "",
    seen_by = "differential_hand_over",
  },
  {
    file = "hand_over/hand_over.c", name = "words that end take the room of those that come along",
    from = "sights_end(sights, id, slot);", to = "sights_end(sights, id, slot); sights_trim(sights);",
    seen_by = "hand_over",
  },
  {
    file = "crowd/explain.c", name = "who is hidden is out of range",
    from = "if (word == AOI_SIGHT_NEVER) return AOI_BECAUSE_HIDDEN;", to = "", seen_by = "differential",
  },

  -- ---- step.c, grid_window.h ----
  {
    file = "index/grid.h", name = "the block of a step stays what it was in another cell",
    from = "if (buckets_owner(&grid->buckets, handle) != number_of(grid, cell_at(grid, to)))",
    to = "if (buckets_owner(&grid->buckets, handle) >= grid->cols * grid->rows)",
    seen_by = "differential_steps",
  },
  {
    file = "index/grid_window.h", name = "a step into another cell is not written",
    from = ": grid_move_in_cell((struct grid *)index, handle, to)))",
    to = ": (grid_move_in_cell((struct grid *)index, handle, to), true)))",
    seen_by = "differential_steps",
  },
  {
    file = "index/grid_window.h", name = "a step into another bucket of a fold is not written",
    from = "if (!(folded ? fold_move_in_cell((struct folded_grid *)index, handle, to)",
    to = "if (!(folded ? (fold_move_in_cell((struct folded_grid *)index, handle, to), true)",
    seen_by = "differential_steps",
  },

  -- ---- fold.c, fold.h ----
  {
    file = "index/fold.h", name = "a step in a fold does not look into the cell across",
    from = "count += (size_t)(columns & rows);", to = "", seen_by = "grid_without_map",
  },
  {
    file = "index/fold.h", name = "clusters that are a fold apart share their buckets",
    from = "return (struct folded_cell){(int64_t)(hash >> 50), (int64_t)(hash >> 36)};",
    to = "return (struct folded_cell){(int64_t)(hash & 0), 0};", seen_by = "grid_without_map",
  },
  {
    file = "index/fold.h", name = "a step takes cells of two tiles for those of one",
    from = "if ((columns | rows) > 1 || !is_in_one_tile(fold, &span)) {", to = "if ((columns | rows) > 1) {",
    seen_by = "differential_steps", short = true,
  },
  {
    file = "index/fold.h", name = "a far cell has a number that doubles can't hold",
    from = "xy_greater(position * xy_of(grid->per_size), xy_of(-FARTHEST_CELL));",
    to = "position * xy_of(grid->per_size);", seen_by = "grid_without_map",
  },
  {
    file = "index/fold.c", name = "points that have not moved to the new fold are not found",
    from = "return search_fold(grid, &grid->now, &span, &search, hits, inside) && " ..
      "(grid->old.buckets == NULL || search_fold(grid, &grid->old, &span, &search, hits, inside));",
    to = "return search_fold(grid, &grid->now, &span, &search, hits, inside);", seen_by = "differential",
    short = true,
  },
  {
    file = "index/fold.c", name = "a bucket that two cells share is searched twice",
    from = "if (bucket.count == 0 || (links[bucket.first].owner & FOLD_GATHERED))",
    to = "if (bucket.count == 0)", seen_by = "differential",
  },
  {
    file = "index/fold.c", name = "a bucket stays marked as gathered",
    from = "links[to[i].first].owner &= ~FOLD_GATHERED;", to = "", seen_by = "differential",
  },
  {
    file = "index/fold.c", name = "the hole of a search reaches one cell too far",
    from = "column = span->hole_high.column;", to = "column = span->hole_high.column + 1;",
    seen_by = "grid_without_map",
  },
  {
    file = "index/fold.c", name = "a point of the old fold is removed from the new one",
    from = "return (owner & FOLD_TAG) == grid->now.tag ? &grid->now : &grid->old;",
    to = "return &grid->now;", seen_by = "differential",
  },
  {
    file = "index/fold.c", name = "a fold never becomes smaller",
    from = "} else if (count < most / 8) {", to = "} else if (false) {", seen_by = "grid_without_map",
  },
  {
    file = "index/fold.c", name = "cells as large as the plane have no numbers",
    from = "grid->per_size = fmin(fmax(1 / grid->cell, DBL_MIN), DBL_MAX);",
    to = "grid->per_size = 1 / grid->cell;", seen_by = "grid_without_map",
  },
  {
    file = "index/grid.h", name = "a step does not search the cells on the right",
    from = "high.column - low.column + 1, high.row",
    to = "high.column - low.column + (low.column == high.column), high.row",
    seen_by = "differential_steps",
  },
  {
    file = "index/grid.h", name = "a step does not search the cells above",
    from = "high.row - low.row + 1,", to = "high.row - low.row + (low.row == high.row),",
    seen_by = "differential_steps",
  },
  {
    file = "space/step.c", name = "watchers of unusual radius are not told of a step",
    from = "(is_over || visibility_end_step(visibility, step->slot, step->to, space_ops(space))) &&",
    to = "", seen_by = "differential_steps",
  },
  {
    file = "space/step.c", name = "without hits nobody of unusual radius is asked",
    from = "if (!found && space->indexes.unusual_watchers + visibility->exceptions == 0)",
    to = "if (!found)", seen_by = "differential_steps",
  },
  {
    file = "space/step.c", name = "lists keep what the step before has left there",
    from = "clear_changes(visibility);", to = "", seen_by = "differential_steps",
  },
  {
    file = "space/step.c", name = "a step makes no room for itself in another cell",
    from = "if (!grid_reserve_point(step->index, step->folded)) return false;", to = "",
    seen_by = "differential_steps",
  },
  {
    file = "space/step.c", name = "those well inside are told of no step",
    from = "return visibility->inside.count == 0 || note_inside(visibility, &judgement, false);",
    to = "return true;", seen_by = "differential",
  },

  -- ---- grid.c, buckets.c, bucket_scan.h ----
  {
    file = "index/grid.c", name = "the far border has a cell of its own",
    from = "(xy){(double)(grid->cols - 1), (double)(grid->rows - 1)};",
    to = "(xy){(double)grid->cols, (double)grid->rows};", seen_by = "differential",
  },
  {
    file = "index/grid.c", name = "one cell too many counts as inside",
    from = "skip_col2 = inner_high.column;", to = "skip_col2 = inner_high.column + 1;",
    seen_by = "events",
  },
  {
    file = "index/grid.c", name = "a cell of the old and the new nine is looked at twice",
    from = "if (both && (inside == NULL || i == 1))", to = "if (both && inside == NULL)",
    seen_by = "differential",
  },
  {
    file = "index/grid.c", name = "the nine cells lack those on the left",
    from = "centre->column == 0 ? 0 : centre->column - 1;", to = "centre->column;",
    seen_by = "differential",
  },
  {
    file = "index/buckets.c", name = "who fills a hole does not learn its handle",
    from = "*bucket_handle_of(index, source->slot[last]) = handle;", to = "", seen_by = "differential",
  },
  {
    file = "index/buckets.c", name = "a place is not emptied when its point goes",
    from = "empty_lane(source, last);", to = "", seen_by = "differential",
  },
  {
    file = "index/buckets.c", name = "who fills a hole gets the radius of who stood there",
    from = "buckets->radii.items[first].radius[last];",
    to = "buckets->radii.items[handle >> BUCKET_LANE_BITS].radius[hole];", seen_by = "differential",
  },
  {
    file = "sight/search.c", name = "those well inside wide views only are not told of moves",
    from = "(ring_is_hollow(&ring) || ring.inner_part > 0);", to = "ring_is_hollow(&ring);",
    seen_by = "differential",
  },
  {
    file = "index/bucket_scan.h", name = "with AVX2 who is inside on one axis counts as inside",
    from = "__m256 inner = _mm256_and_ps(", to = "__m256 inner = _mm256_or_ps(",
    seen_by = "differential",
  },
  {
    file = "index/bucket_scan.c", name = "without vectors all points have one radius",
    from = "if (search->by_radius) scan_plainly(", to = "if (!search->by_radius) scan_plainly(",
    seen_by = "differential without vectors",
  },
  {
    file = "index/bucket_scan.h", name = "without vectors the inside of a ring is found twice",
    from = "(size_t)(outer & ~inner);", to = "(size_t)outer;",
    seen_by = "differential without vectors",
  },

  -- ---- space.c, questions.c, options.c ----
  {
    file = "space/life.c", name = "a group counts as one event delivered",
    from = "space->delivered += before - aoi_pending(space);", to = "space->delivered += before > 0;",
    seen_by = "delivery",
  },
  {
    file = "events/telling.c", name = "kinds that nobody listens for any more stay in the queue",
    from = "queue_keep(queue, listeners->ops, fixed);", to = "(void)fixed;", seen_by = "delivery",
  },
  {
    file = "space/life.c", name = "what is told is still pending",
    from = "return space->pending.events - space->pending.progress.delivered;",
    to = "return space->pending.events;", seen_by = "delivery",
  },
  {
    file = "space/life.c", name = "collected events are not dropped",
    from = "queue_clear(&space->collected);", to = "(void)space;", seen_by = "areas",
  },
  {
    file = "query/questions.c", name = "one sees oneself when asked",
    from = "|| marker == NO_SLOT || watcher == marker)", to = "|| marker == NO_SLOT)",
    seen_by = "observers",
  },
  {
    file = "space/options.c", name = "NaN is a radius",
    from = "!(options->radius >= 0)", to = "options->radius < 0", seen_by = "construct",
  },
  {
    file = "space/options.c", name = "a slack may be infinite",
    from = "options->slack >= 0 && isfinite(options->slack)", to = "options->slack >= 0",
    seen_by = "slack",
  },

  -- ---- snapshot.c, saved_entities.c ----
  {
    file = "base/stream.c", name = "negative ids lose their sign",
    from = "(int64_t)(zigzag >> 1 ^ (0 - (zigzag & 1)));", to = "(int64_t)(zigzag >> 1);",
    seen_by = "snapshot",
  },
  {
    file = "events/telling.c", name = "events that are delivered are saved as well",
    from = "return words == 0 ? queue->index : 0;", to = "return 0;", seen_by = "snapshot",
  },
  {
    file = "events/telling.c", name = "pairs that the last stage has told are saved as well",
    from = "if (progress->delivered == 0) return",
    to = "if (progress->stage != IN_EVENTS || progress->delivered == 0) return",
    seen_by = "snapshot",
  },
  {
    file = "events/saved_queue.c", name = "how far a group has been told is not saved",
    from = "stream_write_count(stream, progress->told - progress->delivered);",
    to = "stream_write_count(stream, 0);",
    seen_by = "snapshot",
  },
  {
    file = "keep/saved_entities.c", name = "with slack the true place is not saved",
    from = "if (space->slack.limit > 0) pass_place(stream, space, &state->place); else " ..
      "state->place = anchor;",
    to = "state->place = anchor;", seen_by = "snapshot",
  },
  {
    file = "keep/snapshot.c", name = "a damaged string is taken",
    from = "if (sum != checksum(stream->from, size - CHECKSUM_SIZE))",
    to = "if (checksum(stream->from, size - CHECKSUM_SIZE) == 0)", seen_by = "snapshot",
  },
  {
    file = "keep/saved_entities.c", name = "an id may be there twice",
    from = "if (space_find(space, state.entity.id) != NO_SLOT)", to = "if (space == NULL)",
    seen_by = "snapshot",
  },
  {
    file = "keep/saved_entities.c", name = "who has left since the last tick is told to come back",
    from = "if (!old_states_reserve(&space->old_states, 1) || (slot == NO_SLOT",
    to = "if (slot == NO_SLOT) continue; if (!old_states_reserve(&space->old_states, 1) || (slot == NO_SLOT",
    seen_by = "snapshot",
  },

  -- ---- the binding ----
  {
    file = "lua/lists.c", name = "a list keeps entry n + 1 of a former use",
    from = "end_list(L, index, count);", to = "", seen_by = "observers",
  },
  {
    file = "lua/deliverer.c", name = "a suspended handler holds up all others",
    from = "if (has_frame && lua_status(thread) == LUA_YIELD) {", to = "if (thread == L && !has_frame) {",
    seen_by = "coroutine",
  },
  {
    file = "lua/delivery.c", name = "a resumed delivery does not count as a call",
    from = "self->serial++; report_unreported(L, status);", to = "report_unreported(L, status);",
    seen_by = "regressions",
  },
  {
    file = "lua/delivery.c", name = "the delivering thread is not remembered",
    from = "register_thread(L, self);", to = "(void)register_thread;",
    seen_by = "coroutine",
  },
  {
    file = "lua/handlers.c", name = "a closed space still refers to its handlers",
    from = "self->handlers = 0; drop_set(L, 0);", to = "self->handlers = 0;",
    seen_by = "memory",
  },
  {
    file = "lua/arguments.c", name = "a string that looks like a number is an id",
    from = "if (lua_type(L, index) == LUA_TNUMBER) /* not a string that looks like one */", to = "",
    seen_by = "errors",
  },
  {
    file = "lua/delivery.c", name = "an event is told on after its space was closed",
    from = "if (self->space == NULL || lua_tointeger(L, FRAME_CLEARS)",
    to = "if (lua_tointeger(L, FRAME_CLEARS)",
    seen_by = "delivery",
  },
  {
    file = "lua/delivery.c", name = "a suspended handler shares its arrays",
    from = "lua_pushnil(L); set_reference(L, FRAME_SPACE, ARRAYS + number); }", to = "}",
    seen_by = "coroutine",
  },
  {
    file = "lua/delivery.c", name = "memory runs out between the queue and the handler",
    from = "raise_memory_error(L); lua_pushcfunction(L, do_nothing); lua_call(L, 0, 0);",
    to = "raise_memory_error(L);",
    seen_by = "test-allocation",
  },
  {
    file = "lua/delivery.c", name = "a thread that was taken over delivers beside the other",
    from = "if (is_delivering(L, self)) return end_delivery(L); self->deliverer = L;",
    to = "self->deliverer = L;", seen_by = "coroutine",
  },
  {
    file = "lua/delivery.c", name = "on_error does not hear of errors that are deep",
    from = "if (lua_toboolean(L, FRAME_IS_REPORTED) && status", to = "if (status", seen_by = "delivery",
  },
  {
    file = "lua/delivery.c", name = "on_error hears of errors twice",
    from = "lua_pushboolean(L, 1); lua_setlocal(L, &frame, FRAME_IS_REPORTED);", to = "",
    seen_by = "delivery",
  },
  {
    file = "lua/delivery.c", name = "a deep error is lost behind one of the same event that was not",
    from = "lua_pushboolean(L, 0); lua_replace(L, FRAME_IS_REPORTED);", to = "", seen_by = "delivery",
  },
  {
    file = "lua/deliverer.c", name = "a delivery deep below is not found",
    from = "if (delivers_at(thread, last, self) || delivers_at(thread, level, self))", to = "if (last < 0)",
    seen_by = "delivery",
  },
  {
    file = "lua/deliverer.c", name = "a delivery is looked for from the bottom alone, and half the way",
    from = "|| delivers_at(thread, level, self))", to = ")", seen_by = "delivery",
  },
  {
    file = "lua/arguments.c", name = "nothing is looked at behind a nil",
    from = "for (; index <= last; index++) {",
    to = "for (; index <= last && !lua_isnil(L, index); index++) {",
    seen_by = "errors",
  },
  {
    file = "lua/arguments.c", name = "nothing is looked at behind traits that are nil",
    from = "check_no_more(L, index + 1, method, \"opts\"); if (!is_given)",
    to = "if (is_given) check_no_more(L, index + 1, method, \"opts\"); if (!is_given)",
    seen_by = "errors",
  },
  {
    file = "lua/delivery.c", name = "on_error does not hear of a lack of memory",
    from = "handler, context, continue_delivery); report_unreported(L, status);",
    to = "handler, context, continue_delivery); (void)status;", seen_by = "test-allocation",
  },
  {
    file = "lua/attempt.c", name = "load goes on without a space when memory is lacking twice",
    from = "if (status == AOI_NOMEM) raise_memory_error(L); } if (status != AOI_OK)",
    to = "} if (status != AOI_OK && status != AOI_NOMEM)",
    seen_by = "test-allocation",
  },
  {
    file = "lua/handlers.c", name = "on{} keeps the handlers that it does not name",
    from = "self->handlers = given;", to = "self->handlers |= given;",
    seen_by = "delivery",
  },
  {
    file = "lua/delivery.c", name = "an event is told on after its space was cleared",
    from = "if (self->space == NULL || lua_tointeger(L, FRAME_CLEARS) != (lua_Integer)self->clears)",
    to = "if (self->space == NULL)", seen_by = "delivery",
  },
  {
    file = "lua/messages.c", name = "no name is near enough to another",
    from = "nearest = known->list[i];", to = "", seen_by = "errors",
  },
  {
    file = "lua/spaces.c", name = "options are read and forgotten",
    from = "options->given |= table[row].bit;", to = "", seen_by = "construct",
  },
  {
    file = "lua/module.c", name = "a space that was dropped keeps its memory",
    from = '{"__gc", space_collect},', to = "", seen_by = "memory",
  },

  -- ---- packed rows, batches and lists of the binding ----
  {
    file = "query/packed.c", name = "a packed row may have an infinite height",
    from = "|| !isfinite(z))", to = ")", seen_by = "packed_rows",
  },
  {
    file = "query/packed.c", name = "packed floats are as far apart as doubles",
    from = "load_float(bytes + axis * FLOAT_SIZE)", to = "load_float(bytes + axis * DOUBLE_SIZE)",
    seen_by = "packed_rows", short = true,
  },
  {
    file = "query/packed.c", name = "an unknown id is at the origin",
    from = "nowhere = {nan, nan, nan};", to = "nowhere = {0, 0, 0}; (void)nan;",
    seen_by = "packed_rows",
  },
  {
    file = "query/packed.c", name = "packed positions are those of anchors",
    from = "nowhere : space_place(space, slot);",
    to = "nowhere : (aoi_point){space->entities.at[slot].x, space->entities.at[slot].y, 0};",
    seen_by = "differential_slack",
  },
  {
    file = "events/reading.c", name = "a packed event begins with its marker",
    from = "subject_at = SECOND_ID - SECOND_ID * watches", to = "subject_at = SECOND_ID * watches",
    seen_by = "packed_rows", short = true,
  },
  {
    file = "events/reading.c", name = "all events of a segment are its first one",
    from = "write_event(segment, index++, done++, to, packed);",
    to = "{ write_event(segment, 0, done++, to, packed); index++; }", seen_by = "packed_rows",
  },
  {
    file = "events/reading.c", name = "who has no more room goes on to the next segment",
    from = "if (index == length) { segment += segment_words(segment); index = 0; } } cursor->word",
    to = "{ segment += segment_words(segment); index = 0; } } cursor->word",
    seen_by = "packed_rows",
  },
  -- ---- areas ----
  {
    file = "area/area_changes.c", name = "a marker that changes its layer stays in areas",
    from = "if (shows_same && (stays || change->after.shown == 0))", to = "if (stays)", seen_by = "areas",
  },
  {
    file = "area/area_changes.c", name = "the cell that a marker leaves is not looked at",
    from = "if ((may_leave && !judge_chain(space, change, grid->heads[area_chain_of(grid, left)], left, " ..
      "may_leave)) ||",
    to = "if (", seen_by = "areas",
  },
  {
    file = "area/area_changes.c", name = "areas without bounds are not looked at",
    from = "return judge_chain(space, change, grid->unbounded, unbounded_cell, leave | enter);",
    to = "return true;", seen_by = "differential_areas",
  },
  {
    file = "area/area_changes.c", name = "areas stay behind their owners",
    from = "if (after != NULL && slot != NO_SLOT) areas_follow(space, slot);", to = "",
    seen_by = "differential_areas", short = true,
  },
  {
    file = "area/area_changes.c", name = "who comes in is no member within leave_radius",
    from = "(was ? members_remove : members_add)(&area->members, marker);",
    to = "if (!was) continue; members_remove(&area->members, marker);", seen_by = "differential_areas",
  },
  {
    file = "area/area_changes.c", name = "a batch that fails leaves members of areas behind",
    from = "while (!done && areas->journal.count > 0)", to = "while (false)", seen_by = "areas",
  },
  {
    file = "area/area_changes.c", name = "areas do not end with their owner",
    from = "while ((number = area_table_first_owned(table, slot)) != NO_AREA) {",
    to = "while (false) { number = NO_AREA;", seen_by = "areas",
  },
  {
    file = "area/area_states.c", name = "an area added anew within a tick is another one",
    from = "if (area->old != NO_SLOT) {", to = "if (false) {", seen_by = "areas",
  },
  {
    file = "index/area_grid.c", name = "a box in two columns stands in one",
    from = "for (cell.column = place->column; cell.column <= place->last_column; cell.column++) {",
    to = "for (cell.column = place->column; cell.column <= place->column; cell.column++) {",
    seen_by = "differential_areas",
  },
  {
    file = "index/area_grid.c", name = "a search of infinite bounds meets empty places",
    from = "block->x1[i] = block->y1[i] = block->x2[i] = block->y2[i] = NAN;",
    to = "block->x1[i] = block->y1[i] = HUGE_VALF; block->x2[i] = block->y2[i] = -HUGE_VALF;",
    seen_by = "regressions",
  },
  {
    file = "base/float4.h", name = "bounds of an area are rounded to the nearest",
    from = "const double below = number - fabs(number) * 0x1p-23 - 0x1p-148;",
    to = "const double below = number;", seen_by = "differential_areas",
  },
  {
    file = "index/area_grid.c", name = "an area that goes to another entry does not learn it",
    from = "*entries = entry;", to = "", seen_by = "differential_areas",
  },
  {
    file = "index/area_grid.h", name = "the second area of a block is not looked at",
    from = "return four_may_meet(block, 0, probe) |",
    to = "return (four_may_meet(block, 0, probe) & 1) |", seen_by = "differential_areas",
  },
  {
    file = "index/area_grid.h", name = "a step in a box crosses no border of it",
    from = "(fabs(dx) < half_x - off) & (fabs(other_dx) < half_x - off)",
    to = "(fabs(dx) < half_x - off)", seen_by = "differential_areas",
  },
  {
    file = "index/area_grid.h", name = "a step inside the leave_radius crosses no border of the radius",
    from = "(nearest > inner_most * inner_most)", to = "true", seen_by = "areas",
  },
  {
    file = "index/area_grid.h", name = "steps to a border of a circle go by what floats say",
    from = "const double off = size * 0x1p-20 + 0x1p-140;", to = "const double off = -0.5 * size;",
    seen_by = "differential_areas",
  },
  {
    file = "area/area_table.c", name = "a circle of two radii counts as one of one",
    from = "if (!area->keeps_members) return FORM_CIRCLE + INNER_PARTS;",
    to = "return FORM_CIRCLE + INNER_PARTS;", seen_by = "areas",
  },
  {
    file = "area/area_table.c", name = "a ball counts as a circle",
    from = "if (area->shape != AOI_AREA_CIRCLE || with_z ||", to = "if (area->shape != AOI_AREA_CIRCLE ||",
    seen_by = "areas",
  },
  {
    file = "area/area.h", name = "a step crosses no border of a leave_radius",
    from = "(area->keeps_members && area_holds(area, &area->at, leave_radius, from, with_z) != " ..
      "area_holds(area, &area->at, leave_radius, to, with_z))",
    to = "((void)leave_radius, false)", seen_by = "areas",
  },
  {
    file = "area/calm.h", name = "where it is calm but for one area, that one is not looked at",
    from = "!area_is_crossed(&areas->table.at[calm->area], from, to, false)", to = "true",
    seen_by = "differential_areas",
  },
  {
    file = "area/calm.c", name = "past the nearest area it is calm as far as to the next one",
    from = "smaller(found->nearest, found->others)", to = "found->nearest", seen_by = "areas",
  },
  {
    file = "area/area.c", name = "an area is looked for within its radius only",
    from = "return box_around(at, area->leave_radius, area->leave_radius);",
    to = "return box_around(at, area->radius, area->radius);", seen_by = "differential_areas",
  },
  {
    file = "area/area_tick.c", name = "a tick does not know that areas went with their owners",
    from = "!note_moved(tick, old->states[i].current_slot))", to = "false)", seen_by = "differential_areas",
  },
  {
    file = "area/area_tick.c", name = "markers that stand still are not looked at for areas that moved",
    from = "!find_for_changed(tick) || !find_for_still(tick) ||", to = "!find_for_changed(tick) ||",
    seen_by = "differential_areas",
  },
  -- ---- areas.c and on_area of the binding ----
  {
    file = "lua/areas.c", name = "option sees_layers of an area is forgotten",
    from = "if (given & GIVEN_sees_layers)", to = "if (false)", seen_by = "differential_areas",
  },
  {
    file = "lua/areas.c", name = "option leave_radius of an area is forgotten",
    from = "area->given |= AOI_AREA_GIVEN_LEAVE_RADIUS;", to = "", seen_by = "areas",
  },
  {
    file = "lua/areas.c", name = "a leave_radius may be less than the radius",
    from = "if (area->leave_radius < area->radius)", to = "if (false)", seen_by = "errors_areas",
  },
  {
    file = "lua/areas.c", name = "an area of two dimensions takes a z",
    from = "if (dims == 2)", to = "if (false)", seen_by = "errors_areas",
  },
  {
    file = "lua/areas.c", name = "an option of another shape is passed over",
    from = "check_unwanted(L, method, given, OF_SHAPES & ~OF_ROUND,",
    to = "check_unwanted(L, method, given, 0U,", seen_by = "errors_areas",
  },
  {
    file = "lua/areas.c", name = "set_area of a rect wants a place again",
    from = "if ((is_new && !is_polygon) || (given & (OF_PLACE | OF_OWNER)))",
    to = "if (!is_polygon)", seen_by = "areas",
  },
  {
    file = "lua/corners.c", name = "all rings of a polygon are its first",
    from = "lua_rawgeti(L, index, ring); else lua_pushvalue(L, index); /* A finalizer",
    to = "lua_rawgeti(L, index, 1); else lua_pushvalue(L, index); /* A finalizer", seen_by = "areas",
  },
  {
    file = "lua/delivery.c", name = "on_area hears enter for leave",
    from = "event->op == AOI_AREA_ENTER ? AOI_ENTER : AOI_LEAVE",
    to = "event->op == AOI_AREA_ENTER ? AOI_ENTER : AOI_ENTER", seen_by = "areas",
  },
  {
    file = "lua/delivery.c", name = "errors of on_area pass by on_error",
    from = "2, is_protected, TELL_NEXT);", to = "2, is_protected && kind != ON_AREA, TELL_NEXT);",
    seen_by = "areas",
  },
  {
    file = "lua/handlers.c", name = "on_area beside groups is told nothing",
    from = "AREA_OPS, AOI_TELL_AREA}", to = "AREA_OPS, 0}", seen_by = "areas",
  },
  {
    file = "lua/delivery.h", name = "area_leave is called leave",
    from = "[AOI_AREA_LEAVE] = 2 + UPVALUE_AREA_LEAVE", to = "[AOI_AREA_LEAVE] = 2 + UPVALUE_LEAVE",
    seen_by = "areas",
  },
  {
    file = "lua/lists.c", name = "a packed list is that of the moment before a finalizer",
    from = "if (self->serial == serial) break;", to = "if (serial > 0) break;",
    seen_by = "packed_rows",
  },
  {
    file = "lua/lists.c", name = "events are dropped that came while others were packed",
    from = "const aoi_status status = count == aoi_collected(self->space)",
    to = "const aoi_status status = count > 0", seen_by = "packed_rows",
  },
  {
    file = "lua/lists.c", name = "events are given that a finalizer has drained meanwhile",
    from = "if (self->drains == drains) {", to = "if (drains < UINT64_MAX) {", seen_by = "packed_rows",
  },
  {
    file = "lua/lists.c", name = "positions of a string are all those of its first id",
    from = "(size_t)(place - 1) * sizeof packed", to = "0 * (size_t)place", seen_by = "packed_rows",
  },
  {
    file = "lua/lists.c", name = "positions of a string are as many as n says",
    from = "if (is_packed && (lua_Unsigned)count > all)", to = "if (is_packed && all > UINT32_MAX)",
    seen_by = "packed_rows",
  },
  {
    file = "lua/moves.c", name = "moves of anybody are taken",
    from = "if (slot == NULL || (move->source != slot->sources[0] && move->source != slot->sources[1]))",
    to = "if (slot == NULL)", seen_by = "moves",
  },
  {
    file = "lua/moves.c", name = "moves of an entity that is closed are taken",
    from = "return slot->is_used && slot->lane != 0 ? slot : NULL;",
    to = "return slot->is_used ? slot : NULL;", seen_by = "moves",
  },
  {
    file = "lua/batches.c", name = "of \"f\" nothing is said",
    from = "attempt->floats = last > 2 && is_string(L, last, \"f\");",
    to = "attempt->floats = last > 3 && is_string(L, last, \"f\");", seen_by = "packed_rows",
  },
  {
    file = "lua/batches.c", name = "a string has as many rows as n says",
    from = "if (batch->count > all)", to = "if (batch->count > all + UINT32_MAX)",
    seen_by = "packed_rows",
  },
  {
    file = "lua/batches.c", name = "of a packed row always x is bad",
    from = "while (entry < 3 && isfinite(values[entry])) entry++;", to = "", seen_by = "packed_rows",
  },
  {
    file = "lua/batches.c", name = "a batch passes over nobody, and says that it did",
    from = "lua_pushinteger(L, (lua_Integer)counted);",
    to = "lua_pushinteger(L, skips ? 0 : (lua_Integer)counted);", seen_by = "differential_batches",
  },
  {
    file = "lua/batches.c", name = "all rows of update_all have entered",
    from = "&traits, &counted, &bad);", to = "&traits, NULL, &bad); counted = batch.count;",
    seen_by = "differential_batches",
  },
  {
    file = "lua/changes.c", name = "update has always entered",
    from = "lua_pushboolean(L, entered);", to = "lua_pushboolean(L, 1);", seen_by = "differential",
  },
  {
    file = "lua/changes.c", name = "the arguments of a change stand where its result should",
    from = "if (attempt.has_result) { lua_replace(L, 2);", to = "if (attempt.has_result) {",
    seen_by = "delivery",
  },
  {
    file = "lua/module.c", name = "the watchers that were told are those that told",
    from = "aoi_told_watchers_of", to = "aoi_told_markers_of", seen_by = "crowds",
  },
  {
    file = "lua/questions.c", name = "a table right after k is a radius",
    from = "attempt->table = next;", to = "return;",
    seen_by = "packed_rows",
  },

  {
    file = "lua/attempt.c", name = "a call that is repeated takes the room of its first try for an argument",
    from = "lua_settop(L, top);", to = "", seen_by = "test-allocation",
  },
  {
    file = "lua/attempt.c", name = "garbage is collected though no finalizer can be called",
    from = "if (lua_pcall(L, 0, 0, 0) == LUA_OK) lua_gc(L, LUA_GCCOLLECT, 0); else lua_pop(L, 1);",
    to = "lua_pop(L, 1); lua_gc(L, LUA_GCCOLLECT, 0);", seen_by = "test-allocation",
  },

  -- ---- traits ----
  {
    file = "entity/traits.c", name = "a classic nine-grid takes a radius",
    from = "if ((traits->given & (AOI_TRAIT_RADIUS | AOI_TRAIT_VISIBLE_RADIUS)) && !has_radius) " ..
      "return AOI_RADIUS_UNUSED;",
    to = "(void)has_radius;", seen_by = "construct",
  },

  -- ---- crowds: choose.c, newcomers.c, write_told.c, ranking.h, chooser.h ----
  {
    file = "crowd/ranking.h", name = "a newcomer goes before one who is told and just as near",
    from = "return b->told == NEWCOMER;", to = "return a->told == NEWCOMER;",
    seen_by = "differential_crowds_apart", short = true,
  },
  {
    file = "crowd/ranking.h", name = "the greater id goes first",
    from = "return a->id < b->id;", to = "return a->id > b->id;", seen_by = "crowds",
  },
  {
    file = "crowd/ranking.h", name = "importance counts the other way round",
    from = "return a->importance > b->importance;", to = "return a->importance < b->importance;",
    seen_by = "crowds",
  },
  {
    file = "crowd/chooser.h", name = "a nearer ring does not make a step earlier",
    from = "const uint32_t period = ring < pair->period ? ring : pair->period;",
    to = "const uint32_t period = pair->period;", seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/chooser.h", name = "a farther ring makes a step later",
    from = "const uint32_t period = ring < pair->period ? ring : pair->period;",
    to = "const uint32_t period = ring;", seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/chooser.h", name = "a pair is due a tick late",
    from = ".is_due = waits & (ago >= period)};", to = ".is_due = waits & (ago > period)};",
    seen_by = "crowds",
  },
  {
    file = "crowd/chooser.h", name = "pairs that were due long ago are told apart",
    from = ".age = age < OLDEST ? age : OLDEST,", to = ".age = age,", seen_by = "crowds",
  },
  {
    file = "crowd/chooser.h", name = "ticks are counted as 32-bit numbers",
    from = "(uint32_t)(all < MOST ? all : MOST);", to = "(uint32_t)all;", seen_by = "crowds",
  },
  {
    file = "crowd/saved_crowd.c", name = "the period of a nearer ring is forgotten in a save",
    from = "*period = count == 0 ? PERIOD_NEVER : count;", to = "*period = PERIOD_NEVER;",
    seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/write_told.c", name = "of those who are due the latest come first",
    from = "for (; box > 0 && boxes[box] < share.at_age; box--)",
    to = "for (box = 0; box < BOXES - 1 && boxes[box] < share.at_age; box++)",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/write_told.c", name = "of ages only the highest digit counts",
    from = "if (shift == 0) return share;", to = "if (shift == 0 || share.age > 0) return share;",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/newcomers.c", name = "one who is pinned is looked at only if it was told",
    from = "if (sees_stand(chooser, marker) && !add_free(chooser, marker)) return false;",
    to = "(void)marker;", seen_by = "crowds",
  },
  {
    file = "crowd/newcomers.c", name = "a newcomer that ties with the last is passed over",
    from = "return last->told == NEWCOMER && id < last->id;", to = "(void)id; return false;",
    seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/newcomers.c", name = "nodes with free ones only are passed over",
    from = "return ((node->shown_free & looked_for) != 0 ||", to = "return (false ||",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/choose.c", name = "withheld newcomers take places",
    from = "work->fates.items[told->items[i].told].stays = i + before < chooser->limit;",
    to = "(void)before;", seen_by = "differential_areas",
  },
  {
    file = "crowd/choose.c", name = "the limit does not cut those who were told",
    from = "if (ranking->count > chooser->limit) {", to = "if (false) {", seen_by = "crowds",
  },
  {
    file = "crowd/choose.c", name = "who was told of as many as the limit allows knows all",
    from = "chooser->knows_all = !is_full(chooser);", to = "chooser->knows_all = true;",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/choose.c", name = "one whose newcomers are withheld knows all",
    from = "*knows_all = chooser.knows_all && !chooser.is_withheld;", to = "*knows_all = chooser.knows_all;",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/write_told.c", name = "who waits for its ring or the budget is not remembered",
    from = ".is_waiting = chooser->is_withheld || writing.waits != 0};",
    to = ".is_waiting = chooser->is_withheld};",
    seen_by = "differential_crowds",
  },

  {
    file = "crowd/ranking.c", name = "of a full short ranking the nearest stands in front",
    from = "return one[0] > one[1] ? one[0] : one[1];", to = "return one[0] < one[1] ? one[0] : one[1];",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/ranking.c", name = "importance does not count for the last of a short ranking",
    from = "squares[i] = ranking->items[i].importance == least ? ranking->items[i].square : NOBODY;",
    to = "squares[i] = ranking->items[i].square;", seen_by = "differential_crowds",
  },
  {
    file = "crowd/ranking.c", name = "a short ranking without its least importance is not looked at again",
    from = "squares_of(full)[0] = item->importance == full->importance ? item->square : NOBODY;",
    to = "squares_of(full)[0] = item->square;", seen_by = "differential_crowds",
  },
  {
    file = "crowd/ranking.c", name = "of a short ranking only the first four are compared",
    from = "i < count; i += 4) { one = xy_greater(squares[i / 2], one);",
    to = "i < 4; i += 4) { one = xy_greater(squares[i / 2], one);", seen_by = "crowd_properties",
  },
  {
    file = "crowd/ranking.c", name = "of several as far the first one is the last",
    from = "ranks_before(&ranking->items[last], &ranking->items[i])))", to = "false))",
    seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/ranking.c", name = "who replaces the last does not sink",
    from = "} else if (full->is_heap) { sink(ranking->items, ranking->count, 0);",
    to = "} else if (full->is_heap) {", seen_by = "differential_crowds_apart",
  },

  -- ---- crowds: crowd_tick.c, marker_tree.c, marker_tree.h, stand.h, explain.c ----
  {
    file = "space/space.h", name = "one who was touched has not moved",
    from = "return space->old_states.states[state].was_touched || from.x", to = "return from.x",
    seen_by = "crowds",
  },
  {
    file = "crowd/crowd_tick.c", name = "who was told elsewhere, and is not here, does not leave",
    from = "|| !tick_tell_left(work->space) ||", to = "||", seen_by = "differential_hand_over",
  },
  {
    file = "crowd/write_told.c", name = "a told set that keeps its block stays as it was",
    from = "} else if (choice->told.count > 0) { memcpy(member->told.pairs, choice->told.pairs,",
    to = "} else if (false) { memcpy(member->told.pairs, choice->told.pairs,",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/write_told.c", name = "a new told set lies in room that is taken again",
    from = "choice->is_moved ? 0 : count, sizeof *pairs);", to = "0, sizeof *pairs);",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/gather.c", name = "where few have changed, nobody waits",
    from = "if (space->crowd->members.items[slot].is_waiting) add_watcher(work, slot);", to = "",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/gather.c", name = "watchers of few that have changed are not looked at",
    from = "add_watcher(work, space_find(space, found->ids[i]));", to = "(void)found;",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/gather.c", name = "where it is too much to look for few, those found are passed over",
    from = "work->marks[work->watchers[i]] = 0; work->watcher_count = 0;", to = "work->watcher_count = 0;",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/crowd_tick.c", name = "those who left hear no leaves",
    from = "leaves->items[leaves->count++] = (struct pair){state->id," ..
      " space->entities.at[told->pairs[i].slot].id};",
    to = "(void)state;", seen_by = "differential_crowds",
  },
  {
    file = "crowd/marker_tree.c", name = "a node does not know of free ones on its right",
    from = "node->shown_free = left->shown_free | right->shown_free;",
    to = "node->shown_free = left->shown_free;",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/marker_tree.c", name = "a leaf is as important as its last one",
    from = "if (!stand->is_free && (stand->importance > leaf->importance ||",
    to = "if (!stand->is_free && (true ||",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/marker_tree.c", name = "a node has the least id of its left half",
    from = "node->least_id = is_left_first ? left->least_id : right->least_id;",
    to = "node->least_id = left->least_id;", seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/marker_tree.c", name = "the least id of a leaf is that of its first",
    from = "stand->importance == leaf->importance && stand->id < leaf->least_id", to = "false",
    seen_by = "differential_crowds_apart",
  },
  {
    file = "crowd/stand.h", name = "the third coordinate makes nobody farther",
    from = "return squares[0] + squares[1] + dz * dz;", to = "(void)dz; return squares[0] + squares[1];",
    seen_by = "crowds",
  },
  {
    file = "crowd/explain.c", name = "ranks are counted from 0",
    from = "*rank = before + 1;", to = "*rank = before;", seen_by = "crowds",
  },
  {
    file = "crowd/explain.c", name = "free ones are counted among the ranked",
    from = "*count += slot != marker && !is_free(space, watcher, slot) &&",
    to = "*count += slot != marker &&",
    seen_by = "differential_crowds",
  },

  -- ---- crowds: crowd.c, crowd.h, told.c, traits, snapshot ----
  {
    file = "crowd/crowd.h", name = "a ring does not reach as far as its bound",
    from = "!(square <= crowd->border_squares[i])", to = "!(square < crowd->border_squares[i])",
    seen_by = "crowds",
  },
  {
    file = "crowd/crowd.c", name = "keep_factor is not squared",
    from = "crowd->keep_square = keep * keep;", to = "crowd->keep_square = keep;", seen_by = "crowds",
  },
  {
    file = "crowd/crowd.c", name = "pins outlive their watcher",
    from = "traits = space->crowd->usual; crowd_drop_pins(space->crowd, slot);",
    to = "traits = space->crowd->usual;", seen_by = "crowds",
  },
  {
    file = "crowd/crowd.c", name = "one who is back keeps its old traits",
    from = "space->crowd->members.items[slot].traits = space->crowd->usual;", to = "",
    seen_by = "differential_crowds",
  },
  {
    file = "crowd/told.c", name = "broadcasts go to watchers who are gone",
    from = "if (watcher->mode != 0 && !list_add(", to = "if (!list_add(", seen_by = "differential_crowds",
  },
  {
    file = "crowd/told.c", name = "who was told in a deferred space is who sees now",
    from = "entity->changed ? space->old_states.states[space->old_states.of_slot.items[slot]] : *entity;",
    to = "*entity;", seen_by = "crowds",
  },
  {
    file = "entity/traits.c", name = "limits are taken in a space that is no crowd",
    from = "if ((traits->given & CROWD_BITS) && !in_crowd) return AOI_NO_CROWD;", to = "(void)in_crowd;",
    seen_by = "crowds",
  },
  {
    file = "crowd/saved_crowd.c", name = "who was loaded knows all",
    from = "member->knows_all = false;", to = "", seen_by = "hand_over",
  },
  {
    file = "crowd/saved_crowd.c", name = "a crowd may have been told of whom it did not see",
    from = "!visibility_saw(&space->visibility, watcher, marker)) {", to = "false) {", seen_by = "snapshot",
  },
  {
    file = "keep/saved_entities.c", name = "a touch is not saved",
    from = "if (state->is_old && entity->was_touched)", to = "if (false)", seen_by = "crowds",
  },
  {
    file = "space/batch.c", name = "limits stay what a refused update_all said",
    from = "*space->keeper->traits_at(space, undo->slot) = undo->kept;", to = "(void)undo;",
    seen_by = "crowds",
  },

  -- ---- records: log.c, reading.c, replay.c, recording.c, and the calls that write them ----
  {
    file = "record/log.c", name = "a record ends at its ticks",
    from = "store_word(head + RECORD_TO_AT, now->calls);",
    to = "store_word(head + RECORD_TO_AT, now->ticks);", seen_by = "records",
  },
  {
    file = "record/log.c", name = "a call that was refused stays recorded",
    from = "log->bytes.count = log->last;",
    to = "(void)log;", seen_by = "records", short = true,
  },
  {
    file = "record/log.c", name = "a record without a call is kept",
    from = "if (length == RECORD_HEAD) {",
    to = "if (false) {", seen_by = "records",
  },
  {
    file = "record/log.c", name = "y is written as a float whatever it is",
    from = "(double)(float)point->y == point->y",
    to = "true", seen_by = "differential_records",
  },
  {
    file = "record/log.c", name = "z is written as a float whatever it is",
    from = "(dims == 2 || (double)(float)point->z == point->z)",
    to = "true", seen_by = "records",
  },
  {
    file = "record/log.c", name = "the first row says whether a batch is of floats",
    from = "return row == call->count;", to = "return row > 0;",
    seen_by = "differential_records",
  },
  {
    file = "record/log.c", name = "a count of three bytes loses some bits",
    from = "for (; count >= 1 << 7; count >>= 7)",
    to = "for (; count >= 1 << 7; count >>= count < 1 << 14 ? 7 : 8)", seen_by = "differential_records",
  },
  {
    file = "record/reading.c", name = "the checksum of a record is not compared",
    from = "checksum_words(bytes + RECORD_FROM_AT, head->length - RECORD_FROM_AT))",
    to = "load_word(bytes + RECORD_SUM_AT))", seen_by = "records", short = true,
  },
  {
    file = "record/reading.c", name = "a record of another version is read",
    from = "if (bytes[3] != RECORD_VERSION) {",
    to = "if (false) {", seen_by = "records",
  },
  {
    file = "record/reading.c", name = "all rows are read into the first",
    from = "rows[row] = read;",
    to = "rows[0] = read;", seen_by = "differential_records",
  },
  {
    file = "record/reading.c", name = "the marker of a pin is its watcher",
    from = "stream_id(stream, &call->other);",
    to = "call->other = call->id;", seen_by = "differential_records",
  },
  {
    file = "record/reading.c", name = "z is read as zero",
    from = "read_number(stream, call->has_floats, &point.z);",
    to = "{ double unread; read_number(stream, call->has_floats, &unread); }",
    seen_by = "records",
  },
  {
    file = "keep/replay.c", name = "a gap within a string is passed over",
    from = "else if (head->from.calls > span->to.calls)",
    to = "else if (false)", seen_by = "records", short = true,
  },
  {
    file = "keep/replay.c", name = "a gap before a string is passed over",
    from = "if (now.calls < span->from.calls)",
    to = "if (false)", seen_by = "records",
  },
  {
    file = "keep/replay.c", name = "what a save has is made again",
    from = "const bool is_made = call < replay->space->moment.calls;",
    to = "const bool is_made = false; (void)call;", seen_by = "differential_records",
  },
  {
    file = "keep/replay.c", name = "a replay goes on behind the tick where it should end",
    from = "|| now.ticks >= until->ticks);",
    to = ");", seen_by = "records",
  },
  {
    file = "record/format.h", name = "a batch enters without its traits",
    from = "aoi_enter_all(space, rows, count, traits, NULL)",
    to = "aoi_enter_all(space, rows, count, NULL, NULL)", seen_by = "differential_records",
  },
  {
    file = "record/format.h", name = "a batch that passes over unknown ids does not",
    from = "aoi_move_all(space, rows, count, &(size_t){0}, NULL)",
    to = "aoi_move_all(space, rows, count, NULL, NULL)", seen_by = "differential_records",
  },
  {
    file = "keep/replay.c", name = "the number of calls in a record is not checked",
    from = "calls != head->to.calls - head->from.calls ||",
    to = "", seen_by = "records",
  },
  {
    file = "record/log.c", name = "a space records on",
    from = "log->on = false; log_finish(log, now);", to = "log_finish(log, now);", seen_by = "records",
  },
  {
    file = "space/recording.c", name = "a pause of recording does not end the record",
    from = "log_end(&space->log, &space->moment);",
    to = "space->log.on = false;", seen_by = "records",
  },
  {
    file = "space/recording.c", name = "a record is given out unfinished",
    from = "log_finish(log, &space->moment);",
    to = "", seen_by = "records",
  },
  {
    file = "space/life.c", name = "clear is not recorded",
    from = "if (!RECORD_CALL(space, .kind = CALL_CLEAR))",
    to = "if (false)", seen_by = "differential_records",
  },
  {
    file = "space/life.c", name = "a drop of gathered events is not recorded",
    from = "if (!RECORD_CALL(space, .kind = CALL_DROP_COLLECTED, .count = count))",
    to = "if (false)", seen_by = "records",
  },
  {
    file = "space/bounds.c", name = "set_bounds is not recorded",
    from = "if (!RECORD_CALL(space, .kind = CALL_SET_BOUNDS, .bounds = bounds))",
    to = "if (false)", seen_by = "differential_records",
  },
  {
    file = "crowd/crowd_capability.c", name = "a crowd is not forgotten by clear",
    from = ".clear = crowd_clear,", to = "", seen_by = "crowds",
  },
  {
    file = "crowd/pins.c", name = "unpin is recorded as pin",
    from = ".kind = CALL_UNPIN, .id = watcher",
    to = ".kind = CALL_PIN, .id = watcher", seen_by = "differential_records",
  },
  {
    file = "space/touch.c", name = "touch is recorded as leave",
    from = ".kind = CALL_TOUCH, .id = id",
    to = ".kind = CALL_LEAVE, .id = id", seen_by = "differential_records",
  },
  {
    file = "tick/aoi_tick.c", name = "a tick is recorded as clear",
    from = "return call_tick(space, CALL_TICK,",
    to = "return call_tick(space, CALL_CLEAR,", seen_by = "differential_records",
  },
  {
    file = "entity/saved_fields.c", name = "what an entity sees is not recorded",
    from = "if (given & table[i].bit)", to = "if (given & table[i].bit & ~(unsigned)AOI_TRAIT_SEES_LAYERS)",
    seen_by = "differential_records",
  },
  {
    file = "lua/disk.c", name = "a file that can't be synced is said to be",
    from = "const int failed = fflush", to = "const int failed = 0 && fflush", seen_by = "store_file",
  },
  {
    file = "lua/records.c", name = "recorded() gives the same again",
    from = "aoi_drop_recorded(self->space, size);", to = "", seen_by = "records",
  },
  {
    file = "tick/tell_handed.c", name = "a step of one that was told of elsewhere is not told",
    from = "if (has_moved && !array_add", to = "if (false && !array_add",
    seen_by = "hand_over",
  },
  {
    file = "tick/tell_handed.c", name = "who was told of elsewhere and is not here is not left",
    from = "if (!told[i].is_seen &&", to = "if (false &&", seen_by = "hand_over",
  },
  {
    file = "hand_over/hand_over.c", name = "who is handed out hears its own leaves",
    from = "old_states_end_watching(&space->old_states, slot);", to = "", seen_by = "hand_over",
  },
  {
    file = "hand_over/hand_over.c", name = "a touch does not go along",
    from = "luggage.flags |= LUGGAGE_TOUCHED;", to = "luggage.flags |= 0;", seen_by = "hand_over",
  },
  {
    file = "tick/tell_handed.c", name = "who was told elsewhere hears nothing of a touch",
    from = "|| old_states_touched(&space->old_states, marker);", to = ";", seen_by = "hand_over",
  },
  {
    file = "hand_over/hand_over.c", name = "what was told elsewhere at a later tick was told at one to come",
    from = "told->since = told->since < latest ? told->since : latest;", to = "(void)latest;",
    seen_by = "hand_over",
  },
  {
    file = "crowd/take_handed.c", name = "who waits elsewhere does not wait here",
    from = "(!told->waits || note_move(space, slot, told->since + 1)) &&", to = "",
    seen_by = "hand_over",
  },
  {
    file = "crowd/crowd.c", name = "who comes counts as moved",
    from = "member->moved = 0;", to = "member->moved = INT64_MAX;", seen_by = "hand_over",
  },
  {
    file = "crowd/told.c", name = "who was told elsewhere is not named",
    from = "(direction == TOLD_WATCHERS && !add_handed_watchers(space, id, found))", to = "false",
    seen_by = "hand_over",
  },
  {
    file = "keep/snapshot.c", name = "a save does not have those who were handed in",
    from = "save_handed(&stream, space);", to = "stream_write_count(&stream, 0);", seen_by = "hand_over",
  },
  {
    file = "space/change.c", name = "an anchor of an update is the place",
    from = "status = set_anchor(space, &after, *anchor);", to = "", seen_by = "hand_over",
  },
  {
    file = "area/area_luggage.c", name = "who is handed on was in no area",
    from = "return list_add(space, found, listed.ids, listed.count) ? found : NULL;", to = "return found;",
    seen_by = "hand_over",
  },
  {
    file = "area/area_luggage.c", name = "an area that goes along was not there",
    from = "uint8_t was = before->shape != 0;", to = "uint8_t was = 0;", seen_by = "hand_over",
  },
  {
    file = "area/area_luggage.c", name = "the members of an area that goes along are those of now",
    from = "if (!space->entities.at[hits->slots[i]].changed &&", to = "if (",
    seen_by = "hand_over",
  },
  {
    file = "area/area_luggage.c", name = "members are listed over the areas whose members they are",
    from = "list_begin(space, LIST_MEMBERS, 0)", to = "list_begin(space, LIST_OWNED_AREAS, 0)",
    seen_by = "hand_over",
  },
  {
    file = "hand_over/hand_over.c", name = "areas are listed over whom the entity was told of",
    from = "list_begin(space, LIST_TOLD, 0)", to = "list_begin(space, LIST_AREAS, 0)", seen_by = "hand_over",
  },
  {
    file = "area/area_luggage.c", name = "an area stays where its owner was",
    from = "while ((number = areas_first_owned(space, slot)) != NO_AREA) {",
    to = "while (false) { number = NO_AREA;", seen_by = "hand_over",
  },
  {
    file = "area/area_questions.c", name = "areas do not know who was in them elsewhere",
    from = "const struct former_marker former = area_former_marker(space, &then);",
    to = "const struct former_marker former = {.marker = then};", seen_by = "hand_over",
  },
  {
    file = "area/area_states.c", name = "an area that came along was not elsewhere",
    from = "*state = (struct area_state){table->at[slot], slot, true};",
    to = "*state = (struct area_state){table->at[slot], slot, false};", seen_by = "hand_over",
  },
  {
    file = "area/area_former.c", name = "what is known of a ghost counts for who was handed in",
    from = "if (former.is_listed)", to = "former.is_listed = false; if (former.is_listed)",
    seen_by = "hand_over",
  },
  {
    file = "area/area_tick.c", name = "who was a member as a ghost alone stays one",
    from = "else if (is && !was)", to = "else if (false)", seen_by = "hand_over",
  },
  {
    file = "area/area_tick.c", name = "a member elsewhere is none of an area that keeps its members",
    from = "if (was && !is)", to = "if (false)", seen_by = "hand_over",
  },
  {
    file = "area/area_pairs.c", name = "an area that is not here is not left",
    from = "if (was_owned(tick, id, slot))",
    to = "if (slot == NO_AREA || was_owned(tick, id, slot))", seen_by = "hand_over",
  },
  {
    file = "area/area_tick.c", name = "a member of an area elsewhere who is none here stays one",
    from = "if (!area_pairs_take(tick, note->current, &now, true) &&", to = "if (false &&",
    seen_by = "hand_over",
  },
  {
    file = "area/saved_areas.c", name = "a save forgets that an area came from elsewhere",
    from = "(state->is_handed ? STATE_IS_HANDED : 0)", to = "0", seen_by = "hand_over",
  },
  {
    file = "hand_over/luggage.c", name = "a save forgets in which areas one was elsewhere",
    from = "flags |= HANDED_WAS_IN_AREAS;", to = "flags |= 0;", seen_by = "hand_over",
  },
  {
    file = "hand_over/hand_over.c", name = "a hand-over is recorded as a leave",
    from = ".kind = CALL_HAND_OUT", to = ".kind = CALL_LEAVE", seen_by = "hand_over",
  },
  {
    file = "tick/aoi_tick.c", name = "ticks have no number",
    from = "space->moment.ticks = number;", to = "space->moment.ticks++;", seen_by = "hand_over",
  },
  {
    file = "tick/aoi_tick.c", name = "ticks go on after the last number",
    from = "number > AOI_LAST_TICK)", to = "number > AOI_LAST_TICK + 1)", seen_by = "hand_over",
  },

  -- ---- parts of areas and of hand-overs ----
  {
    file = "area/area_table.c", name = "areas that are gone are counted",
    from = "table->count--;", to = "", seen_by = "areas",
  },
  {
    file = "area/outline.c", name = "an outline loses the last corner of a ring",
    from = "(aoi_ring){to, rings[i].count}", to = "(aoi_ring){to, rings[i].count - 1}",
    seen_by = "differential_areas",
  },
  {
    file = "record/saved_area.c", name = "how far an area is from its owner is not saved",
    from = "stream_numbers(stream, &area->dx, &area->dy, &area->dz, dims);", to = "",
    seen_by = "differential_areas",
  },
  {
    file = "lua/hand_over.c", name = "hand_out delivers what waits",
    from = "call_core(L, &attempt, try_hand_out); return 1;",
    to = "struct space_userdata *self = call_core(L, &attempt, try_hand_out); lua_replace(L, 2); " ..
      "lua_settop(L, 2); return finish_change(L, self, true);",
    seen_by = "hand_over",
  },
  {
    file = "lua/hand_over.c", name = "who is handed out stays a watcher",
    from = "return aoi_hand_out(self->space, attempt->id);", to = "return AOI_OK;", seen_by = "hand_over",
  },
  {
    file = "area/area_description.c", name = "an area stands where its owner is",
    from = "take_point(space, names, numbers, &area->offset, complaint);",
    to = "take_point(space, names, (const double[]){0, 0, 0}, &area->offset, complaint);",
    seen_by = "differential_areas",
  },
  {
    file = "area/area_questions.c", name = "an entity is in all areas whose bounds hold it",
    from = "if (is_member(space, &table->at[number], slot) &&", to = "if (",
    seen_by = "differential_areas",
  },
  {
    file = "area/areas.c", name = "what areas take is kept when the last one is gone",
    from = "areas->arriving.items == NULL) areas_destroy(space);",
    to = "areas->arriving.items == NULL) (void)space;",
    seen_by = "hand_over",
  },
  {
    file = "area/area_capability.c", name = "areas are not counted",
    from = "stats->areas = aoi_area_count(space);", to = "(void)space; (void)stats;",
    seen_by = "differential_areas",
  },
  {
    file = "space/capabilities.c", name = "nobody asks areas for anything but changes",
    from = "{&areas_capability, &crowds_capability,", to = "{&crowds_capability,",
    seen_by = "areas",
  },
  {
    file = "area/area_calls.c", name = "an area that is set forgets what it was at the last tick",
    from = "if (space->deferred) area_states_note_change(", to = "if (false) area_states_note_change(",
    seen_by = "differential_areas",
  },
  {
    file = "area/calm.c", name = "it is calm beyond all borders",
    from = "const double half = reach - size * 0x1p-20;", to = "const double half = 3 * reach;",
    seen_by = "differential_areas",
  },
  {
    file = "space/handed.c", name = "of whom one was told is not found again",
    from = "if (told[middle].id < id)", to = "if (told[middle].id <= id)", seen_by = "hand_over",
  },
  {
    file = "hand_over/luggage.c", name = "an anchor does not go along",
    from = "luggage->flags & LUGGAGE_ANCHOR, &luggage->place", to = "false, &luggage->place",
    seen_by = "hand_over",
  },
  {
    file = "area/saved_areas.c", name = "the last member of an area is not loaded",
    from = "load_ids(stream, members, count);",
    to = "{ load_ids(stream, members, count); members->count -= count > 0; }",
    seen_by = "differential_areas",
  },

  -- ---- parts of scenes, Lua without skynet ----
  {
    file = "../lua/aoi/skynet/own_state.lua", name = "a step of before a push is taken",
    from = "or pushes and pushes ~= streams.pushes[id] then", to = "then", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/own_state.lua", name = "nobody is told what others set",
    from = "note.details[key] = may_know elseif", to = "elseif", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/own_state.lua", name = "what others have given and taken away is told as gone",
    from = "if noted ~= nil then return noted end", to = "", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "an own call on its way is lost by what was told before",
    from = "is_named and not blocks.is_later(entry.call, calls)", to = "is_named", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "a place of ours outlives a push",
    from = "or step.pushes ~= section.pushes", to = "", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/own_state.lua", name = "commands of another stream count",
    from = "if not stream or stream == streams.of[id] then", to = "if true then", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "a call that was refused takes back those before it",
    from = "laid[key] = entry.before", to = "laid[key] = nil", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/own_section.lua", name = "a field that is cut off is read",
    from = "if at > stop then cut_off() end", to = "", seen_by = "skynet_own",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "an update of an agent that was replaced counts",
    from = "if not message and own.pushes and mine.is_late(key, own.stream) then", to = "if false then",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "a late step brings its anchor",
    from = "others.anchor = nil", to = "", seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "who goes to a scene that tells at once is taken for pushed",
    from = "not is_asked and is_elsewhere", to = "is_elsewhere", seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who has left a scene that ends before it says so is kept",
    from = "known:finish(this.id, this.left_in)", to = "", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "what is seen stays when a scene ends",
    from = "known:finish(id)", to = "", seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "while a stream changes all is done at once",
    from = "if behind then behind[#behind + 1] = f", to = "if false then behind[#behind + 1] = f",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a stream changes on the way to another scene",
    from = "local where, this = settled(), stay", to = "local where, this = joined(), stay",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a scene keeps who has gone since it was saved",
    from = "leave_there(to, watcher, in_stream) end return", to = "end return", seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who has gone since a scene was saved hears that scene",
    from = "known:drop(watcher, in_stream)", to = "", seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a refusal in a former stay takes back a place of this one",
    from = "if stay == this then this:refused(is_step, carried) end",
    to = "this:refused(is_step, carried)", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a load does not bring back who is gone",
    from = "elseif is_loaded and follow_from_nowhere(watcher, to, in_stream, true) then",
    to = "elseif false then", seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "a load has streams that are ahead of their agents",
    from = "is_here and former[id] + 1 & 0xFFFFFFFF or nil", to = "nil", seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/own_state.lua", name = "commands from before a load are late",
    from = "if before and stream == before[1]", to = "if false and stream == before[1]",
    seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/own_state.lua", name = "commands from before a load count for later stays",
    from = "and streams.of[id] == before[2]", to = "", seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/players.lua", name = "who leaves twice in a second hears one end",
    from = "and not hearing.known:markers(id)", to = "", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/recorder.lua", name = "what stood behind a continued recording stays",
    from = "problem = pieces and clear_rest(file, size)",
    to = "problem = pieces and file:seek('set', size) and nil",
    seen_by = "recorder",
  },
  {
    file = "../lua/aoi/recorder.lua", name = "a recording with damage at its end is another history",
    from = "if calls ~= stats.calls or ticks ~= stats.tick then", to = "if calls or true then",
    seen_by = "recorder",
  },
  {
    file = "../lua/aoi/player.lua", name = "what is packed is overwritten where lua-zlib is missing",
    from = "is_readable and (self.zlib ~= nil or not recording.is_packed(piece))", to = "is_readable",
    seen_by = "recorder",
  },
  {
    file = "area/saved_areas.c", name = "an area that was beyond all numbers is not loaded",
    from = "load_area(stream, space, before->id, before, true);",
    to = "load_area(stream, space, before->id, before, false);", seen_by = "regressions",
  },
  -- ---- worlds ----
  {
    file = "../lua/aoi/skynet/world/map.lua", name = "what is above a region is in it",
    from = "y1 - y, y - y2, 0)", to = "y1 - y, 0)", seen_by = "skynet_world_map",
  },
  {
    file = "../lua/aoi/skynet/world/map.lua", name = "regions at exactly the strip are not near",
    from = "value - borders[first] <= strip do", to = "value - borders[first] < strip do",
    seen_by = "skynet_world_map",
  },
  {
    file = "../lua/aoi/skynet/region/addresses.lua",
    name = "an agent of another node is taken for one of ours",
    from = "return of == key and handle or nil", to = "return handle",
    seen_by = "skynet_world_transfer",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "who leaves on the way stays in the other scene",
    from = "entering.leave_there(where, id, math.type(ok) and ok)", to = "",
    seen_by = "skynet_world_transfer",
  },
  {
    file = "../lua/aoi/skynet/world/whose.lua", name = "an end whose packets are lost is not told",
    from = "for _, left in ipairs { self.left_before, self.left_now } do", to = "for _, left in ipairs {} do",
    seen_by = "skynet_world_ends",
  },
  {
    file = "../lua/aoi/skynet/world/whose.lua", name = "nobody hears that another agent has its entity",
    from = "    note_left(self, agent, before)\n", to = "", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua", name = "an end that lists alone say is not told",
    from = '"left", one.id, stay, true', to = '"left", one.id, stay', seen_by = "skynet_world_ends",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "who departed is taken back",
    from = 'was_unknown and way.how == "left"', to = "false", seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "who is lost on its way hears it in an old stream",
    from = "parts.agents.tell_over(own.address, id, has_departed and stream or there, answer)",
    to = "",
    seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "an entity is on its way to two scenes",
    from = "elseif ways[known.stay] then", to = "elseif false then", seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "who was taken over on its way departs",
    from = "scene.streams.of[id] ~= stream", to = "false", seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a later stay than the one that was meant departs",
    from = "call.stay and call.stay ~= stay", to = "false", seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/whose.lua", name = "who departs from a region that is lost hears an end",
    from = "not goes_on and self.options.agent(id)", to = "self.options.agent(id)",
    seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is lost on its way comes back to the wrong place",
    from = "if hearing.source() == scene then -- else", to = "if true then -- else",
    seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "who may have come stays in both",
    from = "skynet.fork(leave_again, id, given.stream)", to = "", seen_by = "skynet_world_arriving",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "who may have come as nobody's is not looked for",
    from = '"leave", id, false, "replaced"', to = '"leave", id, "", "replaced"',
    seen_by = "skynet_world_arriving",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "who may have been elsewhere is told in an old stream",
    from = 'or not ok and message == "unknown"', to = "", seen_by = "skynet_world_arriving",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "who leaves on the way hears it in an old stream",
    from = "scene.views.tell_end(address, key, there)", to = "",
    seen_by = "skynet_world_transfer",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "a stay goes on in another stream than its agent is told",
    from = "math.type(answer) and answer or", to = "", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua", name = "a bare move does not go along with its enter",
    from = "if entering[command.stay] then", to = "if entering[command.stay] and command.uid then",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a stay ends while its view is given anew",
    from = "if joining or behind then", to = "if joining then", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is given its view anew on the way is in two places",
    from = "this = come_again(where, in_stream)", to = "", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/players.lua", name = "a player that is forgotten comes back with a load",
    from = "hearing.listen(id, FORMER)", to = "hearing.listen(id, nil)", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/entering.lua", name = "a stream of a client is that of a transfer",
    from = "entering.AHEAD = 16", to = "entering.AHEAD = 1", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/known.lua", name = "a dropped stream counts once another one is dropped",
    from = "self.dropped[watcher] or {}", to = "{}", seen_by = "skynet_known",
  },
  {
    file = "../lua/aoi/skynet/recent.lua", name = "a note that was made again goes with the older one",
    from = "if not self.now[old] then", to = "if true then", seen_by = "skynet_recent",
  },
  {
    file = "../lua/aoi/skynet/world/stream_numbers.lua", name = "a number that is sent is given again",
    from = "self:hear(id, stream)\n  return", to = "self.used[id] = stream\n  return",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a call goes out that has its answer",
    from = "if not call.uid or of_node.open[call.uid] then", to = "if true then", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/applying.lua", name = "the former node of an agent hears nothing",
    from = "key == before or ", to = "", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/applying.lua", name = "a node keeps an agent that a store does not have",
    from = "one.is_for_all or ", to = "", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua", name = "a giver that is lost has not said whose it was",
    from = "work.said = is_one_gone and", to = "work.said = false and", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua", name = "lists do not say whose an entity is",
    from = "for _, one in ipairs(of_agents) do", to = "for _, one in ipairs {} do", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/change.lua", name = "packets that are here are given behind the list",
    from = [[
    ticks.give_packets(member) -- those of the last tick that have not come are given by the lists of all
    for tick = member.finished + 1, member.finished + 2 do
      local messages = {}
      for _, name in ipairs(numbers.sorted(doing.candidates)) do
        -- The own ones have hand-overs between regions of one member.
        local message = member.links[name] and ticks.message(member, name, tick)
        messages[#messages + 1] = message and not member.taken[message] and message or nil
      end
      if messages[1] then
        taking.take_in(member, tick, messages)
      end
    end
  end
  doing.own_list, doing.own_packets = lists.write(member), member.flushed_packets
]],
    to = [[
    for tick = member.finished + 1, member.finished + 2 do
      local messages = {}
      for _, name in ipairs(numbers.sorted(doing.candidates)) do
        -- The own ones have hand-overs between regions of one member.
        local message = member.links[name] and ticks.message(member, name, tick)
        messages[#messages + 1] = message and not member.taken[message] and message or nil
      end
      if messages[1] then
        taking.take_in(member, tick, messages)
      end
    end
  end
  doing.own_list, doing.own_packets = lists.write(member), member.flushed_packets
  ticks.give_packets(member)
]],
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "a node that is added is drained in the file",
    from = "next(gone) or not are_equal(self.drained, drained)", to = "next(gone)",
    seen_by = "skynet_world_migration",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "members do not say which nodes are drained",
    from = "self.configuration, self.drained = configuration, copy_of(configuration.drained or {}) or {}",
    to = "self.configuration = configuration", seen_by = "skynet_world_migration",
  },
  {
    file = "../lua/aoi/skynet/world/lands.lua", name = "a process that joins anew has areas of before",
    from = "parts.areas.begin()", to = "", seen_by = "skynet_world_former",
  },
  {
    file = "../lua/aoi/skynet/world/stays.lua", name = "an orphan that has an agent again has its time still",
    from = "entity.orphan_until = nil", to = "", seen_by = "skynet_world_former",
  },
  {
    file = "../lua/aoi/skynet/world/resuming.lua", name = "an enter with an answer is under way for ever",
    from = [[way.kind == "enter" and not of_node.enters[way.uid] then]], to = "false then",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/resuming.lua", name = "the numbers of stays that were lost are kept",
    from = "of_node.next_number = next_number", to = "next_number = of_node.next_number",
    seen_by = "skynet_world_former",
  },
  {
    file = "../lua/aoi/skynet/world/map.lua", name = "some nodes of a world may have stores, and others none",
    from = 'shared.store = own.store ~= "" and "a folder" or "none"', to = "", seen_by = "skynet_world_map",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "a region that moves forgets which entities have left",
    from = 'parts.state.add("gone", for_world.gone)', to = "", seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "a region can't move when a hook of its handlers raises",
    from = "parts.handlers.go_on(kept and", to = "parts.handlers.start(kept and",
    seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "a region can't be read when a hook of its handlers raises",
    from = "parts.handlers.go_on(saved, logged)", to = "parts.handlers.start(saved, logged)",
    seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "a region can't move when its handlers can't save",
    from = "parts.handlers.keep()", to = "parts.handlers.save()", seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/handlers.lua", name = "a region that goes on without handlers forgets them",
    from = "module.name = scene.options.handlers", to = "", seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/world/lists.lua", name = "its giver takes back what has left",
    from = "is_latest and not has_ended(all, given.stay) then", to = "is_latest then",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/lists.lua", name = "a tick that is finished counts as given",
    from = "number[2] > list.told", to = "number[2] > list.finished", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/stays.lua", name = "the agent of a store counts, though it is behind",
    from = "if said and said.tick > entity.as_of then", to = "if false then",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/stays.lua", name = "an entity that is back has an agent of before",
    from = "said.tick > entity.as_of", to = "true", seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "handlers know a configuration since they read",
    from = "place.waits, scene.configuration =", to = "place.waits, scene.former =",
    seen_by = "skynet_world_fence",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "handlers know the configuration from the start on",
    from = "configuration = { number = place.number, key = place.token },", to = "",
    seen_by = "skynet_world_fence",
  },
  {
    file = "../lua/aoi/skynet/world/overview.lua", name = "the oldest call of a world is no sum",
    from = "NO_SUM[name] = true", to = "", seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world.lua", name = "a world refuses options that no space has",
    from = "options.new_space(of_space, map.NAMES):close()", to = "",
    seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world.lua", name = "without a configuration there is no tick",
    from = "if not configuration or not world.wait_for(", to = "if configuration and not world.wait_for(",
    seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world/map.lua", name = "an option that is left out is the same as its default",
    from = "        value = default\n", to = "        value = nil\n", seen_by = "skynet_world_map",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "an entity that is taken back has the agent that it had",
    from = "take_agents(of.agents, of.orphans)", to = "", seen_by = "skynet_world_taken_back",
  },
  {
    file = "../lua/aoi/skynet/world/lists.lua", name = "only nodes that were told of an agent know of it",
    from = "table.move(member.said, 1, #member.said, 1, {})", to = "{}", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua", name = "a giver goes on with the agent of before",
    from = "        stays.hear(member, entity)\n", to = "", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a region numbers the stay at an address",
    from = "(call.kind == \"enter\" or call.begins)", to = "call.kind == \"enter\"",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/region/agents.lua", name = "who comes back is not watched",
    from = 'scene.renewed[id] or "changed"', to = "nil",
    seen_by = "skynet_world_transfer",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "who comes may see farther than the world allows",
    from = 'problem_with_traits("enter", all)', to = "nil", seen_by = "skynet_world_transfer",
  },
  {
    file = "../lua/aoi/skynet/details.lua", name = "what left and came back in one tick looks as before",
    from = "elseif turn > (changed[key] or 0) then", to = "elseif turn > 0 then",
    seen_by = "skynet_details",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "the stream in another scene is no later one",
    from = "stream and stream + 1 & 0xFFFFFFFF", to = "stream", seen_by = "skynet_parts",
  },
  {
    file = "../lua/aoi/skynet/resync.lua", name = "who asked for a resync has not, in another region",
    from = "luggage.asked, luggage.ago = asked[id],", to = "luggage.asked, luggage.ago = nil,",
    seen_by = "skynet_parts",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua",
    name = "who was handed over in a first tick is gone for its giver",
    from = "if named then named[id] = true -- its taker", to = "if false then named[id] = true -- its taker",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "a ghost does not turn",
    from = "put(region, EXTRAS, turn)", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua",
    name = "ghosts are seen no farther than their watchers look",
    from = "traits.radius, traits.visible_radius", to = "traits.radius, 0",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "all ghosts are of equal importance",
    from = "traits.layers, traits.importance or 0", to = "traits.layers, 0",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "the anchor of a ghost is where it stands",
    from = "table.move({ space:anchor(id) }, 1, dims, dims + 1, place)",
    to = "table.move({ space:position(id) }, 1, dims, dims + 1, place)",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "who goes away stays as a ghost",
    from = "put(region, GONE, pack(ID, id))", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "nobody hears what is said across a border",
    from = "self.hear(sections[SAID])", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "words are heard again that are known",
    from = "scene.speeches[stamp] = { id, body, is_text == 1 }",
    to = "scene.speeches[stamp + (next(scene.speeches) or 0)] = { id, body, is_text == 1 }",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "words of a hidden entity stay behind",
    from = "parts.ghosts.hear(all.words)", to = "",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "words are told again with an entity that is back",
    from = "if not is_return then parts.ghosts", to = "if all.words then parts.ghosts",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/state.lua", name = "handlers' words are lost as a region moves",
    from = '"speeches", "touched", "handler_commands",', to = '"speeches", "touched",',
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "regions move without a tick in between",
    from = "if not is_possible or not has_ticked(self) then", to = "if not is_possible then",
    seen_by = "skynet_world_migration",
  },
  {
    file = "../lua/aoi/skynet/world/lists.lua", name = "a tick counts for areas whose owner is not in",
    from = "and not has_owners(all, latest) then", to = "and false then",
    seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/world/late.lua", name = "a node goes that waits for one whose region hangs",
    from = "if behind and behind.waits_since[other] then", to = "if false then",
    seen_by = "skynet_world_late",
  },
  {
    file = "../lua/aoi/skynet/world/seat.lua",
    name = "a configuration that can't be written is in effect",
    from = "if ok then written(of", to = "if true then written(of",
    seen_by = "skynet_world_configuration",
  },
  {
    file = "../lua/aoi/skynet/world/seat.lua",
    name = "a configuration is written again while the disk is busy",
    from = "local is_free = not is_writing", to = "local is_free = true",
    seen_by = "skynet_world_configuration",
  },
  {
    file = "../lua/aoi/skynet/world/seat.lua", name = "a configuration is written once or never",
    from = "if write_again then", to = "if false then", seen_by = "skynet_world_configuration",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "the name of a member is anybody's",
    from = "elseif message.heard and not", to = "elseif true and not", seen_by = "skynet_world_names",
  },
  {
    file = "../lua/aoi/skynet/world/committing.lua",
    name = "an agent is given what was told of its entity since it was handed over, and a member is gone",
    from = "set[id] = not lists.is_handed_since(known.number, list) or nil", to = "set[id] = true",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "an offer waits for one that came late",
    from = "or is_outdone(self) then", to = "then", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "a report counts for any offer",
    from = "or asker.reported ~= self.offer.key then", to = "or not asker.reported then",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/asking.lua", name = "a lost node is asked for ever",
    from = "if one.key and not (keys and keys[one.key]) then", to = "if one.key and not keys then",
    seen_by = "skynet_world_answers",
  },
  {
    file = "../lua/aoi/skynet/world/asking.lua", name = "who asks waits for as long as the world stands",
    from = "if one.key and one.since <= limit then", to = "if false then", seen_by = "skynet_world_answers",
  },
  {
    file = "../lua/aoi/skynet/world.lua",
    name = "a node whose region hangs does not hear that it is expelled",
    from = "elseif world.member.is_busy and member.is_urgent(message) then", to = "elseif false then",
    seen_by = "skynet_world_hung",
  },
  {
    file = "../lua/aoi/skynet/world/late.lua",
    name = "a member has waited also while the other one was held up",
    from = "since[other] = self.rounds", to = "", seen_by = "skynet_world_late",
  },
  {
    file = "../lua/aoi/skynet/world/taking.lua", name = "a node does not hear what its regions have numbered",
    from = 'member.observe(member, "agent", said.id, nil, said)', to = "local _ = said",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/late.lua",
    name = "of two members the later one goes, whether it asks or not",
    from = "(has_missed(self, name) or not has_missed(self, worst))", to = "true",
    seen_by = "skynet_world_late",
  },
  {
    file = "../lua/aoi/skynet/world/late.lua",
    name = "the coordinator's node is waited for as long as it hangs",
    from = "elseif has_waited(self, name, name) then",
    to = "elseif name ~= self.name and has_waited(self, name, name) then",
    seen_by = "skynet_world_hung",
  },
  {
    file = "../lua/aoi/skynet/world/member.lua", name = "a message for no process is heard",
    from = 'self.phase ~= "gone" and message.to_key == self.key then', to = 'self.phase ~= "gone" then',
    seen_by = "skynet_world_commands",
  },
  {
    file = "../lua/aoi/skynet/world/map.lua",
    name = "a number that is written in another way is another word",
    from = "if math.type(value) then value =", to = "if false then value =", seen_by = "skynet_world_map",
  },
  {
    file = "../lua/aoi/skynet/world/map.lua", name = "processes of any version may join",
    from = "local shared = { [world_map.VERSION] = world_map.version }", to = "local shared = {}",
    seen_by = "skynet_world_names",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua",
    name = "a dead process is waited for as if it stood still",
    from = "if coordinator.in_doubt(self)[name] == key then", to = "if false then",
    seen_by = "skynet_world_names",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "nobody looks which configuration stores know",
    from = "note(self, message.kept)", to = "", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "other regions do not hear of who is touched",
    from = "put(region, TOUCHED, pack(ID, id))", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/steps.lua", name = "what turns at its place turns for its own region alone",
    from = "scene.touched[id] = true -- other", to = "scene.touched[id] = nil -- other",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/parts/extras.lua", name = "who is handed over looks ahead",
    from = "luggage.extras = extras.n > 0 and extras.of[id] or nil end function part.take.hand_over",
    to = "luggage.extras = nil end function part.take.hand_over",
    seen_by = "skynet_parts",
  },
  {
    file = "../lua/aoi/skynet/parts/audiences.lua",
    name = "who is handed over is not told what it may know from then on",
    from = "luggage.hidden = scene.audiences:of_one(id)", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/parts/audiences.lua",
    name = "a region that moves forgets whose layers have changed",
    from = "scene.audiences:restore(state.audiences)", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "a push does not count in the next region",
    from = "luggage.pushes, luggage.call = streams.pushes[id], streams.calls[id]", to = "",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/notices.lua",
    name = "what waits for a player stays in the region that it leaves",
    from = "luggage.notices = list and in_order(list)", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/parts/tells.lua",
    name = "what a watcher of a crowd was told when is not known in the next region",
    from = "luggage.told = scene.told[id]", to = "",
    seen_by = "skynet_parts",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "an area that has ended stays where its owner was",
    from = "local ended = parts.areas.ended_of(id)", to = "local ended = nil",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua",
    name = "an area that has ended is there when its owner could not be handed over",
    from = "parts.areas.end_again(ended)", to = "", seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/areas.lua",
    name = "a saved region does not know whose the areas were that have ended",
    from = "departed = departed, former = former }", to = "departed = departed }",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "areas stay where their owner was",
    from = "parts.areas.taken(id, all.areas, all.ended)", to = "",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/areas.lua", name = "regions count the members that others own",
    from = "if owned[id] or ended_before[id] or scene.owned[marker] or departed_before[marker] then",
    to = "if true then",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/areas.lua",
    name = "who leaves is not told to the areas that it was in",
    from = "or scene.owned[marker] or departed_before[marker] then", to = "or scene.owned[marker] then",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "areas stay when their owners leave",
    from = "if not known or known.stay ~= entry[2] then", to = "if false then",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "an area is not in regions that it comes to touch",
    from = "is_here = new and area_rules.touches(map, region, new)",
    to = "is_here = old and area_rules.touches(map, region, old)",
    seen_by = "skynet_world_exact",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "words for a sight are taken",
    from = "if how == true then", to = "if false then",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "visible radii have no bound",
    from = 'or problem_with_radius(name, "visible_radius", opts.visible_radius)', to = "",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/world/batches.lua", name = "a batch is taken whatever the turn of its moves is",
    from = "and (expected[key] or 1) == in_turn[i] then", to = "then",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "calls wait without bound",
    from = 'if #of_node.queue >= calls.MOST and call.kind ~= "leave" then', to = "if false then",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "moves that go as calls wait one behind the other",
    from = "if before and before.source == call.source then", to = "if false then",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a move takes the place of one that was sent",
    from = "elseif of_node.moves[call.id] == call then", to = "elseif false then",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a move overtakes a call about its entity",
    from = "of_node.moves[call.id] = is_bare and call or nil", to = "of_node.moves[call.id] = call",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/resuming.lua", name = "all moves that a node keeps are sent again",
    from = "list[#list + 1] = not is_needless and command or nil", to = "list[#list + 1] = command",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/change.lua", name = "a list goes again before it can be known to be lost",
    from = "(doing.listed[name] or 0) <= (doing.heard[name] or 0)", to = "true",
    seen_by = "skynet_world_said_again",
  },
  {
    file = "../lua/aoi/skynet/world/change.lua", name = "a list that is lost does not go again",
    from = "(doing.listed[name] or 0) <= (doing.heard[name] or 0)", to = "doing.listed[name] == nil",
    seen_by = "skynet_world_said_again",
  },
  {
    file = "../lua/aoi/skynet/world/member.lua", name = "each request that has waited is answered",
    from = "if link and now >= link.sent_again_at + self.times.repeated then", to = "if link then",
    seen_by = "skynet_world_said_again",
  },
  {
    file = "../lua/aoi/skynet/world/member.lua", name = "what is not late is asked for",
    from = [[self.phase == "ticking" and now >= self.waits_since + self.times.repeated then]],
    to = [[self.phase == "ticking" then]], seen_by = "skynet_world_said_again",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "what is sent again has its first stream",
    from = "call.hears = stream and stream + 1 & 0xFFFFFFFF return", to = "return",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/member.lua", name = "who begins its ticks before others goes on so",
    from = "+ tick + math.min(early, tick) / 4", to = "+ tick", seen_by = "skynet_world_ticks",
  },
  {
    file = "../lua/aoi/skynet/world/register.lua", name = "whoever asks first has the lease",
    from = [[and ARGV[5] == "0" then]], to = "and false then", seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "after new words nobody has the lease",
    from = "with_any_words = self.waits_since and", to = "with_any_words = nil and",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/overview.lua", name = "two first viewers get two pictures",
    from = "while picture == false do", to = "while false do", seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/world/member.lua", name = "agents hear of a tick when the next one is over",
    from = 'if self.phase == "ticking" and member.has_lease(self, now) then ticks.give_packets(self) end',
    to = "", seen_by = "skynet_world_ticks",
  },
  {
    file = "../lua/aoi/skynet/handlers.lua", name = "commands in save wait for the tick",
    from = 'return run_at_once(run_hook, "save")', to = 'return run_hook(current, "save")',
    seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "what is set behind a transfer without an answer is lost",
    from = "scene.own.goes_on(key, before)", to = "", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "commands in pack wait for the tick",
    from = "local hook = parts.handlers.hook_at_once()", to = "local hook = nil",
    seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "commands in stop wait for a tick",
    from = "elseif scene.is_ending then", to = "elseif false then", seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/handlers.lua", name = "no coroutine may wait while pack runs",
    from = "return at_once[coroutine.running()]", to = "return select(2, next(at_once))",
    seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "handlers may have commands of the world's names",
    from = '"add_node", "areas_as_they_are", "begin", "configuration", "drain_node",', to = "",
    seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/world/batches.lua", name = "a batch ends before a move that is not taken",
    from = "parts[#parts + 1] = first <= #ids and run_of(member, batch, first, #ids) or nil", to = "",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/batches.lua", name = "a part of a batch has the stamps of the whole",
    from = "batch.stamp + first - 1", to = "batch.stamp",
    seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/batches.lua", name = "moves of another stay are taken",
    from = "entity.stay == stays[i] and", to = "", seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/applying.lua", name = "no move of a batch is refused",
    from = "list = list or command.ids and batches.of_stays(member, command) or { command }",
    to = "list = command.ids and { command } or { command }", seen_by = "skynet_world_direct",
  },
  {
    file = "lua/moves.c", name = "moves of an entity wait without bound",
    from = "if (before != NULL) {", to = "if (false) {", seen_by = "moves",
  },
  {
    file = "lua/moves.c", name = "a move takes the place of another entity's",
    from = "|| self->list[slot->waiting].id != slot->id)", to = ")", seen_by = "moves",
  },
  {
    file = "../lua/aoi/skynet/world/agents.lua", name = "an area without a whole number goes to all nodes",
    from = "return (\"%s: area is %s, expected an integer\")",
    to = "key = id local _ = (\"%s: area is %s, expected an integer\")",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/world/seat.lua", name = "who was refused once never tries for the lease",
    from = "now >= world.refused_at + world.times.silence and",
    to = "world.refused_at == -math.huge and",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world.lua", name = "a node that joins says that the world stood until then",
    from = "world.stood = was_member and", to = "world.stood = true and",
    seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/region/store.lua", name = "a store that another service has is written to",
    from = "if not store_chunks.take(of.path) then", to = "if false then",
    seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "what is left of an entity keeps it out for good",
    from = "make_way(name, id)\n    local result", to = "local result", seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "what is left of an entity keeps it from coming",
    from = "if not ok and scene.space:has(id) then", to = "if false then", seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/zones.lua", name = "a handler that raises leaves half of the zones",
    from = "failed = failed or not is_told and { message }",
    to = "if not is_told then error(message, 0) end", seen_by = "zones",
  },
  {
    file = "lua/moves.c", name = "the table forgets an entity whose move waits",
    from = "(slot->lane != 0 || waiting_of(self, slot) != NULL)", to = "slot->lane != 0", seen_by = "moves",
  },
  {
    file = "lua/moves.c", name = "a move that waits stays in the lane of before",
    from = "    if (move != NULL)\n        move->lane = lane;", to = "", seen_by = "moves",
  },
  {
    file = "lua/moves.c", name = "moves that wait keep their lanes when all are closed",
    from = "        self->list[i].lane = 0;\n", to = "        ;\n", seen_by = "moves",
  },
  {
    file = "lua/moves.c", name = "moves that somebody calls for are taken",
    from = "lua_tointeger(L, 4) == 0 &&", to = "lua_tointeger(L, 4) >= 0 &&", seen_by = "moves",
  },
  {
    file = "../lua/aoi/skynet/world/taking.lua", name = "the first of two stores counts",
    from = "if not known or numbers.later(entity.number, known.number) or is_same",
    to = "if not known or is_same",
    seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/whose.lua", name = "nobody hears that an earlier stay is back",
    from = "if is_own and enters[one.id] and not is_earlier then",
    to = "if is_own and (enters[one.id] or is_earlier) then", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/ticks.lua", name = "an orphan ends behind what takes it over",
    from = [[
  applying.end_orphans(member, tick, work) -- first: what would take one over in this tick comes too late
  applying.give_commands(member, tick, before, outgoing, work)
]],
    to = [[
  applying.give_commands(member, tick, before, outgoing, work)
  applying.end_orphans(member, tick, work)
]],
    seen_by = "skynet_world_orphans",
  },
  {
    file = "../lua/aoi/skynet/world/stream_numbers.lua",
    name = "a node forgets what another clock has numbered",
    from = "      list[id] = stream\n", to = "",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/stream_numbers.lua",
    name = "two streams of one moment have one number",
    from = "blocks.after(self:time(), self.last[id])", to = "self:time()", seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/stream_numbers.lua",
    name = "a number that was given before a later one was heard counts",
    from = "used and not blocks.is_later(asked, used) and self:ask(id) or asked", to = "asked",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/region/agents.lua", name = "nobody hears of a later number whose stay is over",
    from = "local list, renewed = raised, scene.renewed", to = "local list, renewed = {}, scene.renewed",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "a node forgets the stream in a scene",
    from = "      parts.agents.streams:hear(id, next_stream)\n", to = "", seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/streams.lua",
    name = "who takes over with a clock that is behind is refused",
    from = "blocks.after(number, blocks.later(self:last_of(id), self.ended and self.ended[id]))",
    to = "number",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/whose.lua",
    name = "the end of a stay is told in the stream before its last",
    from = "if service and (self.over_now[stay] or self.over_before[stay]) then", to = "if false then",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/whose.lua", name = "nobody hears that an enter was sent again in vain",
    from = "if not calls.are_open(member, lost.uids) then", to = "if false then",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "an update begins a stay that was refused",
    from = "(vain[key] or scene.owned[key] and", to = "(scene.owned[key] and",
    seen_by = "skynet_world_refused",
  },
  {
    file = "../lua/aoi/skynet/world/lists.lua", name = "areas that ended in their first tick have no owners",
    from = "if entry and not known[entry[2]] then", to = "if false then", seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "ever more is sent that may have to be sent again",
    from = "if #of_node.kept >= most or", to = "if", seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua",
    name = "commands that wait for a store keep others from being sent",
    from = "most = most + (command.waits and 1 or 0)", to = "", seen_by = "skynet_world_direct",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a region numbers the stay of an update that enters",
    from = "stream = stream_of(member, call), node", to = "node", seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/agents.lua", name = "a region numbers the stay that set_traits begins",
    from = "call.hears = full and copy.stream == nil and agents.streams:ask(call.id) or nil",
    to = "",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua",
    name = "an enter that a region refuses stays in the directory",
    from = "vain[key] = true", to = "", seen_by = "skynet_world_refused",
  },
  {
    file = "../lua/aoi/skynet/world/ticks.lua",
    name = "whose an entity is its agent's node hears after its first views",
    from = 'if one.tick < tick or one.outcome == "agent" then', to = "if one.tick < tick then",
    seen_by = "skynet_world_streams",
  },
  {
    file = "../lua/aoi/skynet/world/seat.lua", name = "who asks the wrong node hears nothing",
    from = 'asks_elsewhere(words) and "coordinator"', to = "nil", seen_by = "skynet_world_joining",
  },
  {
    file = "../lua/aoi/skynet/world/lands.lua", name = "a store goes before the new owner has written",
    from = "if not (stores and member:lacks_store(region)) then", to = "if true then",
    seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/stores.lua", name = "a full disk gets a full save in every second tick",
    from = "behind[region] and not is_full", to = "false", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/stores.lua", name = "stores of nodes that joined later are not found",
    from = "table.move(known, 1, #known, #queue + 1, queue)", to = "", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/stores.lua", name = "a configuration is kept though the disk is full",
    from = "if ok and closed then", to = "if ok then", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/ticks.lua", name = "all that ended is kept while a disk is full",
    from = "began <= math.max(since, member.first_tick) and", to = "began and",
    seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/ticks.lua", name = "what ended is forgotten while a disk is full",
    from = "and not may_be_stored(member, stay, ended) then", to = "then", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "who was on the way has no areas",
    from = "known and known.is_given and entity.areas", to = "nil", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/world/applying.lua", name = "areas are judged though a store is not read",
    from = "or member.has_unread then -- a store may have more", to = "then -- a store may have more",
    seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/world/ticks.lua", name = "ended stays are forgotten before a store is read",
    from = "and not member.has_unread then", to = "then", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "a drained node comes back by itself",
    from = "asker.joining and not self.drained[name] and greetings", to = "asker.joining and greetings",
    seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world/coordinator.lua", name = "a process joins that hears not all members",
    from = "and greetings.has_heard(asker, members)", to = "", seen_by = "skynet_world_joining",
  },
  {
    file = "../lua/aoi/skynet/world/greetings.lua", name = "an answer to an old greeting counts",
    from = "now - sent <= member.times.greeted or nil", to = "true", seen_by = "skynet_world_joining",
  },
  {
    file = "../lua/aoi/skynet/world/member.lua",
    name = "a member that waits for its region answers no greeting",
    from = 'message.expelled or message.kind == "greeting"', to = "message.expelled",
    seen_by = "skynet_world_joining",
  },
  {
    file = "../lua/aoi/skynet/world/owners.lua", name = "a node goes before its regions have moved",
    from = "for _, name in pairs(before) do gone[name] = nil", to = "for _, name in pairs(before) do",
    seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world/operators.lua", name = "a node goes though nobody takes its regions",
    from = 'if regions_of(name) > 0 and not world.seat.ask("has_taker", name) then', to = "if false then",
    seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "whoever had the coordinator's lease keeps it",
    from = "return now < self.ends and self.coordinator or nil", to = "return self.coordinator",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "a coordinator goes on though another had the lease",
    from = "if now >= self.ends and answer.since ~= self.since then", to = "if false then",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "a coordinator whose lease was over begins anew",
    from = "if now >= self.ends and answer.since ~= self.since then", to = "if now >= self.ends then",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "a request to Redis without an answer is waited for",
    from = "return self.asked ~= nil and now >= self.asked.sent + self.renew", to = "return false",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "what Redis has forgotten is not written again",
    from = "self.wanted = made -- the register has lost it", to = "", seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/lease.lua", name = "a drained coordinator keeps the lease",
    from = "if seat and coordinator.has_gone(seat) then", to = "if false then",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/register.lua", name = "Redis takes the configurations of everybody",
    from = 'if redis.call("get", KEYS[1]) ~= ARGV[1] then', to = "if false then",
    seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/world/register.lua", name = "Redis gives the lease to everybody",
    from = "if holder and holder ~= ARGV[1] then", to = "if false then", seen_by = "skynet_world_redis",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua",
    name = "an entity loses what was packed when it can not be handed over",
    from = 'parts.of_entity.take("hand_over", id, all, true)', to = "",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "who is given back is not told anew",
    from = "scene.streams:count(id, BLOCKS) scene.newcomers[id] = true",
    to = "scene.streams:count(id, BLOCKS)",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/tick.lua", name = "entities go to regions that are closed",
    from = "if closed[region] then", to = "if false then",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "a command that raises ends the tick",
    from = "table.pack(pcall(run, name, stamp, source, id, ...))",
    to = "table.pack(true, run(name, stamp, source, id, ...))",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/region/ghosts.lua", name = "who is within the margin is handed over",
    from = "if x1 - x > margin or x - x2 > margin", to = "if x1 - x > 0 or x - x2 > 0",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/notices.lua", name = "a region that moves loses what waits for players",
    from = "notices.save.move, notices.load.move = notices.save.save, notices.load.save", to = "",
    seen_by = "skynet_region",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "an area becomes one with an owner within a tick",
    from = 'if had and had ~= (is_owned and "owner" or "none") then', to = "if false then",
    seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "an area has two owners in one tick, in two regions",
    from = "elseif not old and regions[id] and regions[id] ~= known.region then", to = "elseif false then",
    seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/area_rules.lua", name = "areas reach anywhere from their owner",
    from = "elseif new.owner and reach_of(new) > self.reach then", to = "elseif false then",
    seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/region/store.lua", name = "a store does not know who gave an agent its address",
    from = "scene.addresses:set(id, agent[1], agent[4])", to = "scene.addresses:set(id, agent[1])",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "areas of a tick that nobody has finished stay",
    from = "if is_unfinished then", to = "if false then", seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua",
    name = "an enter that takes over is refused by another enter",
    from = 'call.kind == "update" or call.takes_over', to = 'call.kind == "update"',
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a leave overtakes an update",
    from = "direct.put_first(member, { is_anew and call or nil })",
    to = "member.calls.queue[#member.calls.queue + 1] = is_anew and call or nil",
    seen_by = "skynet_world_agents",
  },
  {
    file = "../lua/aoi/skynet/region/tick.lua", name = "an update goes on with a stay that has ended",
    from = "if for_world.has_left(name, ...) then", to = "if false then", seen_by = "skynet_world_agents",
  },
  {
    file = "../lua/aoi/skynet/world/calls.lua", name = "a call overtakes an enter that waits for a store",
    from = "and not (enter and enter.waits)", to = "", seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/world/resuming.lua",
    name = "a call overtakes an enter that waits for a store, once all have judged it",
    from = "of_node.under_way[enter.call.id] = of_node.under_way[enter.call.id] or enter",
    to = "enter.waits = true",
    seen_by = "world_model",
  },
  {
    file = "../lua/aoi/skynet/region.lua", name = "agents send regions what worlds send them",
    from = "(OF_ALL[name] or source == place.world)", to = "true", seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/region/questions.lua", name = "a region answers while a tick is under way",
    from = "while is_closed do", to = "while false do", seen_by = "skynet_world_questions",
  },
  {
    file = "../lua/aoi/skynet/region/questions.lua", name = "a region answers for a ghost",
    from = "if about and not (scene.owned[about] and scene.space:has(about)) then", to = "if false then",
    seen_by = "skynet_world_questions",
  },
  {
    file = "../lua/aoi/skynet/world/queries.lua", name = "places are asked where entities were",
    from = "if not places[i * world.dims] and owner_of[id_of(ids[i])] then", to = "if false then",
    seen_by = "skynet_world_questions",
  },
  {
    file = "../lua/aoi/skynet/world/queries.lua",
    name = "places in several regions are asked where entities were",
    from = "return all_regions() end only = only or region",
    to = "return { only, region } end only = only or region",
    seen_by = "skynet_world_questions",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "an orphan that crosses a border is none",
    from = "scene.orphans[id] = luggage.is_orphan", to = "", seen_by = "skynet_world_orphans",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "a transfer is answered when the scene likes",
    from = "end }, patience // 10)[1]", to = "end })[1]", seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/transfer.lua", name = "who waits for a scene hears of no end",
    from = "(way.is_departing or not way.is_late)", to = "true", seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/world/queries.lua", name = "loading handlers anew is answered when they like",
    from = 'return world.call_region(region, "reload", table.unpack(arguments, 1, arguments.n))',
    to = [[return calls.call(parts.lands.regions[region], "lua", "reload",
      table.unpack(arguments, 1, arguments.n))]],
    seen_by = "skynet_world_answers",
  },
  {
    file = "../lua/aoi/skynet/region/luggage.lua", name = "nobody hears of an entity that was handed over",
    from = 'parts.lives.joined(id, "handed")', to = "", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/lives.lua", name = "ghosts come back from a store",
    from = "not scene.owned or scene.owned[id]", to = "true", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/store_file.lua", name = "a store does not wait for its folder",
    from = "ok, message = durable.sync_folder(self.path)", to = "", seen_by = "store_file",
  },
  {
    file = "../lua/aoi/skynet/store_file.lua", name = "a chunk goes behind a full save that may be gone",
    from = "self.is_unsure = true", to = "", seen_by = "store_file",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "a crowd misses a lost value behind one that came and went",
    from = "details.brief[id] and details.turn - 1 or newest", to = "newest", seen_by = "skynet_views",
  },
  {
    file = "../lua/aoi/skynet/picture.lua", name = "who has left stays in the picture of a world",
    from = "if not seen[id] and not missing[region] then", to = "if false then",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/picture.lua", name = "who changes does not change in the picture of a world",
    from = "if text_of[id] ~= text then", to = "if not text_of[id] then",
    seen_by = "skynet_world_features",
  },
  {
    file = "../lua/aoi/skynet/known.lua", name = "a list that was overtaken is believed",
    from = "block.number, nil, is_overtaken", to = "block.number, nil, nil", seen_by = "skynet_known",
  },
  {
    file = "../lua/aoi/skynet/known.lua", name = "a block that was overtaken sets the number back",
    from = "if blocks.is_later(block.number, state.number) then -- else it was overtaken",
    to = "if true then", seen_by = "skynet_known",
  },
  {
    file = "../lua/aoi/skynet/known.lua", name = "late messages to the watcher itself are dropped",
    from = "elseif kind == NOTIFIED then hear_notified(self, text, block) elseif kind == VIEW and",
    to = "elseif kind == VIEW and", seen_by = "packet_readers",
  },
  {
    file = "../lua/aoi/skynet/notices.lua", name = "messages to players of one address stand in any order",
    from = "return in_order(due)", to = "return due", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/notices.lua", name = "what waits for a player is not saved",
    from = "function notices.save.save(state) state.notices = all()",
    to = "function notices.save.save(state) state.notices = {}", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "who is back is notified at the former address",
    from = "is_last and not address_of[id] and", to = "is_last and",
    seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "a third section of changes takes the place of the first",
    from = "n = n + 1 sections[n] = section", to = "sections[n] = section", seen_by = "skynet_views",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "in crowds who stands still has no turn for changes",
    from = "space:touch(id)", to = "", seen_by = "skynet_views",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "in crowds only the changes of the last turn are told",
    from = "if last == last_turn and since > (varies[id] and before_last[id] or 0) then",
    to = "if last == last_turn then", seen_by = "skynet_views",
  },
  {
    file = "../lua/aoi/skynet/details.lua", name = "of two keys that change in a turn one is told",
    from = "fresh_entry[id] = fresh_entry[id] == before and entry or nil", to = "fresh_entry[id] = entry",
    seen_by = "skynet_views",
  },
  {
    file = "../lua/aoi/skynet/lives.lua", name = "who was here in this tick is new",
    from = 'gone[id] and "back" or "new"', to = '"new"', seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/lives.lua", name = "hooks run after the answer",
    from = "skynet.wait(this)", to = "", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/lives.lua", name = "who is loaded away has not ended",
    from = 'lives.ended(id, "replaced", lives.last(id))', to = "", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/players.lua", name = "players that have left are kept for ever",
    from = "over(...) forget(id)", to = "over(...)", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/players.lua", name = "who joins again is forgotten with the stay before",
    from = "and not joining[id] and", to = "and", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "who is refused asks the scene that spoke last",
    from = "ask_for_all(watcher, scene or source)", to = "ask_for_all(watcher, source)",
    seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/players.lua", name = "who joins twice is forgotten with the second time",
    from = "joining[key] = was_joining", to = "joining[key] = nil", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/calling_back.lua", name = "a callback overtakes one that waits",
    from = "if line.is_busy then", to = "if false then", seen_by = "skynet_callbacks",
  },
  {
    file = "../lua/aoi/skynet/calling_back.lua", name = "a callback that waits holds up other players",
    from = "expect() -- another coroutine goes on when this one waits", to = "", seen_by = "skynet_callbacks",
  },
  {
    file = "../lua/aoi/skynet/callbacks.lua", name = "behind a callback that fails the others are not called",
    from = "while list and callback and news.at <= #list do", to = "if list and callback then",
    seen_by = "skynet_callbacks",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "players are given the blocks of others, too",
    from = "own[#own + 1] = text:sub(at, after - 1)", to = "own[#own + 1] = text:sub(at)",
    seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/outbox.lua", name = "a slow client is sent views as long as there are few",
    from = "messages >= self.n or bytes > most_bytes(self)", to = "messages >= self.n",
    seen_by = "skynet_outbox",
  },
  {
    file = "../lua/aoi/skynet/outbox.lua", name = "a stay counts as over when the one before it ends",
    from = "local is_former = self.stream and blocks.is_later(self.stream, block.stream)",
    to = "local is_former = false", seen_by = "skynet_outbox",
  },
  {
    file = "../lua/aoi/skynet/outbox.lua", name = "any number of messages is on the way",
    from = "return messages >= self.n or bytes", to = "return bytes", seen_by = "skynet_outbox",
  },
  {
    file = "../lua/aoi/skynet/outbox.lua", name = "what is said to a slow client is lost",
    from = "self.kept[#self.kept + 1] = text", to = "", seen_by = "skynet_outbox",
  },
  {
    file = "../lua/aoi/skynet/outbox.lua", name = "a client that has caught up gets changes, and no list",
    from = 'self.state = "asked"', to = 'self.state = "open"', seen_by = "skynet_outbox",
  },
  {
    file = "../lua/aoi/skynet/ticks.lua", name = "a hook that runs in a tick cuts its messages in two",
    from = "parts.lives.when_started(function() if not is_done then",
    to = "skynet.fork(function() if not is_done then", seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/audiences.lua", name = "other audiences are told at once",
    from = "(self.none or next(hidden)) and set_of(self, keys_of(hidden)) or nil",
    to = "nil if keys_of(hidden)[1] ~= keys_of(self:hidden(watcher) or {})[1] then self.renew(watcher) end",
    seen_by = "skynet_audiences",
  },
  {
    file = "../lua/aoi/skynet/audiences.lua", name = "who loses a layer goes on knowing",
    from = "if hidden ~= before then", to = "if false then",
    seen_by = "skynet_audiences",
  },
  {
    file = "../lua/aoi/skynet/audiences.lua", name = "all layers of an audience are needed",
    from = "of_key & layers == 0 and key", to = "of_key & layers ~= of_key and key",
    seen_by = "skynet_audiences",
  },
  {
    file = "../lua/aoi/skynet/details.lua", name = "who comes to see an entity learns hidden properties",
    from = "keys[#keys + 1] = not hidden[key] and key or nil", to = "keys[#keys + 1] = key",
    seen_by = "skynet_audiences",
  },
  {
    file = "../lua/aoi/skynet/details.lua", name = "changes of hidden properties are told",
    from = "not hidden[key] and (entries[key] or not was_none(self, id, key, turn)) then keys",
    to = "true then keys", seen_by = "skynet_audiences",
  },
  {
    file = "../lua/aoi/skynet/details.lua", name = "what nobody was told is told as gone",
    from = "return came and came >= turn and turn > (self.went[id][key] or 0)", to = "return false",
    seen_by = "skynet_details",
  },
  {
    file = "../lua/aoi/skynet/details.lua", name = "a number as long as the one before is no change",
    from = 'local entry = pack("<BBi4", 1, key, value) if entry ~= before then',
    to = 'local entry = pack("<BBi4", 1, key, value) if false then', seen_by = "skynet_details",
  },
  {
    file = "lua/view_blocks.c", name = "extras beyond single floats are taken",
    from = "if (!(value >= -(double)FLT_MAX && value <= (double)FLT_MAX))", to = "if (value != value)",
    seen_by = "skynet_extras",
  },
  {
    file = "../lua/aoi/skynet/extras.lua", name = "extras of another scene keep their number",
    from = ":sub(1, 4 * self.n)", to = "", seen_by = "skynet_extras",
  },
  {
    file = "lua/view_blocks.c", name = "a list that is cut leaves extras behind",
    from = "end_section(joining); end_block(L, joining, VIEW_MORE);",
    to = "joining->own_extras = 0; end_section(joining); end_block(L, joining, VIEW_MORE);",
    seen_by = "skynet_extras",
  },
  {
    file = "lua/view_blocks.c", name = "a view goes on in a room that another one was begun in",
    from = "if (joining->room->views != joining->view)", to = "if (false)", seen_by = "view_blocks",
  },
  {
    file = "lua/view_blocks.c", name = "an id that is too long is cut",
    from = "if (!is_long && (id < INT32_MIN || id > INT32_MAX))", to = "if (false)",
    seen_by = "view_blocks",
  },
  {
    file = "../lua/aoi/skynet/blocks.lua", name = "extras of other records are believed",
    from = "// step * 4 * n ~= extras.stop - extras.at then", to = "< 0 then", seen_by = "skynet_extras",
  },
  {
    file = "../lua/aoi/skynet/known.lua", name = "a turn is no move",
    from = "if marker and (is_turned or marker[1] ~= x", to = "if marker and (marker[1] ~= x",
    seen_by = "skynet_extras",
  },
  {
    file = "../lua/aoi/skynet/calls.lua", name = "an error counts for a call, whoever has sent it",
    from = "guarded[address] and address ~= source then", to = "false then", seen_by = "skynet_world_agents",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is taken out of a scene does not notice",
    from = "local is_here = hearing.source() == scene and", to = "local is_here = false and",
    seen_by = "skynet_world_agents",
  },
  {
    file = "../lua/aoi/skynet/names.lua", name = "half of a name is a slip",
    from = "slips < least and 2 * slips < #known then", to = "slips < least then", seen_by = "skynet_names",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a place that waits holds up those in the next scene",
    from = "waiting, early, sent_at, is_lost = nil, nil, nil, false ends.wait(",
    to = "early, is_lost = nil, false ends.wait(",
    seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who has gone follows a scene that was saved before",
    from = "told and blocks.is_later(in_stream, told) or", to = "told or", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who leaves during a transfer stays in the other scene",
    from = "if told then", to = "if false then", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who goes elsewhere during a transfer is left behind",
    from = "leave_there(scene, id, stay.stream)", to = "", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is passed on at once is where it was before",
    from = "told and blocks.is_later(in_stream, told) or", to = "told and source == scene or",
    seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/options.lua", name = "times that were meant in seconds are taken",
    from = "expect(math.type(value) and value >= least or", to = "expect(math.type(value) and value > 0 or",
    seen_by = "skynet_options",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "what is missed within a second is not asked for",
    from = "if again and known:is_behind(watcher) and", to = "if false and", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/scene.lua", name = "a move that is sent runs handlers outside coroutines",
    from = "scene.space:pending() == 0 and parts.steps", to = "parts.steps",
    seen_by = "skynet_waiting",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "who has left is given to another one",
    from = [[change_by(id, note, steps.take]], to = [[change_by(id + 0.5, note, steps.take]],
    seen_by = "skynet_waiting",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "who leaves before it has entered joins after that",
    from = "finish(key) last = last or lives.last(key)", to = "last = last or lives.last(key)",
    seen_by = "skynet_waiting",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "who gives an entity away follows it",
    from = "return not opts or opts.address == nil or entities", to = "return true or entities",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who leaves in a transfer hears that this was refused",
    from = [[if command == "leave" and is_ours and]], to = "if false and", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who follows to another scene is lost still",
    from = "waiting, early, sent_at, is_lost = nil, nil, nil, false ends",
    to = "waiting, early, sent_at = nil, nil, nil ends",
    seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/lives.lua", name = "hooks run before what has entered is the region's own",
    from = "if not due[1] or held > 0 then", to = "if not due[1] then", seen_by = "skynet_world_hooks",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "who comes back by transfer finds its id had by another",
    from = "all.stream = scene.streams:next(id, all.stream)", to = "", seen_by = "skynet_transfer",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "extras behind a place count as a coordinate",
    from = "place and told and #told or 0", to = "place and told and #place or 0", seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "extras behind a place are coordinates of it",
    from = "place and table.move(place, 1, dims, 1, {}),", to = "place,", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "what is told before a join is answered is no news",
    from = "if is_new then tell_me", to = "if false then tell_me", seen_by = "skynet_world_agents",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "the end that the scene of before tells is none",
    from = "if not is_here and of_stream ~= stay:current() then", to = "if not is_here then",
    seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/stay.lua", name = "what the next scene tells is taken for the present stay",
    from = "if self.stream and is_other and", to = "if false and",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/stay.lua", name = "a command for the scene of before is laid over the next one",
    from = "return self.stream and not self:ahead() and", to = "return self.stream and",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "the end of a stay that was overtaken is not heard",
    from = [[and reason ~= "lost" and stay:ahead()]], to = "and false", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is lost on its way is where it was passed on to",
    from = [[and reason ~= "lost" and stay:ahead()]], to = "and stay:ahead()",
    seen_by = "skynet_world_departing",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is gone does not see who has taken it in",
    from = "and not follow_from_nowhere(watcher, known:told_by(watcher)) then", to = "then",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who joins elsewhere stays where it was passed on to",
    from = "leave_there(at, id, of_stream) -- a transfer", to = "-- a transfer", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who leaves stays in the scene that it sees already",
    from = "if at then leave_there(at, id, of_stream) end last_left", to = "last_left",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who has left stays where it was passed on to meanwhile",
    from = "leave_there(where, watcher, in_stream)", to = "", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is gone follows a scene that was left before",
    from = "or not gone.stream or blocks.is_later(in_stream, gone.stream)",
    to = "or true", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "whose join is refused is nowhere, though told elsewhere",
    from = "follow_from_nowhere(id, known:told_by(id)) -- told", to = "-- told", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "the address as skynet writes it is none",
    from = "address = tonumber(to:sub(2), 16)", to = "", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "an update of the map before has an anchor",
    from = "wanted.extras, wanted.anchor = nil, nil, nil, nil",
    to = "wanted.extras = nil, nil, nil", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a place in the next map loses the extras before it",
    from = "with_extras_of(is_same and early or nil, place)", to = "place", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who was gone comes back with nothing",
    from = "entity, given = watcher, gone.given",
    to = "entity, given = watcher, new_given()", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "the dimensions of the map before count in the next one",
    from = "self.dims or self.place and #self.place or #step",
    to = "self.place and #self.place or self.dims or #step", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a place of the map before counts in the next one",
    from = "return opts.stream ~= nil and opts.stream ~= stay:current()", to = "return false",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "a place that was chosen in the next map is lost",
    from = "early = with_extras_of(is_same and early or nil, place)", to = "",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "new extras lay the place of before over that of now",
    from = "if not is_of(self.step, stream, pushes) then", to = "if not self.step then",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "extras behind a place are those of before",
    from = "#place <= dims_of(self, place) and before.extras or nil", to = "before.extras",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "a place without extras has those that were told",
    from = "#place <= dims_of(self, place) and before.extras or nil", to = "nil",
    seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/entering.lua", name = "a client chooses any number for a stream",
    from = "stream = of_client(", to = "stream = (", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/streams.lua", name = "a load has numbers that clients choose",
    from = "stream = ahead and streams.of_load(stream) or stream", to = "", seen_by = "skynet_overtaken",
  },
  {
    file = "../lua/aoi/skynet/players.lua", name = "a forgotten player stays where it is taken in",
    from = "have_leave(id, hearing.known:told_by(id))", to = "", seen_by = "skynet_players",
  },
  {
    file = "../lua/aoi/skynet/world/areas.lua", name = "an earlier life of an owner has its areas",
    from = "sweep(member) -- nothing was judged", to = "-- nothing was judged",
    seen_by = "skynet_world_areas",
  },
  {
    file = "../lua/aoi/skynet/me.lua", name = "what we have given ourselves is news after a join",
    from = [[opts.data ~= "" and opts.data or nil } return self.pushes]], to = "nil } return self.pushes",
    seen_by = "skynet_world_agents",
  },
  {
    file = "../lua/aoi/skynet/saving.lua", name = "a store goes on with other dimensions than its scene",
    from = "elseif dims and state.dims ~= dims then", to = "elseif false then", seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/saving.lua", name = "a store goes on without ticks",
    from = "if dims and state.tick == 0 then", to = "if false then",
    seen_by = "skynet_load",
  },
  {
    file = "../lua/aoi/skynet/notices.lua", name = "a load keeps what waited for players",
    from = "function notices.load.save(state) waiting = {}", to = "function notices.load.save(state)",
    seen_by = "skynet_lives",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "a change is lost with a move that was told before it",
    from = "scene.tick > 0 and not are_mixed", to = "scene.tick > 0",
    seen_by = "skynet_waiting",
  },
  {
    file = "../lua/aoi/skynet/views.lua", name = "a change is told twice to who hears of a former move",
    from = "if are_mixed then -- else", to = "if false then -- else",
    seen_by = "skynet_waiting",
  },
  {
    file = "../lua/aoi/skynet/commands.lua", name = "who is on its way gets another radius",
    from = "local problem = parts.steps.problem_with_way(method, key)", to = "local problem",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/steps.lua", name = "who is on its way moves",
    from = "if departing[key] then", to = "if false then",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "a scene is asked again from which the entity has gone",
    from = " and known:stream(watcher) == again.stream", to = "", seen_by = "skynet_client",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is lost comes back while it goes elsewhere",
    from = "wait_for_answer() if stay ~= this then", to = "if stay ~= this then",
    seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "what waits is forgotten as one wants its place",
    from = "finish(id) local last = lives.last(id) local ok", to = "local last = lives.last(id) local ok",
    seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "a copy that has left meanwhile is to leave once more",
    from = "if ok and scene.space:has(key) and (scene.orphans[key] or own.take_over) then", to = "if ok then",
    seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/region/commands.lua", name = "in a world a copy leaves for who can't come",
    from = "local ok, result, last_stream = parts.entities.can_be(id, ...)",
    to = "local ok, result, last_stream = true, nil, nil",
    seen_by = "skynet_world_orphans",
  },
  {
    file = "../lua/aoi/skynet/transfer.lua", name = "a transfer waits for ever for a scene that was killed",
    from = 'pcall(alive.call, where, "lua", "arrive"',
    to = 'pcall(require("aoi.skynet.calls").call, where, "lua", "arrive"', seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/entering.lua", name = "a client waits for ever for a scene that was killed",
    from = 'pcall(alive.call, to, "lua", command', to = 'pcall(calls.call, to, "lua", command',
    seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "a save forgets who waits for an agent",
    from = "scene.orphans = state.orphans or {}", to = "scene.orphans = {}", seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "orphans of a save wait for ever",
    from = "files.entities.await_agents()", to = "", seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/parts/agents.lua", name = "an agent that a load gives is none",
    from = "scene.newcomers[id], scene.orphans[id] = true, nil", to = "scene.newcomers[id] = true",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "a copy leaves for who can't come",
    from = "local ok, result = can_be(key, x, y, z, opts)", to = "local ok, result = true, nil",
    seen_by = "skynet_agent",
  },
  {
    file = "../lua/aoi/skynet/world/operators.lua", name = "a region moves to a node that takes none",
    from = "if not takes_regions then", to = "if false then", seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world.lua", name = "an agent asks a region what only its world may ask",
    from = "if not OF_REGIONS[command] then", to = "if false then", seen_by = "skynet_world_commands",
  },
  {
    file = "../lua/aoi/skynet/world/overview.lua", name = "questions are no calls that wait",
    from = "0, world.asking.oldest()", to = "0, nil", seen_by = "skynet_world_operators",
  },
  {
    file = "../lua/aoi/skynet/world/lands.lua", name = "a world begins with stores of other options",
    from = "stores.check()", to = "", seen_by = "skynet_world_store",
  },
  {
    file = "../lua/aoi/skynet/entering.lua", name = "what a scene tells before it answers counts at once",
    from = "hearing.hold(id, args[1].stream)", to = "", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "what a scene has told before it answers is lost",
    from = "hearing.release(how.id, how.number)", to = "hearing.drop(how.id, how.number)",
    seen_by = "skynet_held_back",
  },
  {
    file = "../lua/aoi/skynet/client.lua", name = "who is told of a place before it may not come stays there",
    from = "leave_there(told[1], id, told[2])", to = "", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "what is told of a stay that there is not counts later",
    from = "known:drop(watcher, stream)", to = "", seen_by = "skynet_interleaved",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "what an entry is told in a later stream counts at once",
    from = "not blocks.is_later(list.stream, block.stream)", to = "list.stream == block.stream",
    seen_by = "skynet_held_back",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "packets of which all is held back are passed on empty",
    from = 'if rest and rest.packet and passed ~= "" then', to = "if rest and rest.packet then",
    seen_by = "skynet_held_back",
  },
  {
    file = "../lua/aoi/skynet/hearing.lua", name = "a join without an id is under way for ever",
    from = "if math.type(watcher) and watcher == watcher then", to = "do", seen_by = "skynet_held_back",
  },
  {
    file = "../lua/aoi/skynet/entities.lua", name = "a copy ends where another one wants to be",
    from = "finish(id) local last = lives.last(id) local ok", to = "finish(id) local last = nil local ok",
    seen_by = "skynet_agent",
  },
}
