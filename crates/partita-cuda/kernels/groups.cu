// The coupled loop of replicates (`pair.rs`, `kernel/gibbs.rs`), a group of lanes a chain: first pairs, two groups each, until they
// meet; then single chains, which whoever is free takes over. Whatever does not fit or cannot be decided is left to others.

// A chain for those who summarise it.
struct View {
    int clusters;
    const u32* sizes;
    const u8 *slots, *cluster;
};

DEVICE int clusters_of(const View* z) { return z->clusters; }
DEVICE u32 size_in(const View* z, int slot) { return z->sizes[slot]; }
DEVICE int number_of(const View* z, int item) { return z->cluster[item]; }
DEVICE int slot_of(const View* z, int item) { return z->slots[z->cluster[item]]; }

// Writes down what `view_of` needs to know of a group.
DEVICE void show(const Place* p, Near* near, const Member* z) {
    near->sizes[p->slot] = z->size;
    near->slots[z->number] = (u8)p->slot;
    __syncwarp();
}

DEVICE View view_of(const Near* near, int clusters, const u8* cluster) {
    View view = {clusters, near->sizes, near->slots, cluster};
    return view;
}

// What a replicate takes along from pairs to single chains.
enum Memory { CLOCK, CALLS, SEEN, CLUSTERS, CHANGES, TAIL, MEMORY };

DEVICE void finish(const Shop* shop, Seat* seat, u64 status, int leads) {
    if (leads) {
        u64* outcome = shop->work->outcomes + (u64)seat->index * 5;
        outcome[0] = status;
        outcome[1] = seat->tau;
        outcome[2] = seat->time;
        outcome[3] = seat->calls;
        outcome[4] = seat->seen;
    }
    seat->index = -1;
}

// A chain in the state that these labels tell; false where there are too many.
DEVICE int begin(const Shop* shop, const Place* p, Near* near, Member* z, const u8* labels, int on) {
    const Model* m = &shop->model;
    u32 most = 0;
    for (int i = p->slot; i < m->blocks * BLOCK; i += GROUP) {
        if (!on) break;
        u32 label = i < m->items ? labels[i] : 0;
        z->cluster[i] = (u8)label;
        most = label > most ? label : most;
    }
#pragma unroll
    for (int apart = 1; apart < GROUP; apart *= 2) {
        u32 other = __shfl_xor_sync(EVERYONE, most, apart);
        most = other > most ? other : most;
    }
    int fits = on && most < SLOTS;
    if (on) {
        z->clusters = fits ? (int)most + 1 : 1;
        z->number = p->slot;
        z->size = 0;
    }
    rebuild(m, p, near, z, fits);
    return fits;
}

// Leaves a chain whose pair has met to those who run single chains.
DEVICE void hand_over(const Shop* shop, const Place* p, Near* near, const Member* z, Seat* seat, int hands, int second) {
#if GRAM
    carry_sums<0>(p, near, z, hands && !second);
#endif
    if (hands && !second) {
        u64* memory = shop->memory + (u64)seat->index * MEMORY;
        z->kept[p->slot] = (u32)z->number;
        z->kept[GROUP + p->slot] = z->size;
#if !GRAM
        real* sum = z->sums + z->number * DIMENSION;
#pragma unroll
        for (int d = 0; d < DIMENSION; d++) sum[d] = z->sum[d];
#endif
        if (p->slot == 0) {
            memory[CLOCK] = seat->time;
            memory[CALLS] = seat->calls;
            memory[SEEN] = seat->seen;
            memory[CLUSTERS] = (u64)z->clusters;
            memory[CHANGES] = z->moves;
#if GRAM
            memory[TAIL] = (u64)z->tail << 32 | (u64)(u32)z->place;
#endif
            shop->work->outcomes[(u64)seat->index * 5 + 1] = seat->tau;
        }
    }
    __threadfence();
    __syncwarp();
    if (hands && !second && p->slot == 0) {
        u32 place = atomicAdd(shop->list + READY, 1u);
        atomicExch(shop->list + FIRST_READY + place, (u32)seat->index + 1);
    }
    if (hands) seat->index = -1;
}

