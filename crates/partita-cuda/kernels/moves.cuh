// Moves of two clusters: merge-split moves, shuffles (`kernel/sams.rs`, `kernel/shuffle.rs`), split-merge moves
// (`kernel/split_merge.rs`); each of one chain, or of two with shared chance. They tell whether a chain has moved, or OUTGROWN.
#if SIDES

// A merge-split move: the other items are seated one after the other, in random order, beside those before them.
APART int merge_or_split(const Tables* t, Chain* x, Chain* y, Sequence* chance, const u32* near, u32* members, double* scratch) {
    Attempt a = {t, members, members + t->items, 0};
    Side sides[2];
    int i, j;
    draw_anchors(chance, near, t->items, &i, &j);
    int chains = set_out(t, sides, x, y, i, j, 0, scratch);
    list_members(&a, x, y, i, j);
    for (int c = 0; c < chains; c++) isolate(t, &sides[c]);
    for (int k = 0; k < a.count; k++) {
        draw_next(&a, k, chance);
        seat(&a, sides, chains, k, chance);
    }
    double p[2] = {0.0, 0.0};
    for (int c = 0; c < chains; c++) let_the_larger_stay(&a, &sides[c]);
    for (int c = 0; c < chains; c++) p[c] = propose(&a, &sides[c], 0.0);
    return decide(&a, sides, chains, p, chance);
}

