/* polygon.c - a polygon made of rings: edges checked, and kept in a tree of boxes. */
#include "shape/polygon.h"

#include <math.h>

#include "base/complaint.h"

/* Edges of a leaf. */
enum { LEAF_EDGES = 8 };

/* ------------------------------------------------------------------ */
/* Edges                                                               */
/* ------------------------------------------------------------------ */

static struct corner corner_of(const aoi_ring *ring, size_t number) {
    return (struct corner){ring->corners[2 * number], ring->corners[2 * number + 1]};
}

static bool is_good(double coordinate) {
    return fabs(coordinate) <= MOST_COORDINATE; /* not so for what is no number */
}

static aoi_status check_corner(const aoi_ring *ring, size_t number, size_t i,
                               aoi_complaint *complaint) {
    const size_t next_i = i + 1 < ring->count ? i + 1 : 0;
    const struct corner corner = corner_of(ring, i), next = corner_of(ring, next_i);
    if (is_good(corner.x) && is_good(corner.y)) {
        if (corner.x != next.x || corner.y != next.y)
            return AOI_OK;
        return complain(complaint,
                        "corners %zu and %zu of ring %zu are the same, expected neighbours that "
                        "differ",
                        i + 1, next_i + 1, number + 1);
    }
    const double bad = is_good(corner.x) ? corner.y : corner.x;
    return complain(complaint,
                    "%c of corner %zu of ring %zu is %.17g, expected a number from -2^500 to 2^500",
                    is_good(corner.x) ? 'y' : 'x', i + 1, number + 1,
                    isnan(bad) ? (double)NAN : bad); /* without a sign */
}

static aoi_status check_corners(const aoi_ring *rings, size_t ring_count, size_t *edges,
                                aoi_complaint *complaint) {
    *edges = 0;
    for (size_t ring = 0; ring < ring_count; ring++) {
        const size_t count = rings[ring].count;
        if (count < 3)
            return complain(complaint, "ring %zu has %zu corners, expected three or more", ring + 1,
                            count);
        for (size_t i = 0; i < count; i++) {
            const aoi_status status = check_corner(&rings[ring], ring, i, complaint);
            if (status != AOI_OK)
                return status;
        }
        *edges += count;
    }
    if (*edges == 0)
        return complain(complaint, "there is no ring");
    if (*edges > UINT32_MAX / 4)
        return complain(complaint, "there are %zu corners, too many", *edges);
    return AOI_OK;
}

