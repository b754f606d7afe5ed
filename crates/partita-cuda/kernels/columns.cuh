// Tables of columns of any kinds, with gaps (`likelihood/mixed.rs`, `likelihood/beside.rs`): normal columns of unknown variance,
// counts, categories; beside them, or alone, columns that share a covariance matrix (`full.cuh`).
//
// A cluster's statistics, and what follows from them, are doubles; counts and sums of counts are whole. Small clusters lie in steps
// of LANES, beside those of other replicates. Where there are matrices each cluster lies together: what a replicate reads of
// one fills whole sectors of memory, wherever its neighbours read.

// Doubles of a cluster.
enum Normal { COUNT, SUM, SQUARE, MEAN, RATE, HALF_SHRINK, POWER, CONSTANT, OF_NORMAL };
enum Count { CELLS_SEEN, EVENTS, BASE, LOG_NEXT, OF_COUNT };
enum Tally { TIMES, LOG, OF_TALLY };
#define FIRST_COUNT (OF_NORMAL * NORMALS)
#define FIRST_LEVEL (FIRST_COUNT + OF_COUNT * COUNTS)
#define FIRST_TOTAL (FIRST_LEVEL + OF_TALLY * LEVELS)
#define FIRST_OF_BLOCK (FIRST_TOTAL + OF_TALLY * CATEGORIES)
#define OTHERS (NORMALS + COUNTS + CATEGORIES)
#define CELLS 1
#define STAT(c, k) ((c)[(k) * CLUSTER_STEP])
#if FULL
#define CLUSTER_STEP 1
#else
#define CLUSTER_STEP LANES
#define OF_BLOCK 0
#endif
#define CLUSTER (FIRST_OF_BLOCK + OF_BLOCK)
#define NORMAL(c, column, field) STAT(c, (column) * OF_NORMAL + (field))
#define TALLIED(c, column, field) STAT(c, FIRST_COUNT + (column) * OF_COUNT + (field))
#define LEVEL(c, level, field) STAT(c, FIRST_LEVEL + (level) * OF_TALLY + (field))
#define TOTAL(c, column, field) STAT(c, FIRST_TOTAL + (column) * OF_TALLY + (field))

// The tables. Doubles: of each normal column kappa, shape, rate; of each count column its shape; for each item the normal cells
// about their prior means, whether they are there, and the constant of its counts; then what the words point to. Words: where
// each column's, level's and total's table begins (of a count column two: by count, by sum), and that of `full.cuh`; for each item
// its counts and levels.
#define OF_PRIOR 3
#define ROW (2 * NORMALS + 1)
#define FIRST_ROW (OF_PRIOR * NORMALS + COUNTS)
#define STARTS (NORMALS + 2 * COUNTS + LEVELS + CATEGORIES + 1)
#define MISSING 0xFFFFFFFFu

DEVICE const double* prior_of(const Tables* t, int column) { return t->numbers + column * OF_PRIOR; }
DEVICE double shape_of_count(const Tables* t, int column) { return t->numbers[OF_PRIOR * NORMALS + column]; }
DEVICE const double* row_of(const Tables* t, int item) { return t->numbers + FIRST_ROW + (u64)item * ROW; }
DEVICE const u32* codes_of(const Tables* t, int item) { return t->words + STARTS + (u64)item * (COUNTS + CATEGORIES); }
DEVICE const double* table_at(const Tables* t, int which) { return t->numbers + t->words[which]; }
DEVICE const double* norms_of(const Tables* t, int column) { return table_at(t, column); }
// ln(b / (b + 1)), ln(b + 1), one beside the other by count.
DEVICE const double* logs_of_count(const Tables* t, int column) { return table_at(t, NORMALS + 2 * column); }
DEVICE const double* rising_of(const Tables* t, int column) { return table_at(t, NORMALS + 2 * column + 1); }
DEVICE const double* logs_of_level(const Tables* t, int level) { return table_at(t, NORMALS + 2 * COUNTS + level); }
DEVICE const double* logs_of_total(const Tables* t, int column) { return table_at(t, NORMALS + 2 * COUNTS + LEVELS + column); }

#if FULL
DEVICE const double* block_of(const Tables* t) { return table_at(t, STARTS - 1); }
#endif

DEVICE double* stats_of(const Chain* z, int number) { return z->stats + (u64)number * CLUSTER * CLUSTER_STEP; }

DEVICE void follow_normal(const Tables* t, double* c, int column) {
    const double* prior = prior_of(t, column);
    double n = NORMAL(c, column, COUNT), kappa = prior[0] + n, sum = NORMAL(c, column, SUM), mean = sum / kappa;
    double rate = prior[2] + 0.5 * (NORMAL(c, column, SQUARE) - sum * mean);
    rate = rate > prior[2] ? rate : prior[2];
    double power = prior[1] + 0.5 * n + 0.5;
    NORMAL(c, column, MEAN) = mean;
    NORMAL(c, column, RATE) = rate;
    NORMAL(c, column, HALF_SHRINK) = 0.5 * kappa / (kappa + 1.0);
    NORMAL(c, column, POWER) = power;
    NORMAL(c, column, CONSTANT) = norms_of(t, column)[(int)n] + (power - 0.5) * log_of(rate);
}

