/* handed.c - entities that were handed in: added, found, forgotten. */
#include "space/handed.h"

#include "base/self_check.h"

bool handed_reserve(struct handed *handed, size_t told) {
    struct memory *memory = handed->memory;
    return handed->watchers.count < NO_SLOT - 1 && told <= UINT32_MAX - handed->told.count &&
           array_reserve(&handed->told, memory, told) &&
           array_reserve(&handed->watchers, memory, 1) && array_reserve(&handed->more, memory, 1) &&
           idmap_reserve(&handed->ids, memory, IDS_OF(handed->watchers.items, id), 1);
}

bool handed_reserve_areas(struct handed *handed, size_t areas) {
    return areas <= UINT32_MAX - handed->areas.count &&
           id_list_reserve(&handed->areas, handed->memory, areas);
}

void handed_add(struct handed *handed, const struct entity *watcher, aoi_point place, size_t told,
                size_t areas) {
    handed_remove(handed, watcher->id);
    const uint32_t number = (uint32_t)handed->watchers.count++;
    handed->watchers.items[number] = *watcher;
    handed->watchers.items[number].handed_first = (uint32_t)handed->told.count;
    handed->watchers.items[number].handed_count = (uint32_t)told;
    handed->more.items[handed->more.count++] =
        (struct handed_more){place, (uint32_t)handed->areas.count, (uint32_t)areas};
    handed->told.count += told;
    handed->areas.count += areas;
    idmap_add(&handed->ids, IDS_OF(handed->watchers.items, id), number);
}

void handed_remove(struct handed *handed, aoi_id id) {
    const uint32_t number = handed_find(handed, id);
    if (number == NO_SLOT)
        return;
    idmap_remove(&handed->ids, IDS_OF(handed->watchers.items, id), number);
    const uint32_t last = (uint32_t)--handed->watchers.count;
    handed->more.count--;
    if (number == last)
        return;
    idmap_remove(&handed->ids, IDS_OF(handed->watchers.items, id), last);
    handed->watchers.items[number] = handed->watchers.items[last];
    handed->more.items[number] = handed->more.items[last];
    idmap_add(&handed->ids, IDS_OF(handed->watchers.items, id), number);
}

struct handed_told *handed_find_told(const struct handed *handed, uint32_t number, aoi_id id) {
    struct handed_told *told = handed_told_of(handed, number);
    size_t low = 0, high = handed->watchers.items[number].handed_count;
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
    array_free(&handed->watchers, memory);
    array_free(&handed->more, memory);
    array_free(&handed->told, memory);
    idmap_free(&handed->ids, memory);
    id_list_free(&handed->areas, memory);
    *handed = (struct handed){.memory = memory};
}

#ifdef AOI_SELF_CHECK
void handed_check(const struct handed *handed) {
    SELF_CHECK(handed->ids.count == handed->watchers.count);
    for (uint32_t number = 0; number < handed->watchers.count; number++) {
        const struct entity *watcher = &handed->watchers.items[number];
        const struct handed_told *told = handed_told_of(handed, number);
        SELF_CHECK(handed_find(handed, watcher->id) == number);
        SELF_CHECK(watcher->handed_count <= handed->told.count - watcher->handed_first);
        for (uint32_t i = 0; i < watcher->handed_count; i++)
            SELF_CHECK(told[i].id != watcher->id && (i == 0 || told[i - 1].id < told[i].id));
        const struct id_list areas = handed_areas_of(handed, number);
        SELF_CHECK(handed->more.items[number].first_area + areas.count <= handed->areas.count);
        for (size_t i = 1; i < areas.count; i++)
            SELF_CHECK(areas.ids[i - 1] < areas.ids[i]);
    }
}
#endif
