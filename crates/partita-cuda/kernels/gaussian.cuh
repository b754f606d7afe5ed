// Gaussian clusters of known, equal spread (`likelihood/gaussian`).
//
// Where GRAM is set, a cluster keeps the inner product of its sum with every item. On a processor a move brings all of them up
// to date at once. Here an item's products are brought up to date when the item is next visited, a sweep later: the moves
// since then are in a ring, and applying them one by one in their order gives the same bits.

// The tables, one after the other: rows, items x DIMENSION; where GRAM is set their inner products, items x items; and for
// each size log_norm outside, inside; half_precision outside, inside; shrink.
#define BY_SIZE 5
#define LOG_NORM 0
#define HALF_PRECISION 2
#define SHRINK 4

DEVICE const double* row_of(const Tables* t, int item) { return t->numbers + item * DIMENSION; }

DEVICE const double* gram_of(const Tables* t, int item) { return t->numbers + t->items * DIMENSION + item * t->items; }

DEVICE const double* of_size(const Tables* t, u32 size) {
    return t->numbers + t->items * (DIMENSION + (GRAM ? t->items : 0)) + size * BY_SIZE;
}

// Doubles of a cluster: its sum, contiguous.
#define CLUSTER DIMENSION
#define CLUSTER_STEP 1

DEVICE double* stats_of(const Chain* z, int number) { return z->stats + number * DIMENSION; }

// What is kept of a cluster in fast memory. Behind the products is one of no cluster, for what counts nowhere.
enum Field { JOIN, NORM, HALF, TWICE_SHRINK, SQUARE, PRODUCT, FIELDS };
#define NOWHERE SLOTS
#define CELLS (FIELDS * SLOTS + 1)

#define CELL(z, field, k) ((z)->cells[((field) * SLOTS + (k)) * LANES])

// The places of the ring: a multiple of four, and more than there are items.
DEVICE int ring_places(int items) { return (items + 7) / 4 * 4; }

struct alignas(16) Four {
    u32 word[4];
};

struct alignas(16) Two {
    double number[2];
};

// `distance.rs`: sums over coordinates in lanes, those of even and of odd chunks of four apart, then the two, then the halves.
struct Lanes {
    double even[4], odd[4];
};

DEVICE void clear(Lanes* lanes) {
#pragma unroll
    for (int k = 0; k < 4; k++) lanes->even[k] = lanes->odd[k] = 0.0;
}

DEVICE double total_of_lanes(const Lanes* l) {
    double s0 = l->even[0] + l->odd[0], s1 = l->even[1] + l->odd[1];
    double s2 = l->even[2] + l->odd[2], s3 = l->even[3] + l->odd[3];
    return (s0 + s2) + (s1 + s3);
}

// Adds the term of coordinate d, which is known to the compiler.
#define ADD_TERM(lanes, d, term)                       \
    if ((d) / 4 % 2 == 0) (lanes).even[(d) % 4] += (term); \
    else (lanes).odd[(d) % 4] += (term)

// Brings what depends on the size and on |sum|^2 up to date.
DEVICE void follow(const Tables* t, Chain* z, int number, u32 size, double square_of_sum) {
    const double* constants = of_size(t, size);
    double shrink = constants[SHRINK];
    CELL(z, JOIN, number) = t->join[size];
    CELL(z, NORM, number) = constants[LOG_NORM];
    CELL(z, HALF, number) = constants[HALF_PRECISION];
    CELL(z, TWICE_SHRINK, number) = GRAM ? 2.0 * shrink : shrink;
    CELL(z, SQUARE, number) = shrink * shrink * square_of_sum;
}

DEVICE double square_of(const double* sum) {
    Lanes squares;
    clear(&squares);
#pragma unroll
    for (int d = 0; d < DIMENSION; d++) ADD_TERM(squares, d, sum[d] * sum[d]);
    return total_of_lanes(&squares);
}

APART void recall(const Tables* t, Chain* z, const u32* sizes) {
    for (int k = 0; k < z->numbers; k++) SIZE(z, k) = sizes[k];
    for (int s = 0; s < z->clusters; s++) {
        int number = at(&z->number, s);
        follow(t, z, number, SIZE(z, number), square_of(stats_of(z, number)));
    }
}

