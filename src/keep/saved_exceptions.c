/* saved_exceptions.c - visible radii and sights written and read. */
#include "keep/saved_exceptions.h"

#include "space/change.h"

enum { LEAST_VISIBLE = 9, LEAST_SIGHT = 3 };

/* ------------------------------------------------------------------ */
/* Visible radii                                                       */
/* ------------------------------------------------------------------ */

static void pass_visible(struct stream *stream, const struct aoi_space *space, aoi_id *id,
                         double *radius) {
    stream_id(stream, id);
    stream_number(stream, radius);
    if (space_is_classic(space) || !(*radius >= 0))
        stream_refuse(stream, "id %lld has the visible radius %.17g", (long long)*id, *radius);
}

static void save_visible(struct stream *stream, const struct aoi_space *space) {
    const struct beacons *beacons = &space->visibility.beacons;
    stream_write_count(stream, beacons->all.count);
    for (uint32_t slot = 0; slot < space->entities.used && beacons->all.count > 0; slot++) {
        aoi_id id = space->entities.at[slot].id;
        double radius = space->entities.at[slot].mode == 0 ? 0 : space_visible(space, slot);
        if (radius > 0)
            pass_visible(stream, space, &id, &radius);
    }
}

static void load_visible(struct stream *stream, struct aoi_space *space) {
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_VISIBLE, "visible radii");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        aoi_id id = 0;
        double radius = 0;
        pass_visible(stream, space, &id, &radius);
        const uint32_t slot = space_find(space, id);
        if (slot == NO_SLOT || radius == 0 || space_visible(space, slot) > 0)
            stream_refuse(stream, "id %lld can't have a visible radius", (long long)id);
        if (stream_is_well(stream) && !change_restore_visible(space, slot, radius))
            stream->status = AOI_NOMEM;
    }
}

static void save_former_visible(struct stream *stream, const struct beacons *beacons) {
    stream_write_count(stream, beacons->former.count);
    for (size_t i = 0; i < beacons->former.count; i++) {
        struct entity former = beacons->former.items[i];
        stream_id(stream, &former.id);
        stream_number(stream, &former.radius);
    }
}

static void load_former_visible(struct stream *stream, struct aoi_space *space) {
    struct beacons *beacons = &space->visibility.beacons;
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_VISIBLE, "former visible radii");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        aoi_id id = 0;
        double radius = 0;
        pass_visible(stream, space, &id, &radius);
        if (stream_is_well(stream) && !beacons_restore_former(beacons, id, radius))
            stream->status = AOI_NOMEM;
        if (stream_is_well(stream) && beacons->former.count != i + 1)
            stream_refuse(stream, "the visible radius of id %lld is there twice", (long long)id);
    }
}

/* ------------------------------------------------------------------ */
/* Sights                                                              */
/* ------------------------------------------------------------------ */

static void pass_sight(struct stream *stream, struct former_sight *sight, aoi_sight least) {
    uint8_t word = (uint8_t)sight->word;
    stream_id(stream, &sight->watcher);
    stream_id(stream, &sight->marker);
    stream_byte(stream, &word);
    if (word < least || word > AOI_SIGHT_ALWAYS || sight->watcher == sight->marker)
        stream_refuse(stream, "the sight of id %lld by %lld is %d", (long long)sight->marker,
                      (long long)sight->watcher, word);
    sight->word = (aoi_sight)word;
}

static void save_sights(struct stream *stream, const struct aoi_space *space) {
    const struct sights *sights = &space->visibility.sights;
    stream_write_count(stream, sights->count);
    for (uint32_t slot = 0; slot < space->entities.used && sights->count > 0; slot++) {
        for (uint32_t at = sights_of_watcher(sights, slot); at != NO_SIGHT;
             at = sights_next_of_watcher(sights, at)) {
            struct former_sight sight = {space->entities.at[slot].id, sights->items[at].marker,
                                         sight_word(sights, at), NO_SIGHT};
            pass_sight(stream, &sight, AOI_SIGHT_NEVER);
        }
    }
}

static void load_sights(struct stream *stream, struct aoi_space *space) {
    struct sights *sights = &space->visibility.sights;
    uint32_t last = NO_SIGHT;
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_SIGHT, "sights");
    if (stream_is_well(stream) && count > 0 && !sights_reserve(sights, (size_t)count))
        stream->status = AOI_NOMEM;
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        struct former_sight sight = {0, 0, AOI_SIGHT_BY_RULE, NO_SIGHT};
        pass_sight(stream, &sight, AOI_SIGHT_NEVER);
        const uint32_t slot = space_find(space, sight.watcher);
        if (slot == NO_SLOT)
            stream_refuse(stream, "a sight of id %lld, which is not inside",
                          (long long)sight.watcher);
        else if (stream_is_well(stream))
            last = sights_restore(sights, slot, sight.marker, sight.word, last);
        if (stream_is_well(stream) && last == NO_SIGHT)
            stream_refuse(stream, "a sight of id %lld is out of turn", (long long)sight.watcher);
    }
}

static void save_former_sights(struct stream *stream, const struct sights *sights) {
    stream_write_count(stream, sights->former.count);
    for (size_t i = 0; i < sights->former.count; i++) {
        struct former_sight sight = sights->former.items[i];
        pass_sight(stream, &sight, AOI_SIGHT_BY_RULE);
    }
}

static void load_former_sights(struct stream *stream, struct aoi_space *space) {
    struct sights *sights = &space->visibility.sights;
    uint64_t count = 0;
    stream_length(stream, &count, LEAST_SIGHT, "former sights");
    for (uint64_t i = 0; i < count && stream_is_well(stream); i++) {
        struct former_sight sight = {0, 0, AOI_SIGHT_BY_RULE, NO_SIGHT};
        pass_sight(stream, &sight, AOI_SIGHT_BY_RULE);
        const uint32_t slot = space_find(space, sight.watcher);
        if (slot != NO_SLOT && !space->entities.at[slot].changed)
            stream_refuse(stream, "a former sight of id %lld, which has not changed",
                          (long long)sight.watcher);
        if (stream_is_well(stream) && !sights_restore_former(sights, &sight))
            stream->status = AOI_NOMEM;
        if (stream_is_well(stream) && sights->former.count != i + 1)
            stream_refuse(stream, "a former sight of id %lld is there twice",
                          (long long)sight.watcher);
    }
}

void save_exceptions(struct stream *stream, const struct aoi_space *space) {
    save_visible(stream, space);
    save_sights(stream, space);
    if (space->deferred) {
        save_former_visible(stream, &space->visibility.beacons);
        save_former_sights(stream, &space->visibility.sights);
    }
}

void load_exceptions(struct stream *stream, struct aoi_space *space) {
    load_visible(stream, space);
    load_sights(stream, space);
    /* Nothing that was restored until now has changed since the last tick. */
    beacons_forget_former(&space->visibility.beacons, 0);
    if (space->deferred) {
        load_former_visible(stream, space);
        load_former_sights(stream, space);
    }
    visibility_count_exceptions(&space->visibility);
}
