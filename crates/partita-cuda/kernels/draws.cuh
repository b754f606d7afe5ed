// Y's draw of a coupled step by all lanes of its group, as far as few stages decide it: `coupling.cuh` has them all, for one lane.

DEVICE u32 largest_key(u32 key) {
#pragma unroll
    for (int apart = 1; apart < GROUP; apart *= 2) {
        u32 other = __shfl_xor_sync(EVERYONE, key, apart);
        key = other > key ? other : key;
    }
    return key;
}

// Whether the best cell of the row that X has drawn dominates, and then decides: its column or the one before; OPEN_STILL where more
// has to be looked at. Lanes are columns, and then rows.
DEVICE int draw_dominant(const Tables* t, const Place* p, const Overlap* o, const Given* g, int asks, double second, double of_row,
                         int rows, const double* b, int columns) {
    (void)t;
    u32 key = asks && p->slot < columns ? rank_of(o->cell[g->row * WIDTH + p->slot], p->slot) : 0;
    u32 best = largest_key(key), next = largest_key(key == best ? 0 : key);
    int column = column_of(best);
    u32 other = largest_key(asks && p->slot < rows && p->slot != g->row ? o->cell[p->slot * WIDTH + column] : 0);
    i64 gap = asks ? GAIN(t, shared_of(best)) - GAIN(t, shared_of(next)) : 0;
    if (!asks || shared_of(best) == 0 || GAIN(t, other) >= gap) return OPEN_STILL;
    double whole = of_row * g->total_b, unavoidable = whole - g->total_a * (g->total_b - g->highest), left = second * whole;
    int last = NONE;
    double mass = smaller(whole, b[column] * g->total_a);
    int spent = whole - mass <= 0.0;
    if (unavoidable > 0.0) {
        left -= unavoidable;
        last = g->column;
        mass -= column == g->column ? unavoidable : 0.0;
    }
    if (mass > 0.0 && left < mass) return column;
    last = mass > 0.0 ? column : last;
    return spent ? last : OPEN_STILL;
}

// The draw, for the lanes of Y where `draws` is set: all have the slot, or the first what `draw_after` says.
DEVICE int draw_of_second(const Tables* t, const Place* p, const Overlap* o, const Given* g, int draws, Chance chance, double nugget,
                          const double* a, int rows, const double* b, int columns) {
    int to = 0;
    double total;
    if (draws) {
        if (is_independent(chance, nugget)) to = draw_of_group(chance.second, b, &total);
        else to = draw_unavoidable(g, chance.second, a[g->row]);
    }
    int asks = draws && to == OPEN_STILL;
    if (!__any_sync(EVERYONE, asks)) return to;
    int dominant = draw_dominant(t, p, o, g, asks, chance.second, asks ? a[g->row] : 0.0, rows, b, columns);
    to = asks ? dominant : to;
    if (to == OPEN_STILL && p->slot == 0) {
        Given given = *g;
        to = draw_after(t, o, &given, chance.second, a, rows, b, columns);
    }
    return to;
}
