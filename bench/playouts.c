/* The yardstick of bench/playouts.py: the same random games as engine.search.kernel.rolls, in plain C, with the same
   random numbers and so the same checksum. Lambo: tiles fit everywhere, closing a bridge or more wins. With -DMAMBO,
   Mambo: one class of corners, tiles that fit by colour, null points, automatic moves, and a dead group loses.

   playouts RINGS SIZE RANDOM GAMES prints the placements, the games won by seat 1 and 2, the checksum, and
   the seconds of CPU. Compile with -O3. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { FREE = -1, GONE = -2, EMPTY = -1 };
static const int DQ[6] = {0, 1, 1, 0, -1, -1}, DR[6] = {-1, -1, 0, 1, 1, 0};
static const int OWNER[6] = {-1, 2, 4, -1, 5, 1}; /* whose L or R corner it is, clockwise from the right */
static int cells, known;
static int32_t *near_, *corner_, *around_, *reach;
#ifdef MAMBO
enum { LETTERS = 6, PARTS = 1, PLACEMENTS = 1, LEAST = 0 };
#else
enum { LETTERS = 3, PARTS = 2, PLACEMENTS = 2, LEAST = 1 };
#endif
static int32_t shape[LETTERS][6]; /* for class 1, then 2: tip and both bridge ends */
struct state {
    int32_t *tile, *where, *frontier, *filled, *colour, *parent, *corners, *bridges, *full, *laid, *closed, *pending;
    int32_t height, amount, shut, waiting;
};
static struct state b, saved, spare;
static uint32_t x;
static int limit;