APART void rebuild(const Tables* t, Chain* z) {
    int n = t->items;
    z->moves = 0;
    z->head = z->length = 0;
    for (int k = 0; k < z->numbers * DIMENSION; k++) z->stats[k] = 0.0;
    for (int k = 0; k < z->numbers; k++) SIZE(z, k) = 0;
    for (int i = 0; i < n; i++) {
        int number = z->cluster[i * LANES];
        double* sum = stats_of(z, number);
        const double* row = row_of(t, i);
        for (int d = 0; d < DIMENSION; d++) sum[d] += row[d];
        SIZE(z, number)++;
    }
#if GRAM
    for (int item = 0; item < n; item++) {
        for (int k = 0; k < z->numbers; k++) CELL(z, PRODUCT, k) = 0.0;
        const double* gram = gram_of(t, item);
        for (int i = 0; i < n; i++) CELL(z, PRODUCT, z->cluster[i * LANES]) += gram[i];
        for (int k = 0; k < z->numbers; k++) z->products[(item * SLOTS + k) * LANES] = CELL(z, PRODUCT, k);
    }
#endif
    u32 sizes[SLOTS];
    for (int k = 0; k < z->numbers; k++) sizes[k] = SIZE(z, k);
    recall(t, z, sizes);
}

// What one move says in the ring: where the item is in a row of doubles, where it went, where it came from (nowhere, if that
// is no more), and whether it was the first where it went.
DEVICE u32 entry_of(int item, int to, int from, int opened) {
    return (u32)item << 3 | (u32)to << 16 | (u32)from << 22 | (u32)opened << 28;
}

// An entry that counts nowhere: such fill the groups of four at both ends of the ring.
#define NO_ENTRY ((u32)NOWHERE << 16 | (u32)NOWHERE << 22)

DEVICE int item_in(u32 entry) { return (int)(entry & 0xFFFF) >> 3; }

// Applies what a move says to inner products with all sums, in steps of LANES.
DEVICE void apply(u32 entry, double product, double* cells) {
    double *to = cells + (entry >> 16 & 63) * LANES, *from = cells + (entry >> 22 & 63) * LANES;
    double there = *to, here = *from;
    there = entry >> 28 ? 0.0 : there;
    *to = there + product;
    *from = here - product;
}

DEVICE void push(const Tables* t, Chain* z, u32 entry) {
    int places = ring_places(t->items), tail = z->head + z->length++;
    tail = tail >= places ? tail - places : tail;
    if (tail % 4 == 0) {
        Four group = {{entry, NO_ENTRY, NO_ENTRY, NO_ENTRY}};
        *(Four*)(z->ring + tail) = group;
    } else {
        z->ring[tail] = entry;
    }
}

// The inner products of an item with all sums as they were when it was last visited. They can be fetched long before they are
// settled: only a visit changes them.
DEVICE void fetch(const Chain* z, int item, double* products) {
#if GRAM
    const double* kept = z->products + item * SLOTS * LANES;
    EACH_SLOT(k, z->numbers - 1) {
        if (k < SLOTS) products[k] = k < z->numbers ? kept[k * LANES] : 0.0;
    }
#endif
}

DEVICE Four entries_at(const Chain* z, int group, int places) {
    return *(const Four*)(z->ring + (group >= places ? group - places : group));
}

// Brings the inner products of an item, as fetched, up to date. Entries are read two groups ahead and the inner products that
// they tell of one group ahead, so that memory has time to answer.
DEVICE void settle(const Tables* t, Chain* z, int item, const double* fetched) {
    double* kept = z->products + item * SLOTS * LANES;
    const char* gram = (const char*)gram_of(t, item);
    double* cells = &CELL(z, PRODUCT, 0);
    int places = ring_places(t->items);
    EACH_SLOT(k, z->numbers - 1) {
        if (k < SLOTS) cells[k * LANES] = fetched[k];
    }
    if (z->length == 0) return;
    int group = z->head & ~3, final_group = (z->head + z->length - 1) & ~3;
    u32 oldest = z->ring[z->head];
    Four now = entries_at(z, group, places), next = entries_at(z, group + 4 < final_group ? group + 4 : final_group, places);
    double product[4];
#pragma unroll
    for (int e = 0; e < 4; e++) product[e] = *(const double*)(gram + (now.word[e] & 0xFFFF));
    for (; group <= final_group; group += 4) {
        Four later = entries_at(z, group + 8 < final_group ? group + 8 : final_group, places);
        double next_product[4];
#pragma unroll
        for (int e = 0; e < 4; e++) next_product[e] = *(const double*)(gram + (next.word[e] & 0xFFFF));
#pragma unroll
        for (int e = 0; e < 4; e++) apply(now.word[e], product[e], cells);
        now = next;
        next = later;
#pragma unroll
        for (int e = 0; e < 4; e++) product[e] = next_product[e];
    }
    EACH_SLOT(k, z->numbers - 1) {
        if (k < z->numbers) kept[k * LANES] = cells[k * LANES];
    }
    // The item's own move of the sweep before is the oldest, and nobody needs it any more.
    if (item_in(oldest) == item) {
        z->ring[z->head] = NO_ENTRY;
        z->head = z->head + 1 == places ? 0 : z->head + 1;
        z->length--;
    }
}

