/* w <- w + g/sqrt(t) (x+ - x-) for random pairs with w.(x+ - x-) < 1, t = 1, 2, 3, ...

   cc -O2 -o pairwise-sgd examples/pairwise_sgd.c -lm
   pairwise-sgd ROWS WEIGHTS FEATURES PAIRS GAMMA SEED

   ROWS is an svmlight file whose columns count from 1. WEIGHTS gets one number a line.
   examples/external_program.py makes a solver of it. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct { long column; double value; } Cell;
typedef struct { Cell *cells; size_t size; } Row;
typedef struct { Row *rows; size_t size; } Class;

static void stop(const char *what, const char *name) {
    fprintf(stderr, "pairwise-sgd: %s %s\n", what, name);
    exit(1);
}

static void *grown(void *memory, size_t bytes) {
    memory = realloc(memory, bytes);
    if (!memory) stop("no memory for", "rows");
    return memory;
}

static Row parsed(char *text, long features) {
    Row row = {NULL, 0};
    for (char *cell = strtok(text, " \n"); cell; cell = strtok(NULL, " \n")) {
        char *colon, *end;
        long column = strtol(cell, &colon, 10);
        if (*colon != ':' || column < 1 || column > features) stop("no column:value", cell);
        double value = strtod(colon + 1, &end);
        if (*end) stop("no number", cell);
        row.cells = grown(row.cells, (row.size + 1) * sizeof(Cell));
        row.cells[row.size++] = (Cell){column - 1, value};
    }
    return row;
}

static void read_rows(const char *path, long features, Class classes[2]) {
    FILE *file = fopen(path, "r");
    if (!file) stop("cannot read", path);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        char *rest;
        Class *side = &classes[strtod(line, &rest) > 0];
        if (rest == line) stop("no label in", line);
        side->rows = grown(side->rows, (side->size + 1) * sizeof(Row));
        side->rows[side->size++] = parsed(rest, features);
    }
    free(line);
    fclose(file);
}

static double dot(Row x, const double *w) {
    double sum = 0.0;
    for (size_t k = 0; k < x.size; k++) sum += w[x.cells[k].column] * x.cells[k].value;
    return sum;
}

static void add(double a, Row x, double *w) {
    for (size_t k = 0; k < x.size; k++) w[x.cells[k].column] += a * x.cells[k].value;
}

static unsigned long long drawn(unsigned long long *state) { /* xorshift64* (Vigna, 2016) */
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return (*state * 2685821657736338717ULL) >> 32;
}

int main(int count, char **given) {
    if (count != 7) stop("wanted", "ROWS WEIGHTS FEATURES PAIRS GAMMA SEED");
    long features = atol(given[3]), pairs = atol(given[4]);
    double gamma = atof(given[5]);
    unsigned long long state = strtoull(given[6], NULL, 10) * 2 + 1; /* never 0 */
    Class classes[2] = {{NULL, 0}, {NULL, 0}};
    read_rows(given[1], features, classes);
    if (!classes[0].size || !classes[1].size) stop("only one class in", given[1]);

    double *w = calloc(features, sizeof(double));
    if (!w) stop("no memory for", "weights");
    for (long t = 1; t <= pairs; t++) {
        Row low = classes[0].rows[drawn(&state) % classes[0].size];
        Row high = classes[1].rows[drawn(&state) % classes[1].size];
        if (dot(high, w) - dot(low, w) < 1.0) {
            double step = gamma / sqrt((double)t);
            add(step, high, w);
            add(-step, low, w);
        }
    }

    FILE *file = fopen(given[2], "w");
    if (!file) stop("cannot write", given[2]);
    for (long j = 0; j < features; j++) fprintf(file, "%.17g\n", w[j]);
    if (fclose(file)) stop("cannot write", given[2]);
    return 0;
}
