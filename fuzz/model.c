/* model.c - the model of model.h: entities, pairs, told sets and deliveries. */
#include "model.h"

#include <math.h>
#include <string.h>

static const aoi_id ids[MODEL_ENTITIES] = {1,
                                           2,
                                           3,
                                           4,
                                           5,
                                           6,
                                           7,
                                           8,
                                           0,
                                           -1,
                                           -2,
                                           INT64_MIN,
                                           INT64_MAX,
                                           INT64_MAX - 1,
                                           (aoi_id)1 << 32,
                                           ((aoi_id)1 << 32) + 1,
                                           -((aoi_id)1 << 32),
                                           1000,
                                           1024,
                                           2048,
                                           4096,
                                           65536,
                                           (aoi_id)1 << 53,
                                           77};

aoi_id model_id(int number) {
    return ids[number];
}

int model_number(aoi_id id) {
    for (int number = 0; number < MODEL_ENTITIES; number++) {
        if (ids[number] == id)
            return number;
    }
    return NOBODY;
}

/* ------------------------------------------------------------------ */
/* Pairs                                                               */
/* ------------------------------------------------------------------ */

static bool has(const struct model *model, uint32_t option) {
    return (model->options.given & option) != 0;
}

bool model_is_nine_grid(const struct model *model) {
    return model->options.engine == AOI_GRID && !has(model, AOI_GIVEN_RADIUS);
}

static int dims(const struct model *model) {
    return has(model, AOI_GIVEN_DIMS) ? model->options.dims : 2;
}

static bool has_map(const struct model *model) {
    return has(model, AOI_GIVEN_WIDTH);
}

static double map_x(const struct model *model) {
    return has(model, AOI_GIVEN_X) ? model->options.x : 0;
}

static double map_y(const struct model *model) {
    return has(model, AOI_GIVEN_Y) ? model->options.y : 0;
}

/* floor((x - x0) / size), kept in 0 .. n - 1. Cells so small that their size is 0 as a number make
 * it 0 / 0 at the map's corner: the first cell. */
static double cell_of(double x, double x0, double size, double n) {
    double cell = floor((x - x0) / size);
    return !(cell > 0) ? 0 : cell > n - 1 ? n - 1 : cell;
}

static double cells_along(const struct model *model, double extent, int64_t asked) {
    if (!has(model, AOI_GIVEN_CELL))
        return (double)asked;
    return fmax(ceil(extent / model->options.cell), 1);
}

static bool cells_touch(const struct model *model, aoi_point a, aoi_point b) {
    const aoi_options *options = &model->options;
    double cols = cells_along(model, options->width, options->cols);
    double rows = cells_along(model, options->height, options->rows);
    bool has_cell = has(model, AOI_GIVEN_CELL);
    double width = has_cell ? options->cell : options->width / cols;
    double height = has_cell ? options->cell : options->height / rows;
    double column = cell_of(a.x, map_x(model), width, cols);
    double row = cell_of(a.y, map_y(model), height, rows);
    return fabs(column - cell_of(b.x, map_x(model), width, cols)) <= 1 &&
           fabs(row - cell_of(b.y, map_y(model), height, rows)) <= 1;
}

static bool in_reach(double centre, double radius, double place) {
    double low = centre - radius, high = centre + radius;
    return low <= place && place <= high;
}

static double square_distance(const struct model *model, aoi_point a, aoi_point b) {
    double dx = b.x - a.x, dy = b.y - a.y, dz = b.z - a.z;
    double square = dx * dx + dy * dy;
    return dims(model) == 3 ? square + dz * dz : square;
}

static bool in_disc(const struct model *model, aoi_point centre, double radius, aoi_point place) {
    return in_reach(centre.x, radius, place.x) && in_reach(centre.y, radius, place.y) &&
           (dims(model) == 2 || in_reach(centre.z, radius, place.z)) &&
           square_distance(model, centre, place) <= radius * radius;
}

bool model_sees(const struct model *model, int watcher, int marker) {
    const struct model_entity *w = &model->entities[watcher], *m = &model->entities[marker];
    if (watcher == marker || !w->inside || !m->inside)
        return false;
    if (!(w->mode & AOI_WATCHER) || !(m->mode & AOI_MARKER))
        return false;
    if (model->words[watcher][marker] != AOI_SIGHT_BY_RULE)
        return model->words[watcher][marker] == AOI_SIGHT_ALWAYS;
    if (!(m->layers & w->sees_layers))
        return false;
    const double radius = fmax(w->radius, m->visible_radius);
    if (model_is_nine_grid(model))
        return cells_touch(model, w->anchor, m->anchor);
    if (has(model, AOI_GIVEN_SHAPE) && model->options.shape == AOI_CIRCLE)
        return in_disc(model, w->anchor, radius, m->anchor);
    return in_reach(w->anchor.x, radius, m->anchor.x) &&
           in_reach(w->anchor.y, radius, m->anchor.y) &&
           (dims(model) == 2 || in_reach(w->anchor.z, radius, m->anchor.z));
}

/* ------------------------------------------------------------------ */
/* Events of a change                                                  */
/* ------------------------------------------------------------------ */

static void append(struct model_events *events, struct model_event event) {
    events->items[events->count++] = event;
}

/* Adds the event to those that wait and those gathered, if these kinds are wanted. by_marker: see
 * struct model_event. */
