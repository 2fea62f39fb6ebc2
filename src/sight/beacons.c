/* beacons.c - beacons added, moved and forgotten, and what they were at the last tick. */
#include "sight/beacons.h"

#include <math.h>

#include "base/always_inline.h"
#include "base/self_check.h"
#include "sight/view_box.h"

/* How much wider a box is listed than it is, to each side, as a part of the visible radius. */
#define BOX_ROOM 0.0625

/* Views are squares or circles: their borders are known. */
static bool are_flat(enum sight_rule rule) {
    return rule == SIGHT_SQUARE || rule == SIGHT_CIRCLE;
}

void beacons_init(struct beacons *beacons, enum sight_rule rule, struct memory *memory,
                  bool deferred) {
    *beacons = (struct beacons){.memory = memory, .deferred = deferred, .is_flat = are_flat(rule)};
    beacons->borders.is_round = rule == SIGHT_CIRCLE;
    entities_init(&beacons->all);
    area_grid_init(&beacons->boxes, memory);
}

const struct entity *beacons_find(const struct beacons *beacons, aoi_id id) {
    if (beacons->all.count == 0)
        return NULL;
    const uint32_t slot = entities_find(&beacons->all, id);
    return slot == NO_SLOT ? NULL : &beacons->all.at[slot];
}

/* ------------------------------------------------------------------ */
/* Notes of the last tick                                              */
/* ------------------------------------------------------------------ */

static uint32_t find_former(const struct beacons *beacons, aoi_id id) {
    return beacons->former.count == 0
               ? NO_SLOT
               : idmap_find(&beacons->former_ids, IDS_OF(beacons->former.items, id), id);
}

double beacons_radius_then(const struct beacons *beacons, aoi_id id) {
    const uint32_t number = find_former(beacons, id);
    return number == NO_SLOT ? beacons_radius(beacons, id) : beacons->former.items[number].radius;
}

bool beacons_reserve_notes(struct beacons *beacons, size_t changes) {
    return !beacons->deferred || (array_reserve(&beacons->former, beacons->memory, changes) &&
                                  idmap_reserve(&beacons->former_ids, beacons->memory,
                                                IDS_OF(beacons->former.items, id), changes));
}

static void add_former(struct beacons *beacons, aoi_id id, double radius) {
    const uint32_t number = (uint32_t)beacons->former.count++;
    beacons->former.items[number] = (struct entity){.id = id, .radius = radius};
    idmap_add(&beacons->former_ids, IDS_OF(beacons->former.items, id), number);
}

bool beacons_restore_former(struct beacons *beacons, aoi_id id, double radius) {
    if (!beacons_reserve_notes(beacons, 1))
        return false;
    if (find_former(beacons, id) == NO_SLOT)
        add_former(beacons, id, radius);
    return true;
}

void beacons_forget_former(struct beacons *beacons, size_t count) {
    while (beacons->former.count > count) {
        const uint32_t last = (uint32_t)beacons->former.count - 1;
        idmap_remove(&beacons->former_ids, IDS_OF(beacons->former.items, id), last);
        beacons->former.count = last;
    }
    if (count == 0 && beacons->all.count == 0) {
        array_free(&beacons->former, beacons->memory);
        idmap_free(&beacons->former_ids, beacons->memory);
    }
}

/* ------------------------------------------------------------------ */
/* Beacons                                                             */
/* ------------------------------------------------------------------ */

bool beacons_reserve(struct beacons *beacons, aoi_id id, double radius) {
    if (beacons_radius(beacons, id) != radius && !beacons_reserve_notes(beacons, 1))
        return false;
    return radius == 0 ||
           (entities_reserve(&beacons->all, beacons->memory) &&
            area_grid_reserve(&beacons->boxes, beacons->all.capacity) &&
            (!beacons->is_flat ||
             borders_reserve(&beacons->borders, beacons->memory, beacons->all.capacity)) &&
            (radius < INFINITY || array_reserve(&beacons->everywhere, beacons->memory, 1)));
}

/* The border of the beacon in slot, which stands in the grid. */
static struct border border_of(const struct beacons *beacons, uint32_t slot) {
    const struct entity *beacon = &beacons->all.at[slot];
    const unsigned level = beacons->boxes.places[slot].level;
    return (struct border){beacon->x, beacon->y, beacon->radius,
                           level < AREA_LEVELS ? area_level_inverse(level) : 0};
}

