// Gaussian clusters of known, equal spread in a group of lanes: what a visit reads and what a move changes.
//
// Where GRAM is set, the inner products of a block's items with all sums are in fast memory while the block is visited. A move
// brings those up to date at once; on other blocks it is remembered in a ring, and when a block is next visited, the moves since
// then are applied in their order: so each product has the sums of the engine. Where it is not set, each lane has its sum.

#if GRAM
DEVICE u32 entry_of(int item, int to, int from, int opened) {
    return (u32)item | (u32)to << 16 | (u32)from << 20 | (u32)opened << 31;
}

// Of an item that moved, the products with the packs of a block that this lane looks after.
#define MINE ((PACKS + GROUP - 1) / GROUP)
struct Row {
    Pack packs[MINE];
};

DEVICE int pack_of(const Place* p, int k) { return p->slot + k * GROUP; }

DEVICE Row row_in_block(const Model* m, const Place* p, int item, int block) {
    Row row;
    // At most 1024 items have inner products.
    const Pack* packs = (const Pack*)m->gram + ((u32)(item * m->blocks + block) * PACKS + (u32)p->slot);
#pragma unroll
    for (int k = 0; k < MINE; k++) {
        if (pack_of(p, k) < PACKS) row.packs[k] = look_up(packs + k * GROUP);
    }
    return row;
}

// Applies a move to the products of a block. What it took from a cluster that is no more goes nowhere: the column is free.
DEVICE void apply(const Place* p, Near* near, u32 entry, const Row* row) {
    Pack* to = (Pack*)near->products[entry >> 16 & 15] + p->slot;
    Pack* from = (Pack*)near->products[entry >> 20 & 15] + p->slot;
    int opened = entry >> 31;
#pragma unroll
    for (int k = 0; k < MINE; k++) {
        if (pack_of(p, k) >= PACKS) continue;
        Pack x = to[k * GROUP], y = from[k * GROUP];
        if (opened) x = Pack{};
#pragma unroll
        for (int j = 0; j < PACK; j++) {
            x.at[j] = x.at[j] + row->packs[k].at[j];
            y.at[j] = y.at[j] - row->packs[k].at[j];
        }
        to[k * GROUP] = x;
        from[k * GROUP] = y;
    }
}

// The numbers in use, as bits.
DEVICE u32 in_use(const Place* p, const Member* z) {
    u32 set = p->slot < z->clusters ? 1u << z->number : 0;
#pragma unroll
    for (int apart = 1; apart < GROUP; apart *= 2) set |= __shfl_xor_sync(EVERYONE, set, apart);
    return set;
}

// Products of a block between memory and fast memory.
template <int IN>
DEVICE void carry(const Place* p, Near* near, const Member* z, int on, int block) {
    u32 used = in_use(p, z);
    Pack* kept = (Pack*)(z->products + (u64)block * BLOCK * GROUP);
    for (int number = 0; number < GROUP; number++) {
        if (!on || !(used >> number & 1)) continue;
#pragma unroll
        for (int k = 0; k < MINE; k++) {
            int pack = pack_of(p, k);
            if (pack >= PACKS) continue;
            Pack *far = kept + number * PACKS + pack, *here = (Pack*)near->products[number] + pack;
            if (IN) send(here, far);
            else *far = *here;
        }
    }
}

// Moves that are read ahead together.
#define TOGETHER 4

// Applies the moves that a block has not seen.
DEVICE void catch_up(const Model* m, const Place* p, Near* near, const Member* z, int on, int block) {
    int places = ring_places(m), count = on ? (int)(z->tail - z->seen[block]) : 0;
    int most = (int)__reduce_max_sync(EVERYONE, (u32)count), first = z->place - count;
    first += first < 0 ? places : 0;
    for (int e = 0; e < most; e += GROUP) {
        int at = first + e + p->slot;
        at -= at >= places ? places : 0;
        u32 word = e + p->slot < count ? z->ring[at] : 0;
        if (e == 0) arrive();
        for (int j = 0; j < GROUP && e + j < most; j += TOGETHER) {
            u32 entry[TOGETHER];
            Row row[TOGETHER];
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) {
                entry[k] = __shfl_sync(EVERYONE, word, lane_of(p, j + k));
                if (e + j + k < count) row[k] = row_in_block(m, p, (int)(entry[k] & 0xFFFF), block);
            }
#pragma unroll
            for (int k = 0; k < TOGETHER; k++) {
                if (e + j + k < count) apply(p, near, entry[k], &row[k]);
            }
        }
    }
}
#endif

DEVICE void carry_labels(const Place* p, u32* from, u32* to, int on) {
    for (int w = p->slot; w < BLOCK / 4; w += GROUP)
        if (on) to[w] = from[w];
}

// Makes a block ready to be visited, and puts it away.
DEVICE void open_block(const Model* m, const Place* p, Near* near, const Member* z, int on, int block) {
    carry_labels(p, (u32*)(z->cluster + block * BLOCK), (u32*)near->labels, on);
#if GRAM
    carry<1>(p, near, z, on, block);
    catch_up(m, p, near, z, on, block);
    arrive();
#endif
    __syncwarp();
}

