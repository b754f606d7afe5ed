// A chain in a group of lanes of a warp: lane s holds what is known of slot s, and the lane behind the last slot is the new
// cluster. Groups of a warp run their chains in step, item by item.
//
// Given by whoever compiles it, beside what base.cuh wants: GROUP (lanes of a chain, 8 or 16; SLOTS is one less) and FLOAT (1
// for single precision). Without a card, lanes take turns at each exchange (`tests/same_bits/warp.h`).

#if FLOAT
typedef float real;
#else
typedef double real;
#endif

#define EVERYONE 0xFFFFFFFFu
#define GROUPS (LANES / GROUP)
#define GROUP_BITS ((1u << GROUP) - 1)

// Items are visited in blocks of so many. Memory is read and written in packs of 16 bytes.
#define BLOCK 32
#define PACK (16 / (int)sizeof(real))
#define PACKS (BLOCK / PACK)

struct alignas(16) Pack {
    real at[PACK];
};

// Coordinates of a row in memory. Where GRAM is set sums of squares are taken by eight lanes, a coordinate in eight each.
#define WIDE_ROW (GRAM ? (DIMENSION + 7) / 8 * 8 : DIMENSION)

// Where it has room for them, fast memory has the sums.
#define NEAR_SUMS (GRAM && LANES * WIDE_ROW * (FLOAT ? 4 : 8) <= 16384)

// What a table says. Nobody writes tables, so that their numbers can be asked for early.
DEVICE real look_up(const real* at) {
#ifdef __CUDACC__
    return __ldg(at);
#else
    return *at;
#endif
}

DEVICE Pack look_up(const Pack* at) {
#ifndef __CUDACC__
    return *at;
#elif FLOAT
    float4 x = __ldg((const float4*)at);
    return Pack{{x.x, x.y, x.z, x.w}};
#else
    double2 x = __ldg((const double2*)at);
    return Pack{{x.x, x.y}};
#endif
}

// Copies a pack from memory to fast memory without waiting for it; `arrive` waits for all.
DEVICE void send(Pack* to, const Pack* from) {
#ifdef __CUDACC__
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"((u32)__cvta_generic_to_shared(to)), "l"(from) : "memory");
#else
    *to = *from;
#endif
}

DEVICE void arrive() {
#ifdef __CUDACC__
    asm volatile("cp.async.wait_all;" ::: "memory");
#endif
}

// Lets others go on for a while.
DEVICE void rest() {
#ifdef __CUDACC__
    __nanosleep(5000);
#endif
}

// The clusters' tables (`tables.rs`), one after the other, each from a multiple of BLOCK on.
struct alignas(2 * sizeof(real)) Self {
    real alone, square;
};

struct Model {
    int items, blocks;
    const real* open;   // log prior weight of a new cluster, by clusters
    const Self* self;   // of each item: log density given nothing, squared length
    const real* sizes;  // eight by size
    const real* rows;   // WIDE_ROW an item
    const real* gram;   // blocks * BLOCK an item
};

// What depends on the size of a cluster: for an item outside, then for a member that is left out.
enum BySize { JOIN, NORM, HALF, SHRINK, SHRINK_SQUARED, OWN_JOIN, OWN_NORM, OWN_HALF, OF_SIZE };

DEVICE Model model_of(const Tables* t) {
    const real* numbers = (const real*)t->numbers;
    Model m;
    m.items = t->items;
    m.blocks = (t->items + BLOCK - 1) / BLOCK;
    int items = m.blocks * BLOCK, sizes = (t->items + 1) * OF_SIZE;
    m.open = numbers;
    m.self = (const Self*)(m.open + BLOCK);
    m.sizes = (const real*)(m.self + items);
    m.rows = m.sizes + (sizes + BLOCK - 1) / BLOCK * BLOCK;
    m.gram = m.rows + (t->items * WIDE_ROW + BLOCK - 1) / BLOCK * BLOCK;
    return m;
}