/* From where the beacon may be seen, whatever is rounded, with some room, so that it can take
 * several steps before it is listed anew; and the border of that. */
static void place_box(struct beacons *beacons, uint32_t slot) {
    const struct entity *beacon = &beacons->all.at[slot];
    struct box box = view_box(beacon, beacon->radius);
    if (!area_grid_holds(&beacons->boxes, slot, &box)) {
        box = view_box(beacon, beacon->radius * (1 + BOX_ROOM));
        const double width = box.x2 - box.x1, height = box.y2 - box.y1;
        area_grid_place(&beacons->boxes, slot, &box, width > height ? width : height, FORM_UNKNOWN);
    }
    if (!beacons->is_flat)
        return;
    const struct border border = border_of(beacons, slot);
    borders_set(&beacons->borders, slot, &border);
}

static void add_everywhere(struct beacons *beacons, uint32_t slot) {
    beacons->all.at[slot].place_everywhere = (uint32_t)beacons->everywhere.count;
    beacons->everywhere.items[beacons->everywhere.count++] = slot;
}

static void remove_everywhere(struct beacons *beacons, uint32_t slot) {
    const uint32_t last = beacons->everywhere.items[--beacons->everywhere.count];
    const uint32_t place = beacons->all.at[slot].place_everywhere;
    beacons->everywhere.items[place] = last;
    beacons->all.at[last].place_everywhere = place;
}

static void remove_beacon(struct beacons *beacons, uint32_t slot) {
    if (beacons->all.at[slot].radius < INFINITY) {
        area_grid_remove(&beacons->boxes, slot);
        if (beacons->is_flat)
            borders_set(&beacons->borders, slot, &(struct border){.radius = 0});
    } else {
        remove_everywhere(beacons, slot);
    }
    entities_remove(&beacons->all, slot);
}

static void add_beacon(struct beacons *beacons, const struct entity *entity, uint32_t slot,
                       double radius) {
    struct entity beacon = {
        .x = entity->x, .y = entity->y, .radius = radius, .id = entity->id, .mode = AOI_MARKER};
    beacon.marked_slot = slot;
    const uint32_t at = entities_add(&beacons->all, &beacon);
    if (radius < INFINITY) {
        place_box(beacons, at);
    } else {
        add_everywhere(beacons, at);
    }
}

static void move_beacon(struct beacons *beacons, uint32_t slot, double x, double y) {
    struct entity *beacon = &beacons->all.at[slot];
    beacon->x = x;
    beacon->y = y;
    if (beacon->radius < INFINITY)
        place_box(beacons, slot);
}

void beacons_set(struct beacons *beacons, struct entity *entity, uint32_t slot, double radius) {
    const aoi_id id = entity->id;
    entity->beacon = radius > 0;
    const uint32_t at = beacons->all.count == 0 ? NO_SLOT : entities_find(&beacons->all, id);
    const double before = at == NO_SLOT ? 0 : beacons->all.at[at].radius;
    if (before != radius && beacons->deferred && find_former(beacons, id) == NO_SLOT)
        add_former(beacons, id, before);
    if (before == radius && at != NO_SLOT) {
        struct entity *beacon = &beacons->all.at[at];
        beacon->marked_slot = slot;
        move_beacon(beacons, at, entity->x, entity->y);
        return;
    }
    if (at != NO_SLOT)
        remove_beacon(beacons, at);
    if (radius > 0)
        add_beacon(beacons, entity, slot, radius);
}

void beacons_free(struct beacons *beacons) {
    area_grid_free(&beacons->boxes);
    borders_free(&beacons->borders, beacons->memory);
    entities_free(&beacons->all, beacons->memory);
    array_free(&beacons->everywhere, beacons->memory);
    array_free(&beacons->former, beacons->memory);
    idmap_free(&beacons->former_ids, beacons->memory);
}

/* ------------------------------------------------------------------ */
/* Searching                                                           */
/* ------------------------------------------------------------------ */

/* A look for beacons from one place or from two. */
enum { FROM = 1, TO = 2 };
struct look {
    const struct area_grid *boxes;
    xy from, to;
    unsigned places; /* which of both count */
    struct hits *hits;
};

/* True when a beacon of a chain was listed by the cell of the old place, as it may be seen from
 * there, too. */
static bool was_listed(const struct look *look, const struct area_block *block, unsigned i,
                       struct area_cell cell) {
    const struct area_probe from = area_probe_of(look->from, look->from);
    return (block_may_meet(block, &from) >> i & 1) &&
           area_is_in_cell(look->boxes, block_area(block, i), cell);
}