DEVICE void close_block(const Model* m, const Place* p, Near* near, const Member* z, int on, int block) {
    carry_labels(p, (u32*)near->labels, (u32*)(z->cluster + block * BLOCK), on);
#if GRAM
    carry<0>(p, near, z, on, block);
    if (on && p->slot == 0) z->seen[block] = z->tail;
#endif
    __syncwarp();
}

// The squared distance of an item from the posterior mean of the lane's cluster.
DEVICE real distance_of(const Model* m, const Near* near, const Member* z, int item, int at, real square) {
#if GRAM
    return square - z->of_size[SHRINK] * near->products[z->number][at] + z->square;
#else
    const Pack* row = (const Pack*)(m->rows + (u64)item * DIMENSION);
    real sums[8];
#pragma unroll
    for (int k = 0; k < 8; k++) sums[k] = (real)0;
#pragma unroll
    for (int first = 0; first < DIMENSION; first += PACK) {
        Pack pack = look_up(row + first / PACK);
#pragma unroll
        for (int j = 0; j < PACK; j++) {
            real difference = pack.at[j] - z->of_size[SHRINK] * z->sum[first + j];
            sums[(first + j) % 8] += difference * difference;
        }
    }
    real s0 = sums[0] + sums[4], s1 = sums[1] + sums[5], s2 = sums[2] + sums[6], s3 = sums[3] + sums[7];
    return (s0 + s2) + (s1 + s3);
#endif
}

#if GRAM
DEVICE real* sum_of(Near* near, const Member* z, int number) {
#if NEAR_SUMS
    return near->sums[number];
#else
    return z->sums + number * WIDE_ROW;
#endif
}

// Sums between memory and fast memory, where they are there.
template <int IN>
DEVICE void carry_sums(const Place* p, Near* near, const Member* z, int on) {
#if NEAR_SUMS
    Pack *far = (Pack*)z->sums, *here = (Pack*)near->sums;
    for (int k = p->slot; k < GROUP * WIDE_ROW / PACK; k += GROUP) {
        if (!on) break;
        if (IN) here[k] = far[k];
        else far[k] = here[k];
    }
    __syncwarp();
#endif
}

// |sum|^2 of all slots, each where its lane is.
DEVICE real squares_of_sums(const Model* m, const Place* p, Near* near, const Member* z, int on) {
    real square = (real)0;
    for (int s = 0; s < SLOTS; s++) {
        int number = __shfl_sync(EVERYONE, z->number, lane_of(p, s));
        const real* sum = sum_of(near, z, number) + (p->slot & 7);
        real mine = (real)0;
        if (on && s < z->clusters) {
#pragma unroll
            for (int c = 0; c < WIDE_ROW / 8; c++) mine += sum[8 * c] * sum[8 * c];
        }
        mine = sum_of_eight(mine);
        square = p->slot == s ? mine : square;
    }
    return square;
}

// Coordinates of a row that this lane looks after.
#define CHUNKS (WIDE_ROW / 8)

// Takes a row from one sum and adds it to another: |sum|^2 of both where their lanes are.
DEVICE real shift(const Place* p, Near* near, const Member* z, int moved, const real* row, int number_to, int number_from, int to,
                  int opened) {
    // Eight lanes do both, or eight each.
    real square[16 / GROUP];
#pragma unroll
    for (int side = 0; side < 16 / GROUP; side++) {
        int leaves = GROUP == 8 ? side : p->slot / 8;
        real* sum = sum_of(near, z, leaves ? number_from : number_to) + (p->slot & 7);
        real mine = (real)0;
        if (opened && !leaves) {
            for (int c = 0; c < CHUNKS; c++) sum[8 * c] = (real)0;
        }
        if (moved) {
#pragma unroll
            for (int c = 0; c < CHUNKS; c++) {
                real now = leaves ? sum[8 * c] - row[c] : sum[8 * c] + row[c];
                sum[8 * c] = now;
                mine += now * now;
            }
        }
        square[side] = mine;
    }
#pragma unroll
    for (int side = 0; side < 16 / GROUP; side++) square[side] = sum_of_eight(square[side]);
#if GROUP == 8
    return p->slot == to ? square[0] : square[1];
#else
    return __shfl_sync(EVERYONE, square[0], p->base + (p->slot == to ? 0 : 8));
#endif
}
#endif

