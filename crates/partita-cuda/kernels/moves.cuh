// Moves of two clusters: merge-split moves, shuffles (`kernel/sams.rs`, `kernel/shuffle.rs`), split-merge moves
// (`kernel/split_merge.rs`); each of one chain, or of two with shared chance. They tell whether a chain has moved, or OUTGROWN.
#if SIDES

// The memory of a replicate for such moves.
struct Trial {
    u32* members;
    double *scratch, *products, *board;
};

// A merge-split move: the other items are seated one after the other, in random order, beside those before them. Where the law
// of the two items depends on the state, it is even.
APART int merge_or_split(const Tables* t, Chain* x, Chain* y, Sequence* chance, Anchors from, int is_even, const Trial* trial) {
    Attempt a = {t, trial->members, trial->members + t->items, 0, trial->board};
    Side sides[2];
    int chains = set_out(t, sides, x, y, from.i, from.j, 0, trial->scratch);
    list_members(&a, x, y, from.i, from.j);
    isolate(&a, sides, chains);
    for (int k = 0; k < a.count; k++) {
        draw_next(&a, k, chance);
        seat(&a, sides, chains, k, chance);
    }
    double p[2] = {0.0, 0.0};
    for (int c = 0; c < chains && is_even; c++) weigh_anchors(&a, &sides[c]);
    for (int c = 0; c < chains; c++) let_the_larger_stay(&a, &sides[c]);
    for (int c = 0; c < chains; c++) p[c] = propose(&a, &sides[c], 0.0);
    return decide(&a, sides, chains, p, chance);
}

// The same with clusters all equally likely to have the first item. Chains with other items each move by themselves.
APART int merge_or_split_even(const Tables* t, Chain* x, Chain* y, Sequence* chance, const u32* near, const Trial* trial) {
    Anchors of_x, of_y;
    draw_even(chance, near, t->items, x, y, &of_x, &of_y);
    if (!y || (of_x.i == of_y.i && of_x.j == of_y.j)) return merge_or_split(t, x, y, chance, of_x, 1, trial);
    int moved = merge_or_split(t, x, 0, chance, of_x, 1, trial);
    if (moved == OUTGROWN) return OUTGROWN;
    int moved_y = merge_or_split(t, y, 0, chance, of_y, 1, trial);
    return moved_y == OUTGROWN ? OUTGROWN : moved | moved_y;
}

// A shuffle: all others are seated where they are, for the probability of the way back, and then anew, in the same order.
APART int shuffle(const Tables* t, Chain* x, Chain* y, Sequence* chance, const u32* near, const Trial* trial) {
    Attempt a = {t, trial->members, trial->members + t->items, 0, trial->board};
    Side sides[2];
    Anchors from = draw_anchors(chance, near, t->items);
    int chains = set_out(t, sides, x, y, from.i, from.j, 1, trial->scratch);
    if (chains == 0) return 0;
    list_members(&a, x, y, from.i, from.j);
    for (int k = 0; k < a.count; k++) draw_next(&a, k, chance);
    double log_back[2] = {0.0, 0.0}, p[2] = {0.0, 0.0};
    for (int retraces = 1; retraces >= 0; retraces--) {
        for (int c = 0; c < chains; c++) {
            if (!retraces) log_back[c] = sides[c].log_split;
            sides[c].retraces = retraces;
            sides[c].log_split = 0.0;
        }
        isolate(&a, sides, chains);
        for (int k = 0; k < a.count; k++) seat(&a, sides, chains, k, chance);
    }
    for (int c = 0; c < chains; c++) p[c] = propose(&a, &sides[c], log_back[c]);
    return decide(&a, sides, chains, p, chance);
}

#if SCANS
// Where clusters keep inner products, those of each member with both sides follow every step.
DEVICE double* product_with(const Side* side, const Attempt* a, int k, int with_i) {
    return side->products + ((u64)(with_i ? 0 : a->tables->items) + k) * LANES;
}