/* Appends those of a block whose bits are set; not those that another cell has listed (NULL: there
 * is none). */
NEVER_INLINE static bool list_met(const struct look *look, const struct area_block *block,
                                  unsigned met, struct area_cell cell,
                                  const struct area_cell *listed) {
    for (; met != 0; met &= met - 1) {
        const unsigned i = lowest_bit(met);
        if (!area_is_in_cell(look->boxes, block_area(block, i), cell) ||
            (listed != NULL && was_listed(look, block, i, *listed)))
            continue;
        if (!hits_reserve(look->hits, 1))
            return false;
        look->hits->slots[look->hits->count++] = block_area(block, i);
    }
    return true;
}

/* Appends the beacons of the chain of a cell that may be seen from these places. */
ALWAYS_INLINE bool list_chain(const struct look *look, uint32_t first, struct area_cell cell,
                              unsigned places, const struct area_cell *listed) {
    const struct area_grid *boxes = look->boxes;
    const xy a = places & FROM ? look->from : look->to, b = places & TO ? look->to : look->from;
    const xy low = xy_lesser(a, b), high = xy_greater(a, b);
    const struct area_probe probe = area_probe_of(low, high);
    for (uint32_t number = first; number != NO_BLOCK; number = boxes->blocks[number].next) {
        const struct area_block *block = &boxes->blocks[number];
        const unsigned met = block_may_meet(block, &probe);
        if (met != 0 && !list_met(look, block, met, cell, listed))
            return false;
    }
    return true;
}

/* From two places in two cells, or from one (NULL: the other does not count). */
NEVER_INLINE static bool list_apart(const struct look *look, const struct area_cell *left,
                                    const struct area_cell *entered) {
    const uint32_t *heads = look->boxes->heads;
    return (left == NULL ||
            list_chain(look, heads[area_chain_of(look->boxes, *left)], *left, FROM, NULL)) &&
           (entered == NULL ||
            list_chain(look, heads[area_chain_of(look->boxes, *entered)], *entered, TO, left));
}

NEVER_INLINE static bool list_unbounded(const struct look *look) {
    return list_chain(look, look->boxes->unbounded, unbounded_cell, look->places, NULL);
}

/* Of the boxes of one size. */
ALWAYS_INLINE bool list_level(const struct look *look, unsigned number) {
    const struct area_grid *boxes = look->boxes;
    struct area_cell left, entered;
    const bool leaves =
        (look->places & FROM) && area_cell_at(boxes, number, look->from[0], look->from[1], &left);
    const bool enters =
        (look->places & TO) && area_cell_at(boxes, number, look->to[0], look->to[1], &entered);
    if (leaves && enters && left.column == entered.column && left.row == entered.row)
        return list_chain(look, boxes->heads[area_chain_of(boxes, left)], left, FROM | TO, NULL);
    return list_apart(look, leaves ? &left : NULL, enters ? &entered : NULL);
}

ALWAYS_INLINE bool list_all(const struct look *look) {
    for (unsigned number = 0; number < look->boxes->used_count; number++) {
        if (!list_level(look, number))
            return false;
    }
    return look->boxes->unbounded == NO_BLOCK || list_unbounded(look);
}

/* The border cells of a size where a step begins and ends. */
struct step_cells {
    border_cells from, to;
};

ALWAYS_INLINE struct step_cells cells_of_step(const struct beacons *beacons, unsigned number,
                                              xy from, xy to) {
    const xy cells = xy_of(beacons->boxes.used[number].inverse * BORDERS_PER_CELL);
    return (struct step_cells){border_cells_at(from * cells), border_cells_at(to * cells)};
}

static bool is_far_in_cell(const struct borders *borders, int64_t column, int64_t row, xy from,
                           xy to) {
    return borders_are_aside(borders, borders_cell(borders, column, row), from, to);
}

/* The same number, or the next: of two that are far from each other the difference may be any. */
static bool is_beside(int64_t number, int64_t other) {
    return (uint64_t)number - (uint64_t)other + 1 <= 2;
}

