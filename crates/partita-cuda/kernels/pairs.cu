// The coupled loop of one replicate (`pair.rs`, `kernel/gibbs.rs`, `estimator.rs`, `atoms.rs`): one thread, or a team of lanes, from
// the first sweep to the row. Whatever it cannot hold or decide, it leaves to others.

// What a replicate remembers between two rounds, in words of its own.
#define OF_CHAIN (3 + 2 * MAP_WORDS)
enum Memory { CLOCK, CALLS, SEEN, CHAIN_X, CHAIN_Y = CHAIN_X + OF_CHAIN, MEMORY = CHAIN_Y + OF_CHAIN };

DEVICE void remember(const Chain* z, u64* words, u32* sizes) {
    words[0] = (u64)z->clusters | (u64)z->numbers << 32;
    words[1] = (u64)z->head | (u64)z->length << 32;
    words[2] = z->moves;
    keep_map(&z->number, words + 3);
    keep_map(&z->slot, words + 3 + MAP_WORDS);
    for (int k = 0; k < z->numbers; k++) sizes[k] = SIZE(z, k);
}

DEVICE void remind(const Tables* t, Chain* z, const u64* words, const u32* sizes) {
    z->clusters = (int)(words[0] & 0xFFFFFFFF);
    z->numbers = (int)(words[0] >> 32);
    z->head = (int)(words[1] & 0xFFFFFFFF);
    z->length = (int)(words[1] >> 32);
    z->moves = (u32)words[2];
    recall_map(&z->number, words + 3);
    recall_map(&z->slot, words + 3 + MAP_WORDS);
    recall(t, z, sizes);
}

// Draws a slot for Y where X has drawn `row`; NO_SOLUTION where the processors have to solve.
APART int draw_second(const Tables* t, const Overlap* o, Chance chance, double nugget, const double* weights, int count_a, int row,
                      Chain* y, int item, int from) {
    double a[SLOTS + 1], b[SLOTS + 1], fetched[SLOTS];
    EACH_SLOT(s, count_a - 1) a[s] = weights[s];
    fetch(y, item, fetched);
    weigh(t, y, item, from, fetched, b);
    int count_b = y->clusters + 1;
    Given given = {row, 0, total_of(a, count_a), total_of(b, count_b), 0.0};
    if (is_independent(chance, nugget)) return pick_below(chance.second, given.total_b, b, count_b);
    given.column = heaviest_of(b, count_b, &given.highest);
    int drawn = draw_unavoidable(&given, chance.second, a[row]);
    return drawn != OPEN_STILL ? drawn : draw_after(t, o, &given, chance.second, a, count_a, b, count_b);
}

// One Gibbs sweep of X, and of Y until both are equal: MET, LEFT, UNDECIDED, or neither has happened.
#define ON (-1)
DEVICE int pass(const Tables* t, const Address* address, double nugget, Chain* x, Chain* y, Overlap* overlap, u32 sweep, u32 part,
                int two) {
    double fetched[SLOTS];
    fetch(x, 0, fetched);
    int label = x->cluster[0], began = two;
    for (int item = 0; item < t->items; item++) {
        double weights[SLOTS + 1];
        int from = at(&x->slot, label), from_y = 0, to_y = 0;
        Chance chance = chance_of((u32)item, sweep, address->low, part << 20 | address->high, address->key0, address->key1);
        weigh(t, x, item, from, fetched, weights);
        int to = draw(chance.first, weights, x->clusters);
        if (two) {
            from_y = slot_of(y, item);
            take(overlap, from, from_y);
            to_y = draw_second(t, overlap, chance, nugget, weights, x->clusters + 1, to, y, item, from_y);
        }
        if (to_y == NO_SOLUTION) return UNDECIDED;
        if (to >= SLOTS || to_y >= SLOTS) return LEFT;
        // The next item's, while this one is moved.
        int next = item + 1 < t->items ? item + 1 : item;
        fetch(x, next, fetched);
        label = x->cluster[next * LANES];
        Move move = place(t, x, item, from, to);
        if (two) {
            follow_moves(overlap, move, place(t, y, item, from_y, to_y));
            add(overlap, slot_of(x, item), slot_of(y, item));
            // Once equal, both make the same choices: only X is moved.
            two = !is_matching(overlap);
        }
    }
    refresh(t, x);
    if (two) refresh(t, y);
    return began && !two ? MET : ON;
}

