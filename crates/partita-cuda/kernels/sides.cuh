// Two clusters of one chain, or of two, that a move divides anew, takes apart or puts together (`kernel/sides.rs`).
//
// A move tries out on loose clusters, so that a chain is touched only where the move is accepted.
#if SIDES

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

// An item that is not i: mostly a neighbour of it; `near` has where each item's neighbours begin, then they.
DEVICE int draw_second(Sequence* s, const u32* near, int items, int i) {
    if (near) {
        u32 first = near[i], count = near[i + 1] - first;
        if (count > 0 && uniform(s) < NEAR_ONES) return (int)near[items + 1 + first + number_below(s, (int)count)];
    }
    int j = number_below(s, items - 1);
    return j + (j >= i);
}

// The two items of a move.
struct Anchors {
    int i, j;
};

// Any item, and a second.
DEVICE Anchors draw_anchors(Sequence* s, const u32* near, int items) {
    int i = number_below(s, items);
    Anchors drawn = {i, draw_second(s, near, items, i)};
    return drawn;
}

// A uniform member of a uniform cluster.
DEVICE int draw_member_of_any(Sequence* s, const Chain* z, int items) {
    int number = at(&z->number, number_below(s, z->clusters));
    int before = number_below(s, (int)SIZE(z, number)), item = 0;
    for (; item < items; item++) {
        if (z->cluster[item * LANES] == number && before-- == 0) break;
    }
    return item;
}

// The probability that this is that member.
DEVICE double share_of(const Chain* z, int item) {
    return 1.0 / ((double)z->clusters * (double)SIZE(z, z->cluster[item * LANES]));
}

DEVICE double excess_of(const Chain* y, const Chain* x, int item) {
    double more = share_of(y, item) - share_of(x, item);
    return more > 0.0 ? more : 0.0;
}

// The same items for both chains as often as the law of such members allows.
DEVICE void draw_even(Sequence* s, const u32* near, int items, const Chain* x, const Chain* y, Anchors* of_x, Anchors* of_y) {
    int i = draw_member_of_any(s, x, items);
    of_x->i = i;
    of_x->j = draw_second(s, near, items, i);
    *of_y = *of_x;
    if (!y) return;
    double kept = share_of(y, i) / share_of(x, i);
    if (uniform(s) < (kept < 1.0 ? kept : 1.0)) return;
    double total = 0.0, running = 0.0;
    for (int item = 0; item < items; item++) total += excess_of(y, x, item);
    double mark = uniform(s) * total;
    of_y->i = 0;
    for (int item = 0; item < items; item++) {
        running += excess_of(y, x, item);
        of_y->i += running <= mark;
    }
    of_y->j = draw_second(s, near, items, of_y->i);
}

// An item of the two clusters in one word: the item (`chain.cuh`), then flags by chain.
enum Flag { HELD = 24, WAS_WITH_I = 26, WITH_I = 28 };

DEVICE int is_set(u32 member, int flag, int chain) { return member >> (flag + chain) & 1; }

// One chain's attempt to split the cluster of items i and j, to merge their two clusters, or to exchange items between them.
// While it retraces, items go where they were. The products are those of split-merge moves: of each member with both sides.
struct Side {
    Chain* z;
    int chain, i, j, splits, merges, retraces;
    double log_split, log_anchors;
    Loose with_i, with_j;
    double* products;
};

// All items of the clusters but i and j, memory for those that walk, and four numbers that lanes show each other.
struct Attempt {
    const Tables* tables;
    u32 *members, *walk;
    int count;
    double* board;
};

DEVICE void set_flag(u32* member, int flag, int chain, int value) {
    *member = (*member & ~(1u << (flag + chain))) | (u32)value << (flag + chain);
}

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