// An item goes to the side of i, or to that of j, in each chain where it comes from the other one.
DEVICE void send(const Attempt* a, Side* sides, int chains, int item, const int* goes, const int* to_i) {
    const Tables* t = a->tables;
    EACH_TASK(n, 2 * chains) {
        Side* side = &sides[n / 2];
        if (goes[n / 2]) loose_put(t, to_i[n / 2] == (n % 2 == 0) ? &side->with_i : &side->with_j, item, n % 2 ? -1.0 : 1.0);
    }
    for (int c = 0; c < chains; c++) {
        if (!goes[c]) continue;
        Side* side = &sides[c];
        (to_i[c] ? side->with_i : side->with_j).size++;
        (to_i[c] ? side->with_j : side->with_i).size--;
#if GRAM
        for (int k = 0; k < a->count; k++) {
            if (!is_set(a->members[k], HELD, side->chain)) continue;
            double product = gram_of(t, item)[item_of(a->members[k])];
            *product_with(side, a, k, to_i[c]) += product;
            *product_with(side, a, k, !to_i[c]) -= product;
        }
#endif
    }
    TEAM_SYNC();
}

// The two sides as they are before the first division: j has a cluster of its own.
DEVICE void open_sides(const Attempt* a, Side* sides, int chains, double* products) {
    const Tables* t = a->tables;
    int splits[2] = {0, 0}, to_i[2] = {0, 0};
    for (int c = 0; c < chains; c++) {
        Side* side = &sides[c];
        const Chain* z = side->z;
        int number_i = z->cluster[side->i * LANES], number_j = z->cluster[side->j * LANES];
        splits[c] = side->splits;
        take_both(t, side, number_i, number_j);
#if GRAM
        side->products = products + (u64)(2 * c) * t->items * LANES;
        for (int k = 0; k < a->count; k++) {
            int item = item_of(a->members[k]);
            if (!is_set(a->members[k], HELD, side->chain)) continue;
            *product_with(side, a, k, 1) = product_now(t, z, item, number_i);
            *product_with(side, a, k, 0) = side->splits ? 0.0 : product_now(t, z, item, number_j);
        }
#endif
    }
    send(a, sides, chains, sides[0].j, splits, to_i);
}

// The log weight of one side for the k-th member, which is on one of the two.
DEVICE double weight_of_member(const Attempt* a, const Side* side, int k, int with_i) {
    const Tables* t = a->tables;
    const Loose* c = with_i ? &side->with_i : &side->with_j;
    int is_here = is_set(a->members[k], WITH_I, side->chain) == with_i;
    double product = GRAM ? *product_with(side, a, k, with_i) : 0.0;
    return t->join[c->size - is_here] + loose_score(t, c, item_of(a->members[k]), product, is_here);
}

// The k-th member goes where it is to be in each chain that holds it.
DEVICE void send_member(Attempt* a, Side* sides, int chains, int k, const int* to_i) {
    u32 member = a->members[k];
    int goes[2] = {0, 0};
    for (int c = 0; c < chains; c++) {
        int chain = sides[c].chain;
        goes[c] = is_set(member, HELD, chain) && is_set(member, WITH_I, chain) != to_i[c];
        if (goes[c]) set_flag(&member, WITH_I, chain, to_i[c]);
    }
    if (!goes[0] && !goes[1]) return;
    TEAM_SYNC();
    if (IS_FIRST) a->members[k] = member;
    send(a, sides, chains, item_of(member), goes, to_i);
}