DEVICE void follow_count(const Tables* t, double* c, int column) {
    const double* logs = logs_of_count(t, column) + 2 * (int)TALLIED(c, column, CELLS_SEEN);
    TALLIED(c, column, BASE) = (shape_of_count(t, column) + TALLIED(c, column, EVENTS)) * logs[0];
    TALLIED(c, column, LOG_NEXT) = logs[1];
}

DEVICE void follow_tally(double* tally, const double* logs, double change) {
    double times = STAT(tally, TIMES) + change;
    STAT(tally, TIMES) = times;
    STAT(tally, LOG) = logs[(int)times];
}

// A cluster without items.
APART void clear_cluster(const Tables* t, double* c) {
#if FULL
    clear_block(block_of(t), c + FIRST_OF_BLOCK);
#endif
    for (int k = 0; k < FIRST_OF_BLOCK; k++) STAT(c, k) = 0.0;
    for (int column = 0; column < NORMALS; column++) follow_normal(t, c, column);
    for (int column = 0; column < COUNTS; column++) follow_count(t, c, column);
    for (int level = 0; level < LEVELS; level++) follow_tally(&LEVEL(c, level, 0), logs_of_level(t, level), 0.0);
    for (int column = 0; column < CATEGORIES; column++) follow_tally(&TOTAL(c, column, 0), logs_of_total(t, column), 0.0);
}

// Adds an item `sign` times: 1 or -1. A cell that is missing changes nothing.
APART void add_item(const Tables* t, double* c, int item, double sign) {
#if FULL
    add_row(block_of(t), c + FIRST_OF_BLOCK, full_row(block_of(t), t->items, item), sign);
#endif
    const double* row = row_of(t, item);
    const u32* codes = codes_of(t, item);
    for (int column = 0; column < NORMALS; column++) {
        if (row[NORMALS + column] == 0.0) continue;
        double x = row[column], count = NORMAL(c, column, COUNT) + sign;
        NORMAL(c, column, COUNT) = count;
        // What rounding left behind goes with the last cell.
        NORMAL(c, column, SUM) = count == 0.0 ? 0.0 : NORMAL(c, column, SUM) + sign * x;
        NORMAL(c, column, SQUARE) = count == 0.0 ? 0.0 : NORMAL(c, column, SQUARE) + sign * (x * x);
        follow_normal(t, c, column);
    }
    for (int column = 0; column < COUNTS; column++) {
        if (codes[column] == MISSING) continue;
        TALLIED(c, column, CELLS_SEEN) += sign;
        TALLIED(c, column, EVENTS) += sign * (double)codes[column];
        follow_count(t, c, column);
    }
    for (int column = 0; column < CATEGORIES; column++) {
        u32 level = codes[COUNTS + column];
        if (level == MISSING) continue;
        follow_tally(&LEVEL(c, level, 0), logs_of_level(t, (int)level), sign);
        follow_tally(&TOTAL(c, column, 0), logs_of_total(t, column), sign);
    }
}

// The log density of an item's columns given the items of a cluster but itself, which is among them (`inside`) or not.
APART double score_columns(const Tables* t, const double* c, int item, int inside) {
    const double* row = row_of(t, item);
    const u32* codes = codes_of(t, item);
    double sums[4] = {0.0, 0.0, 0.0, 0.0}, counts = 0.0, categories = 0.0;
    for (int first = 0; first < NORMALS; first += 4) {
#pragma unroll
        for (int lane = 0; lane < 4; lane++) {
            int column = first + lane;
            if (row[NORMALS + column] == 0.0) continue;
            double e = row[column] - NORMAL(c, column, MEAN), rate = NORMAL(c, column, RATE);
            double constant = NORMAL(c, column, CONSTANT), power = -NORMAL(c, column, POWER);
            if (inside) {
                const double *prior = prior_of(t, column), *norms = norms_of(t, column);
                double n = NORMAL(c, column, COUNT), kappa = prior[0] + n;
                rate = rate - 0.5 * kappa / (kappa - 1.0) * (e * e);
                rate = n > 1.0 && rate > prior[2] ? rate : prior[2];
                constant = norms[(int)n - 1] + norms[(int)n] - constant;
                power = -power - 1.0;
            } else {
                rate = rate + NORMAL(c, column, HALF_SHRINK) * (e * e);
            }
            sums[lane] += constant + power * log_of(rate);
        }
    }
    for (int column = 0; column < COUNTS; column++) {
        if (codes[column] == MISSING) continue;
        double x = (double)codes[column], events = TALLIED(c, column, EVENTS) - (inside ? x : 0.0);
        double base = TALLIED(c, column, BASE), log_next = TALLIED(c, column, LOG_NEXT);
        if (inside) {
            const double* logs = logs_of_count(t, column) + 2 * ((int)TALLIED(c, column, CELLS_SEEN) - 1);
            base = (shape_of_count(t, column) + events) * logs[0];
            log_next = logs[1];
        }
        const double* rising = rising_of(t, column) + (u64)events;
        counts += (rising[codes[column]] - rising[0]) + (base - x * log_next);
    }
    for (int column = 0; column < CATEGORIES; column++) {
        u32 level = codes[COUNTS + column];
        if (level == MISSING) continue;
        if (inside) {
            categories += logs_of_level(t, (int)level)[(int)LEVEL(c, level, TIMES) - 1] -
                          logs_of_total(t, column)[(int)TOTAL(c, column, TIMES) - 1];
        } else {
            categories += LEVEL(c, level, LOG) - TOTAL(c, column, LOG);
        }
    }
    return ((sums[0] + sums[2]) + (sums[1] + sums[3])) + ((counts + row[2 * NORMALS]) + categories);
}

