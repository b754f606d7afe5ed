// One chain: a partition of the items (`partition.rs`) with the statistics of its clusters, whatever these are.
//
// Items remember a cluster number; slots are contiguous, and two maps tell which number is in which slot. Statistics are kept
// by number, so that closing a cluster moves nothing. What every step looks at lies in the fast memory that the threads of a
// block share, each lane in a column of its own, where slots are few.

// A map of slots: four bits an entry in one word, or a byte an entry.
#if FAST
#define MAP_WORDS 1
struct Map {
    u64 word;
};

DEVICE int at(const Map* map, int k) { return (int)(map->word >> (4 * k) & 15); }

DEVICE void set_at(Map* map, int k, int value) {
    map->word = (map->word & ~(15ull << (4 * k))) | (u64)value << (4 * k);
}

DEVICE void keep_map(const Map* map, u64* words) { words[0] = map->word; }

DEVICE void recall_map(Map* map, const u64* words) { map->word = words[0]; }
#else
#define MAP_WORDS (SLOTS / 8)
struct Map {
    u8 entry[SLOTS];
};

DEVICE int at(const Map* map, int k) { return map->entry[k]; }

DEVICE void set_at(Map* map, int k, int value) { map->entry[k] = (u8)value; }

DEVICE void keep_map(const Map* map, u64* words) {
    for (int w = 0; w < MAP_WORDS; w++) {
        words[w] = 0;
        for (int k = 0; k < 8; k++) words[w] |= (u64)map->entry[8 * w + k] << (8 * k);
    }
}

DEVICE void recall_map(Map* map, const u64* words) {
    for (int k = 0; k < SLOTS; k++) map->entry[k] = (u8)(words[k / 8] >> (8 * (k % 8)));
}
#endif

// An item in a word whose highest bits are flags.
DEVICE int item_of(u32 word) { return (int)(word & 0xFFFFFF); }

// An item that walks from one cluster to another, in one word: the item, and whether it goes to the second, that of j.
#define TO_J 24
DEVICE int goes_to_j(u32 step) { return (int)(step >> TO_J & 1); }

struct Chain {
    int clusters;
    int numbers;  // numbers in use and free ones
    u32 moves;
    int head, length;  // of the ring
    Map number, slot;  // the number in a slot, the slot of a number
    double* cells;     // in steps of LANES: CELLS, where a family keeps some
    u32* sizes;        // in steps of LANES, by number
    u8* cluster;       // the number of an item, in steps of LANES
    u32* ring;         // contiguous
    double* products;  // SLOTS an item, in steps of LANES
    double* stats;     // by number, as the family has them
    double* board;     // of a team: numbers that its lanes show each other, 2 (SLOTS + 1)
};

#define SIZE(z, k) ((z)->sizes[(k) * LANES])

DEVICE int slot_of(const Chain* z, int item) { return at(&z->slot, z->cluster[item * LANES]); }

DEVICE int number_of(const Chain* z, int item) { return z->cluster[item * LANES]; }

DEVICE int clusters_of(const Chain* z) { return z->clusters; }

DEVICE u32 size_in(const Chain* z, int slot) { return SIZE(z, at(&z->number, slot)); }

// Appends an empty slot. Behind the slots in use are the numbers that are free.
DEVICE void open_slot(Chain* z) {
    int to = z->clusters++;
    if (to == z->numbers) z->numbers++;
    set_at(&z->slot, at(&z->number, to), to);
}

// Removes an empty slot: the last takes its place.
DEVICE void close_slot(Chain* z, int slot) {
    int last = --z->clusters, closed = at(&z->number, slot), moved = at(&z->number, last);
    set_at(&z->number, last, closed);
    set_at(&z->number, slot, moved);
    set_at(&z->slot, moved, slot);
}

