// Optimal transport of any size up to the slots, as the general solver finds it (`transport.rs`, `greedy.rs`, `simplex.rs`),
// decision by decision: the greedy plan, then pivots on strongly feasible trees. Where masses would have to be exact
// (`wide.rs`) the replicate goes back to the processors.

#define ROUNDING 1e-14
#define PIVOTS_PER_LINE 64
#define MOST_LINES (SLOTS + 1)

// A problem of the lines that carry mass. Nodes are the rows and then the columns.
struct General {
    const Tables* tables;
    const Shared* overlap;  // in rows of WIDTH
    int rows, columns;
    u8 row_index[MOST_LINES], column_index[MOST_LINES];
    double a[MOST_LINES], b[MOST_LINES], row_left[MOST_LINES], column_left[MOST_LINES];
    double best[MOST_LINES];  // the largest key among the open columns of a row, or a larger one that is out of date
    u8 row_open[MOST_LINES], column_open[MOST_LINES];
    int column_bits;
    u64 mask;
    int count;
    u8 row[2 * MOST_LINES], column[2 * MOST_LINES], closes_row[2 * MOST_LINES];
    double flow[2 * MOST_LINES];
    i64 duals[2 * MOST_LINES];
    u8 parent[2 * MOST_LINES], depth[2 * MOST_LINES], arc[2 * MOST_LINES];
};

DEVICE i64 gain_of(const General* g, int i, int j) {
    const Tables* t = g->tables;
    (void)t;
    return GAIN(t, g->overlap[g->row_index[i] * WIDTH + g->column_index[j]]);
}

DEVICE int bits_for(int count) {
    int bits = 0;
    while (1 << bits < count) bits++;
    return bits;
}

// `Layout`: a number with the order of gains whose lowest bits hold row and column.
DEVICE double key_of(const General* g, int i, int j) {
    u64 bits = bits_of((double)(2 * gain_of(g, i, j) + 1)), cell = (u64)i << g->column_bits | (u64)j;
    return double_of((bits | g->mask) ^ cell);
}

DEVICE double largest_below(const General* g, double bound) {
    double most = double_of(0xFFF0000000000000ull);
    for (int i = 0; i < g->rows; i++)
        if (g->row_open[i] && g->best[i] < bound && g->best[i] > most) most = g->best[i];
    return most;
}

DEVICE double largest_open_below(const General* g, double bound, int i) {
    double most = double_of(0xFFF0000000000000ull);
    for (int j = 0; j < g->columns; j++) {
        if (!g->column_open[j]) continue;
        double key = key_of(g, i, j);
        if (key < bound && key > most) most = key;
    }
    return most;
}

DEVICE void put_general(General* g, int i, int j, double mass, int closes_row) {
    if (g->count == g->rows + g->columns - 1) return;
    g->row[g->count] = (u8)i;
    g->column[g->count] = (u8)j;
    g->closes_row[g->count] = (u8)closes_row;
    g->flow[g->count++] = mass;
}

// A near tie: 0 where the correction would be too much for the heavier line.
APART int rebalance(General* g, int i, int j, double* mass, int* closes_row) {
    double x = g->row_left[i], y = g->column_left[j], supply = 0.0, demand = 0.0;
    g->row_left[i] = g->column_left[j] = 0.0;
    for (int k = 0; k < g->rows; k++) supply += g->row_left[k];
    for (int k = 0; k < g->columns; k++) demand += g->column_left[k];
    g->row_left[i] = x;
    g->column_left[j] = y;
    double surplus = demand - supply;
    if (distance_of(surplus, 0.0) <= ROUNDING * (demand + supply)) surplus = 0.0;
    int row_is_heavier = g->a[i] >= g->b[j];
    double heavier = row_is_heavier ? g->a[i] : g->b[j];
    if (distance_of(x - y - surplus, 0.0) > HARMLESS * heavier) return 0;
    if (surplus < 0.0) {
        *mass = row_is_heavier ? y + surplus : x;
        if (*mass < 0.0) return 0;
        g->row_left[i] = 0.0;
        g->column_left[j] = -surplus;
        *closes_row = 1;
    } else {
        *mass = row_is_heavier ? y : x - surplus;
        if (*mass <= 0.0) return 0;
        g->row_left[i] = surplus;
        g->column_left[j] = 0.0;
        *closes_row = 0;
    }
    return 1;
}