// The same of all that an item has: where two kinds of columns are beside each other, the matrix comes first.
DEVICE double score(const Tables* t, const double* c, int item, int inside) {
#if !FULL
    return score_columns(t, c, item, inside);
#elif !OTHERS
    return score_row(block_of(t), c + FIRST_OF_BLOCK, t->items, item, inside);
#else
    return score_row(block_of(t), c + FIRST_OF_BLOCK, t->items, item, inside) + score_columns(t, c, item, inside);
#endif
}

APART void recall(const Tables* t, Chain* z, const u32* sizes) {
    for (int k = 0; k < z->numbers; k++) SIZE(z, k) = sizes[k];
}

APART void rebuild(const Tables* t, Chain* z) {
    z->moves = 0;
    z->head = z->length = 0;
    TEAM_SYNC();
    EACH_TASK(k, z->numbers) {
        SIZE(z, k) = 0;
        clear_cluster(t, stats_of(z, k));
    }
    // Each lane adds the items of its own clusters.
    for (int item = 0; item < t->items; item++) {
        int number = z->cluster[item * LANES];
        if (number % TEAM != LANE_OF_TEAM) continue;
        add_item(t, stats_of(z, number), item, 1.0);
        SIZE(z, number)++;
    }
    TEAM_SYNC();
}

DEVICE void fetch(const Chain* z, int item, double* fetched) {}

DEVICE void weigh(const Tables* t, Chain* z, int item, int own, const double* fetched, double* weights) {
    const double nothing = double_of(0xFFF0000000000000ull);
    int clusters = z->clusters;
    double own_prior, fresh;
    own_and_fresh(t, z, SIZE(z, at(&z->number, own)), &own_prior, &fresh);
    for (int s = 0; s <= SLOTS; s++) weights[s] = nothing;
#if TEAM == 1
    double* shown = weights;
#else
    double* shown = z->board;
#endif
    EACH_TASK(s, clusters) {
        int number = at(&z->number, s);
        const double* c = stats_of(z, number);
        shown[s] = (s == own ? own_prior : t->join[SIZE(z, number)]) + score(t, c, item, s == own);
    }
    if (LANE_OF_TEAM == clusters % TEAM) shown[clusters] = fresh + t->alone[item];
#if TEAM == 1
    exponentiate(weights, clusters);
#else
    TEAM_SYNC();
    double highest = shown[0], *relative = shown + SLOTS + 1;
    for (int s = 1; s <= clusters; s++) highest = shown[s] > highest ? shown[s] : highest;
    EACH_TASK(s, clusters + 1) relative[s] = exp_of(shown[s] - highest);
    TEAM_SYNC();
    EACH_SLOT(s, clusters) {
        if (s <= clusters) weights[s] = relative[s];
    }
#endif
}

DEVICE void relocate(const Tables* t, Chain* z, int item, int into, u32 size_into, int out_of, u32 size_out_of, int opened) {
    EACH_TASK(n, size_out_of ? 2 : 1) {
        double* c = stats_of(z, n ? out_of : into);
        if (n == 0 && opened) clear_cluster(t, c);
        add_item(t, c, item, n ? -1.0 : 1.0);
    }
}

#if SIDES
// A cluster that belongs to no chain, for moves that try out. All lanes know its size; its statistics are for one to change.
struct Loose {
    double* stats;
    u32 size;
};

DEVICE void loose_empty(const Tables* t, Loose* c) { clear_cluster(t, c->stats); }

DEVICE void loose_put(const Tables* t, Loose* c, int item, double sign) { add_item(t, c->stats, item, sign); }

DEVICE void loose_take(const Tables* t, Loose* c, const Chain* z, int number) {
    const double* stats = stats_of(z, number);
    c->size = SIZE(z, number);
    EACH_TASK(k, CLUSTER) STAT(c->stats, k) = STAT(stats, k);
}

DEVICE void loose_give(const Tables* t, const Loose* c, Chain* z, int number) {
    double* stats = stats_of(z, number);
    EACH_TASK(k, CLUSTER) STAT(stats, k) = STAT(c->stats, k);
}

// The log density of an item outside (0) of the cluster, or inside (1) and not counted.
DEVICE double loose_score(const Tables* t, const Loose* c, int item, double product, int side) {
    return score(t, c->stats, item, side);
}
#endif
