// What is seen of replicates: the settings of a launch, the summaries of a state (`estimator.rs`), the states that are kept
// (`atoms.rs`). A state is anything that tells its clusters (`clusters_of`, `size_in`) and where items are (`number_of`,
// `slot_of`).

// What came of a replicate.
#define MET 0
#define CENSORED 1
#define LEFT 2            // to a kernel of more slots: it outgrew its own
#define OUTLASTED 3       // to the processors: it has not met for long
#define ASIDE_APART 4     // for the next round
#define ASIDE_TOGETHER 5
#define UNDECIDED 6       // to the processors: masses have to be exact

// The settings of a launch, in their places (`pack.rs`).
enum Setting {
    SEED,
    LAG,
    BURN_IN,
    SWEEPS,
    CAP,          // a pair unmet by then is censored
    PATIENCE,     // a pair unmet by then is left to the processors
    ITEMS,
    REPLICATES,   // of this launch
    NUGGET,       // bits
    STARTS_EACH,  // 1 where each chain of each replicate has a start of its own
    ABREAST,      // 1 where chains set out together, without a lag, and are compared until they meet
    SUMMARIES,
    VALUES,       // numbers of a row
    COUNTED,      // numbers of clusters with a column of their own
    KEEP,         // states kept of a replicate
    KEEP_UNTIL,   // of replicates below this number
    FIRST_ROUND,  // sweeps of the first round, in which all take part
    NEAR,         // where in the words the neighbours are; 0 where there are none
    WORDS,        // where in the words those of the clusters are
    NUMBERS,      // where in the tables those of the clusters are
    MOVES,        // of a sweep; then two words each: which and how often
};

// Moves of a sweep.
enum Step { GIBBS, MERGE_SPLIT, MERGE_SPLIT_NEAR, SHUFFLE, SHUFFLE_NEAR, SPLIT_MERGE, SPLIT_MERGE_APART, MERGE_SPLIT_EVEN };

// Kinds of summaries; each is three words: kind and two arguments.
enum Kind { NUMBER_OF_CLUSTERS, TOP_SHARES, TOGETHER, ENTROPY };

struct Work {
    const u64* settings;
    const u32* summaries;
    const u8* start;      // a label an item, of X and of Y where each has its own
    const u64* numbers;   // of the replicates
    u64* outcomes;        // five words each: status, tau, sweeps, kernel calls, states seen
    double* values;
    double* kept_weights;
    u8* kept_labels;
};

// Gives the summaries of a state, one value after the other, to `take`.
template <typename State, typename Take>
DEVICE void evaluate(const Tables* t, const Work* w, const State* z, Take take) {
    int kinds = (int)w->settings[SUMMARIES];
    for (int k = 0; k < kinds; k++) {
        u32 kind = w->summaries[3 * k], first = w->summaries[3 * k + 1], second = w->summaries[3 * k + 2];
        if (kind == NUMBER_OF_CLUSTERS) {
            take((double)clusters_of(z));
        } else if (kind == TOGETHER) {
            take(number_of(z, (int)first) == number_of(z, (int)second) ? 1.0 : 0.0);
        } else if (kind == ENTROPY) {
            double sum = 0.0;
            for (int s = 0; s < clusters_of(z); s++) sum += t->p_ln_p[size_in(z, s)];
            take(-sum);
        } else {
            // The largest size, then the largest below it, and so on, each as often as it is there.
            u32 size = 0xFFFFFFFFu, times = 0, total = 0;
            for (u32 r = 0; r < first; r++) {
                if (times == 0) {
                    u32 below = size;
                    size = 0;
                    for (int s = 0; s < clusters_of(z); s++) {
                        u32 other = size_in(z, s);
                        if (other >= below || other < size) continue;
                        times = other > size ? 1 : times + 1;
                        size = other;
                    }
                }
                times -= times > 0;
                total += size;
                take((double)total / (double)t->items);
            }
        }
    }
}

// Adds `weight` times the summaries of a state to the sums of a replicate.
struct AddTo {
    double weight;
    double** sums;
    DEVICE_MEMBER void operator()(double value) { *(*sums)++ += weight * value; }
};