DEVICE void settle_cell(General* g, int i, int j, double* mass, int* closes_row) {
    double x = g->row_left[i], y = g->column_left[j], heavier = g->b[j] > g->a[i] ? g->b[j] : g->a[i];
    if (distance_of(x, y) <= HARMLESS * heavier && rebalance(g, i, j, mass, closes_row)) return;
    *mass = x < y ? x : y;
    *closes_row = x < y;
    g->row_left[i] = x - *mass;
    g->column_left[j] = y - *mass;
}

DEVICE int heaviest_open(const double* masses, const u8* open, int count) {
    int line = 0;
    double most = 0.0;
    for (int k = 0; k < count; k++) {
        int heavier = open[k] && masses[k] > most;
        line = heavier ? k : line;
        most = heavier ? masses[k] : most;
    }
    return line;
}

// The greedy plan; 0 where a line does not get its mass.
APART int walk_greedily(General* g) {
    int open_rows = g->rows, open_columns = g->columns;
    g->count = 0;
    g->column_bits = bits_for((g->columns + 3) / 4 * 4);
    g->mask = (1ull << (bits_for(g->rows) + g->column_bits)) - 1;
    for (int j = 0; j < g->columns; j++) g->column_open[j] = 1;
    double infinity = double_of(0x7FF0000000000000ull);
    for (int i = 0; i < g->rows; i++) {
        g->row_open[i] = 1;
        g->best[i] = largest_open_below(g, infinity, i);
    }
    double key = largest_below(g, infinity);
    while (open_rows > 1 && open_columns > 1) {
        u64 cell = ~bits_of(key) & g->mask;
        int i = (int)(cell >> g->column_bits), j = (int)(cell & ((1ull << g->column_bits) - 1));
        double other = largest_below(g, key), next = largest_open_below(g, key, i);
        if (g->column_open[j]) {
            double mass;
            int closes_row;
            settle_cell(g, i, j, &mass, &closes_row);
            put_general(g, i, j, mass, closes_row);
            g->column_open[j] = (u8)closes_row;
            g->row_open[i] = (u8)!closes_row;
            open_rows -= closes_row;
            open_columns -= !closes_row;
        }
        g->best[i] = next;
        key = g->row_open[i] && next > other ? next : other;
    }
    int last_row = heaviest_open(g->a, g->row_open, g->rows), last_column = heaviest_open(g->b, g->column_open, g->columns);
    if (open_rows > 1) {
        for (int i = 0; i < g->rows; i++) {
            if (i == last_row || !g->row_open[i]) continue;
            g->column_left[last_column] -= g->row_left[i];
            put_general(g, i, last_column, g->row_left[i], 1);
        }
    } else if (open_columns > 1) {
        for (int j = 0; j < g->columns; j++) {
            if (j == last_column || !g->column_open[j]) continue;
            g->row_left[last_row] -= g->column_left[j];
            put_general(g, last_row, j, g->column_left[j], 0);
        }
    }
    double x = g->row_left[last_row], y = g->column_left[last_column];
    double mass = g->a[last_row] >= g->b[last_column] ? y : x;
    mass = mass > 0.0 ? mass : 0.0;
    put_general(g, last_row, last_column, mass, 1);
    return distance_of(x, mass) <= HARMLESS * g->a[last_row] && distance_of(y, mass) <= HARMLESS * g->b[last_column];
}

// The line that closed with an arc hangs from the arc's other line: duals and the tree, backwards.
APART void grow(General* g) {
    int root = g->rows + g->column[g->count - 1];
    g->duals[root] = 0;
    g->depth[root] = 0;
    g->parent[root] = g->arc[root] = 255;
    for (int arc = g->count - 1; arc >= 0; arc--) {
        int row = g->row[arc], column = g->rows + g->column[arc];
        int child = g->closes_row[arc] ? row : column, parent = g->closes_row[arc] ? column : row;
        g->duals[child] = gain_of(g, row, g->column[arc]) - g->duals[parent];
        g->parent[child] = (u8)parent;
        g->arc[child] = (u8)arc;
        g->depth[child] = (u8)(g->depth[parent] + 1);
    }
}

