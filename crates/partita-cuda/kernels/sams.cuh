// The sequentially allocated merge-split move of one chain or of two (`kernel/sams.rs`, `kernel/sides.rs`).
//
// A move tries out on loose clusters, so that a chain is touched only where the move is accepted.
#if SAMS

// As many random numbers as wanted, one after the other (`rng.rs`).
struct Sequence {
    u32 next, sweep, replicate, last, key0, key1;
    double spare;
    int has_spare;
};

DEVICE double uniform(Sequence* s) {
    if (s->has_spare) {
        s->has_spare = 0;
        return s->spare;
    }
    Chance chance = chance_of(s->next++, s->sweep, s->replicate, s->last, s->key0, s->key1);
    s->spare = chance.second;
    s->has_spare = 1;
    return chance.first;
}

DEVICE int number_below(Sequence* s, int n) {
    int below = (int)(uniform(s) * (double)n);
    return below < n - 1 ? below : n - 1;
}

// How often the second item is a neighbour of the first (`anchors.rs`).
#define NEAR_ONES 0.8

// The two items; `near` has where each item's neighbours begin, then they; none for a uniform pair.
DEVICE void draw_anchors(Sequence* s, const u32* near, int items, int* i, int* j) {
    *i = number_below(s, items);
    if (near) {
        u32 first = near[*i], count = near[*i + 1] - first;
        if (count > 0 && uniform(s) < NEAR_ONES) {
            *j = (int)near[items + 1 + first + number_below(s, (int)count)];
            return;
        }
    }
    *j = number_below(s, items - 1);
    *j += *j >= *i;
}

// An item of the two clusters in one word: the item, then flags by chain.
enum Flag { HELD = 16, WAS_WITH_I = 18, WITH_I = 20 };

DEVICE int item_of(u32 member) { return (int)(member & 0xFFFF); }

DEVICE int is_set(u32 member, int flag, int chain) { return member >> (flag + chain) & 1; }

// One chain's attempt to split the cluster of items i and j, or to merge their two clusters.
struct Side {
    Chain* z;
    int chain, i, j, splits;
    double log_split;
    Loose with_i, with_j;
};

struct Attempt {
    const Tables* tables;
    u32 *members, *walk;
    int count;
};

// The probability of the first of two log weights.
DEVICE double let_one_win(double first, double second) {
    const double nothing = double_of(0xFFF0000000000000ull);
    if (first == nothing && second == nothing) return 0.5;
    return 1.0 / (1.0 + libm_exp(second - first));
}

// The inner product of an item with one side, after so many have been seated.
DEVICE double product_of_trial(const Attempt* a, const Side* side, int seated, int item, int with_i) {
#if GRAM
    const double* gram = gram_of(a->tables, item);
    double sum = 0.0 + gram[with_i ? side->i : side->j];
    for (int k = 0; k < seated; k++) {
        u32 member = a->members[k];
        if (is_set(member, HELD, side->chain) && is_set(member, WITH_I, side->chain) == with_i) sum += gram[item_of(member)];
    }
    return sum;
#else
    return 0.0;
#endif
}

// The probability of the side of i for an item that is yet to be seated.
DEVICE double chance_of_i(const Attempt* a, const Side* side, int seated, int item) {
    const Tables* t = a->tables;
    double with_i = t->join[side->with_i.size] +
                    loose_score(t, &side->with_i, item, product_of_trial(a, side, seated, item, 1), 0);
    double with_j = t->join[side->with_j.size] +
                    loose_score(t, &side->with_j, item, product_of_trial(a, side, seated, item, 0), 0);
    return let_one_win(with_i, with_j);
}

