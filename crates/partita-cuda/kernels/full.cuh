// Columns that share a covariance matrix, one for each cluster (`likelihood/full.rs`, `full/cholesky.rs`): FULL of them.
//
// A cluster's statistics lie together, behind those of other columns; matrices are lower triangles, column after column. What the
// processors do to zeros around them changes no number, and is left out.

#define TRIANGLE (FULL * (FULL + 1) / 2)
enum Block { ROWS_SEEN, CHANGES, HALF_LOG_DET, ROW_SUM };
#define ROW_MEAN (ROW_SUM + FULL)
#define RECIPROCAL (ROW_MEAN + FULL)
#define PRODUCTS (RECIPROCAL + FULL)
#define FACTOR (PRODUCTS + TRIANGLE)
#define OF_BLOCK (FACTOR + TRIANGLE)

// A row of so many columns is kept in registers.
#if FULL <= 16
#define EACH_COLUMN _Pragma("unroll")
#else
#define EACH_COLUMN _Pragma("unroll 1")
#endif

// Where column j of a triangle begins: at its diagonal.
DEVICE int diagonal_of(int j) { return j * FULL - j * (j - 1) / 2; }

// The tables: kappa, degrees; the prior's scale and its factor; for each number of rows the constant; for each item the log
// density given nothing, and then the rows, of which one that is missing is NaN.
DEVICE const double* scale_of(const double* block) { return block + 2; }
DEVICE const double* root_of(const double* block) { return block + 2 + TRIANGLE; }
DEVICE double norm_of(const double* block, double n) { return block[2 + 2 * TRIANGLE + (int)n]; }
DEVICE double row_alone(const double* block, int items, int item) { return block[3 + 2 * TRIANGLE + items + item]; }
DEVICE const double* full_row(const double* block, int items, int item) {
    return block + 3 + 2 * TRIANGLE + 2 * items + (u64)item * FULL;
}

DEVICE double sqrt_of(double x) {
#ifdef __CUDACC__
    return __dsqrt_rn(x);
#else
    return __builtin_sqrt(x);
#endif
}

// A factor is built anew after so many changes, or where a change takes away more than this of a squared pivot.
#define CHANGES_BEFORE_REFACTOR 512.0
#define SMALLEST_SHARE 1e-4

// What depends on the factor.
APART void follow_factor(double* c) {
    double half_log_det = 0.0;
    for (int j = 0; j < FULL; j++) {
        double pivot = c[FACTOR + diagonal_of(j)];
        c[RECIPROCAL + j] = 1.0 / pivot;
        half_log_det += log_of(pivot);
    }
    c[HALF_LOG_DET] = half_log_det;
}

APART void clear_block(const double* block, double* c) {
    for (int k = 0; k < FACTOR; k++) c[k] = 0.0;
    for (int k = 0; k < TRIANGLE; k++) c[FACTOR + k] = root_of(block)[k];
    follow_factor(c);
}

// The factor of scale + products - kappa mean mean', from scratch; no pivot is below that of the prior's.
APART void refactor(const double* block, double* c) {
    double kappa = block[0] + c[ROWS_SEEN];
    double* factor = c + FACTOR;
    c[CHANGES] = 0.0;
    for (int j = 0; j < FULL; j++) {
        int own = diagonal_of(j) - j;
        for (int i = j; i < FULL; i++) {
            double centred = c[PRODUCTS + own + i] - kappa * c[ROW_MEAN + i] * c[ROW_MEAN + j];
            factor[own + i] = scale_of(block)[own + i] + centred;
        }
        for (int e = 0; e < j; e++) {
            int earlier = diagonal_of(e) - e;
            double share = factor[earlier + j];
            for (int i = j; i < FULL; i++) factor[own + i] -= share * factor[earlier + i];
        }
        double lowest = root_of(block)[own + j], square = factor[own + j];
        double pivot = square > lowest * lowest ? sqrt_of(square) : lowest;
        factor[own + j] = pivot;
        for (int i = j + 1; i < FULL; i++) factor[own + i] /= pivot;
    }
}

