/* Which bin a score falls into: an interval by binary search, and a place within it by division.
 *
 * The bin is a monotone function of the score for any intervals, since differences and products are
 * rounded monotonically. The search runs for a block of scores at a time, level by level, so that
 * it has no branch to mispredict, and vector instructions gather the edges.
 */
#ifndef AUCBENCH_SCORE_BINS_H
#define AUCBENCH_SCORE_BINS_H

#include "clones.h"

#include <stddef.h>
#include <stdint.h>

enum { AUCBENCH_SCORES = 64 }; /* scores of a block */

/* Interval k has the scores from edges[k] to below edges[k + 1], the first one also those below.
 * After the last edge there is NaN, up to 2^levels entries, which no score reaches.
 * Its bins are first[k] to last[k]; their width is 1/per[k]. */
typedef struct {
    const double *edges, *per;
    const int32_t *first, *last;
    int levels;
} aucbench_intervals;

/* at[i] = the bin of s[i]; that of NaN is the first one. count <= AUCBENCH_SCORES. */
AUCBENCH_CLONED(void, aucbench_bins_of,
                (size_t count, const double *s, const aucbench_intervals *in, int32_t *at),
                (count, s, in, at))
{
    const double *edges = in->edges;
    for (size_t i = 0; i < count; i++)
        at[i] = 0;
    for (int32_t step = (int32_t)1 << in->levels >> 1; step; step >>= 1)
        for (size_t i = 0; i < count; i++)
            at[i] += edges[at[i] + step] <= s[i] ? step : 0;
    for (size_t i = 0; i < count; i++) {
        const int32_t k = at[i], first = in->first[k], most = in->last[k] - first;
        const double q = (s[i] - edges[k]) * in->per[k];
        const double up = q > 0.0 ? q : 0.0; /* 0 for NaN, which infinity less itself is */
        at[i] = first + (up < (double)most ? (int32_t)up : most);
    }
}

#endif