// The squared distance of a row from the posterior mean of a cluster, from coordinates.
DEVICE double distance_from(const double* row, double shrink, const double* sum) {
    Lanes squares;
    clear(&squares);
#pragma unroll
    for (int d = 0; d < DIMENSION; d++) {
        double difference = row[d] - shrink * sum[d];
        ADD_TERM(squares, d, difference * difference);
    }
    return total_of_lanes(&squares);
}

DEVICE void weigh(const Tables* t, Chain* z, int item, int own, const double* fetched, double* weights) {
    int clusters = z->clusters;
    u32 size = SIZE(z, at(&z->number, own));
    double own_prior, fresh;
    own_and_fresh(t, z, size, &own_prior, &fresh);
    double own_norm = of_size(t, size)[LOG_NORM + 1], own_half = of_size(t, size)[HALF_PRECISION + 1];
#if GRAM
    double square = gram_of(t, item)[item];
    settle(t, z, item, fetched);
#else
    const double* row = row_of(t, item);
#endif
    const double nothing = double_of(0xFFF0000000000000ull);
    EACH_SLOT(s, clusters) {
        double out = nothing;
        if (s < clusters) {
            int number = at(&z->number, s);
#if GRAM
            double distance = square - CELL(z, TWICE_SHRINK, number) * CELL(z, PRODUCT, number) + CELL(z, SQUARE, number);
#else
            double distance = distance_from(row, CELL(z, TWICE_SHRINK, number), stats_of(z, number));
#endif
            double norm = s == own ? own_norm : CELL(z, NORM, number), half = s == own ? own_half : CELL(z, HALF, number);
            out = (s == own ? own_prior : CELL(z, JOIN, number)) + (norm - half * distance);
        } else if (s == clusters) {
            out = fresh + t->alone[item];
        }
        weights[s] = out;
    }
    exponentiate(weights, clusters);
}

// Takes a row from one sum and adds it to another, and gives the squares of both.
DEVICE void shift(const double* __restrict__ row, double* __restrict__ to, double* __restrict__ from, int opened, int closed,
                  double* square_to, double* square_from) {
    Lanes squares_to, squares_from;
    clear(&squares_to);
    clear(&squares_from);
#pragma unroll
    for (int first = 0; first < DIMENSION; first += 8) {
        Two r[4], into[4], out_of[4];
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (first + 2 * k >= DIMENSION) continue;
            r[k] = *(const Two*)(row + first + 2 * k);
            into[k] = *(const Two*)(to + first + 2 * k);
            out_of[k] = *(const Two*)(from + first + 2 * k);
        }
#pragma unroll
        for (int k = 0; k < 4; k++) {
            if (first + 2 * k >= DIMENSION) continue;
#pragma unroll
            for (int j = 0; j < 2; j++) {
                int d = first + 2 * k + j;
                double x = (opened ? 0.0 : into[k].number[j]) + r[k].number[j], y = out_of[k].number[j] - r[k].number[j];
                into[k].number[j] = x;
                out_of[k].number[j] = y;
                ADD_TERM(squares_to, d, x * x);
                ADD_TERM(squares_from, d, y * y);
            }
            *(Two*)(to + first + 2 * k) = into[k];
            if (!closed) *(Two*)(from + first + 2 * k) = out_of[k];
        }
    }
    *square_to = total_of_lanes(&squares_to);
    *square_from = total_of_lanes(&squares_from);
}