// The log weight of one side for an item that is yet to be seated.
DEVICE double weight_of_arrival(const Attempt* a, const Side* side, int seated, int item, int with_i) {
    const Loose* c = with_i ? &side->with_i : &side->with_j;
    return a->tables->join[c->size] + loose_score(a->tables, c, item, product_of_trial(a, side, seated, item, with_i), 0);
}

// Leaves i and j alone on their sides.
DEVICE void isolate(const Attempt* a, Side* sides, int chains) {
    EACH_TASK(n, 2 * chains) {
        Side* side = &sides[n / 2];
        Loose* c = n % 2 ? &side->with_j : &side->with_i;
        loose_empty(a->tables, c);
        loose_put(a->tables, c, n % 2 ? side->j : side->i, 1.0);
    }
    for (int c = 0; c < chains; c++) sides[c].with_i.size = sides[c].with_j.size = 1;
    TEAM_SYNC();
}

// Lets a random member be the k-th.
DEVICE void draw_next(Attempt* a, int k, Sequence* chance) {
    int other = k + number_below(chance, a->count - k);
    u32 member = a->members[other], before = a->members[k];
    TEAM_SYNC();
    if (IS_FIRST) {
        a->members[other] = before;
        a->members[k] = member;
    }
    TEAM_SYNC();
}

// Seats the k-th member beside those before it.
DEVICE void seat(Attempt* a, Side* sides, int chains, int k, Sequence* chance) {
    u32 member = a->members[k];
    int item = item_of(member), to_i[2] = {0, 0}, is_free = 0;
    EACH_TASK(n, 2 * chains) {
        const Side* side = &sides[n / 2];
        if (is_set(member, HELD, side->chain)) a->board[n] = weight_of_arrival(a, side, k, item, n % 2 == 0);
    }
    for (int c = 0; c < chains; c++) is_free |= is_set(member, HELD, sides[c].chain) && !sides[c].retraces;
    double u = is_free ? uniform(chance) : 0.0;
    TEAM_SYNC();
    for (int c = 0; c < chains; c++) {
        Side* side = &sides[c];
        if (!is_set(member, HELD, side->chain)) continue;
        double p = let_one_win(a->board[2 * c], a->board[2 * c + 1]);
        to_i[c] = side->retraces ? is_set(member, WAS_WITH_I, side->chain) : u < p;
        side->log_split += libm_log(to_i[c] ? p : 1.0 - p);
        set_flag(&member, WITH_I, side->chain, to_i[c]);
        (to_i[c] ? side->with_i : side->with_j).size++;
    }
    EACH_TASK(c, chains) {
        if (is_set(member, HELD, sides[c].chain)) loose_put(a->tables, to_i[c] ? &sides[c].with_i : &sides[c].with_j, item, 1.0);
    }
    if (IS_FIRST) a->members[k] = member;
    TEAM_SYNC();
}

// Allows for a law of the two items under which i is a uniform member of a uniform cluster.
DEVICE void weigh_anchors(const Attempt* a, Side* side) {
    const Chain* z = side->z;
    double with_i = (double)SIZE(z, z->cluster[side->i * LANES]), with_j = (double)SIZE(z, z->cluster[side->j * LANES]);
    double clusters = (double)z->clusters, after = (clusters - 1.0) * (with_i + with_j);
    if (side->splits) {
        int stay = 1;
        for (int k = 0; k < a->count; k++)
            stay += is_set(a->members[k], HELD, side->chain) && is_set(a->members[k], WITH_I, side->chain);
        after = (clusters + 1.0) * (double)stay;
    }
    side->log_anchors = libm_log(clusters * with_i / after);
}

