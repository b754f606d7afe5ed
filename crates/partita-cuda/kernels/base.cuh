// Words, numbers and the two elementary functions of the engine, operation by operation as crates/partita has them.
//
// The source is CUDA C++ and, for tests without a card, plain C++. No multiplication may be fused with an addition (--fmad=false,
// -ffp-contract=off).
//
// Given by whoever compiles it: SLOTS (clusters of a chain at most), VI (1 where gains are those of the variation of
// information), SIDES (1 where sweeps have moves of two clusters), SCANS (those of a split-merge move; 0 where sweeps have no such
// move), COLUMNS (1 for tables of columns of any kinds, 0 for Gaussian clusters of known spread); for Gaussian clusters DIMENSION (a
// padded row) and GRAM (1 where clusters keep inner products, 0 where distances are taken from coordinates); for columns NORMALS
// (normal ones, padded), COUNTS, CATEGORIES and LEVELS (of all categories together), FULL (those that share a covariance matrix);
// MANY (1 where there are more items than 16 bits can count).

#ifdef __CUDACC__
#define DEVICE static __device__ __forceinline__
#define DEVICE_MEMBER __device__ __forceinline__
#define APART static __device__ __noinline__
#else
#define DEVICE static inline
#define DEVICE_MEMBER inline
#define APART static
#endif

typedef unsigned char u8;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef long long i64;

// A number of items that two clusters share: as short as may be, because it lies in fast memory.
#if MANY
typedef u32 Shared;
#else
typedef unsigned short Shared;
#endif

// Lanes of a warp that run a replicate together (`columns.cuh`, `sides.cuh`). All do the same with copies of their own of what is
// small; of what lies in memory for all, tasks are divided among them, each of which writes what no other lane reads or writes until
// all have come to the next `TEAM_SYNC`. A team of one is a thread that knows of no others.
#ifndef TEAM
#define TEAM 1
#endif
#define WARP 32
#if TEAM == 1
#define LANE_OF_TEAM 0
#define TEAM_SYNC() ((void)0)
#elif defined(__CUDACC__)
#define LANE_OF_TEAM ((int)threadIdx.x % TEAM)
#define TEAM_MASK (((1u << TEAM) - 1) << ((int)threadIdx.x % WARP / TEAM * TEAM))
#define TEAM_SYNC() __syncwarp(TEAM_MASK)
#define FROM_FIRST(x) __shfl_sync(TEAM_MASK, x, 0, TEAM)
#else
#define LANE_OF_TEAM (warp::lane)
#define TEAM_SYNC() __syncwarp()
#define FROM_FIRST(x) __shfl_sync(0, x, 0)
#endif
#define IS_FIRST (LANE_OF_TEAM == 0)
#define EACH_TASK(n, count) for (int n = LANE_OF_TEAM; n < (count); n += TEAM)

// Replicates whose numbers lie beside each other in memory: those of a warp, where threads are alone.
#if TEAM == 1
#define LANES WARP
#else
#define LANES 1
#endif

// Few slots are looked at all at once, the last of them and those behind it; what belongs to them lies in fast memory.
#define FAST (SLOTS <= 15)
#if FAST
#define EACH_SLOT(s, last) _Pragma("unroll") for (int s = 0; s <= SLOTS; s++)
#else
#define EACH_SLOT(s, last) _Pragma("unroll 1") for (int s = 0; s <= (last); s++)
#endif

DEVICE u64 bits_of(double x) {
#ifdef __CUDACC__
    return (u64)__double_as_longlong(x);
#else
    u64 bits;
    __builtin_memcpy(&bits, &x, 8);
    return bits;
#endif
}

DEVICE double double_of(u64 bits) {
#ifdef __CUDACC__
    return __longlong_as_double((i64)bits);
#else
    double x;
    __builtin_memcpy(&x, &bits, 8);
    return x;
#endif
}

DEVICE u32 bits_of_float(float x) {
#ifdef __CUDACC__
    return __float_as_uint(x);
#else
    u32 bits;
    __builtin_memcpy(&bits, &x, 4);
    return bits;
#endif
}

// The next free place of a list whose first word counts them.
DEVICE u32 next_place(u32* list) {
#ifdef __CUDACC__
    return atomicAdd(list, 1u);
#else
    return (*list)++;
#endif
}

DEVICE int lowest_bit(u32 set) {
#ifdef __CUDACC__
    return __ffs((int)set) - 1;
#else
    return __builtin_ctz(set);
#endif
}

// Numbers that instructions can read where they are.
#ifdef __CUDACC__
#define IN_PLACE static __constant__
#else
#define IN_PLACE static const
#endif

IN_PLACE double EXP[] = {
    -708.0,       1.44269504088896340736, 6755399441055744.0, 6.931471803691238e-1, 1.9082149292705877e-10,
    1.0 / 2.0,    1.0 / 6.0,              1.0 / 24.0,         1.0 / 120.0,          1.0 / 720.0,
    1.0 / 5040.0, 1.0 / 40320.0,          1.0 / 362880.0,     1.0 / 3628800.0,      1.0 / 39916800.0,
    1.0 / 479001600.0, 1.0 / 6227020800.0,
};