DEVICE void relocate(const Tables* t, Chain* z, int item, int into, u32 size_into, int out_of, u32 size_out_of, int opened) {
    double square_into, square_out_of;
    shift(row_of(t, item), stats_of(z, into), stats_of(z, out_of), opened, size_out_of == 0, &square_into, &square_out_of);
    follow(t, z, into, size_into, square_into);
    if (size_out_of) follow(t, z, out_of, size_out_of, square_out_of);
#if GRAM
    push(t, z, entry_of(item, into, size_out_of ? out_of : NOWHERE, opened));
#endif
}

#if SIDES
// A cluster that belongs to no chain, for moves that try out: a sum, its size and its square.
struct Loose {
    double* stats;
    u32 size;
    double square;
};

DEVICE void loose_empty(const Tables* t, Loose* c) {
    c->square = 0.0;
    for (int d = 0; d < DIMENSION; d++) c->stats[d] = 0.0;
}

DEVICE void loose_put(const Tables* t, Loose* c, int item, double sign) {
    const double* row = row_of(t, item);
    for (int d = 0; d < DIMENSION; d++) c->stats[d] += sign * row[d];
    c->square = square_of(c->stats);
}

DEVICE void loose_take(const Tables* t, Loose* c, const Chain* z, int number) {
    c->size = SIZE(z, number);
    for (int d = 0; d < DIMENSION; d++) c->stats[d] = stats_of(z, number)[d];
    c->square = square_of(c->stats);
}

DEVICE void loose_give(const Tables* t, const Loose* c, Chain* z, int number) {
    for (int d = 0; d < DIMENSION; d++) stats_of(z, number)[d] = c->stats[d];
    follow(t, z, number, c->size, c->square);
}

// The log density of an item, whose inner product with the sum is given where GRAM is set: outside (0) of the cluster, or inside
// (1) and not counted.
DEVICE double loose_score(const Tables* t, const Loose* c, int item, double product, int side) {
    const double* constants = of_size(t, c->size);
    double shrink = constants[SHRINK];
#if GRAM
    double distance = gram_of(t, item)[item] - 2.0 * shrink * product + shrink * shrink * c->square;
#else
    double distance = distance_from(row_of(t, item), shrink, c->stats);
#endif
    return constants[LOG_NORM + side] - constants[HALF_PRECISION + side] * distance;
}

#if GRAM
// Between two passes over the items the moves that an item has not seen are those of items from its own on.
APART double product_now(const Tables* t, const Chain* z, int item, int number) {
    double sum = z->products[(item * SLOTS + number) * LANES];
    int places = ring_places(t->items);
    for (int n = 0; n < z->length; n++) {
        u32 entry = z->ring[z->head + n < places ? z->head + n : z->head + n - places];
        if (item_in(entry) < item) continue;
        double product = gram_of(t, item)[item_in(entry)];
        if ((int)(entry >> 16 & 63) == number) sum = (entry >> 28 ? 0.0 : sum) + product;
        if ((int)(entry >> 22 & 63) == number) sum -= product;
    }
    return sum;
}

// Brings all products up to date between two passes, then lets items walk one after the other between two numbers, of which the
// second is new or not. A step tells whether an item goes to the second (`goes_to_j`).
APART void settle_all(const Tables* t, Chain* z, const u32* walk, int steps, int first, int second, int is_new) {
    double* cells = &CELL(z, PRODUCT, 0);
    int places = ring_places(t->items);
    for (int item = 0; item < t->items; item++) {
        double* kept = z->products + item * SLOTS * LANES;
        const double* gram = gram_of(t, item);
        for (int k = 0; k < z->numbers; k++) cells[k * LANES] = kept[k * LANES];
        for (int n = 0; n < z->length; n++) {
            u32 entry = z->ring[z->head + n < places ? z->head + n : z->head + n - places];
            if (item_in(entry) >= item) apply(entry, gram[item_in(entry)], cells);
        }
        if (is_new) cells[second * LANES] = 0.0;
        for (int n = 0; n < steps; n++) {
            int to = goes_to_j(walk[n]) ? second : first, from = goes_to_j(walk[n]) ? first : second;
            cells[to * LANES] += gram[item_of(walk[n])];
            cells[from * LANES] -= gram[item_of(walk[n])];
        }
        for (int k = 0; k < z->numbers; k++) kept[k * LANES] = cells[k * LANES];
    }
    z->head = z->length = 0;
}
#endif
#endif
