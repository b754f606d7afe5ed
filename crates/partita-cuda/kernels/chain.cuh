// One chain: a partition of the items with the statistics of its Gaussian clusters (`partition.rs`, `likelihood/gaussian`).
//
// Items remember a cluster number; slots are contiguous, and two words of four bits an entry tell which number is in which
// slot. Statistics are kept by number, so that closing a cluster moves nothing. What every step looks at lies in the fast
// memory that the threads of a block share, each lane in a column of its own.
//
// Where GRAM is set, a cluster keeps the inner product of its sum with every item. On a processor a move brings all of them up
// to date at once. Here an item's products are brought up to date when the item is next visited, a sweep later: the moves
// since then are in a ring, and applying them one by one in their order gives the same bits.

// What all replicates share.
struct Tables {
    int items;
    const double* rows;     // items x DIMENSION
    const double* gram;     // items x items; squares on the diagonal
    const double* by_size;  // for each size: log_norm outside, inside; half_precision outside, inside; shrink
    const double* alone;    // log density of each item given nothing
    const double* join;     // log prior weight by size
    const double* open;     // log prior weight of a new cluster, by clusters
    const double* p_ln_p;   // of the share of a cluster, by size
    const i64* gains;       // by shared items, where VI is set
};

#define BY_SIZE 5
#define LOG_NORM 0
#define HALF_PRECISION 2
#define SHRINK 4

// Moves after which statistics are built anew at the end of a sweep (`mixture.rs`).
#define MOVES_BEFORE_REFRESH 65536u

struct Chain {
    int clusters;
    int numbers;  // numbers in use and free ones
    u32 moves;
    int head, length;   // of the ring
    u64 number, slot;   // four bits each: the number in a slot, the slot of a number
    double* cells;      // fast memory, in steps of LANES: CELLS
    u32* sizes;         // fast memory, in steps of LANES, by number
    u8* cluster;        // the number of an item, in steps of LANES
    u32* ring;          // contiguous
    double* products;   // SLOTS an item, in steps of LANES
    double* sums;       // contiguous, by number
};

// What is kept of a cluster in fast memory. Behind the products is one of no cluster, for what counts nowhere.
enum Field { JOIN, NORM, HALF, TWICE_SHRINK, SQUARE, PRODUCT, FIELDS };
#define NOWHERE SLOTS
#define CELLS (FIELDS * SLOTS + 1)

#define CELL(z, field, k) ((z)->cells[((field) * SLOTS + (k)) * LANES])
#define SIZE(z, k) ((z)->sizes[(k) * LANES])

DEVICE int nibble(u64 map, int k) { return (int)(map >> (4 * k) & 15); }

DEVICE void set_nibble(u64* map, int k, int value) { *map = (*map & ~(15ull << (4 * k))) | (u64)value << (4 * k); }

DEVICE int slot_of(const Chain* z, int item) { return nibble(z->slot, z->cluster[item * LANES]); }

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
    const double* of_size = t->by_size + size * BY_SIZE;
    double shrink = of_size[SHRINK];
    SIZE(z, number) = size;
    CELL(z, JOIN, number) = t->join[size];
    CELL(z, NORM, number) = of_size[LOG_NORM];
    CELL(z, HALF, number) = of_size[HALF_PRECISION];
    CELL(z, TWICE_SHRINK, number) = GRAM ? 2.0 * shrink : shrink;
    CELL(z, SQUARE, number) = shrink * shrink * square_of_sum;
}

// What is in fast memory, from what is not: sizes and sums.
APART void recall(const Tables* t, Chain* z, const u32* sizes) {
    for (int k = 0; k < z->numbers; k++) SIZE(z, k) = sizes[k];
    for (int s = 0; s < z->clusters; s++) {
        int number = nibble(z->number, s);
        const double* sum = z->sums + number * DIMENSION;
        Lanes squares;
        clear(&squares);
#pragma unroll
        for (int d = 0; d < DIMENSION; d++) ADD_TERM(squares, d, sum[d] * sum[d]);
        follow(t, z, number, SIZE(z, number), total_of_lanes(&squares));
    }
}

