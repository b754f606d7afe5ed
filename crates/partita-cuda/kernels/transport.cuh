// Optimal transport of at most SIDE lines a side, as `transport/small.rs` solves it, decision by decision.
//
// What is left to the general solver there (masses so nearly equal that rounding could decide, pivots in which two arcs
// block, more lines) is left to it here, too (`general.cuh`).

// Shared items by slot of X and slot of Y, in rows of so many; one row and one column past the last are zero.
#define WIDTH (SLOTS + 1)

#define SIDE 8
#define LINES (2 * SIDE)
#define ARCS LINES
#define HARMLESS 1e-10
#define MOST_PIVOTS 256
#define COVERS_ALL (1ll << 60)

#if VI
#define GAIN(t, shared) ((t)->gains[shared])
#else
#define GAIN(t, shared) ((i64)(shared))
#endif

// An optimal plan as a spanning tree of the lines that carry mass. Lines are the rows and then, from SIDE on, the columns.
struct Small {
    i64 gains[SIDE][SIDE];
    u8 row[ARCS], column[ARCS];
    double flow[ARCS];
    int count;
    u32 hangs_row;
    i64 duals[LINES];
    double row_left[SIDE], column_left[SIDE];
    u32 open_rows, open_columns;
    int near_tie;
};

DEVICE int is_single(u32 open) { return (open & (open - 1)) == 0; }

DEVICE double distance_of(double x, double y) { return x < y ? y - x : x - y; }

// Puts what a row or a column has left on their cell and closes it.
DEVICE void put(Small* s, int i, int j, int closes_row) {
    double mass = closes_row ? s->row_left[i] : s->column_left[j];
    s->row_left[i] -= mass;
    s->column_left[j] -= mass;
    s->row[s->count] = (u8)i;
    s->column[s->count] = (u8)j;
    s->flow[s->count] = mass;
    if (closes_row) {
        s->open_rows &= ~(1u << i);
        s->hangs_row |= 1u << s->count;
    } else {
        s->open_columns &= ~(1u << j);
    }
    s->count++;
}

DEVICE void note_near_tie(Small* s, int i, int j, const double* a, const double* b) {
    double heavier = a[i] > b[j] ? a[i] : b[j];
    s->near_tie |= distance_of(s->row_left[i], s->column_left[j]) <= HARMLESS * heavier;
}

DEVICE int heaviest(const double* masses, int count, u32 open) {
    int heaviest = 0;
    double most = 0.0;
    for (int k = 0; k < count; k++) {
        int heavier = (open >> k & 1) && masses[k] > most;
        heaviest = heavier ? k : heaviest;
        most = heavier ? masses[k] : most;
    }
    return heaviest;
}

// The open cell of the highest key: a gain as far as 18 bits of it tell, then the first cell. -1 where none gains.
DEVICE int best_open_cell(const Small* s, int rows, int columns) {
    u32 best = 0;
    for (int i = 0; i < rows; i++) {
        if (!(s->open_rows >> i & 1)) continue;
        for (int j = 0; j < columns; j++) {
            i64 gain = s->gains[i][j];
            u32 key = (bits_of_float((float)gain) | 63u) ^ (u32)(i * SIDE + j);
            int better = (s->open_columns >> j & 1) && gain > 0 && key > best;
            best = better ? key : best;
        }
    }
    return best ? (int)(~best & 63u) : -1;
}

// The greedy plan; 0 where rounding could decide.
DEVICE int walk(Small* s, const double* a, int rows, const double* b, int columns) {
    s->open_rows = s->open_columns = s->hangs_row = 0;
    s->count = s->near_tie = 0;
    for (int i = 0; i < rows; i++) {
        s->row_left[i] = a[i];
        s->open_rows |= (u32)(a[i] > 0.0) << i;
    }
    for (int j = 0; j < columns; j++) {
        s->column_left[j] = b[j];
        s->open_columns |= (u32)(b[j] > 0.0) << j;
    }
    while (!is_single(s->open_rows) && !is_single(s->open_columns)) {
        int cell = best_open_cell(s, rows, columns);
        if (cell < 0) break;
        int i = cell / SIDE, j = cell % SIDE;
        int closes_row = s->row_left[i] < s->column_left[j];
        note_near_tie(s, i, j, a, b);
        put(s, i, j, closes_row);
    }
    // What is left gains nothing, or has to go to the last line of a side. The heaviest come last.
    int last_row = heaviest(a, rows, s->open_rows), last_column = heaviest(b, columns, s->open_columns);
    for (;;) {
        u32 other_rows = s->open_rows & ~(1u << last_row), other_columns = s->open_columns & ~(1u << last_column);
        if ((other_rows | other_columns) == 0) break;
        int i = other_rows == 0 ? last_row : lowest_bit(other_rows);
        int j = other_columns == 0 ? last_column : lowest_bit(other_columns);
        int is_free = other_rows != 0 && other_columns != 0;
        int closes_row = is_free ? s->row_left[i] < s->column_left[j] : other_columns == 0;
        if (is_free) note_near_tie(s, i, j, a, b);
        put(s, i, j, closes_row);
    }
    double x = s->row_left[last_row], y = s->column_left[last_column];
    put(s, last_row, last_column, a[last_row] < b[last_column]);
    double mass = s->flow[s->count - 1];
    // The root is the column of the last arc.
    s->hangs_row |= 1u << (s->count - 1);
    return !s->near_tie && mass >= 0.0 && distance_of(x, mass) <= HARMLESS * a[last_row] &&
           distance_of(y, mass) <= HARMLESS * b[last_column];
}