// Turns the factor of P into that of P + sign v v'; 0, and it is spoilt, where that would lose too many digits.
DEVICE int rank_one(double* factor, double* v, double sign) {
    EACH_COLUMN for (int j = 0; j < FULL; j++) {
        double *column = factor + diagonal_of(j), pivot = column[0], x = v[j];
        double square = sign > 0.0 ? pivot * pivot + x * x : (pivot - x) * (pivot + x);
        if (square < SMALLEST_SHARE * pivot * pivot || square != square) return 0;
        double root = sqrt_of(square), c = root / pivot, s = x / pivot, inverse = pivot / root;
        column[0] = root;
        EACH_COLUMN for (int i = j + 1; i < FULL; i++) {
            double l = (column[i - j] + sign * s * v[i]) * inverse;
            v[i] = c * v[i] - s * l;
            column[i - j] = l;
        }
    }
    return 1;
}

// Adds a row `sign` times: 1 or -1.
APART void add_row(const double* block, double* c, const double* row, double sign) {
    if (row[0] != row[0]) return;
    double before = block[0] + c[ROWS_SEEN], weight = sqrt_of(before / (before + sign)), v[FULL];
    double count = c[ROWS_SEEN] + sign, kappa = block[0] + count;
    if (count == 0.0) {
        clear_block(block, c);
        return;
    }
    c[ROWS_SEEN] = count;
    EACH_COLUMN for (int d = 0; d < FULL; d++) {
        v[d] = (row[d] - c[ROW_MEAN + d]) * weight;
        double sum = c[ROW_SUM + d] + sign * row[d];
        c[ROW_SUM + d] = sum;
        c[ROW_MEAN + d] = sum / kappa;
    }
    double* products = c + PRODUCTS;
    for (int j = 0; j < FULL; j++) {
        double share = sign * row[j];
        for (int i = j; i < FULL; i++) products[i - j] += share * row[i];
        products += FULL - j;
    }
    double changes = c[CHANGES] + 1.0;
    c[CHANGES] = changes;
    if (changes >= CHANGES_BEFORE_REFACTOR || !rank_one(c + FACTOR, v, sign)) refactor(block, c);
    follow_factor(c);
}

// The squared distance of a row from the mean, by the factor: forward substitution, column by column.
APART double square_from_mean(const double* c, const double* row) {
    double v[FULL], sum = 0.0;
    EACH_COLUMN for (int d = 0; d < FULL; d++) v[d] = row[d] - c[ROW_MEAN + d];
    EACH_COLUMN for (int j = 0; j < FULL; j++) {
        double y = v[j] * c[RECIPROCAL + j];
        sum += y * y;
        EACH_COLUMN for (int i = j + 1; i < FULL; i++) v[i] += -y * c[FACTOR + diagonal_of(j) + i - j];
    }
    return sum;
}

// The log density of an item's row given the rows of a cluster but its own, which is among them (`inside`) or not. No row is so far
// out that squares overflow.
DEVICE double score_row(const double* block, const double* c, int items, int item, int inside) {
    const double* row = full_row(block, items, item);
    if (row[0] != row[0]) return 0.0;
    double n = c[ROWS_SEEN] - (inside ? 1.0 : 0.0), kappa = block[0] + n;
    if (inside && n == 0.0) return row_alone(block, items, item);
    double q = (inside ? (kappa + 1.0) / kappa : kappa / (kappa + 1.0)) * square_from_mean(c, row);
    // Below 1 but for rounding.
    double left = q < 1.0 - 1e-15 ? 1.0 - q : 1e-15;
    double power = inside ? 0.5 * (block[1] + n) : -(0.5 * (block[1] + n + 1.0));
    return norm_of(block, n) - c[HALF_LOG_DET] + power * log_of(inside ? left : 1.0 + q);
}