// A single chain that is ready, or -1.
DEVICE int take_ready(const Shop* shop) {
    u32* list = shop->list;
    for (;;) {
        u32 taken = *(const volatile u32*)(list + TAKEN), ready = *(const volatile u32*)(list + READY);
        if (taken >= ready) return -1;
        if (atomicCAS(list + TAKEN, taken, taken + 1) != taken) continue;
        // Whoever counted it is just writing it down.
        u32 index;
        do index = atomicAdd(list + FIRST_READY + taken, 0u);
        while (index == 0);
        return (int)index - 1;
    }
}

// Whether more single chains may become ready. Only where all warps with pairs are at work is it safe to wait for them.
DEVICE int is_worth_waiting(const Shop* shop) {
    const volatile u32* list = shop->list;
    u32 warps = list[PAIR_WARPS];
    return warps > 0 && list[PAIR_WARPS_BEGUN] == warps && list[PAIR_WARPS_ENDED] < warps;
}

// Weights of a state at a time: the usual one and the correction's, before they are divided by the window.
struct Weights {
    u64 usual, correction;
};

DEVICE Weights weights_at(const u64* set, u64 time, int both) {
    u64 burn_in = set[BURN_IN], sweeps = set[SWEEPS];
    Weights weights = {time >= burn_in && time <= sweeps, both ? repeats(time, set[LAG], burn_in, sweeps) : 0};
    return weights;
}

// Takes a state into the sums and offers it to those that are kept; returns how many have been seen.
APART u64 look(const Tables* t, const Work* w, u64 index, u64 number, u64 seen, double weight, View view) {
    observe(t, w, weight, &view, w->values + index * w->settings[VALUES]);
    if (w->settings[KEEP]) offer(w, index, weight, &view, number, &seen);
    return seen;
}

DEVICE void look_at(const Shop* shop, Seat* seat, double weight, View view) {
    if (weight != 0.0) seat->seen = look(shop->tables, shop->work, (u64)seat->index, seat->number, seat->seen, weight, view);
}

APART void look_at_both(const Tables* t, const Work* w, View x, View y, u64 time, double* values) {
    compare(t, w, &x, &y, time, values);
}

APART void recount_apart(const Tables* t, Overlap* overlap, View x, View y) { recount(t, overlap, &x, &y); }

