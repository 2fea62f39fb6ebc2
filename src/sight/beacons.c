/* beacons.c - beacons added, moved and forgotten, and what they were at the last tick. */
#include "sight/beacons.h"

#include "base/self_check.h"

void beacons_init(struct beacons *beacons, const struct indexes *indexes, struct memory *memory,
                  bool deferred) {
    *beacons = (struct beacons){.memory = memory, .deferred = deferred};
    entities_init(&beacons->all);
    beacons->indexes.setup = indexes->setup;
    beacons->indexes.setup.entities = &beacons->all;
    beacons->indexes.engine = indexes->engine;
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
    return beacons->former.count == 0 ? NO_SLOT
                                      : idmap_find(&beacons->former_ids, beacons->former.items, id);
}

double beacons_radius_then(const struct beacons *beacons, aoi_id id) {
    const uint32_t number = find_former(beacons, id);
    return number == NO_SLOT ? beacons_radius(beacons, id) : beacons->former.items[number].radius;
}

bool beacons_reserve_notes(struct beacons *beacons, size_t changes) {
    return !beacons->deferred ||
           (array_reserve(&beacons->former, beacons->memory, changes) &&
            idmap_reserve(&beacons->former_ids, beacons->memory, beacons->former.items, changes));
}

static void add_former(struct beacons *beacons, aoi_id id, double radius) {
    const uint32_t number = (uint32_t)beacons->former.count++;
    beacons->former.items[number] = (struct entity){.id = id, .radius = radius};
    idmap_add(&beacons->former_ids, beacons->former.items, number);
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
        idmap_remove(&beacons->former_ids, beacons->former.items, last);
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

static bool reserve_marks(struct beacons *beacons, size_t slots) {
    const size_t before = beacons->marks.capacity;
    if (!array_extend(&beacons->marks, beacons->memory, slots))
        return false;
    for (size_t slot = before; slot < beacons->marks.capacity; slot++)
        beacons->marks.items[slot] = 0;
    return true;
}

bool beacons_reserve(struct beacons *beacons, const struct indexes *indexes, aoi_id id,
                     double radius) {
    if (beacons->all.count == 0)
        beacons->indexes.usual_radius = 2 * indexes->usual_radius;
    if (beacons_radius(beacons, id) != radius && !beacons_reserve_notes(beacons, 1))
        return false;
    return radius == 0 || (reserve_marks(beacons, indexes->setup.entities->capacity) &&
                           entities_reserve(&beacons->all, beacons->memory) &&
                           indexes_reserve_class(&beacons->indexes,
                                                 indexes_class_by_size(&beacons->indexes, radius)));
}

static void remove_beacon(struct beacons *beacons, uint32_t slot) {
    beacons->marks.items[beacons->all.at[slot].marked_slot] = 0;
    indexes_remove_from_class(&beacons->indexes, slot);
    entities_remove(&beacons->all, slot);
}

void beacons_set(struct beacons *beacons, const struct entity *entity, uint32_t slot,
                 double radius) {
    const aoi_id id = entity->id;
    const uint32_t at = beacons->all.count == 0 ? NO_SLOT : entities_find(&beacons->all, id);
    const double before = at == NO_SLOT ? 0 : beacons->all.at[at].radius;
    if (before != radius && beacons->deferred && find_former(beacons, id) == NO_SLOT)
        add_former(beacons, id, before);
    if (before == radius && at != NO_SLOT) {
        struct entity *beacon = &beacons->all.at[at];
        struct spatial_index *index = beacons->indexes.classes[beacon->radius_class].index;
        if (beacon->x != entity->x || beacon->y != entity->y)
            index->engine->relocate(index, at, entity->x, entity->y);
        beacon->x = entity->x;
        beacon->y = entity->y;
        beacon->marked_slot = slot;
        return;
    }
    if (at != NO_SLOT)
        remove_beacon(beacons, at);
    if (radius == 0)
        return;
    struct entity beacon = {
        .x = entity->x, .y = entity->y, .radius = radius, .id = id, .mode = AOI_WATCHER};
    beacon.marked_slot = slot;
    beacon.radius_class = (uint8_t)indexes_class_by_size(&beacons->indexes, radius);
    beacons->marks.items[slot] = 1;
    indexes_insert_in_class(&beacons->indexes, entities_add(&beacons->all, &beacon));
}

void beacons_free(struct beacons *beacons) {
    indexes_destroy(&beacons->indexes);
    entities_free(&beacons->all, beacons->memory);
    array_free(&beacons->marks, beacons->memory);
    array_free(&beacons->former, beacons->memory);
    idmap_free(&beacons->former_ids, beacons->memory);
}

/* ------------------------------------------------------------------ */
/* Another map                                                         */
/* ------------------------------------------------------------------ */

/* Where the old index keeps a beacon, while the new ones are built. */
#define former_handle handle[1]

bool beacons_rebuild(struct beacons *beacons, struct indexes *kept) {
    struct indexes *indexes = &beacons->indexes;
    *kept = *indexes;
    indexes->unusual_watchers = 0;
    for (int i = 0; i < RADIUS_CLASSES; i++)
        indexes->classes[i].index = NULL;
    for (uint32_t slot = 0; slot < beacons->all.used; slot++)
        beacons->all.at[slot].former_handle = beacons->all.at[slot].class_handle;
    for (uint32_t slot = 0; slot < beacons->all.used; slot++) {
        if (beacons->all.at[slot].mode == 0)
            continue;
        if (!indexes_reserve_class(indexes, beacons->all.at[slot].radius_class))
            return false;
        indexes_insert_in_class(indexes, slot);
    }
    return true;
}

void beacons_bring_back(struct beacons *beacons, const struct indexes *kept) {
    indexes_destroy(&beacons->indexes);
    beacons->indexes = *kept;
    for (uint32_t slot = 0; slot < beacons->all.used; slot++)
        beacons->all.at[slot].class_handle = beacons->all.at[slot].former_handle;
}

#ifdef AOI_SELF_CHECK
void beacons_check(const struct beacons *beacons, const struct entities *entities) {
    size_t count = 0;
    entities_check(&beacons->all);
    for (uint32_t slot = 0; slot < beacons->all.used; slot++) {
        const struct entity *beacon = &beacons->all.at[slot];
        if (beacon->mode == 0)
            continue;
        const struct entity *marker = &entities->at[beacon->marked_slot];
        SELF_CHECK(marker->id == beacon->id && beacons_has(beacons, beacon->marked_slot));
        SELF_CHECK(marker->x == beacon->x && marker->y == beacon->y && beacon->radius > 0);
        count++;
    }
    SELF_CHECK(count == beacons->all.count && count == beacons->indexes.unusual_watchers);
    for (int i = 0; i < RADIUS_CLASSES; i++) {
        const struct spatial_index *index = beacons->indexes.classes[i].index;
        if (index != NULL)
            index->engine->check(index);
    }
}
#endif
