/* handed.c - see handed.h. */
#include "space/handed.h"

#include "base/self_check.h"

/* False: no memory; the room of some arrays may have grown. */
static bool reserve_watcher(struct handed *handed) {
    if (handed->count == handed->capacity) {
        struct entity *watchers = memory_grow(handed->memory, handed->watchers, &handed->capacity,
                                              handed->count + 1, sizeof *watchers);
        if (watchers == NULL)
            return false;
        handed->watchers = watchers;
    }
    if (handed->count == handed->more_capacity) {
        struct handed_more *more = memory_grow(handed->memory, handed->more, &handed->more_capacity,
                                               handed->count + 1, sizeof *more);
        if (more == NULL)
            return false;
        handed->more = more;
    }
    return idmap_reserve(&handed->ids, handed->memory, handed->watchers, 1);
}

bool handed_reserve(struct handed *handed, size_t told) {
    if (handed->count >= NO_SLOT - 1 || told > UINT32_MAX - handed->told_count)
        return false;
    if (told > handed->told_capacity - handed->told_count) {
        struct handed_told *grown =
            memory_grow(handed->memory, handed->told, &handed->told_capacity,
                        handed->told_count + told, sizeof *grown);
        if (grown == NULL)
            return false;
        handed->told = grown;
    }
    return reserve_watcher(handed);
}

bool handed_reserve_areas(struct handed *handed, size_t areas) {
    return areas <= UINT32_MAX - handed->areas.count &&
           id_list_reserve(&handed->areas, handed->memory, areas);
}

void handed_add(struct handed *handed, const struct entity *watcher, aoi_point place, size_t told,
                size_t areas) {
    handed_remove(handed, watcher->id);
    const uint32_t number = (uint32_t)handed->count++;
    handed->watchers[number] = *watcher;
    handed->watchers[number].handed_first = (uint32_t)handed->told_count;
    handed->watchers[number].handed_count = (uint32_t)told;
    handed->more[number] =
        (struct handed_more){place, (uint32_t)handed->areas.count, (uint32_t)areas};
    handed->told_count += told;
    handed->areas.count += areas;
    idmap_add(&handed->ids, handed->watchers, number);
}

void handed_remove(struct handed *handed, aoi_id id) {
    const uint32_t number = handed_find(handed, id);
    if (number == NO_SLOT)
        return;
    idmap_remove(&handed->ids, handed->watchers, number);
    const uint32_t last = (uint32_t)--handed->count;
    if (number == last)
        return;
    idmap_remove(&handed->ids, handed->watchers, last);
    handed->watchers[number] = handed->watchers[last];
    handed->more[number] = handed->more[last];
    idmap_add(&handed->ids, handed->watchers, number);
}

struct handed_told *handed_find_told(const struct handed *handed, uint32_t number, aoi_id id) {
    struct handed_told *told = handed_told_of(handed, number);
    size_t low = 0, high = handed->watchers[number].handed_count;
    const size_t count = high;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (told[middle].id < id)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && told[low].id == id ? &told[low] : NULL;
}

void handed_free(struct handed *handed) {
    struct memory *memory = handed->memory;
    memory_resize(memory, handed->watchers, handed->capacity, 0, sizeof *handed->watchers);
    memory_resize(memory, handed->more, handed->more_capacity, 0, sizeof *handed->more);
    memory_resize(memory, handed->told, handed->told_capacity, 0, sizeof *handed->told);
    idmap_free(&handed->ids, memory);
    id_list_free(&handed->areas, memory);
    *handed = (struct handed){.memory = memory};
}

#ifdef AOI_SELF_CHECK
void handed_check(const struct handed *handed) {
    SELF_CHECK(handed->ids.count == handed->count);
    for (uint32_t number = 0; number < handed->count; number++) {
        const struct entity *watcher = &handed->watchers[number];
        const struct handed_told *told = handed_told_of(handed, number);
        SELF_CHECK(handed_find(handed, watcher->id) == number);
        SELF_CHECK(watcher->handed_count <= handed->told_count - watcher->handed_first);
        for (uint32_t i = 0; i < watcher->handed_count; i++)
            SELF_CHECK(told[i].id != watcher->id && (i == 0 || told[i - 1].id < told[i].id));
        const struct id_list areas = handed_areas_of(handed, number);
        SELF_CHECK(handed->more[number].first_area + areas.count <= handed->areas.count);
        for (size_t i = 1; i < areas.count; i++)
            SELF_CHECK(areas.ids[i - 1] < areas.ids[i]);
    }
}
#endif
