// Gibbs sweeps of the chains of a warp, a group of lanes each (`kernel/gibbs.rs`): item by item, each draws and is moved.

// What the groups of a launch share: its buffers, and in a list who is next. The list: pairs begun, single chains ready, single
// chains begun; warps that run pairs, how many of them have begun and how many have ended; from then on which chains are ready.
struct Shop {
    const Tables* tables;
    const Work* work;
    Model model;
    real* reals;
    u32* whole;
    u8* small;
    u64* memory;
    u32* list;
    double nugget;
};
enum Queue { BEGUN, READY, TAKEN, PAIR_WARPS, PAIR_WARPS_BEGUN, PAIR_WARPS_ENDED, FIRST_READY };

// The replicate of a group, or of two: -1 where it has none. States seen are counted by the first lane only.
struct Seat {
    int index;
    u64 number, time, tau, calls, seen;
    int apart;
};

DEVICE Address address_of(const u64* set, u64 number) {
    Address address = {(u32)set[SEED], (u32)(set[SEED] >> 32), (u32)number, (u32)(number >> 32) << 8};
    return address;
}

// The moves of one item: its group's draw, and for a pair that of Y given that of X.
template <int PAIRED>
DEVICE void pass(const Shop* shop, const Place* p, Near* near, Member* z, Overlap* overlap, const Seat* seat, u32 part, int* on,
                 int* two, u64* status) {
    const Model* m = &shop->model;
    const int second = PAIRED && (p->base & GROUP), first_base = p->base & ~GROUP, second_base = p->base | GROUP;
    Address address = address_of(shop->work->settings, seat->number);
    for (int block = 0; block < m->blocks; block++) {
        open_block(m, p, near, z, *on && (!second || *two), block);
        int start = block * BLOCK, count = m->items - start < BLOCK ? m->items - start : BLOCK;
        Chance chance = {0.0, 0.0, 0};
        real uniform = (real)0;
        // What the next step needs is read ahead.
        Self next = m->self[start];
        int next_label = near->labels[0];
        for (int at = 0; at < count; at++) {
            int item = start + at, drawn = lane_of(p, at);
            if (at % GROUP == 0) {
                chance = chance_of((u32)(item + p->slot), (u32)seat->time, address.low, part << 20 | address.high, address.key0,
                                   address.key1);
                uniform = below_one(chance.first);
            }
            int label = next_label, own = z->number == label;
            Self self = next;
            next = m->self[item + 1];
            next_label = near->labels[(at + 1) % BLOCK];
            Visit visit = visit_of(p, z, label);
            real weight = weigh(p, z, distance_of(m, near, z, item, at, self.square), own, visit.single, self.alone);
            int to;
            if (PAIRED) {
                double* weights = near->weights[at & 1];
                weights[p->slot] = (double)weight;
                __syncwarp();
                double total;
                to = draw_of_group(__shfl_sync(EVERYONE, chance.first, drawn), weights, &total);
                if (__any_sync(EVERYONE, *two)) {
                    Chance whole = {0.0, __shfl_sync(EVERYONE, chance.second, drawn), __shfl_sync(EVERYONE, chance.test, drawn)};
                    int row = __shfl_sync(EVERYONE, to, first_base), from_x = __shfl_sync(EVERYONE, visit.from, first_base);
                    int rows = __shfl_sync(EVERYONE, z->clusters, first_base) + 1;
                    double total_a = __shfl_sync(EVERYONE, total, first_base);
                    u32 heaviest = votes(p, weight == (real)1);
                    const double* of_x = (near - (second ? 1 : 0))->weights[at & 1];
                    int draws = *two && second;
                    if (draws && p->slot == 0) take(overlap, from_x, visit.from);
                    __syncwarp();
                    Given given = {row & (GROUP - 1), heaviest ? lowest_bit(heaviest) : 0, total_a, total, 1.0};
                    int drawn_y = draw_of_second(shop->tables, p, overlap, &given, draws, whole, shop->nugget, of_x, rows, weights,
                                                 z->clusters + 1);
                    to = draws ? drawn_y : to;
                    __syncwarp();
                    int answer = __shfl_sync(EVERYONE, to, second_base);
                    to = second ? answer : to;
                }
                // What does not fit ends the replicate.
                int fails = *on && (!second || *two) && (to >= SLOTS || to < 0);
                u32 failed = __ballot_sync(EVERYONE, fails) >> first_base & (GROUP_BITS << GROUP | GROUP_BITS);
                int of_y = __shfl_sync(EVERYONE, to, second_base);
                if (failed) {
                    if (*on) *status = *two && of_y == NO_SOLUTION ? UNDECIDED : LEFT;
                    *on = *two = 0;
                }
            } else {
                real mine = __shfl_sync(EVERYONE, uniform, drawn);
#if FLOAT
                to = draw_by_scan(p, mine, weight, visit.from);
#else
                double *weights = near->weights[at & 1], total;
                weights[p->slot] = weight;
                __syncwarp();
                to = draw_of_group(mine, weights, &total);
#endif
                if (*on && to >= SLOTS) {
                    *status = LEFT;
                    *on = 0;
                }
            }
            int moves = *on && (!second || *two) && to != visit.from && !(visit.single && to == z->clusters);
            int last = z->clusters - 1, opened = moves && to == z->clusters, closed = moves && visit.single;
            if (__any_sync(EVERYONE, moves)) relocate(m, p, near, z, moves, closed, item, at, visit.from, to);
            if (PAIRED && __any_sync(EVERYONE, *two)) {
                int now = !moves ? visit.from : closed && to == last ? visit.from : to;
                u32 mine = (u32)moves | (u32)opened << 1 | (u32)closed << 2 | (u32)visit.from << 4 | (u32)(to & 31) << 10 | (u32)now << 16;
                u32 of_x = __shfl_sync(EVERYONE, mine, first_base);
                if (*two && second && p->slot == 0) {
                    Move x = {(int)(of_x & 1), (int)(of_x >> 4 & 63), (int)(of_x >> 10 & 63), (int)(of_x >> 1 & 1), (int)(of_x >> 2 & 1)};
                    Move y = {moves, visit.from, to, opened, closed};
                    follow_moves(overlap, x, y);
                    add(overlap, (int)(of_x >> 16), now);
                    // Once equal, both make the same choices: only X is moved.
                    *two = !is_matching(overlap);
                }
                *two = __shfl_sync(EVERYONE, *two, second_base);
            }
        }
        close_block(m, p, near, z, *on && (!second || *two), block);
    }
    int full = *on && (!second || *two) && z->moves >= MOVES_BEFORE_REFRESH;
    if (__any_sync(EVERYONE, full)) rebuild(m, p, near, z, full);
}

// All moves of a sweep.
template <int PAIRED>
DEVICE void sweep(const Shop* shop, const Place* p, Near* near, Member* z, Overlap* overlap, const Seat* seat, int* on, int* two,
                  u64* status) {
    const u64* set = shop->work->settings;
    u32 part = 0;
    for (u64 k = 0; k < set[MOVES]; k++) {
        for (u64 n = 0; n < set[MOVES + 2 + 2 * k]; n++) pass<PAIRED>(shop, p, near, z, overlap, seat, part++, on, two, status);
    }
}