DEVICE void run_pairs(const Shop* shop, const Place* p, Near* near, Overlap* overlap) {
    const Work* w = shop->work;
    const u64* set = w->settings;
    const int second = (p->base & GROUP) != 0, first_base = p->base & ~GROUP, leads = p->lane == first_base;
    u64 lag = set[LAG];
    double window = (double)(set[SWEEPS] - set[BURN_IN] + 1);
    Member z = {};
    Seat seat = {-1};
    z.number = p->slot;
    int more = 1;
    for (;;) {
        int wants = seat.index < 0 && more;
        if (__any_sync(EVERYONE, wants)) {
            u32 ticket = 0;
            if (wants && leads) ticket = atomicAdd(shop->list + BEGUN, 1u);
            ticket = __shfl_sync(EVERYONE, ticket, first_base);
            int got = wants && ticket < set[REPLICATES];
            if (wants) more = got;
            const u8* start = w->start;
            if (got) {
                seat.index = (int)ticket;
                seat.number = w->numbers[ticket];
                seat.time = seat.tau = seat.calls = seat.seen = 0;
                seat.apart = 1;
                find_memory(&shop->model, &z, 2 * (u64)ticket + second, shop->reals, shop->whole, shop->small);
                if (set[STARTS_EACH]) start += (2 * (u64)ticket + second) * shop->model.items;
                if (leads) {
                    for (u64 k = 0; k < set[VALUES]; k++) w->values[ticket * set[VALUES] + k] = 0.0;
                }
            }
            int fits = begin(shop, p, near, &z, start, got);
            u32 failed = __ballot_sync(EVERYONE, got && !fits) >> first_base & (GROUP_BITS << GROUP | GROUP_BITS);
            if (got && failed) finish(shop, &seat, LEFT, leads);
        }
        if (!__any_sync(EVERYONE, seat.index >= 0 || more)) break;
        show(p, near, &z);
        // The first lane sees both chains.
        int clusters_y = __shfl_sync(EVERYONE, z.clusters, p->base | GROUP);
        View x = view_of(near, z.clusters, z.cluster), y = view_of(near + 1, clusters_y, z.cluster + shop->model.blocks * BLOCK);
        int meets = 0;
        if (leads && seat.index >= 0 && seat.apart && seat.time == lag) {
            recount_apart(shop->tables, overlap, x, y);
            meets = is_matching(overlap);
        }
        meets = __shfl_sync(EVERYONE, meets, first_base);
        if (meets) {
            seat.apart = 0;
            seat.tau = seat.time;
        }
        // Who has met goes on elsewhere, and is seen there.
        int met = seat.index >= 0 && !seat.apart;
        if (__any_sync(EVERYONE, met)) hand_over(shop, p, near, &z, &seat, met, second);
        if (leads && seat.index >= 0) {
            if (set[ABREAST]) {
                look_at_both(shop->tables, w, x, y, seat.time, w->values + (u64)seat.index * set[VALUES]);
            } else {
                int both = seat.time >= lag;
                Weights weights = weights_at(set, seat.time, both);
                look_at(shop, &seat, (double)(weights.usual + weights.correction) / window, x);
                if (both) look_at(shop, &seat, -(double)weights.correction / window, y);
            }
        }
        if (seat.index >= 0 && seat.time >= set[CAP]) finish(shop, &seat, CENSORED, leads);
        if (seat.index >= 0 && seat.time >= set[PATIENCE]) finish(shop, &seat, OUTLASTED, leads);
        int on = seat.index >= 0, two = 0;
        if (on) {
            seat.time++;
            two = seat.time > lag;
            seat.calls += 1 + two;
        }
        int coupled = two, runs = on && (!second || two);
        u64 status = LEFT;
        sweep<1>(shop, p, near, &z, overlap, &seat, &runs, &two, &status);
        // X tells for both.
        int went_on = __shfl_sync(EVERYONE, runs, first_base);
        status = __shfl_sync(EVERYONE, status, first_base);
        if (on && !went_on) {
            finish(shop, &seat, status, leads);
        } else if (coupled && !two) {
            seat.apart = 0;
            seat.tau = seat.time;
        }
    }
}

DEVICE void run_singles(const Shop* shop, const Place* p, Near* near, int waits) {
    const u64* set = shop->work->settings;
    const int leads = p->slot == 0;
    double window = (double)(set[SWEEPS] - set[BURN_IN] + 1);
    Member z = {};
    Seat seat = {-1};
    z.number = p->slot;
    for (;;) {
        // Asked before looking for work: what is ready when the last pair has ended is seen.
        int may_come = waits && p->lane == 0 ? is_worth_waiting(shop) : 0;
        may_come = __shfl_sync(EVERYONE, may_come, 0);
        int wants = seat.index < 0, index = -1;
        if (__any_sync(EVERYONE, wants)) {
            if (wants && leads) index = take_ready(shop);
            __threadfence();
            index = __shfl_sync(EVERYONE, index, p->base);
            int got = wants && index >= 0;
            if (got) {
                const u64* memory = shop->memory + (u64)index * MEMORY;
                seat.index = index;
                seat.number = shop->work->numbers[index];
                seat.time = memory[CLOCK];
                seat.calls = memory[CALLS];
                seat.seen = memory[SEEN];
                seat.tau = shop->work->outcomes[(u64)index * 5 + 1];
                find_memory(&shop->model, &z, 2 * (u64)index, shop->reals, shop->whole, shop->small);
                z.clusters = (int)memory[CLUSTERS];
                z.moves = (u32)memory[CHANGES];
                z.number = (int)z.kept[p->slot];
                z.size = z.kept[GROUP + p->slot];
#if GRAM
                z.tail = (u32)(memory[TAIL] >> 32);
                z.place = (int)(u32)memory[TAIL];
#else
                const real* sum = z.sums + z.number * DIMENSION;
#pragma unroll
                for (int d = 0; d < DIMENSION; d++) z.sum[d] = sum[d];
#endif
            }
            real square = (real)0;
#if GRAM
            carry_sums<1>(p, near, &z, got);
            square = squares_of_sums(&shop->model, p, near, &z, got);
#endif
            if (got) {
                OfSize found = of_size(&shop->model, z.size);
                follow(&z, &found, square);
                follow_clusters(&shop->model, &z);
            }
        }
        if (!__any_sync(EVERYONE, seat.index >= 0)) {
            if (!may_come) break;
            rest();
            continue;
        }
        show(p, near, &z);
        if (leads && seat.index >= 0 && !set[ABREAST]) {
            View view = view_of(near, z.clusters, z.cluster);
            look_at(shop, &seat, (double)weights_at(set, seat.time, 0).usual / window, view);
        }
        if (seat.index >= 0 && seat.time >= set[SWEEPS]) finish(shop, &seat, MET, leads);
        int on = seat.index >= 0, two = 0, runs = on;
        if (on) {
            seat.time++;
            seat.calls++;
        }
        u64 status = LEFT;
        sweep<0>(shop, p, near, &z, (Overlap*)0, &seat, &runs, &two, &status);
        if (on && !runs) finish(shop, &seat, status, leads);
    }
}