static void add_event(struct model *model, int watcher, int marker, aoi_op op, bool by_marker) {
    const struct model_event event = {(uint8_t)watcher, (uint8_t)marker, (uint8_t)op, 0,
                                      by_marker,        model->changes};
    if (model->listen & op)
        append(&model->pending, event);
    if (model->options.collect & op)
        append(&model->collected, event);
}

/*
 * Ends a change: compares what is seen with what was seen when it was last told. moved: those
 * whose places count as moved. changed: whose change it is.
 */
static void tell(struct model *model, const bool *moved, int changed) {
    static const aoi_op order[] = {AOI_LEAVE, AOI_ENTER, AOI_MOVE};
    bool now[MODEL_ENTITIES][MODEL_ENTITIES];
    model->changes++;
    for (int w = 0; w < MODEL_ENTITIES; w++) {
        for (int m = 0; m < MODEL_ENTITIES; m++)
            now[w][m] = model_sees(model, w, m);
    }
    for (int i = 0; i < 3; i++) {
        aoi_op op = order[i];
        for (int w = 0; w < MODEL_ENTITIES; w++) {
            for (int m = 0; m < MODEL_ENTITIES; m++) {
                bool before = model->seen[w][m], after = now[w][m];
                bool happened = op == AOI_LEAVE   ? before && !after
                                : op == AOI_ENTER ? !before && after
                                                  : before && after && moved[m];
                if (happened)
                    add_event(model, w, m, op, changed == NOBODY ? op == AOI_MOVE : w != changed);
            }
        }
    }
    memcpy(model->seen, now, sizeof now);
}

/* Ends a call about one entity. */
static void tell_call(struct model *model, int who, bool has_moved) {
    bool moved[MODEL_ENTITIES] = {false};
    moved[who] = has_moved;
    if (!model_is_deferred(model))
        tell(model, moved, who);
}

bool model_is_deferred(const struct model *model) {
    return has(model, AOI_GIVEN_DEFERRED) && model->options.deferred;
}

static double slack(const struct model *model) {
    return has(model, AOI_GIVEN_SLACK) ? model->options.slack : 0;
}