// The rounds of a launch. Pairs meet soon, but for a few: those go on among themselves, so that the others, which are
// single chains by then, need not wait for them.
enum Round { ALL, APART_STILL, TOGETHER_NOW };

#if !SIDES
struct Trial {};
#endif

// Runs a replicate from where it is to where the round ends; COUPLED tells whether its chains may still be apart.
template <int COUPLED>
DEVICE void run_replicate(const Tables* t, const Work* w, Chain* x, Chain* y, const Trial* trial, u64 index, u32 round, u64* memory,
                          u32* sizes, u32* list) {
    const u64* set = w->settings;
    u64* outcome = w->outcomes + index * 5;
    u64 lag = set[LAG], burn_in = set[BURN_IN], sweeps = set[SWEEPS], number = w->numbers[index];
    Address address = {(u32)set[SEED], (u32)(set[SEED] >> 32), (u32)number, (u32)(number >> 32) << 8};
    double nugget = double_of(set[NUGGET]), window = (double)(sweeps - burn_in + 1);
    double* sums = w->values + index * set[VALUES];
    Overlap overlap;
    u64 time = 0, tau = 0, calls = 0, seen = 0, status = LEFT;
    int apart = COUPLED, is_new = round == ALL, fits = 1;
    if (is_new) {
        if (IS_FIRST) {
            for (u64 k = 0; k < set[VALUES]; k++) sums[k] = 0.0;
        }
        const u8* start = w->start + (set[STARTS_EACH] ? index * 2 * t->items : 0);
        fits = begin(t, x, start) && begin(t, y, set[STARTS_EACH] ? start + t->items : start);
        if (COUPLED && fits && lag == 0) {
            recount(t, &overlap, x, y);
            apart = !is_matching(&overlap);
        }
    } else {
        time = memory[CLOCK];
        calls = memory[CALLS];
        seen = memory[SEEN];
        tau = outcome[1];
        remind(t, x, memory + CHAIN_X, sizes);
        if (COUPLED) {
            remind(t, y, memory + CHAIN_Y, sizes + SLOTS);
            recount(t, &overlap, x, y);
        }
    }
    while (fits) {
        // What was put aside has been seen before.
        int is_seen = !IS_FIRST || (!is_new && time == memory[CLOCK]);
        if (set[ABREAST] && apart && !is_seen) compare(t, w, x, y, time, sums);
        if (!set[ABREAST] && !is_seen) {
            int both = apart && time >= lag;
            u64 usual = time >= burn_in && time <= sweeps, correction = both ? repeats(time, lag, burn_in, sweeps) : 0;
            double weight_x = (double)(usual + correction) / window;
            observe(t, w, weight_x, x, sums);
            if (set[KEEP]) offer(w, index, weight_x, x, number, &seen);
            if (both) {
                double weight_y = -(double)correction / window;
                observe(t, w, weight_y, y, sums);
                if (set[KEEP]) offer(w, index, weight_y, y, number, &seen);
            }
        }
        if (!apart && time >= sweeps) {
            status = MET;
            break;
        }
        if (apart && time >= set[CAP]) {
            status = CENSORED;
            break;
        }
        if (apart && time >= set[PATIENCE]) {
            status = OUTLASTED;
            break;
        }
        if (TEAM == 1 && is_new && time >= set[FIRST_ROUND] && time > lag) {
            status = apart ? ASIDE_APART : ASIDE_TOGETHER;
            memory[CLOCK] = time;
            memory[CALLS] = calls;
            memory[SEEN] = seen;
            remember(x, memory + CHAIN_X, sizes);
            if (apart) {
                remember(y, memory + CHAIN_Y, sizes + SLOTS);
                list[1 + next_place(list)] = (u32)index;
            }
            break;
        }
        time++;
        int coupled = apart && time > lag, two = coupled;
        u32 passes = 0;
#if SIDES
        Parts parts = {0, 0, 0};
#endif
        calls += 1 + coupled;
        for (u64 m = 0; m < set[MOVES] && fits; m++) {
            u64 kind = set[MOVES + 1 + 2 * m], times = set[MOVES + 2 + 2 * m];
            for (u64 n = 0; n < times && fits; n++) {
                if (kind == GIBBS) {
                    int came = pass(t, &address, nugget, x, y, &overlap, (u32)time, passes++, two);
                    fits = came == ON || came == MET;
                    two = two && came != MET;
                    if (!fits) status = came;
                }
#if SIDES
                else if (t->items > 1) {
                    int moved = move_two(t, w, x, two ? y : 0, trial, &address, (u32)time, kind, &parts);
                    fits = moved != OUTGROWN;
                    if (two && moved > 0) {
                        recount(t, &overlap, x, y);
                        two = !is_matching(&overlap);
                    }
                }
#endif
            }
        }
        if (!fits) break;
        int met = coupled && !two;
        if (apart && time == lag) {
            recount(t, &overlap, x, y);
            met = is_matching(&overlap);
        }
        if (apart && met) {
            apart = 0;
            tau = time;
        }
    }
    if (!IS_FIRST) return;
    outcome[0] = status;
    outcome[1] = tau;
    outcome[2] = time;
    outcome[3] = calls;
    outcome[4] = seen;
}

