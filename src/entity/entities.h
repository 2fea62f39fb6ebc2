/*
 * entities.h - the entities of a space by slot, and the way from an id to its slot.
 *
 * A slot is a number that stays while its entity is inside. Free slots form a
 * list, and are taken again before new ones. A retired slot is that of one who
 * left and may come back: nobody else gets it until it is freed.
 */
#ifndef AOI_ENTITIES_H
#define AOI_ENTITIES_H

#include "base/array.h"
#include "entity/entity.h"
#include "entity/idmap.h"

struct entities {
    struct ARRAY_OF(struct entity) slots;
    struct entity *at;  /* by slot; = slots.items */
    size_t capacity;    /* slots that there is memory for */
    uint32_t used;      /* slots ever in use */
    uint32_t free_slot; /* the first free one; NO_SLOT ends the list */
    size_t count;       /* entities inside */
    size_t retired;     /* slots */
    struct idmap ids;

    /* Ids are mostly handed out in sequence, and slots are: then an id less its slot is one number
     * for most. That is guessed by votes, one for each new slot. */
    uint64_t first_id;
    uint32_t votes;
};

/* The slot of id, or NO_SLOT. O(1) expected; where the guess is right, it costs no more than to
 * read the entity. */
static inline uint32_t entities_find(const struct entities *entities, aoi_id id) {
    const uint64_t guess = (uint64_t)id - entities->first_id;
    /* NOLINTNEXTLINE: used slots are there */
    if (guess < entities->used && entities->at[guess].id == id && entities->at[guess].mode != 0)
        return (uint32_t)guess;
    return idmap_find(&entities->ids, IDS_OF(entities->at, id), id);
}

/* Finds it without a guess: for an id that is hardly inside, or whose place in the map is about to
 * be read in any case. */
static inline uint32_t entities_look_up(const struct entities *entities, aoi_id id) {
    return idmap_find(&entities->ids, IDS_OF(entities->at, id), id);
}

/* Lets the processor fetch the entity of an id, if it stands where the search for it begins, as it
 * mostly does. */
ALWAYS_INLINE void entities_prefetch(const struct entities *entities, aoi_id id) {
    const struct idmap *ids = &entities->ids;
    const uint32_t slot = ids->slots[idmap_home(ids, id)];
    __builtin_prefetch(&entities->at[slot == NO_SLOT ? 0 : slot]);
}

void entities_init(struct entities *entities);

/* Room for one more. False: no memory, or as many as a space can have. */
bool entities_reserve(struct entities *entities, struct memory *memory);

/* Adds a copy, whose id must be new, in a slot of its own; room is reserved. Returns the slot. */
uint32_t entities_add(struct entities *entities, const struct entity *entity);

void entities_remove(struct entities *entities, uint32_t slot);

/* Removes an entity and retires its slot, which keeps the id and has mode 0. */
void entities_retire(struct entities *entities, uint32_t slot);

/* Adds a copy in a retired slot; room is reserved. */
void entities_return(struct entities *entities, uint32_t slot, const struct entity *entity);

/* Takes a slot, for which room is reserved, and retires it at once, under this id. */
uint32_t entities_add_retired(struct entities *entities, aoi_id id);

/* A retired slot is free again. */
void entities_free_retired(struct entities *entities, uint32_t slot);

/* Forgets everything, also the memory. */
void entities_free(struct entities *entities, struct memory *memory);

#ifdef AOI_SELF_CHECK
void entities_check(const struct entities *entities);
#endif

#endif