/* Of borders in cells of one size, and for any step. */
static bool is_far_in_size(const struct beacons *beacons, unsigned number, xy from, xy to) {
    const struct borders *borders = &beacons->borders;
    const struct step_cells cells = cells_of_step(beacons, number, from, to);
    const int64_t column = cells.from[0], row = cells.from[1];
    const int64_t last_column = cells.to[0], last_row = cells.to[1];
    /* A border that is crossed touches one of the cells that the step passes. */
    if (!is_beside(last_column, column) || !is_beside(last_row, row))
        return false;
    return is_far_in_cell(borders, column, row, from, to) &&
           (column == last_column || is_far_in_cell(borders, last_column, row, from, to)) &&
           (row == last_row || is_far_in_cell(borders, column, last_row, from, to)) &&
           (column == last_column || row == last_row ||
            is_far_in_cell(borders, last_column, last_row, from, to));
}

NEVER_INLINE static bool is_far(const struct beacons *beacons, xy from, xy to) {
    const struct borders *borders = &beacons->borders;
    for (unsigned number = 0; number < beacons->boxes.used_count; number++) {
        if (!is_far_in_size(beacons, number, from, to))
            return false;
    }
    return borders_are_aside(borders, &borders->apart, from, to);
}

/* Most steps stay in a cell of each size, and its beacons are all at hand. */
ALWAYS_INLINE bool is_far_mostly(const struct beacons *beacons, bool is_round, xy from, xy to) {
    const struct borders *borders = &beacons->borders;
    if (borders->apart.at_hand[0] != 0)
        return is_far(beacons, from, to);
    for (unsigned number = 0; number < beacons->boxes.used_count; number++) {
        const struct step_cells cells = cells_of_step(beacons, number, from, to);
        const border_cells step = cells.to ^ cells.from;
        const struct border_cell *cell = borders_cell(borders, cells.from[0], cells.from[1]);
        if ((step[0] | step[1]) != 0 || border_cell_has_chain(cell))
            return is_far(beacons, from, to);
        if (!limits_are_kept(borders->limits.items, cell->at_hand, is_round, from, to))
            return false;
    }
    return true;
}

/* A function of its own: it needs many registers, and those who ask for it few. */
NEVER_INLINE bool beacons_are_far(const struct beacons *beacons, xy from, xy to) {
    return beacons->borders.is_round ? is_far_mostly(beacons, true, from, to)
                                     : is_far_mostly(beacons, false, from, to);
}

bool beacons_around_step(const struct beacons *beacons, xy from, xy to, struct hits *hits) {
    const struct look look = {&beacons->boxes, from, to, FROM | TO, hits};
    return list_all(&look);
}

bool beacons_around(const struct beacons *beacons, const struct entity *before,
                    const struct entity *after, struct hits *hits) {
    struct look look = {.boxes = &beacons->boxes, .hits = hits};
    if (before != NULL) {
        look.from = (xy){before->x, before->y};
        look.places |= FROM;
    }
    if (after != NULL) {
        look.to = (xy){after->x, after->y};
        look.places |= TO;
    }
    if (!list_all(&look) || !hits_reserve(hits, beacons->everywhere.count))
        return false;
    for (size_t i = 0; i < beacons->everywhere.count; i++)
        hits->slots[hits->count++] = beacons->everywhere.items[i];
    return true;
}

#ifdef AOI_SELF_CHECK
void beacons_check(const struct beacons *beacons, const struct entities *entities) {
    size_t count = 0, everywhere = 0, marked = 0;
    entities_check(&beacons->all);
    for (uint32_t slot = 0; slot < beacons->all.used; slot++) {
        const struct entity *beacon = &beacons->all.at[slot];
        if (beacon->mode == 0)
            continue;
        const struct entity *marker = &entities->at[beacon->marked_slot];
        SELF_CHECK(marker->id == beacon->id && marker->beacon);
        SELF_CHECK(marker->x == beacon->x && marker->y == beacon->y && beacon->radius > 0);
        count++;
        if (beacon->radius < INFINITY) {
            const struct box box = view_box(beacon, beacon->radius);
            area_grid_check(&beacons->boxes, slot, &box);
            if (beacons->is_flat) {
                const struct border border = border_of(beacons, slot);
                borders_check(&beacons->borders, slot, &border);
            }
        } else {
            SELF_CHECK(beacons->everywhere.items[beacon->place_everywhere] == slot);
            everywhere++;
        }
    }
    for (uint32_t slot = 0; slot < entities->used; slot++)
        marked += entities->at[slot].mode != 0 && entities->at[slot].beacon;
    SELF_CHECK(count == marked && count == beacons->all.count &&
               everywhere == beacons->everywhere.count);
}
#endif