// Seats all items in random order on the two sides. In a merge nothing is chosen: the split that is there is retraced.
DEVICE void try_out(Attempt* a, Side* sides, int chains, Sequence* chance) {
    const Tables* t = a->tables;
    for (int c = 0; c < chains; c++) {
        loose_clear(t, &sides[c].with_i);
        loose_add(t, &sides[c].with_i, sides[c].i, 1.0);
        loose_clear(t, &sides[c].with_j);
        loose_add(t, &sides[c].with_j, sides[c].j, 1.0);
    }
    for (int k = 0; k < a->count; k++) {
        int other = k + number_below(chance, a->count - k);
        u32 member = a->members[other];
        a->members[other] = a->members[k];
        double p[2] = {0.0, 0.0}, u = 0.0;
        int is_free = 0;
        for (int c = 0; c < chains; c++) {
            if (!is_set(member, HELD, c)) continue;
            p[c] = chance_of_i(a, &sides[c], k, item_of(member));
            is_free |= sides[c].splits;
        }
        if (is_free) u = uniform(chance);
        for (int c = 0; c < chains; c++) {
            if (!is_set(member, HELD, c)) continue;
            int to_i = sides[c].splits ? u < p[c] : is_set(member, WAS_WITH_I, c);
            sides[c].log_split += libm_log(to_i ? p[c] : 1.0 - p[c]);
            member |= (u32)to_i << (WITH_I + c);
            loose_add(t, to_i ? &sides[c].with_i : &sides[c].with_j, item_of(member), 1.0);
        }
        a->members[k] = member;
    }
}

// Lets i and j change their parts if that makes j's side the smaller one, which is walked.
DEVICE void let_the_larger_stay(Attempt* a, Side* side) {
    int held = 0, with_i = 0;
    for (int k = 0; k < a->count; k++) {
        held += is_set(a->members[k], HELD, side->chain);
        with_i += is_set(a->members[k], HELD, side->chain) && is_set(a->members[k], WITH_I, side->chain);
    }
    if (2 * with_i >= held) return;
    int i = side->i;
    side->i = side->j;
    side->j = i;
    u32 both = 1u << (WAS_WITH_I + side->chain) | 1u << (WITH_I + side->chain);
    for (int k = 0; k < a->count; k++) a->members[k] ^= both;
}

// `partition_point` of the items below j: a bisection, in whatever order they are.
DEVICE int place_of_j(const Attempt* a, int j) {
    if (a->count == 0) return 0;
    int base = 0;
    for (int size = a->count; size > 1;) {
        int half = size / 2;
        if (item_of(a->members[base + half]) < j) base += half;
        size -= half;
    }
    return base + (item_of(a->members[base]) < j);
}

// The items that walk from one cluster to the other, in their order; returns how many.
DEVICE int list_walk(const Attempt* a, const Side* side) {
    int steps = 0, place = side->splits ? 0 : place_of_j(a, side->j);
    for (int k = 0; k <= a->count; k++) {
        if (k == place) a->walk[steps++] = (u32)side->j;
        if (k == a->count) break;
        u32 member = a->members[k];
        int stays = is_set(member, side->splits ? WITH_I : WAS_WITH_I, side->chain);
        if (is_set(member, HELD, side->chain) && !stays) a->walk[steps++] = (u32)item_of(member);
    }
    return steps;
}

// The inner product of an item with one of the two clusters after so many steps of the walk.
DEVICE double product_of_walk(const Attempt* a, const Side* side, int number, int is_new, int steps, double sign, int item) {
#if GRAM
    double sum = is_new ? 0.0 : product_now(a->tables, side->z, item, number);
    for (int n = 0; n < steps; n++) sum += sign * gram_of(a->tables, item)[a->walk[n]];
    return sum;
#else
    return 0.0;
#endif
}

// Walks from the first state to the proposed one on loose clusters; returns the probability of accepting it.
DEVICE double propose(const Attempt* a, Side* side) {
    const Tables* t = a->tables;
    const Chain* z = side->z;
    int steps = list_walk(a, side), splits = side->splits;
    int number_i = z->cluster[side->i * LANES], number_j = z->cluster[side->j * LANES];
    loose_take(t, &side->with_i, z, number_i);
    if (splits) loose_clear(t, &side->with_j);
    else loose_take(t, &side->with_j, z, number_j);
    Loose *to = splits ? &side->with_j : &side->with_i, *from = splits ? &side->with_i : &side->with_j;
    int number_to = number_i, number_from = splits ? number_i : number_j;
    double log_ratio = 0.0;
    for (int n = 0; n < steps; n++) {
        int item = (int)a->walk[n], is_last = !splits && n + 1 == steps;
        double there, here = from->size == 1 ? t->open[z->clusters - 1] : t->join[from->size - 1];
        if (to->size == 0) {
            there = t->open[z->clusters] + t->alone[item];
        } else {
            there = t->join[to->size] + loose_score(t, to, item, product_of_walk(a, side, number_to, splits, n, 1.0, item), 0);
        }
        here += loose_score(t, from, item, product_of_walk(a, side, number_from, 0, n, -1.0, item), 1);
        log_ratio += there - here;
        loose_add(t, to, item, 1.0);
        // The last leaves an empty cluster behind, which is closed.
        if (!is_last) loose_add(t, from, item, -1.0);
    }
    double log_accept = splits ? log_ratio - side->log_split : log_ratio + side->log_split;
    if (log_accept != log_accept) return 0.0;
    return libm_exp(log_accept < 0.0 ? log_accept : 0.0);
}