// The statistics of the partition, from scratch.
APART void rebuild(const Tables* t, Chain* z) {
    int n = t->items;
    z->moves = 0;
    z->head = z->length = 0;
    for (int k = 0; k < z->numbers * DIMENSION; k++) z->sums[k] = 0.0;
    for (int k = 0; k < z->numbers; k++) SIZE(z, k) = 0;
    for (int i = 0; i < n; i++) {
        int number = z->cluster[i * LANES];
        double* sum = z->sums + number * DIMENSION;
        const double* row = t->rows + i * DIMENSION;
        for (int d = 0; d < DIMENSION; d++) sum[d] += row[d];
        SIZE(z, number)++;
    }
#if GRAM
    for (int item = 0; item < n; item++) {
        for (int k = 0; k < z->numbers; k++) CELL(z, PRODUCT, k) = 0.0;
        const double* gram = t->gram + item * n;
        for (int i = 0; i < n; i++) CELL(z, PRODUCT, z->cluster[i * LANES]) += gram[i];
        for (int k = 0; k < z->numbers; k++) z->products[(item * SLOTS + k) * LANES] = CELL(z, PRODUCT, k);
    }
#endif
    u32 sizes[SLOTS];
    for (int k = 0; k < z->numbers; k++) sizes[k] = SIZE(z, k);
    recall(t, z, sizes);
}

// A chain in the state that these labels, 0 to clusters - 1, tell.
DEVICE void begin(const Tables* t, Chain* z, const u8* labels, int clusters) {
    z->clusters = z->numbers = clusters;
    z->number = z->slot = 0xFEDCBA9876543210ull;
    for (int i = 0; i < t->items; i++) z->cluster[i * LANES] = labels[i];
    rebuild(t, z);
}

// What one move says in the ring: where the item is in a row of doubles, where it went, where it came from (nowhere, if that
// is no more), and whether it was the first where it went.
DEVICE u32 entry_of(int item, int to, int from, int opened) {
    return (u32)item << 3 | (u32)to << 16 | (u32)from << 20 | (u32)opened << 24;
}

// An entry that counts nowhere: such fill the groups of four at both ends of the ring.
#define NO_ENTRY ((u32)NOWHERE << 16 | (u32)NOWHERE << 20)

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
#pragma unroll
    for (int k = 0; k < SLOTS; k++) products[k] = k < z->numbers ? kept[k * LANES] : 0.0;
#endif
}

DEVICE Four entries_at(const Chain* z, int group, int places) {
    return *(const Four*)(z->ring + (group >= places ? group - places : group));
}

// Brings the inner products of an item, as fetched, up to date. Entries are read two groups ahead and the inner products that
// they tell of one group ahead, so that memory has time to answer.
DEVICE void settle(const Tables* t, Chain* z, int item, const double* fetched) {
    double* kept = z->products + item * SLOTS * LANES;
    const char* gram = (const char*)(t->gram + item * t->items);
    double* cells = &CELL(z, PRODUCT, 0);
    int places = ring_places(t->items);
#pragma unroll
    for (int k = 0; k < SLOTS; k++) cells[k * LANES] = fetched[k];
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
        for (int e = 0; e < 4; e++) {
            u32 entry = now.word[e];
            double *to = cells + (entry >> 16 & 15) * LANES, *from = cells + (entry >> 20 & 15) * LANES;
            double there = *to, here = *from;
            there = entry >> 24 ? 0.0 : there;
            *to = there + product[e];
            *from = here - product[e];
        }
        now = next;
        next = later;
#pragma unroll
        for (int e = 0; e < 4; e++) product[e] = next_product[e];
    }
#pragma unroll
    for (int k = 0; k < SLOTS; k++)
        if (k < z->numbers) kept[k * LANES] = cells[k * LANES];
    // The item's own move of the sweep before is the oldest, and nobody needs it any more.
    if ((int)(oldest & 0xFFFF) == item << 3) {
        z->ring[z->head] = NO_ENTRY;
        z->head = z->head + 1 == places ? 0 : z->head + 1;
        z->length--;
    }
}