// The cell that exceeds its duals most in the first row, from `start` on and round, that has such a cell.
DEVICE int entering_from(const General* g, int start, int* row, int* column) {
    start = start < g->rows ? start : g->rows;
    for (int n = 0; n < g->rows; n++) {
        int i = start + n < g->rows ? start + n : start + n - g->rows, exceeds = 0;
        i64 worst = 0;
        for (int j = 0; j < g->columns; j++) {
            i64 slack = g->duals[i] + g->duals[g->rows + j] - gain_of(g, i, j);
            if (slack < worst) {
                worst = slack;
                *column = j;
                exceeds = 1;
            }
        }
        *row = i;
        if (exceeds) return 1;
    }
    return 0;
}

APART void pivot_general(General* g, int i, int j) {
    int row = i, column = g->rows + j, s = row, t = column, from_row = -1, from_column = -1;
    while (s != t) {
        if (g->depth[s] >= g->depth[t]) {
            if (s < g->rows && (from_row < 0 || g->flow[g->arc[s]] < g->flow[g->arc[from_row]])) from_row = s;
            s = g->parent[s];
        } else {
            if (t >= g->rows && (from_column < 0 || g->flow[g->arc[t]] <= g->flow[g->arc[from_column]])) from_column = t;
            t = g->parent[t];
        }
    }
    int apex = s;
    // The column's side comes after the row's, so it wins a tie.
    int cut_at_row = from_column < 0 || (from_row >= 0 && g->flow[g->arc[from_row]] < g->flow[g->arc[from_column]]);
    int leaving = cut_at_row ? from_row : from_column, place = g->arc[leaving];
    double moved = g->flow[place];
    if (moved > 0.0) {
        for (int k = row; k != apex; k = g->parent[k]) g->flow[g->arc[k]] += k < g->rows ? -moved : moved;
        for (int k = column; k != apex; k = g->parent[k]) g->flow[g->arc[k]] += k < g->rows ? moved : -moved;
    }
    i64 excess = gain_of(g, i, j) - g->duals[row] - g->duals[column];
    g->flow[place] = moved;
    g->row[place] = (u8)i;
    g->column[place] = (u8)j;
    g->closes_row[place] = (u8)cut_at_row;
    // The part cut off hangs from its end of the entering arc, so links on the way to the leaving arc turn round.
    int top = cut_at_row ? row : column, parent = cut_at_row ? column : row, k = top, arc = place;
    for (;;) {
        int old_parent = g->parent[k], old_arc = g->arc[k], is_last = k == leaving;
        g->parent[k] = (u8)parent;
        g->arc[k] = (u8)arc;
        if (is_last) break;
        parent = k;
        arc = old_arc;
        k = old_parent;
    }
    i64 row_shift = cut_at_row ? excess : -excess;
    for (int node = 0; node < g->rows + g->columns; node++) {
        int depth = 0, below = 0;
        for (int up = node; up != 255; up = g->parent[up]) {
            depth += g->parent[up] != 255;
            below |= up == top;
        }
        if (!below) continue;
        g->depth[node] = (u8)depth;
        g->duals[node] += node < g->rows ? row_shift : -row_shift;
    }
}

// An optimal plan of masses whose zeros do not count; 0 where they would have to be exact.
APART int solve_general(General* g, const double* a, int rows, const double* b, int columns) {
    g->rows = g->columns = 0;
    for (int i = 0; i < rows; i++) {
        if (!(a[i] > 0.0)) continue;
        g->row_index[g->rows] = (u8)i;
        g->a[g->rows] = g->row_left[g->rows] = a[i];
        g->rows++;
    }
    for (int j = 0; j < columns; j++) {
        if (!(b[j] > 0.0)) continue;
        g->column_index[g->columns] = (u8)j;
        g->b[g->columns] = g->column_left[g->columns] = b[j];
        g->columns++;
    }
    if (!walk_greedily(g)) return 0;
    grow(g);
    int limit = PIVOTS_PER_LINE * (g->rows + g->columns), cursor = 0, i = 0, j = 0;
    for (int pivots = 0; entering_from(g, cursor, &i, &j); pivots++) {
        if (pivots == limit) return 0;
        cursor = i + 1;
        pivot_general(g, i, j);
    }
    return 1;
}