// Memory of one replicate, in units of LANES replicates: `room.rs` reserves it.
//   real: products of X and of Y, items x SLOTS each (where GRAM is set); statistics of X and of Y, SLOTS x CLUSTER each; what
//         of Y, and of X where slots are many, would be in fast memory, CELLS each; four loose clusters (where SIDES is set); the
//         products of two items x 2 with them (where SCANS and GRAM are)
//   whole: the ring of X and of Y (where GRAM is set); sizes of X and of Y, SLOTS each; the same between rounds; two words an
//         item (where SIDES is set)
//   small: the cluster numbers of X and of Y, items each
//   memory: MEMORY words
template <int COUPLED>
DEVICE void run_one(const u64* settings, const u32* summaries, const double* tables, const i64* gains, const u8* start,
                    const u64* numbers, u64* outcomes, double* values, double* kept_weights, u8* kept_labels, double* real,
                    u32* whole, u8* small, u64* memory, u32* list, u32 round, u64 thread, double* fast_cells, u32* fast_sizes,
                    double* board) {
    u64 index = thread;
    if (round == APART_STILL) {
        if (thread >= list[0]) return;
        index = list[1 + thread];
    } else if (thread >= settings[REPLICATES] || (round == TOGETHER_NOW && outcomes[index * 5] != ASIDE_TOGETHER)) {
        return;
    }
    Tables t = tables_of(settings, summaries, tables, gains);
    Work w = {settings, summaries, start, numbers, outcomes, values, kept_weights, kept_labels};
    u64 group = index / LANES, lane = index % LANES, n = (u64)t.items, cells = FAST ? CELLS : 2 * CELLS;
    u64 products = GRAM ? n * SLOTS : 0, places = GRAM ? (n + 7) / 4 * 4 : 0, stats = (u64)SLOTS * CLUSTER;
    u64 loose = SIDES ? 4 * CLUSTER : 0, members = SIDES ? 2 * n : 0, tried = SCANS && GRAM ? 4 * n : 0;
    double* mine = real + group * LANES * (2 * (products + stats) + cells + loose + tried);
    u32* words = whole + group * LANES * (2 * places + 4 * SLOTS + members);
    Chain x, y;
    x.products = mine + lane;
    y.products = mine + LANES * products + lane;
    // In steps of CLUSTER_STEP: the replicates of a group lie beside each other, or one behind the other.
    x.stats = mine + LANES * 2 * products + (CLUSTER_STEP == 1 ? lane * 2 * stats : lane);
    y.stats = x.stats + stats * CLUSTER_STEP;
    y.cells = mine + LANES * 2 * (products + stats) + lane;
    x.cells = FAST ? fast_cells + thread % LANES : y.cells + LANES * CELLS;
    x.ring = words + lane * 2 * places;
    y.ring = x.ring + places;
    y.sizes = words + LANES * 2 * places + lane;
    x.sizes = FAST ? fast_sizes + thread % LANES : y.sizes + LANES * SLOTS;
    x.cluster = small + group * LANES * 2 * n + lane;
    y.cluster = x.cluster + LANES * n;
    x.board = y.board = board;
    u32* between = words + LANES * (2 * places + 2 * SLOTS) + lane * 2 * SLOTS;
    Trial trial;
#if SIDES
    double own_board[4];
    trial.board = TEAM == 1 ? own_board : board;
    trial.scratch = mine + LANES * (2 * (products + stats) + cells) + (CLUSTER_STEP == 1 ? lane * loose : lane);
    trial.products = mine + LANES * (2 * (products + stats) + cells + loose) + lane;
    trial.members = words + LANES * (2 * places + 4 * SLOTS) + lane * members;
#endif
    run_replicate<COUPLED>(&t, &w, &x, &y, &trial, index, round, memory + index * MEMORY, between, list);
}