static bool same_place(aoi_point a, aoi_point b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/* ------------------------------------------------------------------ */
/* Crowds                                                              */
/* ------------------------------------------------------------------ */

bool model_is_crowd(const struct model *model) {
    return has(model,
               AOI_GIVEN_LIMIT | AOI_GIVEN_ENTER_BUDGET | AOI_GIVEN_RATES | AOI_GIVEN_MOVE_BUDGET);
}

static double square_between(const struct model *model, int watcher, int marker) {
    return square_distance(model, model->entities[watcher].anchor, model->entities[marker].anchor);
}

static bool is_free(const struct model *model, int watcher, int marker) {
    const uint32_t counted =
        has(model, AOI_GIVEN_LIMIT_LAYERS) ? model->options.limit_layers : UINT32_MAX;
    return model->pinned[watcher][marker] || !(model->entities[marker].layers & counted);
}

/* True when a ranks before b among those that the watcher sees. */
static bool ranks_before(const struct model *model, int watcher, int a, int b) {
    const double keep = has(model, AOI_GIVEN_KEEP_FACTOR) ? model->options.keep_factor : 1.2;
    const bool a_told = model->told[watcher][a].is, b_told = model->told[watcher][b].is;
    double a_square = square_between(model, watcher, a);
    double b_square = square_between(model, watcher, b);
    if (model->entities[a].importance != model->entities[b].importance)
        return model->entities[a].importance > model->entities[b].importance;
    if (!a_told)
        a_square = a_square * (keep * keep);
    if (!b_told)
        b_square = b_square * (keep * keep);
    if (a_square != b_square)
        return a_square < b_square;
    return a_told != b_told ? a_told : model_id(a) < model_id(b);
}

/* The markers that the watcher sees and that compete for its limit, the first first; how many. */
static size_t rank_all(const struct model *model, int watcher, int ranked[MODEL_ENTITIES]) {
    size_t count = 0;
    for (int m = 0; m < MODEL_ENTITIES; m++) {
        if (!model_sees(model, watcher, m) || is_free(model, watcher, m))
            continue;
        size_t at = count++;
        for (; at > 0 && ranks_before(model, watcher, m, ranked[at - 1]); at--)
            ranked[at] = ranked[at - 1];
        ranked[at] = m;
    }
    return count;
}

/* Chooses the told set of the watcher from now on. */
static void choose_told(const struct model *model, int watcher, bool next[MODEL_ENTITIES]) {
    int ranked[MODEL_ENTITIES];
    const size_t count = rank_all(model, watcher, ranked);
    const uint32_t limit = model->entities[watcher].limit;
    const int64_t most =
        has(model, AOI_GIVEN_ENTER_BUDGET) ? model->options.enter_budget : MODEL_ENTITIES;
    bool admitted[MODEL_ENTITIES] = {false};
    int64_t newcomers = 0, chosen = 0;
    for (size_t i = 0; i < count && i < limit; i++) {
        if (!model->told[watcher][ranked[i]].is && newcomers < most) {
            admitted[ranked[i]] = true;
            newcomers++;
        }
    }
    for (int m = 0; m < MODEL_ENTITIES; m++)
        next[m] = model_sees(model, watcher, m) && is_free(model, watcher, m);
    for (size_t i = 0; i < count; i++) {
        if ((model->told[watcher][ranked[i]].is || admitted[ranked[i]]) && chosen < limit) {
            next[ranked[i]] = true;
            chosen++;
        }
    }
}

static int64_t period_of(const struct model *model, int watcher, int marker) {
    const aoi_rates *rates = &model->options.rates;
    const double square = square_between(model, watcher, marker);
    if (!has(model, AOI_GIVEN_RATES))
        return 1;
    size_t ring = 0;
    while (!(square <= rates->rings[ring].bound * rates->rings[ring].bound))
        ring++;
    return rates->rings[ring].period;
}

static int64_t due_after(int64_t since, int64_t period) {
    return period == AOI_NEVER ? AOI_NEVER : since + period;
}

static void note_told(struct model *model, int watcher, int marker) {
    const int64_t period = period_of(model, watcher, marker);
    model->told[watcher][marker] =
        (struct model_told){true, false, model->ticks, due_after(model->ticks, period)};
}

/* The marker whose move comes next, or NOBODY. */
static int next_move(const struct model *model, int watcher) {
    const struct model_told *told = model->told[watcher];
    int best = NOBODY;
    for (int m = 0; m < MODEL_ENTITIES; m++) {
        if (!told[m].is || !told[m].waits || told[m].due > model->ticks)
            continue;
        if (best == NOBODY || told[m].due < told[best].due ||
            (told[m].due == told[best].due && model_id(m) < model_id(best)))
            best = m;
    }
    return best;
}

/* The pairs that stay: brings them up to date, and tells those moves whose turn it is. moved: with
 * those that were touched. */
static void tell_moves(struct model *model, int watcher, const bool *stays, const bool *moved) {
    const int64_t budget =
        has(model, AOI_GIVEN_MOVE_BUDGET) ? model->options.move_budget : MODEL_ENTITIES;
    for (int m = 0; m < MODEL_ENTITIES; m++) {
        struct model_told *told = &model->told[watcher][m];
        if (!stays[m])
            continue;
        const int64_t sooner = due_after(told->since, period_of(model, watcher, m));
        told->due = sooner < told->due ? sooner : told->due;
        told->waits = told->waits || moved[m];
    }
    for (int64_t i = 0; i < budget; i++) {
        const int m = next_move(model, watcher);
        if (m == NOBODY)
            break;
        add_event(model, watcher, m, AOI_MOVE, true);
        note_told(model, watcher, m);
    }
}

static void tell_crowd(struct model *model, const bool *moved) {
    bool next[MODEL_ENTITIES][MODEL_ENTITIES], stays[MODEL_ENTITIES][MODEL_ENTITIES];
    model->changes++;
    model->ticks++;
    for (int w = 0; w < MODEL_ENTITIES; w++)
        choose_told(model, w, next[w]);
    for (int w = 0; w < MODEL_ENTITIES; w++) {
        for (int m = 0; m < MODEL_ENTITIES; m++) {
            stays[w][m] = model->told[w][m].is && next[w][m];
            if (!model->told[w][m].is || next[w][m])
                continue;
            add_event(model, w, m, AOI_LEAVE, false);
            model->told[w][m].is = false;
        }
    }
    for (int w = 0; w < MODEL_ENTITIES; w++) {
        for (int m = 0; m < MODEL_ENTITIES; m++) {
            if (stays[w][m] || !next[w][m])
                continue;
            add_event(model, w, m, AOI_ENTER, false);
            note_told(model, w, m);
        }
    }
    for (int w = 0; w < MODEL_ENTITIES; w++)
        tell_moves(model, w, stays[w], moved);
}

bool model_was_told(const struct model *model, int watcher, int marker) {
    if (!model_is_deferred(model))
        return model_sees(model, watcher, marker);
    return model_is_crowd(model) ? model->told[watcher][marker].is : model->seen[watcher][marker];
}

aoi_reason model_explain(const struct model *model, int watcher, int marker, size_t *rank) {
    const struct model_entity *w = &model->entities[watcher], *m = &model->entities[marker];
    int ranked[MODEL_ENTITIES];
    *rank = 0;
    if (!w->inside || !m->inside)
        return AOI_BECAUSE_UNKNOWN;
    if (watcher == marker)
        return AOI_BECAUSE_SELF;
    if (!(w->mode & AOI_WATCHER) || !(m->mode & AOI_MARKER))
        return AOI_BECAUSE_MODE;
    const aoi_sight word = model->words[watcher][marker];
    if (word == AOI_SIGHT_NEVER)
        return AOI_BECAUSE_HIDDEN;
    if (word == AOI_SIGHT_BY_RULE && !(m->layers & w->sees_layers))
        return AOI_BECAUSE_LAYER;
    if (!model_sees(model, watcher, marker))
        return AOI_BECAUSE_RANGE;
    if (!model_is_crowd(model))
        return AOI_BECAUSE_SEES;
    if (model->told[watcher][marker].is)
        return AOI_BECAUSE_TOLD;
    if (is_free(model, watcher, marker))
        return AOI_BECAUSE_WAITS;
    rank_all(model, watcher, ranked);
    size_t place = 1;
    while (ranked[place - 1] != marker)
        place++;
    if (place <= w->limit)
        return AOI_BECAUSE_WAITS;
    *rank = place;
    return AOI_BECAUSE_LIMIT;
}

static unsigned errors_in_crowd(const struct model *model, int who) {
    if (!model_is_crowd(model))
        return MAY_RETURN(AOI_NO_CROWD);
    return model->entities[who].inside ? 0 : MAY_RETURN(AOI_NOT_FOUND);
}

unsigned model_set_sight(struct model *model, int watcher, int marker, aoi_sight word) {
    if (watcher == marker)
        return MAY_RETURN(AOI_INVALID);
    if (!model->entities[watcher].inside)
        return MAY_RETURN(AOI_NOT_FOUND);
    if (model->words[watcher][marker] == word)
        return MAY_RETURN(AOI_OK);
    model->words[watcher][marker] = word;
    tell_call(model, watcher, false);
    return MAY_RETURN(AOI_OK);
}

unsigned model_pin(struct model *model, int watcher, int marker, bool is_pinned) {
    const unsigned errors = errors_in_crowd(model, watcher);
    if (errors != 0)
        return errors;
    model->pinned[watcher][marker] = is_pinned;
    return MAY_RETURN(AOI_OK);
}

unsigned model_touch(struct model *model, int who) {
    if (!model_is_deferred(model))
        return MAY_RETURN(AOI_INVALID);
    if (!model->entities[who].inside)
        return MAY_RETURN(AOI_NOT_FOUND);
    model->touched[who] = true;
    return MAY_RETURN(AOI_OK);
}

/* ------------------------------------------------------------------ */
/* Ticks                                                               */
/* ------------------------------------------------------------------ */

unsigned model_tick(struct model *model) {
    if (!model_is_deferred(model))
        return MAY_RETURN(AOI_INVALID);
    /* The net change since the last tick. */
    bool moved[MODEL_ENTITIES];
    for (int i = 0; i < MODEL_ENTITIES; i++) {
        moved[i] =
            !same_place(model->entities[i].position, model->told_position[i]) || model->touched[i];
        model->told_position[i] = model->entities[i].position;
        model->touched[i] = false;
    }
    if (model_is_crowd(model))
        tell_crowd(model, moved);
    else
        tell(model, moved, NOBODY);
    return MAY_RETURN(AOI_OK);
}

/* ------------------------------------------------------------------ */
/* Changes                                                             */
/* ------------------------------------------------------------------ */

void model_create(struct model *model, const aoi_options *options) {
    memset(model, 0, offsetof(struct model, pending));
    model->pending.count = model->collected.count = 0;
    model->options = *options;
    model->listen = options->listen;
    model->wants = AOI_TELL_EVENT;
}

void model_clear(struct model *model) {
    memset(model->entities, 0, sizeof model->entities);
    memset(model->seen, 0, sizeof model->seen);
    memset(model->told, 0, sizeof model->told);
    memset(model->pinned, 0, sizeof model->pinned);
    memset(model->words, 0, sizeof model->words);
    memset(model->touched, 0, sizeof model->touched);
    model->pending.count = model->collected.count = 0;
    model->begun = 0;
}

static unsigned errors_of_position(const struct model *model, aoi_point position) {
    double x1 = map_x(model), y1 = map_y(model);
    double x2 = x1 + model->options.width, y2 = y1 + model->options.height;
    bool finite =
        isfinite(position.x) && isfinite(position.y) && (dims(model) == 2 || isfinite(position.z));
    bool clamps = has(model, AOI_GIVEN_CLAMP) && model->options.clamp;
    if (!finite)
        return MAY_RETURN(AOI_INVALID);
    if (has_map(model) && !clamps &&
        !(x1 <= position.x && position.x <= x2 && y1 <= position.y && position.y <= y2))
        return MAY_RETURN(AOI_OUTSIDE);
    return 0;
}

static unsigned errors_of_traits(const struct model *model, const aoi_traits *traits) {
    unsigned errors = 0;
    const uint32_t radii = AOI_TRAIT_RADIUS | AOI_TRAIT_VISIBLE_RADIUS;
    if ((traits->given & AOI_TRAIT_VISIBLE_RADIUS) && !(traits->visible_radius >= 0))
        errors |= MAY_RETURN(AOI_INVALID);
    if ((traits->given & radii) && model_is_nine_grid(model))
        errors |= MAY_RETURN(AOI_RADIUS_UNUSED);
    else if ((traits->given & AOI_TRAIT_RADIUS) && !(traits->radius >= 0))
        errors |= MAY_RETURN(AOI_INVALID);
    if ((traits->given & AOI_TRAIT_MODE) && (traits->mode < 1 || traits->mode > 3))
        errors |= MAY_RETURN(AOI_INVALID);
    if ((traits->given & (AOI_TRAIT_LIMIT | AOI_TRAIT_IMPORTANCE)) && !model_is_crowd(model))
        errors |= MAY_RETURN(AOI_NO_CROWD);
    if ((traits->given & AOI_TRAIT_LIMIT) && traits->limit > AOI_MOST &&
        traits->limit != AOI_UNLIMITED)
        errors |= MAY_RETURN(AOI_INVALID);
    if ((traits->given & AOI_TRAIT_IMPORTANCE) && traits->importance > 255)
        errors |= MAY_RETURN(AOI_INVALID);
    return errors;
}

static void set_traits(struct model_entity *entity, const aoi_traits *traits) {
    if (traits->given & AOI_TRAIT_RADIUS)
        entity->radius = traits->radius;
    if (traits->given & AOI_TRAIT_MODE)
        entity->mode = traits->mode;
    if (traits->given & AOI_TRAIT_LAYERS)
        entity->layers = traits->layers;
    if (traits->given & AOI_TRAIT_SEES_LAYERS)
        entity->sees_layers = traits->sees_layers;
    if (traits->given & AOI_TRAIT_LIMIT)
        entity->limit = traits->limit;
    if (traits->given & AOI_TRAIT_IMPORTANCE)
        entity->importance = traits->importance;
    if (traits->given & AOI_TRAIT_VISIBLE_RADIUS)
        entity->visible_radius = traits->visible_radius;
}

static void set_position(const struct model *model, struct model_entity *entity,
                         aoi_point position) {
    if (dims(model) == 2)
        position.z = 0;
    entity->position = position;
    double limit = slack(model);
    if (!entity->inside || fabs(position.x - entity->anchor.x) > limit ||
        fabs(position.y - entity->anchor.y) > limit || fabs(position.z - entity->anchor.z) > limit)
        entity->anchor = position;
}

unsigned model_enter(struct model *model, int who, aoi_point position, const aoi_traits *traits) {
    struct model_entity *entity = &model->entities[who];
    unsigned errors = errors_of_position(model, position) | errors_of_traits(model, traits);
    if (entity->inside)
        errors |= MAY_RETURN(AOI_EXISTS);
    if (!model_is_nine_grid(model) && !has(model, AOI_GIVEN_RADIUS) &&
        !(traits->given & AOI_TRAIT_RADIUS))
        errors |= MAY_RETURN(AOI_NO_RADIUS);
    if (errors != 0)
        return errors;
    entity->radius = has(model, AOI_GIVEN_RADIUS) ? model->options.radius : 0;
    entity->mode = AOI_WATCHER | AOI_MARKER;
    entity->layers = 1;
    entity->sees_layers = UINT32_MAX;
    entity->limit = has(model, AOI_GIVEN_LIMIT) ? model->options.limit : AOI_UNLIMITED;
    entity->importance = 0;
    entity->visible_radius = 0;
    set_traits(entity, traits);
    set_position(model, entity, position);
    entity->inside = true;
    tell_call(model, who, false);
    return MAY_RETURN(AOI_OK);
}

unsigned model_move(struct model *model, int who, aoi_point position) {
    struct model_entity *entity = &model->entities[who];
    unsigned errors = errors_of_position(model, position);
    if (!entity->inside)
        errors |= MAY_RETURN(AOI_NOT_FOUND);
    if (errors != 0)
        return errors;
    set_position(model, entity, position);
    tell_call(model, who, true);
    return MAY_RETURN(AOI_OK);
}

unsigned model_leave(struct model *model, int who) {
    struct model_entity *entity = &model->entities[who];
    if (!entity->inside)
        return MAY_RETURN(AOI_NOT_FOUND);
    entity->inside = false;
    memset(model->pinned[who], 0, sizeof model->pinned[who]);
    memset(model->words[who], 0, sizeof model->words[who]);
    tell_call(model, who, false);
    return MAY_RETURN(AOI_OK);
}

unsigned model_update(struct model *model, int who, aoi_point position, const aoi_traits *traits) {
    struct model_entity *entity = &model->entities[who];
    if (!entity->inside)
        return model_enter(model, who, position, traits);
    unsigned errors = errors_of_position(model, position) | errors_of_traits(model, traits);
    if (errors != 0)
        return errors;
    set_traits(entity, traits);
    set_position(model, entity, position);
    tell_call(model, who, true);
    return MAY_RETURN(AOI_OK);
}

unsigned model_set_traits(struct model *model, int who, const aoi_traits *traits) {
    struct model_entity *entity = &model->entities[who];
    unsigned errors = errors_of_traits(model, traits);
    if (!entity->inside)
        errors |= MAY_RETURN(AOI_NOT_FOUND);
    if (errors != 0)
        return errors;
    set_traits(entity, traits);
    tell_call(model, who, false);
    return MAY_RETURN(AOI_OK);
}

static unsigned model_row(struct model *model, enum model_batch batch, int who, aoi_point position,
                          const aoi_traits *traits) {
    switch (batch) {
    case MODEL_ENTER_ALL: return model_enter(model, who, position, traits);
    case MODEL_MOVE_ALL: return model_move(model, who, position);
    case MODEL_UPDATE_ALL: return model_update(model, who, position, traits);
    case MODEL_LEAVE_ALL: break;
    }
    return model_leave(model, who);
}

unsigned model_batch(struct model *model, enum model_batch batch, const aoi_row *rows, size_t count,
                     const aoi_traits *traits, bool skips, size_t *counted, size_t *bad_row) {
    static struct model before;
    before = *model;
    *counted = 0;
    for (size_t row = 0; row < count; row++) {
        int who = model_number(rows[row].id);
        bool was_inside = model->entities[who].inside;
        if (!was_inside && (skips || batch == MODEL_UPDATE_ALL))
            ++*counted;
        if (!was_inside && skips)
            continue;
        unsigned answer = model_row(model, batch, who, rows[row].position, traits);
        if (answer != MAY_RETURN(AOI_OK)) {
            *model = before;
            *bad_row = row;
            return answer;
        }
    }
    return MAY_RETURN(AOI_OK);
}

static bool good_extent(double low, double extent) {
    return isfinite(low) && isfinite(extent) && extent > 0 && isfinite(low + extent) &&
           low + extent > low;
}

unsigned model_set_bounds(struct model *model, double x, double y, double width, double height) {
    static const double most_cells = 1 << 24;
    aoi_options *options = &model->options;
    if (!has_map(model) || !good_extent(x, width) || !good_extent(y, height))
        return MAY_RETURN(AOI_INVALID);
    if (options->engine == AOI_GRID &&
        !(cells_along(model, width, 1) * cells_along(model, height, 1) <= most_cells))
        return MAY_RETURN(AOI_INVALID);
    aoi_options before = *options;
    options->given |= AOI_GIVEN_X | AOI_GIVEN_Y;
    options->x = x;
    options->y = y;
    options->width = width;
    options->height = height;
    for (int i = 0; i < MODEL_ENTITIES; i++) {
        const struct model_entity *entity = &model->entities[i];
        if (entity->inside && errors_of_position(model, entity->position) != 0) {
            *options = before;
            return MAY_RETURN(AOI_OUTSIDE);
        }
    }
    bool moved[MODEL_ENTITIES] = {false};
    if (!model_is_deferred(model))
        tell(model, moved, NOBODY);
    return MAY_RETURN(AOI_OK);
}

/* ------------------------------------------------------------------ */
/* Telling                                                             */
/* ------------------------------------------------------------------ */

static int rank(unsigned op) {
    return op == AOI_LEAVE ? 0 : op == AOI_ENTER ? 1 : 2;
}

static void drop(struct model_events *events, size_t at) {
    events->count--;
    memmove(events->items + at, events->items + at + 1,
            (events->count - at) * sizeof *events->items);
}

/* The last stage that is wanted: there an event has been told for good. */
static unsigned last_stage(uint32_t wants) {
    if (wants & AOI_TELL_EVENT)
        return MODEL_BY_EVENT;
    return wants & (AOI_TELL_WATCHERS | AOI_TELL_MARKERS) ? MODEL_BY_GROUP : MODEL_BY_VIEW;
}

static unsigned wanted_stages(uint32_t wants) {
    unsigned stages = 0;
    if (wants & AOI_TELL_VIEW)
        stages |= MODEL_BY_VIEW;
    if (wants & (AOI_TELL_WATCHERS | AOI_TELL_MARKERS))
        stages |= MODEL_BY_GROUP;
    if (wants & AOI_TELL_EVENT)
        stages |= MODEL_BY_EVENT;
    return stages;
}

/* The number of the oldest change of which something waits; 0: nothing does. */
static uint32_t oldest_change(const struct model *model) {
    return model->pending.count == 0 ? 0 : model->pending.items[0].change;
}

/* Something of the oldest change has been told. */
static bool has_begun(const struct model *model) {
    return model->begun != 0 && model->begun == oldest_change(model);
}

/* The wants of all who hear of the oldest change. */
static uint32_t wants_of_oldest(const struct model *model) {
    return has_begun(model) ? model->begun_wants : model->wants;
}

bool model_is_midway(const struct model *model) {
    return has_begun(model) && model->is_older;
}

/* The stage of the oldest change, which has begun, in which something is told next, if somebody
 * wants it. */
static unsigned next_stage(const struct model *model) {
    for (size_t i = 0; i < model->pending.count; i++) {
        const struct model_event *event = &model->pending.items[i];
        if (event->change == model->begun && !(event->told & model->stage))
            return model->stage;
    }
    return model->stage << 1;
}

/* The first listeners go on with the change that has begun; those before them are forgotten. */
static void take_over(struct model *model, uint32_t ops, uint32_t wants) {
    const unsigned stage = next_stage(model), last = last_stage(wants);
    const bool in_groups =
        (stage == MODEL_BY_VIEW && (wants & AOI_TELL_VIEW)) ||
        (stage <= MODEL_BY_GROUP && (wants & (AOI_TELL_WATCHERS | AOI_TELL_MARKERS)));
    for (size_t i = model->pending.count; i > 0; i--) {
        struct model_event *event = &model->pending.items[i - 1];
        if (event->change != model->begun)
            continue;
        const bool is_gone = stage > last || (stage == last && (event->told & stage));
        if (is_gone || (!in_groups && !(event->op & ops)))
            drop(&model->pending, i - 1);
        else
            event->told |= (uint8_t)(stage - 1);
    }
    model->begun_wants = wants;
    model->taken_over = true;
    model->is_older = false;
}

void model_load(struct model *model) {
    model->listen = 0;
    model->wants = AOI_TELL_EVENT;
    if (has_begun(model))
        take_over(model, UINT32_MAX, AOI_TELL_EVENT);
}

void model_listen(struct model *model, uint32_t ops, uint32_t wants, bool is_first) {
    const uint32_t begun = has_begun(model) ? model->begun : 0;
    if (begun != 0 && is_first)
        take_over(model, ops, wants);
    else if (begun != 0)
        model->is_older = true;
    for (size_t i = model->pending.count; i > 0; i--) {
        const struct model_event *event = &model->pending.items[i - 1];
        if (event->change != begun && !(event->op & ops))
            drop(&model->pending, i - 1);
    }
    model->listen = ops;
    model->wants = wants;
}

/* Where the event stands among those that wait, in the oldest change; count: not there. */
static size_t find_waiting(const struct model *model, int watcher, int marker, unsigned op,
                           unsigned stage) {
    size_t i = 0;
    for (; i < model->pending.count; i++) {
        const struct model_event *event = &model->pending.items[i];
        if (event->change != oldest_change(model))
            return model->pending.count;
        if (event->watcher == watcher && event->marker == marker && event->op == op &&
            !(event->told & stage))
            break;
    }
    return i;
}

/* Marks the event as told in this stage; it leaves when that is the last one. */
static void mark_told(struct model *model, size_t at, unsigned stage) {
    if (!has_begun(model)) {
        model->begun = oldest_change(model);
        model->begun_wants = model->wants;
        model->is_older = model->taken_over = false;
    }
    model->stage = stage;
    model->pending.items[at].told |= (uint8_t)stage;
    if (stage == last_stage(model->begun_wants))
        drop(&model->pending, at);
}

/* The fault in the turn of something told of the oldest change in this stage, in order of kinds
 * where op is not 0. */
static const char *check_turn(const struct model *model, unsigned op, unsigned stage) {
    for (size_t i = 0; i < model->pending.count; i++) {
        const struct model_event *event = &model->pending.items[i];
        if (event->change != oldest_change(model))
            break;
        unsigned earlier = wanted_stages(wants_of_oldest(model)) & (stage - 1);
        if ((event->told & earlier) != earlier)
            return "a stage began before the one before it was over";
        if (op != 0 && !(event->told & stage) && rank(event->op) < rank(op))
            return "kinds of events in the wrong order";
    }
    return NULL;
}

static const char *take(struct model *model, int watcher, int marker, unsigned op, unsigned stage) {
    if (watcher == NOBODY || marker == NOBODY)
        return "an event with an unknown id";
    size_t at = find_waiting(model, watcher, marker, op, stage);
    if (at == model->pending.count)
        return "an event that should not be, or not yet";
    mark_told(model, at, stage);
    return NULL;
}

/* How many of the oldest change have yet to be told in this stage to this subject. by_marker:
 * only such, unless negative. */
static size_t count_of(const struct model *model, bool subject_watches, int subject, unsigned op,
                       unsigned stage, int by_marker) {
    size_t count = 0;
    for (size_t i = 0; i < model->pending.count; i++) {
        const struct model_event *event = &model->pending.items[i];
        count += event->change == oldest_change(model) && event->op == op &&
                 !(event->told & stage) &&
                 (subject_watches ? event->watcher : event->marker) == subject &&
                 (by_marker < 0 || (int)event->by_marker == by_marker);
    }
    return count;
}

static const char *take_list(struct model *model, bool subject_watches, int subject, unsigned op,
                             unsigned stage, const aoi_list *list) {
    for (size_t i = 0; i < list->count; i++) {
        int other = model_number(list->ids[i]);
        const char *wrong = take(model, subject_watches ? subject : other,
                                 subject_watches ? other : subject, op, stage);
        if (wrong != NULL)
            return wrong;
    }
    return NULL;
}

static const char *take_view(struct model *model, const aoi_telling *telling, int subject) {
    const aoi_list *lists[] = {&telling->left, &telling->entered, &telling->moved};
    static const aoi_op ops[] = {AOI_LEAVE, AOI_ENTER, AOI_MOVE};
    if (telling->left.count + telling->entered.count + telling->moved.count == 0)
        return "an empty view";
    const char *wrong = check_turn(model, 0, MODEL_BY_VIEW);
    const bool is_whole = !(has_begun(model) && model->taken_over);
    for (int i = 0; i < 3 && wrong == NULL; i++) {
        if (is_whole && lists[i]->count != 0 &&
            lists[i]->count != count_of(model, true, subject, ops[i], MODEL_BY_VIEW, -1))
            return "a view that is not the whole of it";
        wrong = take_list(model, true, subject, ops[i], MODEL_BY_VIEW, lists[i]);
    }
    return wrong;
}

static const char *take_group(struct model *model, const aoi_telling *telling, int subject) {
    bool of_watcher = telling->kind == AOI_TELL_MARKERS;
    const uint32_t wants = wants_of_oldest(model);
    const bool both = (wants & AOI_TELL_WATCHERS) && (wants & AOI_TELL_MARKERS);
    const bool is_whole = !(has_begun(model) && model->taken_over);
    if (telling->others.count == 0)
        return "an empty group";
    if (!(wants & telling->kind))
        return "a group that is not wanted";
    const char *wrong = check_turn(model, telling->op, MODEL_BY_GROUP);
    if (wrong != NULL)
        return wrong;
    int own = of_watcher ? 0 : 1; /* by_marker of those that this kind of group is meant for */
    size_t all = count_of(model, of_watcher, subject, telling->op, MODEL_BY_GROUP, own);
    int first = model_number(telling->others.ids[0]);
    size_t at = find_waiting(model, of_watcher ? subject : first, of_watcher ? first : subject,
                             telling->op, MODEL_BY_GROUP);
    bool is_own = at < model->pending.count && (int)model->pending.items[at].by_marker == own;
    if (both && is_whole && !is_own)
        return "a group of the other kind";
    if (is_whole && is_own && telling->others.count != all)
        return "a group that is not the whole of it";
    return take_list(model, of_watcher, subject, telling->op, MODEL_BY_GROUP, &telling->others);
}

const char *model_take_telling(struct model *model, const aoi_telling *telling) {
    if (telling->kind == AOI_TELL_VIEW)
        return take_view(model, telling, model_number(telling->subject));
    if (telling->kind != AOI_TELL_EVENT)
        return take_group(model, telling, model_number(telling->subject));
    const char *wrong = check_turn(model, telling->event.op, MODEL_BY_EVENT);
    return wrong != NULL
               ? wrong
               : take(model, model_number(telling->event.watcher),
                      model_number(telling->event.marker), telling->event.op, MODEL_BY_EVENT);
}

const char *model_take_event(struct model *model, const aoi_event *event) {
    return model_take_telling(model, &(aoi_telling){.kind = AOI_TELL_EVENT, .event = *event});
}

const char *model_nothing_waits(const struct model *model) {
    return model->pending.count == 0 ? NULL : "events are missing";
}

const char *model_check_pending(const struct model *model, size_t pending) {
    return pending == model->pending.count ? NULL : "aoi_pending is wrong";
}

/* Takes the event out of those of the oldest change and kind. */
static const char *take_gathered(struct model_events *left, const aoi_event *event) {
    int watcher = model_number(event->watcher), marker = model_number(event->marker);
    for (size_t at = 0; at < left->count; at++) {
        const struct model_event *item = &left->items[at];
        if (item->change != left->items[0].change || item->op != left->items[0].op)
            return "a gathered event that should not be, or not yet";
        if (item->watcher == watcher && item->marker == marker && item->op == event->op) {
            drop(left, at);
            return NULL;
        }
    }
    return "a gathered event too many";
}

const char *model_check_collected(const struct model *model, const aoi_space *space) {
    static struct model_events left;
    left = model->collected;
    aoi_cursor cursor = {0, 0};
    aoi_event event;
    if (aoi_collected(space) != left.count)
        return "aoi_collected is wrong";
    while (aoi_collected_event(space, &cursor, &event)) {
        const char *wrong = take_gathered(&left, &event);
        if (wrong != NULL)
            return wrong;
    }
    return left.count == 0 ? NULL : "gathered events are missing";
}

const char *model_drop_collected(struct model *model, const aoi_event *event) {
    return take_gathered(&model->collected, event);
}

/* ------------------------------------------------------------------ */
/* Queries                                                             */
/* ------------------------------------------------------------------ */

static bool can_be_found(const struct model_entity *entity, uint32_t layers) {
    return entity->inside && (entity->mode & AOI_MARKER) && (entity->layers & layers);
}

static bool between(double a, double b, double place) {
    return fmin(a, b) <= place && place <= fmax(a, b);
}

void model_query_rect(const struct model *model, aoi_point a, aoi_point b, uint32_t layers,
                      bool *found) {
    for (int i = 0; i < MODEL_ENTITIES; i++) {
        aoi_point place = model->entities[i].position;
        found[i] = can_be_found(&model->entities[i], layers) && between(a.x, b.x, place.x) &&
                   between(a.y, b.y, place.y) && (dims(model) == 2 || between(a.z, b.z, place.z));
    }
}

void model_query_circle(const struct model *model, aoi_point centre, double radius, uint32_t layers,
                        bool *found) {
    for (int i = 0; i < MODEL_ENTITIES; i++)
        found[i] = can_be_found(&model->entities[i], layers) &&
                   in_disc(model, centre, radius, model->entities[i].position);
}

void model_query_sector(const struct model *model, aoi_point apex, double radius, double direction,
                        double angle, uint32_t layers, bool *found) {
    const double pi = 3.14159265358979323846;
    double ax = cos(direction - angle / 2), ay = sin(direction - angle / 2);
    double bx = cos(direction + angle / 2), by = sin(direction + angle / 2);
    for (int i = 0; i < MODEL_ENTITIES; i++) {
        aoi_point place = model->entities[i].position;
        double dx = place.x - apex.x, dy = place.y - apex.y;
        bool disc = in_reach(apex.x, radius, place.x) && in_reach(apex.y, radius, place.y) &&
                    dx * dx + dy * dy <= radius * radius;
        bool left = ax * dy - ay * dx >= 0, right = dx * by - dy * bx >= 0;
        bool edges = angle > pi ? left || right : left && right;
        if (ax == bx && ay == by && angle <= pi)
            edges = edges && ax * dx + ay * dy >= 0;
        found[i] = can_be_found(&model->entities[i], layers) && disc && (angle >= 2 * pi || edges);
    }
}

bool model_query_segment(const struct model *model, aoi_point a, aoi_point b, double width,
                         uint32_t layers, bool *found) {
    double ex = b.x - a.x, ey = b.y - a.y, square = ex * ex + ey * ey;
    for (int i = 0; i < MODEL_ENTITIES; i++) {
        aoi_point place = model->entities[i].position;
        double dx = place.x - a.x, dy = place.y - a.y;
        double t = square == 0 ? 0 : (dx * ex + dy * ey) / square;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        double px = dx - t * ex, py = dy - t * ey;
        if (isnan(t) || isnan(px) || isnan(py))
            return false;
        found[i] = can_be_found(&model->entities[i], layers) &&
                   px * px + py * py <= (width / 2) * (width / 2);
    }
    return true;
}

size_t model_query_nearest(const struct model *model, aoi_point centre, size_t count,
                           double max_radius, uint32_t layers, int *numbers) {
    bool left[MODEL_ENTITIES];
    size_t found = 0;
    model_query_circle(model, centre, max_radius, layers, left);
    while (found < count) {
        int best = NOBODY;
        double least = 0;
        for (int i = 0; i < MODEL_ENTITIES; i++) {
            double square = square_distance(model, centre, model->entities[i].position);
            if (left[i] && (best == NOBODY || square < least ||
                            (square == least && model_id(i) < model_id(best)))) {
                best = i;
                least = square;
            }
        }
        if (best == NOBODY)
            break;
        left[best] = false;
        numbers[found++] = best;
    }
    return found;
}