// The kernels of pairs and of single chains; `round` tells the latter whether to wait for chains that are not ready yet.
template <int PAIRED>
DEVICE void run_warp(const u64* settings, const u32* summaries, const double* tables, const i64* gains, const u8* start,
                     const u64* numbers, u64* outcomes, double* values, double* kept_weights, u8* kept_labels, double* reals,
                     u32* whole, u8* small, u64* memory, u32* list, u32 round, u32 warps, int lane, Near* near, Overlap* overlaps) {
    Tables t = tables_of(settings, summaries, tables, gains);
    Work w = {settings, summaries, start, numbers, outcomes, values, kept_weights, kept_labels};
    Shop shop = {&t, &w, model_of(&t), (real*)reals, whole, small, memory, list, double_of(settings[NUGGET])};
    Place place = {lane, lane % GROUP, lane / GROUP * GROUP};
    if (PAIRED) {
        if (lane == 0) {
            atomicExch(list + PAIR_WARPS, warps);
            __threadfence();
            atomicAdd(list + PAIR_WARPS_BEGUN, 1u);
        }
        run_pairs(&shop, &place, near + lane / GROUP, overlaps + lane / GROUP / 2);
        __threadfence();
        __syncwarp();
        if (lane == 0) atomicAdd(list + PAIR_WARPS_ENDED, 1u);
    } else {
        run_singles(&shop, &place, near + lane / GROUP, round == 1);
    }
}

// Warps of a multiprocessor for which the compiler saves registers.
#define RESIDENT_PAIRS (GRAM ? 8 : 16)
#define RESIDENT_SINGLES (GRAM ? (FLOAT ? 12 : 8) : FLOAT ? 20 : 16)

#ifdef __CUDACC__
#define KERNEL(name, paired, resident)                                                  \
    extern "C" __global__ void __launch_bounds__(LANES, resident) name(PARAMETERS) {    \
        __shared__ Near near[GROUPS];                                                   \
        __shared__ Overlap overlaps[GROUPS / 2];                                        \
        run_warp<paired>(ARGUMENTS, gridDim.x, (int)threadIdx.x, near, overlaps);       \
    }
#else
#define KERNEL(name, paired, resident)                                                  \
    extern "C" void name(PARAMETERS) {                                                  \
        static Near near[GROUPS];                                                       \
        static Overlap overlaps[GROUPS / 2];                                            \
        auto body = [&](int lane) { run_warp<paired>(ARGUMENTS, 1, lane, near, overlaps); }; \
        static decltype(body)* now;                                                     \
        now = &body;                                                                    \
        warp::run([] { (*now)(warp::lane); });                                          \
    }
#endif

KERNEL(group_pairs, 1, RESIDENT_PAIRS)
KERNEL(group_singles, 0, RESIDENT_SINGLES)
