// The optimal coupling of one item-step, as `coupling/optimal.rs` draws it: X from its own law, then Y by what all optimal
// plans share, and by the transport problem only where that does not decide.

struct Overlap {
    Shared cell[WIDTH * WIDTH];
    int rows, columns, nonzero;
};

DEVICE void add(Overlap* o, int row, int column) { o->nonzero += o->cell[row * WIDTH + column]++ == 0; }

DEVICE void take(Overlap* o, int row, int column) { o->nonzero -= --o->cell[row * WIDTH + column] == 0; }

template <typename State>
DEVICE void recount(const Tables* t, Overlap* o, const State* x, const State* y) {
    for (int k = 0; k < WIDTH * WIDTH; k++) o->cell[k] = 0;
    o->rows = clusters_of(x);
    o->columns = clusters_of(y);
    o->nonzero = 0;
    for (int item = 0; item < t->items; item++) add(o, slot_of(x, item), slot_of(y, item));
}

DEVICE int is_matching(const Overlap* o) { return o->nonzero == o->rows && o->nonzero == o->columns; }

DEVICE void follow_moves(Overlap* o, Move x, Move y) {
    o->rows += x.opened;
    if (x.closed) {
        int last = --o->rows;
        for (int j = 0; j < o->columns; j++) {
            Shared shared = o->cell[last * WIDTH + j];
            o->cell[last * WIDTH + j] = 0;
            // The closed row is empty; where it is the last itself it stays so.
            if (x.from != last) o->cell[x.from * WIDTH + j] = shared;
        }
    }
    o->columns += y.opened;
    if (y.closed) {
        int last = --o->columns;
        for (int i = 0; i < o->rows; i++) {
            Shared shared = o->cell[i * WIDTH + last];
            o->cell[i * WIDTH + last] = 0;
            if (y.from != last) o->cell[i * WIDTH + y.from] = shared;
        }
    }
}

// Shared items and a column in one number, which is larger where more are shared. Columns are fewer than 64, items than 2^24.
DEVICE u32 rank_of(u32 shared, int column) { return shared << 6 | (u32)column; }
DEVICE u32 shared_of(u32 key) { return key >> 6; }
DEVICE int column_of(u32 key) { return (int)(key & 63); }

#define CANDIDATES 2
#define NONE (-1)
#define NEVER (-(1ll << 60))
// More than any time or place.
#define NO_SOLUTION (-2)

// The row that was drawn, and what was established of it.
struct Drawn {
    const Tables* tables;
    const Overlap* overlap;
    const double *a, *b;
    int count_a, count_b;
    int row, candidate;
    double total_a, total_b, left;
    int closed[CANDIDATES];
    int column[CANDIDATES + 2];
    double mass[CANDIDATES + 2];
};

DEVICE double established_at(const Drawn* d, int column) {
    double sum = 0.0;
    for (int k = 0; k < CANDIDATES + 2; k++) sum += d->column[k] == column ? d->mass[k] : 0.0;
    return sum;
}

DEVICE double smaller(double x, double y) { return x < y ? x : y; }
DEVICE double larger(double x, double y) { return x > y ? x : y; }

// The mass of the rows that object to a cell, and of the columns that mass might come from.
APART void objections(const Drawn* d, int column, i64 gap, double* of_rows, double* of_columns) {
    const Tables* t = d->tables;
    (void)t;
    const Shared* own = d->overlap->cell + d->row * WIDTH;
    i64 best = GAIN(t, own[column]);
    double rows = 0.0;
    u64 columns = 0;
    for (int k = 0; k < d->count_a; k++) {
        const Shared* other = d->overlap->cell + k * WIDTH;
        if (GAIN(t, other[column]) < gap || k == d->row || !(d->a[k] > 0.0)) continue;
        i64 least = GAIN(t, other[column]) - best;
        u64 objects = 0;
        for (int l = 0; l < d->count_b; l++) {
            int never = l == column || l == d->closed[0] || l == d->closed[1];
            i64 mine = never ? NEVER : GAIN(t, own[l]);
            objects |= (u64)(GAIN(t, other[l]) - mine <= least) << l;
        }
        rows += objects != 0 ? d->a[k] : 0.0;
        columns |= objects;
    }
    double sum = 0.0;
    for (int l = 0; l < d->count_b; l++) sum += columns >> l & 1 ? d->b[l] : 0.0;
    *of_rows = rows * d->total_b;
    *of_columns = sum * d->total_a;
}