// Puts an item into a slot, where `moved` is set; to == clusters opens one.
DEVICE void relocate(const Model* m, const Place* p, Near* near, Member* z, int moved, int closed, int item, int at, int from, int to) {
    int opened = moved && to == z->clusters, changes = moved && (p->slot == to || p->slot == from);
    // First what takes long to come.
    OfSize of_new_size;
    if (changes) of_new_size = of_size(m, p->slot == to ? z->size + 1 : z->size - 1);
#if GRAM
    Row products;
    real row[CHUNKS];
    if (moved) {
        products = row_in_block(m, p, item, item / BLOCK);
        const real* far = m->rows + (u64)item * WIDE_ROW + (p->slot & 7);
#pragma unroll
        for (int c = 0; c < CHUNKS; c++) row[c] = look_up(far + 8 * c);
    }
#endif
    // All have read what changes now.
    __syncwarp();
    int number_to = __shfl_sync(EVERYONE, z->number, lane_of(p, to));
    real square = (real)0;
#if GRAM
    int number_from = __shfl_sync(EVERYONE, z->number, lane_of(p, from));
    square = shift(p, near, z, moved, row, number_to, number_from, to, opened);
    if (moved) {
        u32 entry = entry_of(item, number_to, number_from, opened);
        apply(p, near, entry, &products);
        if (p->slot == 0) z->ring[z->place] = entry;
        z->tail++;
        z->place = z->place + 1 == ring_places(m) ? 0 : z->place + 1;
    }
#else
    if (changes) {
        const real* row = m->rows + (u64)item * DIMENSION;
#pragma unroll
        for (int d = 0; d < DIMENSION; d++) {
            real x = look_up(row + d);
            z->sum[d] = p->slot == to ? (opened ? (real)0 : z->sum[d]) + x : z->sum[d] - x;
        }
    }
#endif
    if (changes) {
        z->size = p->slot == to ? z->size + 1 : z->size - 1;
        follow(z, &of_new_size, square);
    }
    if (moved) {
        if (p->slot == 0) near->labels[at] = (u8)number_to;
        z->moves += z->moves != 0xFFFFFFFFu;
        z->clusters += opened;
    }
    if (__any_sync(EVERYONE, closed)) close_slot(p, z, closed, from);
    if (opened || closed) follow_clusters(m, z);
    __syncwarp();
}

// Builds the statistics anew from the labels in memory, whose numbers are known, where `on` is set.
APART void rebuild_apart(const Model* m, const Place* p, Near* near, Member* z, int on) {
    __syncwarp();
    u32 size = 0;
    for (int i = 0; i < m->items; i++) size += on && z->cluster[i] == z->number;
    real square = (real)0;
#if GRAM
    if (on) {
        z->tail = 0;
        z->place = 0;
    }
    int most = (int)__reduce_max_sync(EVERYONE, on ? (u32)z->clusters : 0);
    // Numbers are slots wherever a chain begins, but not later.
    for (int s = 0; s < most; s++) {
        int number = __shfl_sync(EVERYONE, z->number, lane_of(p, s)), takes = on && s < z->clusters;
        real* sum = sum_of(near, z, number) + (p->slot & 7);
        for (int first = 0; first < CHUNKS; first += 8) {
            real sums[8] = {};
#pragma unroll 4
            for (int i = 0; i < m->items; i++) {
                int adds = takes && z->cluster[i] == number;
                const real* row = m->rows + (u64)i * WIDE_ROW + 8 * first + (p->slot & 7);
#pragma unroll
                for (int c = 0; c < 8; c++) {
                    if (first + c < CHUNKS) sums[c] = adds ? sums[c] + look_up(row + 8 * c) : sums[c];
                }
            }
#pragma unroll
            for (int c = 0; c < 8; c++) {
                if (takes && first + c < CHUNKS && p->slot < 8) sum[8 * (first + c)] = sums[c];
            }
        }
        for (int block = 0; block < m->blocks; block++) {
            Row sums = {};
#pragma unroll 4
            for (int i = 0; i < m->items; i++) {
                int adds = takes && z->cluster[i] == number;
                Row row = row_in_block(m, p, i, block);
#pragma unroll
                for (int k = 0; k < MINE; k++) {
#pragma unroll
                    for (int j = 0; j < PACK; j++) {
                        real sum = sums.packs[k].at[j];
                        sums.packs[k].at[j] = adds ? sum + row.packs[k].at[j] : sum;
                    }
                }
            }
            Pack* kept = (Pack*)(z->products + (u64)block * BLOCK * GROUP) + number * PACKS;
#pragma unroll
            for (int k = 0; k < MINE; k++) {
                if (takes && pack_of(p, k) < PACKS) kept[pack_of(p, k)] = sums.packs[k];
            }
            if (takes && p->slot == 0) z->seen[block] = 0;
        }
    }
    __syncwarp();
    square = squares_of_sums(m, p, near, z, on);
#else
    if (on) {
#pragma unroll
        for (int d = 0; d < DIMENSION; d++) z->sum[d] = (real)0;
    }
    for (int i = 0; i < m->items; i++) {
        if (!on || z->cluster[i] != z->number) continue;
#pragma unroll
        for (int d = 0; d < DIMENSION; d++) z->sum[d] += look_up(m->rows + (u64)i * DIMENSION + d);
    }
#endif
    if (on) {
        z->moves = 0;
        z->size = size;
        OfSize found = of_size(m, size);
        follow(z, &found, square);
        follow_clusters(m, z);
    }
    __syncwarp();
}

// The same; what is given stays in registers.
DEVICE void rebuild(const Model* m, const Place* p, Near* near, Member* z, int on) {
    Model model = *m;
    Place place = *p;
    Member member = *z;
    rebuild_apart(&model, &place, near, &member, on);
    *z = member;
}
