/* map.h - the map of a bounded space, and the cells that a grid cuts it into. */
#ifndef AOI_MAP_H
#define AOI_MAP_H

#include <stdbool.h>
#include <stdint.h>

enum { AOI_MOST_CELLS = 1 << 24 /* they cost memory whether anybody is in them or not */ };

struct map {
    bool bounded; /* else there is no map, and the bounds are infinite */
    bool clamp;
    double x1, y1, x2, y2, width, height;
    uint32_t cols, rows; /* of a grid */
    double cell_width, cell_height;
};

/* The map is closed on all four sides. */
static inline bool map_holds(const struct map *map, double x, double y) {
    return map->x1 <= x && x <= map->x2 && map->y1 <= y && y <= map->y2;
}

#endif