#if TEAM == 1
// `pairs` is for the rounds in which chains are apart, `alone` for that in which they are together. On a processor they take
// one replicate after the other.
#ifdef __CUDACC__
#define KERNEL(name, coupled, resident)                                                \
    extern "C" __global__ void __launch_bounds__(LANES, resident) name(PARAMETERS) {   \
        __shared__ double fast_cells[FAST ? CELLS * LANES : 1];                        \
        __shared__ u32 fast_sizes[FAST ? SLOTS * LANES : 1];                           \
        u64 thread = (u64)blockIdx.x * blockDim.x + threadIdx.x;                       \
        run_one<coupled>(ARGUMENTS, thread, fast_cells, fast_sizes, 0);                \
    }
#else
#define KERNEL(name, coupled, resident)                                                \
    extern "C" void name(PARAMETERS) {                                                 \
        static double fast_cells[FAST ? CELLS * LANES : 1];                            \
        static u32 fast_sizes[FAST ? SLOTS * LANES : 1];                               \
        for (u64 thread = 0; thread < settings[REPLICATES]; thread++)                  \
            run_one<coupled>(ARGUMENTS, thread, fast_cells, fast_sizes, 0);            \
    }
#endif

KERNEL(pairs, 1, 12)
KERNEL(alone, 0, 16)
#else
// What a team has in fast memory.
struct Desk {
    double cells[CELLS], board[2 * (SLOTS + 1)];
    u32 sizes[SLOTS];
};

// Teams take one replicate after the other, each from its first sweep to its last. Whether there was one.
DEVICE int run_next(PARAMETERS, Desk* desk) {
    u32 next = 0;
    if (IS_FIRST) next = next_place(list);
    next = FROM_FIRST(next);
    if (next >= settings[REPLICATES]) return 0;
    run_one<1>(ARGUMENTS, next, desk->cells, desk->sizes, desk->board);
    return 1;
}

#ifdef __CUDACC__
extern "C" __global__ void __launch_bounds__(WARP, 12) teams(PARAMETERS) {
    __shared__ Desk desks[WARP / TEAM];
    while (run_next(ARGUMENTS, desks + threadIdx.x / TEAM)) TEAM_SYNC();
}
#else
extern "C" void teams(PARAMETERS) {
    static Desk desk;
    static int goes_on;
    auto body = [&] { goes_on = run_next(ARGUMENTS, &desk); };
    static decltype(body)* now;
    now = &body;
    do warp::run([] { (*now)(); });
    while (goes_on);
}
#endif
#endif
