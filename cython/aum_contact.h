/* How far the tangent at a step touches: the examples above and below its line, and which of
 * them leave their side first.
 */
#ifndef AUCBENCH_AUM_CONTACT_H
#define AUCBENCH_AUM_CONTACT_H

#include "aum_line.h"

/* An extreme example at some eta: its value relative to a pivot, and its line. */
typedef struct {
    double value, a, b;
} aucbench_extreme;

/* Count the examples above and level with (c, slope), in the order of (key, side b), descending.
 *
 * key becomes 1 above, 0 level, -1 below. pivot[0] becomes a of an example that is level.
 */
static void aucbench_level(ptrdiff_t m, double *key, const double *a, const double *b, double c,
                           double side, double slope, ptrdiff_t *above, ptrdiff_t *level,
                           double *pivot)
{
    ptrdiff_t over = 0, equal = 0;
    for (ptrdiff_t i = 0; i < m; i++) {
        double z = key[i] == c ? side * (b[i] - slope) : key[i] - c;
        over += z > 0.0;
        equal += z == 0.0;
        *pivot = z == 0.0 ? a[i] : *pivot;
        key[i] = (z > 0.0) - (z < 0.0);
    }
    *above = over;
    *level = equal;
}

#define AUCBENCH_LOOPS "aum_contact_loops.h"
#include "each_width.h"

/* Replace `to` by the lowest example, times side, at step t of those with place = side. */
AUCBENCH_CLONED(void, aucbench_extreme_of,
                (ptrdiff_t m, const double *place, const double *a, const double *b, double side,
                 const double *pivot, double t, aucbench_extreme *to),
                (m, place, a, b, side, pivot, t, to))
{
    ptrdiff_t best = -1, i = 0, end;
    double least = side * to->value;
    for (; i < m; i = end) {
        end = m - i > AUCBENCH_CHUNK ? i + AUCBENCH_CHUNK : m;
        const double here =
            AUCBENCH_BY_WIDTH(aucbench_lowest_, i, end, place, a, b, side, pivot, t);
        if (here < least) {
            least = here;
            best = i;
        }
    }
    if (best < 0)
        return;
    for (i = best; i < m && i < best + AUCBENCH_CHUNK; i++) {
        double v = (a[i] - pivot[0]) + t * (b[i] - pivot[1]);
        if (place[i] == side && side * (v - to->value) < 0.0)
            *to = (aucbench_extreme){v, a[i], b[i]};
    }
}

#endif