// Makes the proposed state that of the chain; 0 where it has no slot for it.
DEVICE int accept(const Attempt* a, Side* side) {
    const Tables* t = a->tables;
    Chain* z = side->z;
    int steps = list_walk(a, side), number_i = z->cluster[side->i * LANES], number_j = z->cluster[side->j * LANES];
    if (side->splits) {
        if (z->clusters == SLOTS) return 0;
        open_slot(z);
        number_j = at(&z->number, z->clusters - 1);
    }
    int to = side->splits ? number_j : number_i, from = side->splits ? number_i : number_j;
#if GRAM
    settle_all(t, z, a->walk, steps, from, to, side->splits);
#endif
    for (int n = 0; n < steps; n++) z->cluster[a->walk[n] * LANES] = (u8)to;
    z->moves = z->moves + (u32)steps < z->moves ? 0xFFFFFFFFu : z->moves + (u32)steps;
    loose_give(t, &side->with_i, z, number_i);
    SIZE(z, number_i) = side->with_i.size;
    if (side->splits) {
        loose_give(t, &side->with_j, z, number_j);
        SIZE(z, number_j) = side->with_j.size;
    } else {
        SIZE(z, from) = 0;
        close_slot(z, at(&z->slot, from));
    }
    return 1;
}

#define OUTGROWN (-1)

// One move of X, and of Y where it is given, with shared chance: whether a chain has moved, or OUTGROWN.
APART int merge_or_split(const Tables* t, Chain* x, Chain* y, Sequence* chance, const u32* near, u32* members, double* scratch) {
    Attempt a = {t, members, members + t->items, 0};
    Side sides[2];
    int chains = y ? 2 : 1, i, j, moved = 0;
    draw_anchors(chance, near, t->items, &i, &j);
    for (int c = 0; c < chains; c++) {
        Side* side = &sides[c];
        side->z = c ? y : x;
        side->chain = c;
        side->i = i;
        side->j = j;
        side->splits = side->z->cluster[i * LANES] == side->z->cluster[j * LANES];
        side->log_split = 0.0;
        side->with_i.stats = scratch + (u64)(2 * c) * CLUSTER * CLUSTER_STEP;
        side->with_j.stats = scratch + (u64)(2 * c + 1) * CLUSTER * CLUSTER_STEP;
    }
    for (int item = 0; item < t->items; item++) {
        if (item == i || item == j) continue;
        u32 member = (u32)item;
        for (int c = 0; c < chains; c++) {
            const u8* cluster = sides[c].z->cluster;
            u32 with_i = cluster[item * LANES] == cluster[i * LANES], with_j = cluster[item * LANES] == cluster[j * LANES];
            member |= (with_i | with_j) << (HELD + c) | with_i << (WAS_WITH_I + c);
        }
        if (member >> HELD) a.members[a.count++] = member;
    }
    try_out(&a, sides, chains, chance);
    double p[2] = {0.0, 0.0};
    for (int c = 0; c < chains; c++) let_the_larger_stay(&a, &sides[c]);
    for (int c = 0; c < chains; c++) p[c] = propose(&a, &sides[c]);
    double u = uniform(chance);
    for (int c = 0; c < chains; c++) {
        if (!(u < p[c])) continue;
        if (!accept(&a, &sides[c])) return OUTGROWN;
        moved = 1;
    }
    return moved;
}
#endif