// Fast memory of a group. Columns of products are a pack apart, so that slots read them from different banks.
#define COLUMN (BLOCK + PACK)
struct alignas(16) Near {
    alignas(16) double weights[2][GROUP];
#if GRAM
    alignas(16) real products[GROUP][COLUMN];
#if NEAR_SUMS
    alignas(16) real sums[GROUP][WIDE_ROW];
#endif
#endif
    alignas(16) u8 labels[BLOCK];
    u32 sizes[GROUP];  // by slot, for summaries
    u8 slots[GROUP];   // by number, likewise
};

// Where a lane is.
struct Place {
    int lane, slot, base;
};

// What a lane knows of its chain and of its slot. Lanes behind the slots hold numbers that are free.
struct Member {
    int clusters;
    u32 moves;
    real fresh, fresh_less;  // log prior weight of a new cluster beside the clusters, or beside all but one
    int number;
    u32 size;
    real of_size[OF_SIZE], square;
#if GRAM
    u32 tail;  // moves since the ring began
    int place; // where in the ring the next one goes
#else
    real sum[DIMENSION];
#endif
    // In memory.
    real* products;  // a block after the other, in it by number
    real* sums;      // WIDE_ROW by number
    u32* ring;
    u32* seen;       // of each block, how many moves its products have in them
    u32* kept;       // numbers and sizes by slot, between two kernels
    u8* cluster;     // the number of each item
};

// Lengths of what a chain has in memory (`room.rs`).
DEVICE u64 reals_of(const Model* m) {
    u64 length = (GRAM ? (u64)m->blocks * BLOCK * GROUP : 0) + GROUP * WIDE_ROW;
    return (length + BLOCK - 1) / BLOCK * BLOCK;
}

DEVICE int ring_places(const Model* m) { return GRAM ? m->blocks * BLOCK : 0; }

DEVICE u64 words_of(const Model* m) {
    u64 length = ring_places(m) + (GRAM ? m->blocks : 0) + 2 * GROUP;
    return (length + BLOCK - 1) / BLOCK * BLOCK;
}

DEVICE void find_memory(const Model* m, Member* z, u64 chain, real* reals, u32* whole, u8* small) {
    z->products = reals + chain * reals_of(m);
    z->sums = z->products + (GRAM ? m->blocks * BLOCK * GROUP : 0);
    z->ring = whole + chain * words_of(m);
    z->seen = z->ring + ring_places(m);
    z->kept = z->seen + (GRAM ? m->blocks : 0);
    z->cluster = small + chain * m->blocks * BLOCK;
}

DEVICE int lane_of(const Place* p, int slot) { return p->base + (slot & (GROUP - 1)); }

// Whether something holds for lanes of the group.
DEVICE u32 votes(const Place* p, int holds) { return __ballot_sync(EVERYONE, holds) >> p->base & GROUP_BITS; }

DEVICE real largest(real x) {
#pragma unroll
    for (int apart = 1; apart < GROUP; apart *= 2) {
        real other = __shfl_xor_sync(EVERYONE, x, apart);
        x = other > x ? other : x;
    }
    return x;
}

// The sum of what eight lanes have, in the engine's order (`distance.rs`).
DEVICE real sum_of_eight(real x) {
    x += __shfl_xor_sync(EVERYONE, x, 4);
    x += __shfl_xor_sync(EVERYONE, x, 2);
    return x + __shfl_xor_sync(EVERYONE, x, 1);
}

// What depends on the size of a cluster.
struct OfSize {
    Pack packs[OF_SIZE / PACK];
};

DEVICE OfSize of_size(const Model* m, u32 size) {
    OfSize found;
    const Pack* packs = (const Pack*)(m->sizes + size * OF_SIZE);
#pragma unroll
    for (int k = 0; k < OF_SIZE / PACK; k++) found.packs[k] = look_up(packs + k);
    return found;
}

// Brings what depends on the size and on |sum|^2 up to date.
DEVICE void follow(Member* z, const OfSize* found, real square_of_sum) {
#pragma unroll
    for (int k = 0; k < OF_SIZE; k++) z->of_size[k] = found->packs[k / PACK].at[k % PACK];
    z->square = z->of_size[SHRINK_SQUARED] * square_of_sum;
}