// The best cell of the row, or the second best after it: its column and what it carries at least; NONE if it gains nothing.
DEVICE int dominance(const Drawn* d, double* mass, int* dominates) {
    const Tables* t = d->tables;
    (void)t;
    const Shared* own = d->overlap->cell + d->row * WIDTH;
    u32 best = 0, second = 0;
    for (int j = 0; j < d->count_b; j++) {
        u32 key = j == d->candidate ? 0 : rank_of(own[j], j);
        u32 lower = key < best ? key : best;
        best = key > best ? key : best;
        second = lower > second ? lower : second;
    }
    int column = column_of(best);
    if (shared_of(best) == 0) return NONE;
    int is_open = d->candidate != d->closed[0];
    u32 rival = is_open ? own[d->candidate] : shared_of(second);
    u32 other = 0;
    for (int k = 0; k <= d->overlap->rows; k++) {
        u32 shared = k == d->row ? 0 : d->overlap->cell[k * WIDTH + column];
        other = shared > other ? shared : other;
    }
    i64 gap = GAIN(t, shared_of(best)) - GAIN(t, rival);
    double a = d->left, b = d->b[column] * d->total_a;
    if (GAIN(t, other) < gap) {
        *mass = smaller(a, b);
        *dominates = 1;
        return column;
    }
    double rows, columns;
    objections(d, column, gap, &rows, &columns);
    *mass = larger(smaller(a, b - rows), smaller(b, a - columns));
    *dominates = rows == 0.0;
    return column;
}

// The heaviest column and its mass.
DEVICE int heaviest_of(const double* b, int count, double* highest) {
    int column = 0;
    *highest = 0.0;
    for (int j = 0; j < count; j++) {
        int higher = b[j] > *highest;
        column = higher ? j : column;
        *highest = higher ? b[j] : *highest;
    }
    return column;
}

// Offers an outcome to the draw: true where it is decided.
DEVICE int decides(double* left, int column, double mass, int* last) {
    *last = column;
    if (*left < mass) return 1;
    *left -= mass;
    return 0;
}

// The same with a cell of a plan, less what was established of it; cells of other rows say nothing.
DEVICE int cell_decides(const Drawn* d, int row, int column, double flow, double* left, int* last) {
    if (row != d->row || !(flow > 0.0)) return 0;
    double mass = flow - established_at(d, column);
    return mass > 0.0 && decides(left, column, mass, last);
}

// Solves the problem and draws from the row of the plan; -1 where few lines are too few or rounding could decide.
APART int draw_from_small_plan(const Drawn* d, const double* a, const double* b, double* left, int* last) {
    const Tables* t = d->tables;
    (void)t;
    int rows = d->count_a, columns = d->count_b;
    if (rows > SIDE || columns > SIDE) return -1;
    Small small;
    for (int i = 0; i < rows; i++)
        for (int j = 0; j < columns; j++) small.gains[i][j] = GAIN(t, d->overlap->cell[i * WIDTH + j]);
    if (!solve(&small, a, rows, b, columns)) return -1;
    for (int arc = 0; arc < small.count; arc++)
        if (cell_decides(d, small.row[arc], small.column[arc], small.flow[arc], left, last)) return 1;
    return 0;
}

// The same by the general solver; -1 where masses would have to be exact.
APART int draw_from_general_plan(const Drawn* d, const double* a, const double* b, double* left, int* last) {
    General g;
    g.tables = d->tables;
    g.overlap = d->overlap->cell;
    if (!solve_general(&g, a, d->count_a, b, d->count_b)) return -1;
    for (int arc = 0; arc < g.count; arc++)
        if (cell_decides(d, g.row_index[g.row[arc]], g.column_index[g.column[arc]], g.flow[arc], left, last)) return 1;
    return 0;
}