// Lets i and j change their parts if that makes j's side the smaller one, which is walked.
DEVICE void let_the_larger_stay(Attempt* a, Side* side) {
    int held = 0, with_i = 0;
    for (int k = 0; k < a->count; k++) {
        held += is_set(a->members[k], HELD, side->chain);
        with_i += is_set(a->members[k], HELD, side->chain) && is_set(a->members[k], WITH_I, side->chain);
    }
    if (2 * with_i >= held) return;
    TEAM_SYNC();
    int i = side->i;
    side->i = side->j;
    side->j = i;
    u32 both = 1u << (WAS_WITH_I + side->chain) | 1u << (WITH_I + side->chain);
    EACH_TASK(k, a->count) a->members[k] ^= both;
    TEAM_SYNC();
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
    int steps = 0, exchanges = !side->splits && !side->merges;
    int place = exchanges ? NONE : side->splits ? 0 : place_of_j(a, side->j);
    TEAM_SYNC();
    for (int k = 0; k <= a->count; k++) {
        u32 step = (u32)side->j | (u32)side->splits << TO_J;
        if (k == place && IS_FIRST) a->walk[steps] = step;
        steps += k == place;
        if (k == a->count) break;
        u32 member = a->members[k];
        if (!is_set(member, HELD, side->chain)) continue;
        int is_with_i = is_set(member, WITH_I, side->chain), was_with_i = is_set(member, WAS_WITH_I, side->chain);
        int stays = exchanges ? is_with_i == was_with_i : side->splits ? is_with_i : was_with_i;
        step = (u32)item_of(member) | (u32)(exchanges ? was_with_i : side->splits) << TO_J;
        if (!stays && IS_FIRST) a->walk[steps] = step;
        steps += !stays;
    }
    TEAM_SYNC();
    return steps;
}

// The inner product of an item with the cluster of j, or with that of i, after so many steps of the walk.
DEVICE double product_of_walk(const Attempt* a, const Side* side, int number, int is_j, int steps, int item) {
#if GRAM
    double sum = is_j && side->splits ? 0.0 : product_now(a->tables, side->z, item, number);
    for (int n = 0; n < steps; n++) {
        double product = gram_of(a->tables, item)[item_of(a->walk[n])];
        sum += goes_to_j(a->walk[n]) == is_j ? product : -product;
    }
    return sum;
#else
    return 0.0;
#endif
}

// The two clusters as they are; that of j is empty where it is to be split off.
DEVICE void take_both(const Tables* t, Side* side, int number_i, int number_j) {
    TEAM_SYNC();
    loose_take(t, &side->with_i, side->z, number_i);
    if (side->splits) {
        side->with_j.size = 0;
        if (IS_FIRST) loose_empty(t, &side->with_j);
    } else {
        loose_take(t, &side->with_j, side->z, number_j);
    }
    TEAM_SYNC();
}

// Walks from the first state to the proposed one on loose clusters; returns the probability of accepting it. Where items are
// exchanged, the way back has a probability of its own.
DEVICE double propose(const Attempt* a, Side* side, double log_back) {
    const Tables* t = a->tables;
    const Chain* z = side->z;
    int steps = list_walk(a, side), number_i = z->cluster[side->i * LANES], number_j = z->cluster[side->j * LANES];
    take_both(t, side, number_i, number_j);
    double log_ratio = 0.0;
    for (int n = 0; n < steps; n++) {
        int item = item_of(a->walk[n]), to_j = goes_to_j(a->walk[n]), is_last = side->merges && n + 1 == steps;
        Loose *to = to_j ? &side->with_j : &side->with_i, *from = to_j ? &side->with_i : &side->with_j;
        int number_to = to_j ? number_j : number_i, number_from = to_j ? number_i : number_j;
        EACH_TASK(k, 2) {
            double product = product_of_walk(a, side, k ? number_from : number_to, k ? !to_j : to_j, n, item);
            if (k == 0 && to->size == 0) a->board[k] = t->alone[item];
            else a->board[k] = loose_score(t, k ? from : to, item, product, k);
        }
        TEAM_SYNC();
        double there = (to->size == 0 ? t->open[z->clusters] : t->join[to->size]) + a->board[0];
        double here = (from->size == 1 ? t->open[z->clusters - 1] : t->join[from->size - 1]) + a->board[1];
        log_ratio += there - here;
        // The last leaves an empty cluster behind, which is closed.
        EACH_TASK(k, is_last ? 1 : 2) loose_put(t, k ? from : to, item, k ? -1.0 : 1.0);
        to->size++;
        from->size -= !is_last;
        TEAM_SYNC();
    }
    double log_accept = log_ratio + side->log_split;
    if (side->splits) log_accept = log_ratio - side->log_split;
    else if (!side->merges) log_accept = log_ratio + log_back - side->log_split;
    log_accept += side->log_anchors;
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
#if GRAM
    settle_all(t, z, a->walk, steps, number_i, number_j, side->splits);
#endif
    // By now all know the two numbers.
    TEAM_SYNC();
    EACH_TASK(n, steps) z->cluster[item_of(a->walk[n]) * LANES] = (u8)(goes_to_j(a->walk[n]) ? number_j : number_i);
    z->moves = z->moves + (u32)steps < z->moves ? 0xFFFFFFFFu : z->moves + (u32)steps;
    loose_give(t, &side->with_i, z, number_i);
    if (!side->merges) loose_give(t, &side->with_j, z, number_j);
    if (IS_FIRST) {
        SIZE(z, number_i) = side->with_i.size;
        SIZE(z, number_j) = side->merges ? 0 : side->with_j.size;
    }
    if (side->merges) close_slot(z, at(&z->slot, number_j));
    TEAM_SYNC();
    return 1;
}