// The line that hangs by an arc, and the line it hangs from.
DEVICE void ends_of(const Small* s, int arc, int* child, int* parent) {
    int row = s->row[arc], column = SIDE + s->column[arc];
    int hangs_row = s->hangs_row >> arc & 1;
    *child = hangs_row ? row : column;
    *parent = hangs_row ? column : row;
}

DEVICE void set_duals(Small* s) {
    for (int line = 0; line < LINES; line++) s->duals[line] = COVERS_ALL;
    s->duals[SIDE + s->column[s->count - 1]] = 0;
    for (int arc = s->count - 1; arc >= 0; arc--) {
        int child, parent;
        ends_of(s, arc, &child, &parent);
        s->duals[child] = s->gains[s->row[arc]][s->column[arc]] - s->duals[parent];
    }
}

// The cell that exceeds its duals most, or -1: of several the first column, in it the first row.
DEVICE int entering(const Small* s, int rows, int columns) {
    i64 worst = 0;
    int cell = -1;
    for (int j = 0; j < columns; j++) {
        for (int i = 0; i < rows; i++) {
            i64 slack = s->duals[i] + s->duals[SIDE + j] - s->gains[i][j];
            if (slack < worst) {
                worst = slack;
                cell = i * SIDE + j;
            }
        }
    }
    return cell;
}

// Brings a cell into the tree; 0 if two arcs block.
DEVICE int pivot(Small* s, int i, int j, u32* ways) {
    u32 from_row = ways[i] & ~ways[SIDE + j], from_column = ways[SIDE + j] & ~ways[i];
    u32 falls = (from_row & s->hangs_row) | (from_column & ~s->hangs_row);
    u32 rises = (from_row | from_column) & ~falls;
    double moved = 0.0;
    u32 blocking = 0;
    for (u32 left = falls; left != 0; left &= left - 1) {
        int arc = lowest_bit(left);
        double flow = s->flow[arc];
        if (blocking == 0 || flow < moved) {
            blocking = 1u << arc;
            moved = flow;
        } else if (flow == moved) {
            blocking |= 1u << arc;
        }
    }
    if (blocking == 0 || !is_single(blocking)) return 0;
    int leaving = lowest_bit(blocking);
    for (u32 left = falls; left != 0; left &= left - 1) s->flow[lowest_bit(left)] -= moved;
    for (u32 left = rises; left != 0; left &= left - 1) s->flow[lowest_bit(left)] += moved;
    // The part cut off hangs by its end of the new arc, so arcs on the way from there to the leaving one turn round.
    int cut_at_row = from_row >> leaving & 1;
    int end = cut_at_row ? i : SIDE + j, other = cut_at_row ? SIDE + j : i, top, parent;
    ends_of(s, leaving, &top, &parent);
    s->hangs_row ^= ways[end] & ~ways[top];
    s->hangs_row = (s->hangs_row & ~(1u << leaving)) | (u32)cut_at_row << leaving;
    i64 excess = s->gains[i][j] - s->duals[i] - s->duals[SIDE + j];
    i64 row_shift = cut_at_row ? excess : -excess;
    u32 turn = ways[end], above = ways[other] | 1u << leaving;
    for (int line = 0; line < LINES; line++) {
        if (ways[line] >> leaving & 1) {
            s->duals[line] += line < SIDE ? row_shift : -row_shift;
            ways[line] = (ways[line] ^ turn) | above;
        }
    }
    s->row[leaving] = (u8)i;
    s->column[leaving] = (u8)j;
    s->flow[leaving] = moved;
    return 1;
}

// An optimal plan of the gains that are set; 0 where the general solver is needed.
APART int solve(Small* s, const double* a, int rows, const double* b, int columns) {
    if (!walk(s, a, rows, b, columns)) return 0;
    set_duals(s);
    int cell = entering(s, rows, columns);
    if (cell < 0) return 1;
    u32 ways[LINES];
    for (int line = 0; line < LINES; line++) ways[line] = 0;
    for (int arc = s->count - 1; arc >= 0; arc--) {
        int child, parent;
        ends_of(s, arc, &child, &parent);
        ways[child] = ways[parent] | 1u << arc;
    }
    for (int pivots = 0; pivots < MOST_PIVOTS; pivots++) {
        if (!pivot(s, cell / SIDE, cell % SIDE, ways)) return 0;
        cell = entering(s, rows, columns);
        if (cell < 0) return 1;
    }
    return 0;
}