APART int draw_from_plan(const Drawn* d, double left, int last) {
    double a[SLOTS + 1], b[SLOTS + 1], highest;
    for (int i = 0; i < d->count_a; i++) a[i] = d->a[i] * d->total_b;
    for (int j = 0; j < d->count_b; j++) b[j] = d->b[j] * d->total_a;
    int decided = draw_from_small_plan(d, a, b, &left, &last);
    if (decided < 0) decided = draw_from_general_plan(d, a, b, &left, &last);
    if (decided < 0) return NO_SOLUTION;
    // A row as light as rounding may get nothing: any possible column.
    return last != NONE ? last : heaviest_of(b, d->count_b, &highest);
}

// The stages after the first.
APART int draw_on(Drawn* d, double left, int last) {
    int spent = 0;
    for (int n = 0; n < CANDIDATES && !spent; n++) {
        double mass;
        int dominates, column = dominance(d, &mass, &dominates);
        if (column == NONE) break;
        d->candidate = column;
        if (dominates) {
            d->left -= mass;
            d->closed[n] = column;
        }
        spent = d->left <= 0.0;
        mass -= established_at(d, column);
        if (mass > 0.0) {
            d->column[n + 1] = column;
            d->mass[n + 1] = mass;
            if (decides(&left, column, mass, &last)) return last;
        }
    }
    if (spent) return last;
    int column = 0;
    double most = 0.0, others = 0.0;
    for (int j = 0; j < d->count_b; j++) {
        double mass = j == d->closed[0] || j == d->closed[1] ? 0.0 : d->b[j];
        int heavier = mass > most && j != d->column[0];
        others += heavier ? most : mass;
        column = heavier ? j : column;
        most = heavier ? mass : most;
    }
    double mass = d->left - others * d->total_a - established_at(d, column);
    if (mass > 0.0) {
        d->column[CANDIDATES + 1] = column;
        d->mass[CANDIDATES + 1] = mass;
        if (decides(&left, column, mass, &last)) return last;
    }
    return draw_from_plan(d, left, last);
}

// What X has drawn and what is known of both laws: total masses, and the heaviest slot of Y.
struct Given {
    int row, column;
    double total_a, total_b, highest;
};

#define OPEN_STILL (-3)

// The first stage: what no plan can avoid of the heaviest column; OPEN_STILL where that does not decide.
DEVICE int draw_unavoidable(const Given* g, double second, double of_row) {
    double mass = of_row * g->total_b, unavoidable = mass - g->total_a * (g->total_b - g->highest), left = second * mass;
    return unavoidable > 0.0 && left < unavoidable ? g->column : OPEN_STILL;
}

// The stages after it; NO_SOLUTION where the processors have to solve.
APART int draw_after(const Tables* t, const Overlap* o, const Given* g, double second, const double* a, int count_a, const double* b,
                     int count_b) {
    double mass = a[g->row] * g->total_b, unavoidable = mass - g->total_a * (g->total_b - g->highest), left = second * mass;
    Drawn d;
    d.tables = t;
    d.overlap = o;
    d.a = a;
    d.b = b;
    d.count_a = count_a;
    d.count_b = count_b;
    d.row = g->row;
    d.candidate = NONE;
    d.total_a = g->total_a;
    d.total_b = g->total_b;
    d.left = mass;
    for (int k = 0; k < CANDIDATES; k++) d.closed[k] = NONE;
    for (int k = 0; k < CANDIDATES + 2; k++) {
        d.column[k] = NONE;
        d.mass[k] = 0.0;
    }
    int last = NONE;
    if (unavoidable > 0.0) {
        d.column[0] = g->column;
        d.mass[0] = unavoidable;
        left -= unavoidable;
        last = g->column;
    }
    return draw_on(&d, left, last);
}

// Whether a step is drawn independently.
DEVICE int is_independent(Chance chance, double nugget) { return (double)chance.test < nugget * 4194304.0; }