// A shuffle: all others are seated where they are, for the probability of the way back, and then anew, in the same order.
APART int shuffle(const Tables* t, Chain* x, Chain* y, Sequence* chance, const u32* near, u32* members, double* scratch) {
    Attempt a = {t, members, members + t->items, 0};
    Side sides[2];
    int i, j;
    draw_anchors(chance, near, t->items, &i, &j);
    int chains = set_out(t, sides, x, y, i, j, 1, scratch);
    if (chains == 0) return 0;
    list_members(&a, x, y, i, j);
    for (int k = 0; k < a.count; k++) draw_next(&a, k, chance);
    double log_back[2] = {0.0, 0.0}, p[2] = {0.0, 0.0};
    for (int retraces = 1; retraces >= 0; retraces--) {
        for (int c = 0; c < chains; c++) {
            if (!retraces) log_back[c] = sides[c].log_split;
            sides[c].retraces = retraces;
            sides[c].log_split = 0.0;
            isolate(t, &sides[c]);
        }
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

// An item goes to the side of i, or to that of j; it comes from the other one.
DEVICE void send(const Attempt* a, Side* side, int item, int to_i) {
    const Tables* t = a->tables;
    loose_add(t, to_i ? &side->with_i : &side->with_j, item, 1.0);
    loose_add(t, to_i ? &side->with_j : &side->with_i, item, -1.0);
#if GRAM
    for (int k = 0; k < a->count; k++) {
        if (!is_set(a->members[k], HELD, side->chain)) continue;
        double product = gram_of(t, item)[item_of(a->members[k])];
        *product_with(side, a, k, to_i) += product;
        *product_with(side, a, k, !to_i) -= product;
    }
#endif
}

// The two sides as they are before the first division: j has a cluster of its own.
DEVICE void open_sides(const Attempt* a, Side* side) {
    const Tables* t = a->tables;
    const Chain* z = side->z;
    int number_i = z->cluster[side->i * LANES], number_j = z->cluster[side->j * LANES];
    loose_take(t, &side->with_i, z, number_i);
    if (side->splits) loose_clear(t, &side->with_j);
    else loose_take(t, &side->with_j, z, number_j);
#if GRAM
    for (int k = 0; k < a->count; k++) {
        int item = item_of(a->members[k]);
        if (!is_set(a->members[k], HELD, side->chain)) continue;
        *product_with(side, a, k, 1) = product_now(t, z, item, number_i);
        *product_with(side, a, k, 0) = side->splits ? 0.0 : product_now(t, z, item, number_j);
    }
#endif
    if (side->splits) send(a, side, side->j, 0);
}

// The probability of the side of i for the k-th member, which is on one of the two.
DEVICE double chance_to_stay_with_i(const Attempt* a, const Side* side, int k) {
    const Tables* t = a->tables;
    int item = item_of(a->members[k]), is_with_i = is_set(a->members[k], WITH_I, side->chain);
    double product_i = GRAM ? *product_with(side, a, k, 1) : 0.0, product_j = GRAM ? *product_with(side, a, k, 0) : 0.0;
    double with_i = t->join[side->with_i.size - is_with_i] + loose_score(t, &side->with_i, item, product_i, is_with_i);
    double with_j = t->join[side->with_j.size - !is_with_i] + loose_score(t, &side->with_j, item, product_j, !is_with_i);
    return let_one_win(with_i, with_j);
}

DEVICE void send_member(Attempt* a, Side* side, int k, int to_i) {
    if (is_set(a->members[k], WITH_I, side->chain) == to_i) return;
    set_flag(&a->members[k], WITH_I, side->chain, to_i);
    send(a, side, item_of(a->members[k]), to_i);
}

// Each member chooses its side given all others; in the last scan a merging chain retraces its own state.
DEVICE void scan(Attempt* a, Side* sides, int chains, int is_last, Sequence* chance) {
    for (int k = 0; k < a->count; k++) {
        double p[2] = {0.0, 0.0}, u = 0.0;
        int is_free = 0;
        for (int c = 0; c < chains; c++) {
            if (!is_set(a->members[k], HELD, sides[c].chain)) continue;
            p[c] = chance_to_stay_with_i(a, &sides[c], k);
            is_free |= !sides[c].retraces || !is_last;
        }
        if (is_free) u = uniform(chance);
        for (int c = 0; c < chains; c++) {
            Side* side = &sides[c];
            if (!is_set(a->members[k], HELD, side->chain)) continue;
            int to_i = side->retraces && is_last ? is_set(a->members[k], WAS_WITH_I, side->chain) : u < p[c];
            if (is_last) side->log_split += libm_log(to_i ? p[c] : 1.0 - p[c]);
            send_member(a, side, k, to_i);
        }
    }
}

// A split-merge move: scans from a random division lead to the split that is proposed.
APART int split_or_merge(const Tables* t, Chain* x, Chain* y, Sequence* chance, int i, int j, u32* members, double* scratch,
                         double* products) {
    Attempt a = {t, members, members + t->items, 0};
    Side sides[2];
    int chains = set_out(t, sides, x, y, i, j, 0, scratch);
    list_members(&a, x, y, i, j);
    for (int c = 0; c < chains; c++) {
        sides[c].products = products + (u64)(2 * c) * t->items * LANES;
        open_sides(&a, &sides[c]);
    }
    for (int k = 0; k < a.count; k++) {
        int to_i = uniform(chance) < 0.5;
        for (int c = 0; c < chains; c++) {
            if (is_set(a.members[k], HELD, sides[c].chain)) send_member(&a, &sides[c], k, to_i);
        }
    }
    for (int n = 0; n <= SCANS; n++) scan(&a, sides, chains, n == SCANS, chance);
    double p[2] = {0.0, 0.0};
    for (int c = 0; c < chains; c++) p[c] = propose(&a, &sides[c], 0.0);
    return decide(&a, sides, chains, p, chance);
}
#endif

// The memory of a replicate for such moves.
struct Trial {
    u32* members;
    double *scratch, *products;
};

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
    const u32* near = kind == MERGE_SPLIT_NEAR || kind == SHUFFLE_NEAR ? w->summaries + w->settings[NEAR] : 0;
    if (kind == MERGE_SPLIT || kind == MERGE_SPLIT_NEAR) {
        Sequence chance = sequence_of(address, sweep, parts->sams++, 10);
        return merge_or_split(t, x, y, &chance, near, trial->members, trial->scratch);
    }
    if (kind == SHUFFLE || kind == SHUFFLE_NEAR) {
        Sequence chance = sequence_of(address, sweep, parts->shuffle++, 11);
        return shuffle(t, x, y, &chance, near, trial->members, trial->scratch);
    }
#if SCANS
    u32 part = parts->split_merge++;
    Sequence shared = sequence_of(address, sweep, part, 3), chance = sequence_of(address, sweep, part, 4);
    int i, j;
    draw_anchors(&shared, 0, t->items, &i, &j);
    Chain* with_x = kind == SPLIT_MERGE ? y : 0;
    int moved = split_or_merge(t, x, with_x, &chance, i, j, trial->members, trial->scratch, trial->products);
    if (kind == SPLIT_MERGE || !y || moved == OUTGROWN) return moved;
    Sequence of_y = sequence_of(address, sweep, part, 5);
    int moved_y = split_or_merge(t, y, 0, &of_y, i, j, trial->members, trial->scratch, trial->products);
    return moved_y == OUTGROWN ? OUTGROWN : moved | moved_y;
#else
    return OUTGROWN;
#endif
}
#endif