// The log prior weights of an item's own slot and of a new cluster.
DEVICE void own_and_fresh(const Tables* t, const Chain* z, u32 size, double* own, double* fresh) {
    const double nothing = double_of(0xFFF0000000000000ull);
    *own = size == 1 ? t->open[z->clusters - 1] : t->join[size - 1];
    *fresh = size == 1 ? nothing : t->open[z->clusters];
}

// Log weights of `clusters` slots and a new one to weights, the highest being 1 (`math.rs`). Behind them is nothing.
DEVICE void exponentiate(double* weights, int clusters) {
    double highest = weights[0];
    EACH_SLOT(s, clusters) highest = weights[s] > highest ? weights[s] : highest;
    EACH_SLOT(s, clusters) {
        if (s <= clusters) weights[s] = exp_of(weights[s] - highest);
    }
}

// Draws a slot, or a new one, by its weight (`chance.rs`).
DEVICE int draw(double uniform, const double* weights, int clusters) {
    double total = 0.0, running = 0.0;
    EACH_SLOT(s, clusters) total += s <= clusters ? weights[s] : 0.0;
    double mark = uniform * total;
    int below = 0;
    EACH_SLOT(s, clusters) {
        running += s <= clusters ? weights[s] : 0.0;
        below += s <= clusters && running <= mark;
    }
    return below;
}

// What a family of clusters gives.

// Doubles that a chain keeps of its clusters in fast memory.
// #define CELLS

// The statistics of the partition, from scratch.
APART void rebuild(const Tables* t, Chain* z);

// What is in fast memory, from what is not: sizes and statistics.
APART void recall(const Tables* t, Chain* z, const u32* sizes);

// Numbers of an item that take long to come, before they are needed.
DEVICE void fetch(const Chain* z, int item, double* fetched);

// The weights of an item in all slots and in a new cluster, the highest being 1.
DEVICE void weigh(const Tables* t, Chain* z, int item, int own, const double* fetched, double* weights);

// An item goes from one number to another, which has been opened for it or not; the first closes behind it or not. Sizes are
// those afterwards.
DEVICE void relocate(const Tables* t, Chain* z, int item, int into, u32 size_into, int out_of, u32 size_out_of, int opened);

// What all families have in common.

// A chain in the state that these labels tell, 0 and on without gaps; 0 where there are too many.
DEVICE int begin(const Tables* t, Chain* z, const u8* labels) {
    int clusters = 0;
    for (int i = 0; i < t->items; i++) {
        int label = labels[i];
        clusters = label >= clusters ? label + 1 : clusters;
        if (IS_FIRST) z->cluster[i * LANES] = (u8)label;
    }
    if (clusters > SLOTS) return 0;
    z->clusters = z->numbers = clusters;
    for (int k = 0; k < SLOTS; k++) {
        set_at(&z->number, k, k);
        set_at(&z->slot, k, k);
    }
    rebuild(t, z);
    return 1;
}

// Puts an item into a slot; `to == clusters` opens one, for which there must be room.
DEVICE Move place(const Tables* t, Chain* z, int item, int from, int to) {
    Move move = {0, from, to, 0, 0};
    int out_of = at(&z->number, from);
    u32 size = SIZE(z, out_of);
    if ((to == from && size > 1) || (size == 1 && (to == from || to == z->clusters))) return move;
    move.moved = 1;
    move.opened = to == z->clusters;
    move.closed = size == 1;
    if (move.opened) open_slot(z);
    int into = at(&z->number, to);
    u32 now = move.opened ? 1 : SIZE(z, into) + 1;
    z->moves += z->moves != 0xFFFFFFFFu;
    TEAM_SYNC();
    relocate(t, z, item, into, now, out_of, size - 1, move.opened);
    if (IS_FIRST) {
        z->cluster[item * LANES] = (u8)into;
        SIZE(z, into) = now;
        SIZE(z, out_of) = size - 1;
    }
    TEAM_SYNC();
    if (move.closed) close_slot(z, from);
    return move;
}

DEVICE void refresh(const Tables* t, Chain* z) {
    if (z->moves >= MOVES_BEFORE_REFRESH) rebuild(t, z);
}