/* The ring of an edge. */
static uint32_t ring_of(const struct polygon *polygon, uint32_t edge) {
    uint32_t low = 0, high = (uint32_t)polygon->starts.count;
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;
        if (polygon->starts.items[middle] <= edge)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* ------------------------------------------------------------------ */
/* The tree                                                            */
/* ------------------------------------------------------------------ */

static void widen(struct chain *chain, struct corner corner) {
    chain->x1 = fmin(chain->x1, corner.x);
    chain->y1 = fmin(chain->y1, corner.y);
    chain->x2 = fmax(chain->x2, corner.x);
    chain->y2 = fmax(chain->y2, corner.y);
}

/* Halves of halves: as deep as the number of edges has bits. */
static uint32_t plant(struct polygon *polygon, uint32_t first, uint32_t count) {
    const uint32_t number = (uint32_t)polygon->chains.count++;
    struct chain *chain = &polygon->chains.items[number];
    const uint32_t ring = ring_of(polygon, first);
    *chain = (struct chain){.x1 = INFINITY,
                            .y1 = INFINITY,
                            .x2 = -INFINITY,
                            .y2 = -INFINITY,
                            .first = first,
                            .count = count,
                            .is_joined = first + count <= polygon->starts.items[ring + 1]};
    if (count <= LEAF_EDGES) {
        for (uint32_t i = first; i < first + count; i++) {
            widen(chain, polygon->edges.items[i].from);
            widen(chain, polygon->edges.items[i].to);
        }
        return number;
    }
    const uint32_t half = count / 2;
    const uint32_t left = plant(polygon, first, half);
    chain->right = plant(polygon, first + half, count - half);
    const struct chain *halves[] = {&polygon->chains.items[left],
                                    &polygon->chains.items[chain->right]};
    for (int i = 0; i < 2; i++) {
        widen(chain, (struct corner){halves[i]->x1, halves[i]->y1});
        widen(chain, (struct corner){halves[i]->x2, halves[i]->y2});
    }
    return number;
}

/* ------------------------------------------------------------------ */
/* Which edges meet                                                    */
/* ------------------------------------------------------------------ */

static bool in_box_of(struct edge edge, struct corner at) {
    return fmin(edge.from.x, edge.to.x) <= at.x && at.x <= fmax(edge.from.x, edge.to.x) &&
           fmin(edge.from.y, edge.to.y) <= at.y && at.y <= fmax(edge.from.y, edge.to.y);
}

/* True when they have a point in common, ends included. */
static bool edges_meet(struct edge a, struct edge b) {
    const int b_from = orientation(a.from, a.to, b.from), b_to = orientation(a.from, a.to, b.to);
    const int a_from = orientation(b.from, b.to, a.from), a_to = orientation(b.from, b.to, a.to);
    if (b_from * b_to < 0 && a_from * a_to < 0)
        return true;
    return (b_from == 0 && in_box_of(a, b.from)) || (b_to == 0 && in_box_of(a, b.to)) ||
           (a_from == 0 && in_box_of(b, a.from)) || (a_to == 0 && in_box_of(b, a.to));
}

/* True when an edge goes back along the one that ends where it begins. */
static bool turns_back(struct edge before, struct edge after) {
    return orientation(before.from, before.to, after.to) == 0 &&
           (in_box_of(before, after.to) || in_box_of(after, before.from));
}

/* True when the second edge begins where the first one, of the same ring, ends. */
static bool is_next(const struct polygon *polygon, uint32_t edge, uint32_t next) {
    const uint32_t ring = ring_of(polygon, edge);
    const uint32_t first = polygon->starts.items[ring], end = polygon->starts.items[ring + 1];
    return next == (edge + 1 == end ? first : edge + 1);
}

static bool may_share_more(const struct polygon *polygon, uint32_t a, uint32_t b) {
    const struct edge *edges = polygon->edges.items;
    const bool forward = is_next(polygon, a, b), backward = is_next(polygon, b, a);
    if (!forward && !backward)
        return edges_meet(edges[a], edges[b]);
    return (forward && turns_back(edges[a], edges[b])) ||
           (backward && turns_back(edges[b], edges[a]));
}

static bool boxes_meet(const struct chain *a, const struct chain *b) {
    return a->x1 <= b->x2 && b->x1 <= a->x2 && a->y1 <= b->y2 && b->y1 <= a->y2;
}

/* Two edges that share more than they may. */
struct fault {
    uint32_t a, b;
    bool is_there;
};

static struct fault fault_in_leaves(const struct polygon *polygon, const struct chain *a,
                                    const struct chain *b) {
    for (uint32_t i = a->first; i < a->first + a->count; i++) {
        for (uint32_t k = a == b ? i + 1 : b->first; k < b->first + b->count; k++) {
            if (may_share_more(polygon, i, k))
                return (struct fault){i, k, true};
        }
    }
    return (struct fault){.is_there = false};
}

/* Looks at each pair of an edge in a and one in b, each pair once. As deep as twice the tree. */
static struct fault find_fault(const struct polygon *polygon, uint32_t a, uint32_t b) {
    const struct chain *chains = polygon->chains.items;
    struct fault fault = {.is_there = false};
    if (!boxes_meet(&chains[a], &chains[b]))
        return fault;
    if (chains[a].right == 0 && chains[b].right == 0)
        return fault_in_leaves(polygon, &chains[a], &chains[b]);
    if (a == b) {
        fault = find_fault(polygon, a + 1, a + 1);
        if (!fault.is_there)
            fault = find_fault(polygon, chains[a].right, chains[a].right);
        if (!fault.is_there)
            fault = find_fault(polygon, a + 1, chains[a].right);
        return fault;
    }
    const bool cuts_a = chains[a].count >= chains[b].count;
    const uint32_t cut = cuts_a ? a : b, other = cuts_a ? b : a;
    fault = find_fault(polygon, cut + 1, other);
    return fault.is_there ? fault : find_fault(polygon, chains[cut].right, other);
}

static aoi_status complain_of_edges(const struct polygon *polygon, struct fault fault,
                                    aoi_complaint *complaint) {
    const uint32_t first = fault.a < fault.b ? fault.a : fault.b;
    const uint32_t second = fault.a < fault.b ? fault.b : fault.a;
    const uint32_t ring = ring_of(polygon, first), other = ring_of(polygon, second);
    return complain(complaint,
                    "the edge from corner %u of ring %u and that from corner %u of ring %u share "
                    "more than the corner of neighbours",
                    first - polygon->starts.items[ring] + 1, ring + 1,
                    second - polygon->starts.items[other] + 1, other + 1);
}

/* ------------------------------------------------------------------ */
/* The polygon                                                         */
/* ------------------------------------------------------------------ */

aoi_status polygon_make(struct polygon *polygon, const aoi_ring *rings, size_t ring_count,
                        aoi_complaint *complaint) {
    size_t edges;
    const aoi_status status = check_corners(rings, ring_count, &edges, complaint);
    if (status != AOI_OK)
        return status;
    /* Halves are cut down to LEAF_EDGES, so each leaf has more than half of that, unless it is all.
     */
    const size_t chains = 2 * (edges / (LEAF_EDGES / 2) + 1);
    struct memory *memory = polygon->memory;
    if (!array_extend(&polygon->edges, memory, edges) ||
        !array_extend(&polygon->starts, memory, ring_count + 1) ||
        !array_extend(&polygon->chains, memory, chains))
        return AOI_NOMEM;
    for (size_t ring = 0; ring < ring_count; ring++) {
        const size_t count = rings[ring].count;
        polygon->starts.items[polygon->starts.count++] = (uint32_t)polygon->edges.count;
        for (size_t i = 0; i < count; i++)
            polygon->edges.items[polygon->edges.count++] = (struct edge){
                corner_of(&rings[ring], i), corner_of(&rings[ring], i + 1 == count ? 0 : i + 1)};
    }
    polygon->starts.items[ring_count] = (uint32_t)polygon->edges.count;
    plant(polygon, 0, (uint32_t)polygon->edges.count);
    const struct fault fault = find_fault(polygon, 0, 0);
    return fault.is_there ? complain_of_edges(polygon, fault, complaint) : AOI_OK;
}

void polygon_free(struct polygon *polygon) {
    struct memory *memory = polygon->memory;
    array_free(&polygon->edges, memory);
    array_free(&polygon->starts, memory);
    array_free(&polygon->chains, memory);
    *polygon = (struct polygon){.memory = memory};
}

bool ring_room_reserve(struct ring_room *room, struct memory *memory, size_t rings,
                       size_t corners) {
    return array_extend(&room->rings, memory, rings) &&
           array_extend(&room->corners, memory, 2 * corners);
}

void ring_room_free(struct ring_room *room, struct memory *memory) {
    array_free(&room->rings, memory);
    array_free(&room->corners, memory);
}

/* True when the edge counts for the point. */
static bool edge_counts(struct edge edge, struct corner p) {
    const bool from_below = edge.from.y <= p.y, to_below = edge.to.y <= p.y;
    if (from_below == to_below)
        return false;
    return from_below ? orientation(edge.from, edge.to, p) > 0
                      : orientation(edge.to, edge.from, p) > 0;
}

/* True when an odd number of edges of the chain count. As deep as the tree. */
static bool is_odd(const struct polygon *polygon, uint32_t number, struct corner p) {
    const struct chain *chain = &polygon->chains.items[number];
    if (!(chain->y1 <= p.y && p.y < chain->y2 && p.x < chain->x2))
        return false;
    if (chain->is_joined && p.x < chain->x1) {
        const struct edge *edges = polygon->edges.items + chain->first;
        return (edges[0].from.y <= p.y) != (edges[chain->count - 1].to.y <= p.y);
    }
    if (chain->right != 0)
        return is_odd(polygon, number + 1, p) != is_odd(polygon, chain->right, p);
    bool odd = false;
    for (uint32_t i = chain->first; i < chain->first + chain->count; i++)
        odd ^= edge_counts(polygon->edges.items[i], p);
    return odd;
}

bool polygon_holds(const struct polygon *polygon, double x, double y) {
    return is_odd(polygon, 0, (struct corner){x, y});
}
