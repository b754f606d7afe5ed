// A warp on a processor: 32 lanes that take turns, each up to its next exchange with the others. Stands before the kernels' source.
//
// Lanes must come to the same exchanges in the same order; one that does not is found out and ends the program.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ucontext.h>

namespace warp {
// Those of a team alone, where there are teams: they know nothing of each other.
#ifdef TEAM
const int lanes = TEAM;
#else
const int lanes = 32;
#endif
const int stack = 1 << 18;
static int lane, generation[lanes];
// Whose turn is next: at every other start the other way round, so that a lane that has to wait for another one is found out.
static int step = -1, last;
static uint64_t value[2][lanes];
static int line_of[2][lanes];
static void (*body)();

#ifdef __x86_64__
// Registers that a call keeps are all that a switch has to keep.
static void *stack_of[lanes], *stack_of_caller;
extern "C" void partita_switch(void** from, void* to);
asm(".text\n.local partita_switch\npartita_switch:\n push %rbp\n push %rbx\n push %r12\n push %r13\n push %r14\n push %r15\n"
    " mov %rsp,(%rdi)\n mov %rsi,%rsp\n pop %r15\n pop %r14\n pop %r13\n pop %r12\n pop %rbx\n pop %rbp\n ret\n");
static void go(int from, int to) { partita_switch(&stack_of[from], stack_of[to]); }
static void go_back(int from) { partita_switch(&stack_of[from], stack_of_caller); }
#else
static ucontext_t context_of[lanes], context_of_caller;
static void go(int from, int to) { swapcontext(&context_of[from], &context_of[to]); }
static void go_back(int from) { swapcontext(&context_of[from], &context_of_caller); }
#endif

static void next() {
    int mine = lane;
    lane = (lane + step + lanes) % lanes;
    go(mine, lane);
}

// Leaves a value for the others; once all have, tells where they lie.
static const uint64_t* exchange(uint64_t mine, int line) {
    int turn = generation[lane]++ & 1;
    value[turn][lane] = mine;
    line_of[turn][lane] = line;
    next();
    for (int k = 0; k < lanes; k++) {
        if (line_of[turn][k] != line) {
            fprintf(stderr, "lane %d is at line %d, lane %d at %d\n", lane, line, k, line_of[turn][k]);
            abort();
        }
    }
    return value[turn];
}

static void enter() {
    body();
    int mine = lane;
    if (mine == last) go_back(mine);
    lane = mine + step;
    go(mine, lane);
    abort();
}

static void run(void (*what)()) {
    static char* memory = (char*)aligned_alloc(64, (size_t)lanes * stack);
    body = what;
    step = -step;
    lane = step > 0 ? 0 : lanes - 1;
    last = lanes - 1 - lane;
    for (int k = 0; k < lanes; k++) {
        char* bottom = memory + (size_t)k * stack;
#ifdef __x86_64__
        void** top = (void**)(bottom + stack - 64);
        *--top = nullptr;
        *--top = (void*)enter;
        for (int r = 0; r < 6; r++) *--top = nullptr;
        stack_of[k] = top;
#else
        getcontext(&context_of[k]);
        context_of[k].uc_stack.ss_sp = bottom;
        context_of[k].uc_stack.ss_size = stack;
        makecontext(&context_of[k], enter, 0);
#endif
        generation[k] = 0;
    }
#ifdef __x86_64__
    partita_switch(&stack_of_caller, stack_of[lane]);
#else
    swapcontext(&context_of_caller, &context_of[lane]);
#endif
}

template <typename T>
static uint64_t bits(T x) {
    uint64_t all = 0;
    memcpy(&all, &x, sizeof x);
    return all;
}

template <typename T>
static T of_lane(T mine, int from, int line) {
    uint64_t all = exchange(bits(mine), line)[from & 31];
    T x;
    memcpy(&x, &all, sizeof x);
    return x;
}

static unsigned ballot(int holds, int line) {
    const uint64_t* all = exchange(holds != 0, line);
    unsigned set = 0;
    for (int k = 0; k < lanes; k++) set |= (unsigned)all[k] << k;
    return set;
}

static unsigned most(unsigned mine, int line) {
    const uint64_t* all = exchange(mine, line);
    unsigned most = 0;
    for (int k = 0; k < lanes; k++) most = all[k] > most ? (unsigned)all[k] : most;
    return most;
}
}  // namespace warp

#define __shfl_sync(all, x, from) warp::of_lane((x), (from), __LINE__)
#define __shfl_xor_sync(all, x, apart) warp::of_lane((x), warp::lane ^ (apart), __LINE__)
#define __ballot_sync(all, holds) warp::ballot((holds), __LINE__)
#define __any_sync(all, holds) (warp::ballot((holds), __LINE__) != 0)
#define __reduce_max_sync(all, x) warp::most((x), __LINE__)
#define __syncwarp() ((void)warp::ballot(1, __LINE__))
#define __threadfence() ((void)0)

static inline unsigned atomicAdd(unsigned* at, unsigned more) {
    unsigned was = *at;
    *at += more;
    return was;
}

static inline unsigned atomicExch(unsigned* at, unsigned now) {
    unsigned was = *at;
    *at = now;
    return was;
}

static inline unsigned atomicCAS(unsigned* at, unsigned from, unsigned to) {
    unsigned was = *at;
    if (was == from) *at = to;
    return was;
}