static int count(int rings) { return 3 * rings * (rings + 1) + 1; }
static inline int below(int bound) {
    x ^= x << 13;
    x ^= x >> 17;
    x ^= x << 5;
    return (int)(((uint64_t)x * (uint64_t)bound) >> 32);
}
static int32_t *vector(int size, int value) {
    int32_t *v = malloc(sizeof *v * size);
    for (int i = 0; i < size; i++) v[i] = value;
    return v;
}
static void geometry(int rings) {
    int out = rings + 4, total = count(out), width = 2 * out + 1;
    int *number = malloc(sizeof(int) * width * width), (*axial)[2] = malloc(sizeof(int[2]) * total);
    int i = 0;
    for (int k = 0; k < width * width; k++) number[k] = 0;
    axial[i][0] = axial[i][1] = 0;
    number[out * width + out] = i++;
    static const int walk[6] = {2, 3, 4, 5, 0, 1};
    for (int k = 1; k <= out; k++)
        for (int side = 0; side < 6; side++)
            for (int step = 0; step < k; step++, i++) {
                int q = k * DQ[side] + step * DQ[walk[side]], r = k * DR[side] + step * DR[walk[side]];
                axial[i][0] = q, axial[i][1] = r;
                number[(q + out) * width + r + out] = i;
            }
    known = count(rings + 2), cells = count(rings);
    near_ = vector(6 * known, 0), corner_ = vector(6 * known, 0), around_ = vector(6 * known, 0);
    for (i = 0; i < count(rings + 1); i++) {
        for (int d = 0; d < 6; d++)
            near_[6 * i + d] = number[(axial[i][0] + DQ[d] + out) * width + axial[i][1] + DR[d] + out];
        for (int k = 0; k < 6; k++) corner_[6 * i + k] = 2 * (OWNER[k] < 0 ? i : near_[6 * i + OWNER[k]]) + 1 - k % 2;
    }
    static const int cells1[2] = {5, 4}, cells2[2] = {1, 2};
    for (i = 0; i < known; i++)
        for (int class = 0; class < 2; class++)
            for (int k = 0; k < 3; k++) {
                int d = k ? (class ? cells2 : cells1)[k - 1] : 0;
                int q = axial[i][0] + (k ? DQ[d] : 0), r = axial[i][1] + (k ? DR[d] : 0);
                around_[3 * (2 * i + class) + k] = number[(q + out) * width + r + out];
            }
    reach = vector(known, known);
    for (i = 0; i < known; i++)
        for (int k = rings; k >= 0; k--)
            if (i < count(k)) reach[i] = count(k + 2);
    static const int tips[3] = {3, 5, 1};
    for (int t = 0; t < LETTERS; t++) {
        int tip = tips[t % 3], tip2 = (tip + 3) % 6, at = 1, at2 = 4;
        shape[t][0] = tip, shape[t][3] = tip2;
        for (int k = 1; k < 6; k += 2)
            if (k != tip) shape[t][at++] = k;
        for (int k = 0; k < 6; k += 2)
            if (k != tip2) shape[t][at2++] = k;
    }
    free(number), free(axial);
}
static void begin(struct state *s) {
    s->tile = vector(known, EMPTY), s->where = vector(known, FREE), s->frontier = vector(known, 0);
    s->filled = vector(2 * known, 0), s->colour = vector(2 * known, 0), s->parent = vector(2 * known, 0);
    s->corners = vector(2 * known, 1), s->bridges = vector(2 * known, 0), s->full = vector(2 * known, 0);
    s->laid = vector(known, 0), s->closed = vector(2 * known, 0);
    s->pending = vector(6 * known, 0), s->waiting = 0;
    for (int i = 0; i < 2 * known; i++) s->parent[i] = i;
    s->where[0] = 0, s->height = 1, s->amount = 0, s->shut = 0;
}
static inline int touch(int c, int seat, int *root) {
    int before = b.filled[c]++;
    *root = c;
    if (before == 0) {
        b.colour[c] = seat;
    } else {
        while (b.parent[*root] != *root) *root = b.parent[*root];
        if (before == 2) b.full[*root]++;
    }
    return before;
}
#ifdef MAMBO
static int32_t fits[27], forced[27]; /* by the colours of a cell's three corners of class 1 */
static void tables(void) {
    for (int colours = 0; colours < 27; colours++) {
        int want[6] = {0, colours / 9, 0, colours / 3 % 3, 0, colours % 3}, amount = 0, last = 0;
        for (int t = 0; t < LETTERS; t++) {
            int fit = 1;
            for (int k = 1; k < 6; k += 2)
                if (want[k] && want[k] != (k == shape[t][0] ? 2 - t / 3 : 1 + t / 3)) fit = 0;
            if (fit) fits[colours] |= 1 << t, last = t, amount++;
        }
        forced[colours] = amount == 1 && want[1] && want[3] && want[5] ? last : -1;
    }
}
static inline int colours(int cell) {
    const int32_t *c = corner_ + 6 * cell;
    return 9 * b.colour[c[1]] + 3 * b.colour[c[3]] + b.colour[c[5]];
}
static void nullify(int cell) {
    int slot = b.where[cell], last = b.frontier[--b.height];
    b.frontier[slot] = last;
    b.where[last] = slot;
    b.where[cell] = GONE;
    for (int k = 1; k < 6; k += 2) {
        int c = corner_[6 * cell + k];
        if (++b.filled[c] == 3) {
            while (b.parent[c] != c) c = b.parent[c];
            if (++b.full[c] == b.corners[c]) b.closed[b.shut++] = c;
        }
    }
}
static inline void decide(int c) {
    for (int k = 3 * c; k < 3 * c + 3; k++) {
        int cell = around_[k];
        if (b.where[cell] >= 0) {
            int s = colours(cell);
            if (fits[s] == 0) nullify(cell);
            else if (forced[s] >= 0) b.pending[b.waiting++] = cell;
        }
    }
}
static int due(int since) {
    int lowest = -1;
    for (int i = since; i < b.waiting; i++) {
        int cell = b.pending[i];
        if (b.where[cell] >= 0 && (lowest < 0 || cell < lowest) && forced[colours(cell)] >= 0) lowest = cell;
    }
    return lowest;
}
#else
static inline void decide(int c) { (void)c; }
#endif
static void place(int cell, int tile) {
    b.laid[b.amount++] = cell;
    b.tile[cell] = tile;
    int slot = b.where[cell], last = b.frontier[--b.height];
    b.frontier[slot] = last;
    b.where[last] = slot;
    b.where[cell] = GONE;
    for (int k = 6 * cell; k < 6 * cell + 6; k++)
        if (b.where[near_[k]] == FREE) b.where[near_[k]] = b.height, b.frontier[b.height++] = near_[k];
    int fresh[6], news = 0;
    for (int part = 0; part < PARTS; part++) {
        const int32_t *s = shape[tile] + 3 * part;
#ifdef MAMBO
        int ends = 1 + tile / 3, tips = 3 - ends, tip, p, q;
#else
        int ends = 2 - part, tips = ends, tip, p, q;
#endif
        int before = touch(corner_[6 * cell + s[0]], tips, &tip);
        if (before == 0) fresh[news++] = corner_[6 * cell + s[0]];
        if (touch(corner_[6 * cell + s[1]], ends, &p) == 0) fresh[news++] = corner_[6 * cell + s[1]];
        if (touch(corner_[6 * cell + s[2]], ends, &q) == 0) fresh[news++] = corner_[6 * cell + s[2]];
        if (p == q) {
            b.bridges[p]++;
        } else {
            if (b.corners[p] < b.corners[q]) {
                int swap = p;
                p = q, q = swap;
            }
            b.parent[q] = p;
            b.corners[p] += b.corners[q];
            b.bridges[p] += b.bridges[q] + 1;
            b.full[p] += b.full[q];
        }
        if (b.full[p] == b.corners[p]) b.closed[b.shut++] = p;
        if (before == 2 && b.full[tip] == b.corners[tip] && tip != p && b.parent[tip] == tip) b.closed[b.shut++] = tip;
    }
    for (int i = 0; i < news; i++) decide(fresh[i]);
}
static void copy(const struct state *from, struct state *to, int n) {
    memcpy(to->tile, from->tile, 4 * n), memcpy(to->where, from->where, 4 * n);
    memcpy(to->frontier, from->frontier, 4 * from->height);
    memcpy(to->filled, from->filled, 8 * n), memcpy(to->colour, from->colour, 8 * n);
    memcpy(to->parent, from->parent, 8 * n), memcpy(to->corners, from->corners, 8 * n);
    memcpy(to->bridges, from->bridges, 8 * n), memcpy(to->full, from->full, 8 * n);
    to->height = from->height, to->amount = from->amount, to->shut = from->shut, to->waiting = from->waiting;
}
static int largest(int seat) {
    int best = -1;
    for (int i = 0; i < b.amount; i++)
        for (int k = 0; k < 6; k++) {
            int c = corner_[6 * b.laid[i] + k];
            if (b.colour[c] == seat && b.parent[c] == c && b.bridges[c] > best) best = b.bridges[c];
        }
    return best;
}
static int roll(void) {
    int mover = 1, owed = 1, first = -1, result = -1;
    while (result < 0) {
        int cell = -1;
        if (first < 0) {
            if (b.height == 0) return 0;
            cell = b.frontier[below(b.height)];
        } else {
            int amount = 0;
            for (int k = 6 * first; k < 6 * first + 6; k++) amount += b.where[near_[k]] >= 0;
            int skip = below(amount);
            for (int k = 6 * first; k < 6 * first + 6; k++)
                if (b.where[near_[k]] >= 0 && skip-- == 0) cell = near_[k];
        }
        if (cell >= cells) return 0;
        int shut = b.shut, won1 = 0, won2 = 0;
        int hole = owed == 2;
        for (int k = 6 * cell; hole && k < 6 * cell + 6; k++) hole = b.where[near_[k]] == GONE;
        if (hole) copy(&b, &spare, known);
#ifdef MAMBO
        int since = b.waiting, all = fits[colours(cell)], amount = __builtin_popcount(all), skip = below(amount), tile = 0;
        while (!(all >> tile & 1) || skip-- > 0) tile++;
        place(cell, tile);
        for (int next = due(since); next >= 0 && next < cells && b.amount < limit; next = due(since))
            place(next, forced[colours(next)]);
#else
        place(cell, below(3));
#endif
        for (int i = shut; i < b.shut; i++)
            if (b.bridges[b.closed[i]] >= LEAST) {
                if ((b.colour[b.closed[i]] == 1) == (LEAST == 1)) won1 = 1;
                else won2 = 1;
            }
        if (won1 || won2) return won1 && won2 ? 3 - mover : won1 ? 1 : 2;
        if (b.amount == limit) {
            int one = largest(1), two = largest(2);
            return one == two ? 0 : one > two ? 1 : 2;
        }
        if (hole) { /* the second tile could not lie beside it: taken back */
            copy(&spare, &b, known);
            continue;
        }
        if (--owed == 0) {
            mover = 3 - mover, first = -1;
            owed = limit - b.amount < PLACEMENTS ? 1 : PLACEMENTS;
        } else {
            first = cell;
        }
    }
    return result;
}

int main(int argc, char **argv) {
    if (argc != 5) return 2;
    geometry(atoi(argv[1]));
    limit = atoi(argv[2]), x = (uint32_t)strtoul(argv[3], NULL, 10);
    int games = atoi(argv[4]);
    begin(&b), begin(&saved), begin(&spare);
#ifdef MAMBO
    tables();
#else
    place(0, 0);
#endif
    copy(&b, &saved, known);
    saved.laid[0] = 0;
    uint32_t check = 0;
    long placements = 0, won[3] = {0, 0, 0};
    clock_t start = clock();
    for (int g = 0; g < games; g++) {
        won[roll()]++;
        int outer = 0;
        for (int i = saved.amount; i < b.amount; i++) {
            check = check * 31 + (uint32_t)(b.laid[i] * 8 + b.tile[b.laid[i]]);
            if (b.laid[i] > outer) outer = b.laid[i];
        }
        placements += b.amount - saved.amount;
        copy(&saved, &b, reach[outer]);
    }
    printf("%ld %ld %ld %u %.6f\n", placements, won[1], won[2], check, (double)(clock() - start) / CLOCKS_PER_SEC);
    return 0;
}