// The weights of an item in all slots and in a new cluster, the highest being 1 (`target/ahead.rs`, `math.rs`).
DEVICE void weigh(const Tables* t, Chain* z, int item, int own, const double* fetched, double* weights) {
    const double nothing = double_of(0xFFF0000000000000ull);
    int clusters = z->clusters, mine = nibble(z->number, own);
    u32 size = SIZE(z, mine);
    const double* of_size = t->by_size + size * BY_SIZE;
    double own_prior = size == 1 ? t->open[clusters - 1] : t->join[size - 1];
    double own_norm = of_size[LOG_NORM + 1], own_half = of_size[HALF_PRECISION + 1];
    double fresh = (size == 1 ? nothing : t->open[clusters]) + t->alone[item];
#if GRAM
    double square = t->gram[item * t->items + item];
    settle(t, z, item, fetched);
#else
    const double* row = t->rows + item * DIMENSION;
#endif
    double highest = fresh;
#pragma unroll
    for (int s = 0; s <= SLOTS; s++) {
        double out = nothing;
        if (s < clusters) {
            int number = nibble(z->number, s);
#if GRAM
            double distance = square - CELL(z, TWICE_SHRINK, number) * CELL(z, PRODUCT, number) + CELL(z, SQUARE, number);
#else
            const double* sum = z->sums + number * DIMENSION;
            double shrink = CELL(z, TWICE_SHRINK, number);
            Lanes squares;
            clear(&squares);
#pragma unroll
            for (int d = 0; d < DIMENSION; d++) {
                double difference = row[d] - shrink * sum[d];
                ADD_TERM(squares, d, difference * difference);
            }
            double distance = total_of_lanes(&squares);
#endif
            out = s == own ? own_prior : CELL(z, JOIN, number);
            double norm = s == own ? own_norm : CELL(z, NORM, number), half = s == own ? own_half : CELL(z, HALF, number);
            out += norm - half * distance;
        } else if (s == clusters) {
            out = fresh;
        }
        weights[s] = out;
        highest = out > highest ? out : highest;
    }
#pragma unroll
    for (int s = 0; s <= SLOTS; s++) {
        if (s > clusters) continue;
        weights[s] = exp_of(weights[s] - highest);
    }
}

// Draws a slot by its weight (`chance.rs`).
DEVICE int draw(double uniform, const double* weights, int count) {
    double total = weights[0];
#pragma unroll
    for (int s = 1; s <= SLOTS; s++) total += s < count ? weights[s] : 0.0;
    double mark = uniform * total, running = 0.0;
    int below = 0;
#pragma unroll
    for (int s = 0; s <= SLOTS; s++) {
        running += s < count ? weights[s] : 0.0;
        below += s < count && running <= mark;
    }
    return below;
}

// What a placement changed.
struct Move {
    int moved, from, to, opened, closed;
};

// Takes a row from one sum and adds it to another, and gives the squares of both.
DEVICE void shift(const double* __restrict__ row, double* __restrict__ to, double* __restrict__ from, int opened, int closed, double* square_to, double* square_from) {
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

// Puts an item into a slot; `to == clusters` opens one, for which there must be room.
DEVICE Move place(const Tables* t, Chain* z, int item, int from, int to) {
    Move move = {0, from, to, 0, 0};
    int out_of = nibble(z->number, from);
    u32 size = SIZE(z, out_of);
    if ((to == from && size > 1) || (size == 1 && (to == from || to == z->clusters))) return move;
    move.moved = 1;
    move.opened = to == z->clusters;
    move.closed = size == 1;
    if (move.opened) {
        // Behind the slots in use are the numbers that are free.
        if (to == z->numbers) z->numbers++;
        set_nibble(&z->slot, nibble(z->number, to), to);
        z->clusters++;
    }
    int into = nibble(z->number, to);
    u32 now = move.opened ? 1 : SIZE(z, into) + 1;
    z->cluster[item * LANES] = (u8)into;
    z->moves += z->moves != 0xFFFFFFFFu;
    double square_to, square_from;
    shift(t->rows + item * DIMENSION, z->sums + into * DIMENSION, z->sums + out_of * DIMENSION, move.opened, move.closed,
          &square_to, &square_from);
    follow(t, z, into, now, square_to);
    if (!move.closed) follow(t, z, out_of, size - 1, square_from);
#if GRAM
    push(t, z, entry_of(item, into, move.closed ? NOWHERE : out_of, move.opened));
#endif
    if (move.closed) {
        int last = z->clusters - 1, moved = nibble(z->number, last);
        set_nibble(&z->number, last, out_of);
        set_nibble(&z->number, from, moved);
        set_nibble(&z->slot, moved, from);
        z->clusters = last;
    }
    return move;
}

DEVICE void refresh(const Tables* t, Chain* z) {
    if (z->moves >= MOVES_BEFORE_REFRESH) rebuild(t, z);
}