DEVICE void follow_clusters(const Model* m, Member* z) {
    z->fresh = look_up(m->open + z->clusters);
    z->fresh_less = look_up(m->open + (z->clusters > 0 ? z->clusters - 1 : 0));
}

// What a visit to an item needs to know of it.
struct Visit {
    int from;    // its slot
    int single;  // whether it is alone there
};

DEVICE Visit visit_of(const Place* p, const Member* z, int label) {
    int own = z->number == label;
    u32 from = votes(p, own), single = votes(p, own && z->size == 1);
    Visit visit = {from ? lowest_bit(from) : 0, single != 0};
    return visit;
}

DEVICE real exp_of_real(real x) {
#if !FLOAT
    return exp_of(x);
#elif defined(__CUDACC__)
    return __expf(x);
#else
    return __builtin_expf(x);
#endif
}

// The weight of an item in the lane's slot, the highest of the group being 1 (`math.rs`).
DEVICE real weigh(const Place* p, const Member* z, real distance, int own, int single, real alone) {
    real prior = own ? (single ? z->fresh_less : z->of_size[OWN_JOIN]) : z->of_size[JOIN];
    real norm = own ? z->of_size[OWN_NORM] : z->of_size[NORM], half = own ? z->of_size[OWN_HALF] : z->of_size[HALF];
    const real nothing = (real)double_of(0xFFF0000000000000ull);
    real out = prior + (norm - half * distance);
    out = p->slot == z->clusters ? (single ? nothing : z->fresh + alone) : out;
    out = p->slot > z->clusters ? nothing : out;
    real highest = largest(out);
    return p->slot <= z->clusters ? exp_of_real(out - highest) : (real)0;
}

// A uniform below 1, and not rounded up to it.
DEVICE real below_one(double uniform) {
#if FLOAT
    uniform = (double)(float)uniform > uniform ? uniform * (1.0 - 1.0 / 8388608.0) : uniform;
#endif
    return (real)uniform;
}

// The slot into which a uniform falls, by the weights of all lanes of the group in their order (`chance.rs`).
template <typename Mass>
DEVICE int draw_of_group(Mass uniform, const Mass* weights, Mass* total) {
    Mass running[GROUP];
    running[0] = weights[0];
#pragma unroll
    for (int k = 1; k < GROUP; k++) running[k] = running[k - 1] + weights[k];
    *total = running[GROUP - 1];
    Mass mark = uniform * *total;
    int below = 0;
#pragma unroll
    for (int k = 0; k < GROUP; k++) below += running[k] <= mark;
    return below;
}

#if FLOAT
// The same in single precision, whose sums may come in any order. They may not grow from lane to lane: the first lane with a weight
// counts whose sum is above the mark, and where rounding leaves none, the item stays.
DEVICE int draw_by_scan(const Place* p, float uniform, float weight, int stays) {
    float sum = weight;
#pragma unroll
    for (int apart = 1; apart < GROUP; apart *= 2) {
        float before = __shfl_sync(EVERYONE, sum, lane_of(p, p->slot - apart));
        sum += p->slot >= apart ? before : 0.0f;
    }
    float mark = uniform * __shfl_sync(EVERYONE, sum, p->base + GROUP - 1);
    u32 above = votes(p, sum > mark && weight > 0.0f);
    return above ? lowest_bit(above) : stays;
}
#endif

// The last slot takes the place of one that has become empty; its number is free.
DEVICE void close_slot(const Place* p, Member* z, int closes, int from) {
    int last = z->clusters - 1, with = p->lane;
    if (closes) with = lane_of(p, p->slot == from ? last : p->slot == last ? from : p->slot);
    z->number = __shfl_sync(EVERYONE, z->number, with);
    z->size = __shfl_sync(EVERYONE, z->size, with);
    z->square = __shfl_sync(EVERYONE, z->square, with);
#pragma unroll
    for (int k = 0; k < OF_SIZE; k++) z->of_size[k] = __shfl_sync(EVERYONE, z->of_size[k], with);
#if !GRAM
#pragma unroll
    for (int d = 0; d < DIMENSION; d++) z->sum[d] = __shfl_sync(EVERYONE, z->sum[d], with);
#endif
    z->clusters -= closes;
}