// Each member chooses its side given all others; in the last scan a merging chain retraces its own state.
DEVICE void scan(Attempt* a, Side* sides, int chains, int is_last, Sequence* chance) {
    for (int k = 0; k < a->count; k++) {
        u32 member = a->members[k];
        int to_i[2] = {0, 0}, is_free = 0;
        EACH_TASK(n, 2 * chains) {
            const Side* side = &sides[n / 2];
            if (is_set(member, HELD, side->chain)) a->board[n] = weight_of_member(a, side, k, n % 2 == 0);
        }
        for (int c = 0; c < chains; c++)
            is_free |= is_set(member, HELD, sides[c].chain) && (!sides[c].retraces || !is_last);
        double u = is_free ? uniform(chance) : 0.0;
        TEAM_SYNC();
        for (int c = 0; c < chains; c++) {
            Side* side = &sides[c];
            if (!is_set(member, HELD, side->chain)) continue;
            double p = let_one_win(a->board[2 * c], a->board[2 * c + 1]);
            to_i[c] = side->retraces && is_last ? is_set(member, WAS_WITH_I, side->chain) : u < p;
            if (is_last) side->log_split += libm_log(to_i[c] ? p : 1.0 - p);
        }
        TEAM_SYNC();
        send_member(a, sides, chains, k, to_i);
    }
}

// A split-merge move: scans from a random division lead to the split that is proposed.
APART int split_or_merge(const Tables* t, Chain* x, Chain* y, Sequence* chance, Anchors from, const Trial* trial) {
    Attempt a = {t, trial->members, trial->members + t->items, 0, trial->board};
    Side sides[2];
    int chains = set_out(t, sides, x, y, from.i, from.j, 0, trial->scratch);
    list_members(&a, x, y, from.i, from.j);
    open_sides(&a, sides, chains, trial->products);
    for (int k = 0; k < a.count; k++) {
        int to_i = uniform(chance) < 0.5, both[2] = {to_i, to_i};
        send_member(&a, sides, chains, k, both);
    }
    for (int n = 0; n <= SCANS; n++) scan(&a, sides, chains, n == SCANS, chance);
    double p[2] = {0.0, 0.0};
    for (int c = 0; c < chains; c++) p[c] = propose(&a, &sides[c], 0.0);
    return decide(&a, sides, chains, p, chance);
}
#endif

// How often each kind of random words has been asked for in a sweep (`rng.rs`).
struct Parts {
    u32 sams, shuffle, split_merge;
};

DEVICE Sequence sequence_of(const Address* address, u32 sweep, u32 part, u32 purpose) {
    Sequence sequence = {0, sweep, address->low, part << 20 | address->high | purpose, address->key0, address->key1, 0.0, 0};
    return sequence;
}

// One move of X, and of Y where it is given.
APART int move_two(const Tables* t, const Work* w, Chain* x, Chain* y, const Trial* trial, const Address* address, u32 sweep, u64 kind,
                   Parts* parts) {
    int is_even = kind == MERGE_SPLIT_EVEN, is_near = is_even || kind == MERGE_SPLIT_NEAR || kind == SHUFFLE_NEAR;
    const u32* near = is_near ? w->summaries + w->settings[NEAR] : 0;
    if (is_even || kind == MERGE_SPLIT || kind == MERGE_SPLIT_NEAR) {
        Sequence chance = sequence_of(address, sweep, parts->sams++, 10);
        if (is_even) return merge_or_split_even(t, x, y, &chance, near, trial);
        return merge_or_split(t, x, y, &chance, draw_anchors(&chance, near, t->items), 0, trial);
    }
    if (kind == SHUFFLE || kind == SHUFFLE_NEAR) {
        Sequence chance = sequence_of(address, sweep, parts->shuffle++, 11);
        return shuffle(t, x, y, &chance, near, trial);
    }
#if SCANS
    u32 part = parts->split_merge++;
    Sequence shared = sequence_of(address, sweep, part, 3), chance = sequence_of(address, sweep, part, 4);
    Anchors from = draw_anchors(&shared, 0, t->items);
    Chain* with_x = kind == SPLIT_MERGE ? y : 0;
    int moved = split_or_merge(t, x, with_x, &chance, from, trial);
    if (kind == SPLIT_MERGE || !y || moved == OUTGROWN) return moved;
    Sequence of_y = sequence_of(address, sweep, part, 5);
    int moved_y = split_or_merge(t, y, 0, &of_y, from, trial);
    return moved_y == OUTGROWN ? OUTGROWN : moved | moved_y;
#else
    return OUTGROWN;
#endif
}
#endif