#define OUTGROWN (-1)

// Accepts or rejects what is proposed with these probabilities, with one uniform: whether a chain has moved, or OUTGROWN.
DEVICE int decide(const Attempt* a, Side* sides, int chains, const double* p, Sequence* chance) {
    double u = uniform(chance);
    int moved = 0;
    for (int c = 0; c < chains; c++) {
        if (!(u < p[c])) continue;
        if (!accept(a, &sides[c])) return OUTGROWN;
        moved = 1;
    }
    return moved;
}

// Sides of X, and of Y where it is given, that set out from items i and j; returns how many. Where items are to be exchanged, only
// of chains that have the two apart.
DEVICE int set_out(const Tables* t, Side* sides, Chain* x, Chain* y, int i, int j, int exchanges, double* scratch) {
    int chains = 0;
    for (int c = 0; c < (y ? 2 : 1); c++) {
        Chain* z = c ? y : x;
        int are_together = z->cluster[i * LANES] == z->cluster[j * LANES];
        if (exchanges && are_together) continue;
        Side* side = &sides[chains++];
        side->z = z;
        side->chain = c;
        side->i = i;
        side->j = j;
        side->splits = are_together;
        side->merges = !exchanges && !are_together;
        side->retraces = side->merges;
        side->log_split = side->log_anchors = 0.0;
        side->with_i.stats = scratch + (u64)(2 * c) * CLUSTER * CLUSTER_STEP;
        side->with_j.stats = scratch + (u64)(2 * c + 1) * CLUSTER * CLUSTER_STEP;
        side->products = 0;
    }
    return chains;
}

// All items of the clusters of i and j but the two, in the order of items.
DEVICE void list_members(Attempt* a, const Chain* x, const Chain* y, int i, int j) {
    TEAM_SYNC();
    for (int item = 0; item < a->tables->items; item++) {
        if (item == i || item == j) continue;
        u32 member = (u32)item;
        for (int c = 0; c < (y ? 2 : 1); c++) {
            const u8* cluster = (c ? y : x)->cluster;
            u32 with_i = cluster[item * LANES] == cluster[i * LANES], with_j = cluster[item * LANES] == cluster[j * LANES];
            member |= (with_i | with_j) << (HELD + c) | with_i << (WAS_WITH_I + c) | with_i << (WITH_I + c);
        }
        if (member >> HELD && IS_FIRST) a->members[a->count] = member;
        a->count += member >> HELD != 0;
    }
    TEAM_SYNC();
}
#endif
