/* A tree of minima over slots, eight to a node.
 *
 * The slots that an event changes are adjacent, so they share the path to the root. Each minimum
 * is stored with its slot, so no search from the root is needed.
 */
#ifndef AUCBENCH_AUM_TREE_H
#define AUCBENCH_AUM_TREE_H

#include "aum_exact.h"

#define AUCBENCH_LEVELS 12 /* 8^12 slots */

typedef struct {
    double *key[AUCBENCH_LEVELS]; /* [0]: of the slots */
    int *winner[AUCBENCH_LEVELS]; /* from level 1 on */
    size_t slots;
    int top;
} aucbench_tree;

AUCBENCH_INLINE double aucbench_first(const aucbench_tree *of)
{
    return of->key[of->top][0];
}

AUCBENCH_INLINE double aucbench_min(double a, double b)
{
    return a < b ? a : b;
}

AUCBENCH_INLINE double aucbench_min8(const double *x)
{
    return aucbench_min(
        aucbench_min(aucbench_min(x[0], x[1]), aucbench_min(x[2], x[3])),
        aucbench_min(aucbench_min(x[4], x[5]), aucbench_min(x[6], x[7])));
}

/* Compute node j of the level above h: its least key, and the slot of that key. */
AUCBENCH_INLINE void aucbench_win(aucbench_tree *to, int h, size_t j)
{
    const double *x = to->key[h] + 8 * j;
    double least = aucbench_min8(x);
    uint64_t found = 1u << 7;
    to->key[h + 1][j] = least;
    for (int k = 0; k < 7; k++)
        found |= (uint64_t)(x[k] <= least) << k;
    j = 8 * j + (size_t)aucbench_lowest_bit(found);
    to->winner[h + 1][j / 8] = h > 0 ? to->winner[h][j] : (int)j;
}

/* Update the tree after slots first..last changed; return a slot whose event is among the next. */
AUCBENCH_INLINE size_t aucbench_lift(aucbench_tree *to, size_t first, size_t last)
{
    size_t soon = first;
    int far = to->top > 4 ? to->top - 2 : -1;
    for (int h = 0; h < to->top; h++) {
        first >>= 3;
        last >>= 3;
        for (size_t j = first; j <= last; j++)
            aucbench_win(to, h, j);
        if (h == far)
            soon = (size_t)to->winner[h + 1][first];
    }
    return soon;
}

/* The number of nodes of a tree over the slots between some lines. */
static inline size_t aucbench_tree_size(size_t lines)
{
    size_t size = (lines + 7) / 8 * 8, total = size + 1;
    while (size > 8) {
        size = (size / 8 + 7) / 8 * 8;
        total += size;
    }
    return total;
}

/* Set where the levels begin, from where key[0] and winner[1] do. */
static inline void aucbench_root(aucbench_tree *to, size_t lines)
{
    size_t size;
    to->slots = lines ? lines - 1 : 0;
    size = (to->slots + 8) / 8 * 8;
    for (to->top = 0; size > 1; to->top++) {
        to->key[to->top + 1] = to->key[to->top] + size;
        if (to->top > 0)
            to->winner[to->top + 1] = to->winner[to->top] + size;
        size = size > 8 ? (size / 8 + 7) / 8 * 8 : 1;
    }
}

/* Compute all nodes from the keys of the slots. */
AUCBENCH_INLINE void aucbench_grow(aucbench_tree *to)
{
    size_t size = to->slots;
    for (int h = 0; h < to->top; h++) {
        for (; size % 8 || size == 0; size++)
            to->key[h][size] = INFINITY;
        size /= 8;
        for (size_t j = 0; j < size; j++)
            aucbench_win(to, h, j);
    }
}

#endif