template <typename State>
DEVICE void observe(const Tables* t, const Work* w, double weight, const State* z, double* sums) {
    if (weight == 0.0) return;
    AddTo add = {weight, &sums};
    evaluate(t, w, z, add);
    int counted = (int)w->settings[COUNTED], column = clusters_of(z) - 1 < counted ? clusters_of(z) - 1 : counted;
    sums[column] += weight * 1.0;
}

// Of two chains that set out together: sums of what their summaries differ by, in the first sweep and in all (`poisson.rs`). Three
// numbers a summary: the two and one to remember.
struct Remember {
    double** values;
    DEVICE_MEMBER void operator()(double value) {
        (*values)[2] = value;
        *values += 3;
    }
};

struct AddDifference {
    double** values;
    int is_first;
    DEVICE_MEMBER void operator()(double value) {
        double* of = *values;
        of[1] += of[2] - value;
        if (is_first) of[0] = of[1];
        *values += 3;
    }
};

template <typename State>
DEVICE void compare(const Tables* t, const Work* w, const State* x, const State* y, u64 time, double* values) {
    double* of_x = values;
    Remember remember_x = {&of_x};
    evaluate(t, w, x, remember_x);
    AddDifference add = {&values, time == 0};
    evaluate(t, w, y, add);
}

// Offers a state to the reservoir of those that are kept.
template <typename State>
DEVICE void offer(const Work* w, u64 index, double weight, const State* z, u64 number, u64* seen) {
    u64 keep = w->settings[KEEP];
    if (weight == 0.0 || number >= w->settings[KEEP_UNTIL]) return;
    u64 place = (*seen)++;
    if (place >= keep) {
        u64 drawn = place - keep;
        Chance chance = chance_of((u32)(drawn / 2), 0, (u32)number, (u32)(number >> 32) << 8 | 6u, (u32)w->settings[SEED],
                                  (u32)(w->settings[SEED] >> 32));
        double uniform = drawn % 2 == 0 ? chance.first : chance.second;
        place = (u64)(uniform * (double)*seen);
        place = place < *seen - 1 ? place : *seen - 1;
    }
    if (place >= keep) return;
    int items = (int)w->settings[ITEMS];
    w->kept_weights[index * keep + place] = weight;
    u8* labels = w->kept_labels + (index * keep + place) * items;
    for (int item = 0; item < items; item++) labels[item] = (u8)slot_of(z, item);
}

// `Schedule::repeats`.
DEVICE u64 repeats(u64 t, u64 lag, u64 burn_in, u64 sweeps) {
    if (t < burn_in + lag) return 0;
    u64 first = (t - burn_in) / lag;
    u64 over = t > sweeps ? t - sweeps : 0;
    over = over > lag ? over : lag;
    return first + 1 - (over + lag - 1) / lag;
}

// The random words of a replicate, but for the sweep.
struct Address {
    u32 key0, key1, low, high;
};

// Where the tables are (`tables.rs`).
DEVICE Tables tables_of(const u64* settings, const u32* words, const double* tables, const i64* gains) {
    Tables t;
    t.items = (int)settings[ITEMS];
    t.alone = tables;
    t.join = t.alone + t.items;
    t.p_ln_p = t.join + t.items + 1;
    t.open = t.p_ln_p + t.items + 1;
    t.gains = gains;
    t.numbers = tables + settings[NUMBERS];
    t.words = words + settings[WORDS];
    return t;
}

// What all kernels are given.
#define PARAMETERS                                                                                                   \
    const u64 *settings, const u32 *summaries, const double *tables, const i64 *gains, const u8 *start,              \
        const u64 *numbers, u64 *outcomes, double *values, double *kept_weights, u8 *kept_labels, double *reals,     \
        u32 *whole, u8 *small, u64 *memory, u32 *list, u32 round

#define ARGUMENTS                                                                                                     \
    settings, summaries, tables, gains, start, numbers, outcomes, values, kept_weights, kept_labels, reals, whole, small, \
        memory, list, round