// `math.rs`: exp(x) for x <= 0, zero below -708.
DEVICE double exp_of(double x) {
    double clamped = x > EXP[0] ? x : EXP[0];
    double shifted = clamped * EXP[1] + EXP[2];
    double k = shifted - EXP[2];
    double r = (clamped - k * EXP[3]) - k * EXP[4];
    double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    double p01 = 1.0 + r;
    double p23 = EXP[5] + r * EXP[6];
    double p45 = EXP[7] + r * EXP[8];
    double p67 = EXP[9] + r * EXP[10];
    double p89 = EXP[11] + r * EXP[12];
    double pab = EXP[13] + r * EXP[14];
    double pcd = EXP[15] + r * EXP[16];
    double polynomial = (p01 + r2 * p23) + r4 * (p45 + r2 * p67) + r8 * ((p89 + r2 * pab) + r4 * pcd);
    double power = double_of((bits_of(shifted) << 52) + (1023ull << 52));
    return x > EXP[0] ? polynomial * power : 0.0;
}

// `special.rs`: ln(x) of a positive, normal x.
DEVICE double log_of(double x) {
    const u64 sqrt_half = 0x3FE6A09E667F3BCDull, one = 0x3FF0000000000000ull;
    u64 shifted = bits_of(x) + (one - sqrt_half);
    double k = double_of((shifted >> 52) | 0x4330000000000000ull) - (4503599627370496.0 + 1023.0);
    double m = double_of((shifted & 0x000FFFFFFFFFFFFFull) + sqrt_half);
    double f = m - 1.0, s = f / (f + 2.0), z = s * s, z2 = z * z, z4 = z2 * z2;
    double low = (2.0 / 3.0 + z * (2.0 / 5.0)) + z2 * (2.0 / 7.0 + z * (2.0 / 9.0));
    double high = (2.0 / 11.0 + z * (2.0 / 13.0)) + z2 * (2.0 / 15.0 + z * (2.0 / 17.0));
    double series = low + z4 * (high + z4 * (2.0 / 19.0));
    return k * 6.931471803691238e-1 + (2.0 * s + (s * z * series + k * 1.9082149292705877e-10));
}

// `rng.rs`: the chance of one item-step.
struct Chance {
    double first, second;
    u32 test;
};

DEVICE Chance chance_of(u32 item, u32 sweep, u32 replicate, u32 last, u32 key0, u32 key1) {
    u32 c0 = item, c1 = sweep, c2 = replicate, c3 = last;
    for (int round = 0; round < 10; round++) {
        u64 p0 = (u64)c0 * 0xD2511F53u, p1 = (u64)c2 * 0xCD9E8D57u;
        u32 n0 = (u32)(p1 >> 32) ^ c1 ^ key0, n2 = (u32)(p0 >> 32) ^ c3 ^ key1;
        c1 = (u32)p1;
        c3 = (u32)p0;
        c0 = n0;
        c2 = n2;
        key0 += 0x9E3779B9u;
        key1 += 0xBB67AE85u;
    }
    u64 first = (u64)c0 << 32 | c1, second = (u64)c2 << 32 | c3;
    const double unit = 1.0 / 9007199254740992.0;
    Chance chance;
    chance.first = (double)(first >> 11) * unit;
    chance.second = (double)(second >> 11) * unit;
    chance.test = (u32)((first & 0x7FF) << 11 | (second & 0x7FF));
    return chance;
}

DEVICE double total_of(const double* masses, int count) {
    double total = masses[0];
    for (int k = 1; k < count; k++) total += masses[k];
    return total;
}

// `chance.rs`: the index into which a uniform falls.
DEVICE int pick_below(double uniform, double total, const double* masses, int count) {
    double mark = uniform * total, running = 0.0;
    int below = 0;
    for (int k = 0; k < count; k++) {
        running += masses[k];
        below += running <= mark;
    }
    return below;
}

// What all replicates share: the prior and the clusters' tables (`gaussian.cuh`, `columns.cuh`).
struct Tables {
    int items;
    const double* alone;    // log density of each item given nothing
    const double* join;     // log prior weight by size
    const double* open;     // log prior weight of a new cluster, by clusters
    const double* p_ln_p;   // of the share of a cluster, by size
    const i64* gains;       // by shared items, where VI is set
    const double* numbers;  // of the clusters
    const u32* words;       // likewise
};

// What a placement changed.
struct Move {
    int moved, from, to, opened, closed;
};

// Moves after which statistics are built anew at the end of a sweep (`mixture.rs`); rounding comes sooner in single precision.
#if FLOAT
#define MOVES_BEFORE_REFRESH 16384u
#else
#define MOVES_BEFORE_REFRESH 65536u
#endif
