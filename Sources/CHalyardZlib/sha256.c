#include "sha256.h"

#include <stdatomic.h>
#include <string.h>

static const uint32_t constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotated(uint32_t word, int count) { return word >> count | word << (32 - count); }

static uint32_t word_at(const uint8_t *bytes) {
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

// Mixes whole blocks of 64 bytes into the state (section 6.2.2).
static void mix_portably(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32_t words[64];
        for (int i = 0; i < 16; i++) words[i] = word_at(bytes + 4 * i);
        for (int i = 16; i < 64; i++) {
            uint32_t early = words[i - 15], late = words[i - 2];
            words[i] = words[i - 16] + words[i - 7] + (rotated(early, 7) ^ rotated(early, 18) ^ early >> 3)
                + (rotated(late, 17) ^ rotated(late, 19) ^ late >> 10);
        }
        uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
        uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
        for (int i = 0; i < 64; i++) {
            uint32_t first = h + (rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)) + ((e & f) ^ (~e & g))
                + constants[i] + words[i];
            uint32_t second = (rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
            h = g, g = f, f = e, e = d + first, d = c, c = b, b = a, a = first + second;
        }
        state[0] += a, state[1] += b, state[2] += c, state[3] += d;
        state[4] += e, state[5] += f, state[6] += g, state[7] += h;
    }
}

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

static int has_instructions(void) {
    unsigned a, b, c, d;
    if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & bit_SSSE3) || !(c & bit_SSE4_1)) return 0;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & 1u << 29);
}

// The instructions keep the words a, b, e, f of the state in one register, and c, d, g, h in the other. Each does two
// rounds, so that a group of four words of the message is two of them.
__attribute__((target("sha,sse4.1,ssse3")))
static void mix_with_instructions(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    const __m128i order = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)state), 0xb1);        // c d a b
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(state + 4)), 0x1b);  // e f g h
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (; blocks > 0; blocks--, bytes += 64) {
        __m128i first = abef, second = cdgh, words[4];
#pragma clang loop unroll(full)
        for (int group = 0; group < 16; group++) {
            __m128i *next = &words[group & 3];
            if (group < 4) {
                *next = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(bytes + 16 * group)), order);
            } else {
                __m128i last = words[(group + 3) & 3];
                __m128i between = _mm_alignr_epi8(last, words[(group + 2) & 3], 4);
                *next = _mm_sha256msg2_epu32(
                    _mm_add_epi32(_mm_sha256msg1_epu32(*next, words[(group + 1) & 3]), between), last);
            }
            __m128i sum = _mm_add_epi32(*next, _mm_loadu_si128((const __m128i *)(constants + 4 * group)));
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
        }
        abef = _mm_add_epi32(abef, first);
        cdgh = _mm_add_epi32(cdgh, second);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);   // f e b a, backwards
    high = _mm_shuffle_epi32(cdgh, 0xb1);  // d c h g, backwards
    _mm_storeu_si128((__m128i *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(state + 4), _mm_alignr_epi8(high, low, 8));
}
#elif defined(__aarch64__)
#include <arm_neon.h>
#if defined(__linux__)
#include <sys/auxv.h>

static int has_instructions(void) { return (getauxval(AT_HWCAP) & 1 << 6) != 0; }
#else
// Apple's processors have them.
static int has_instructions(void) { return 1; }
#endif

__attribute__((target("sha2")))
static void mix_with_instructions(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    uint32x4_t abcd = vld1q_u32(state), efgh = vld1q_u32(state + 4);
    for (; blocks > 0; blocks--, bytes += 64) {
        uint32x4_t first = abcd, second = efgh, words[4];
#pragma clang loop unroll(full)
        for (int group = 0; group < 16; group++) {
            uint32x4_t *next = &words[group & 3];
            if (group < 4) {
                *next = vreinterpretq_u32_u8(vrev32q_u8(vld1q_u8(bytes + 16 * group)));
            } else {
                *next = vsha256su1q_u32(
                    vsha256su0q_u32(*next, words[(group + 1) & 3]), words[(group + 2) & 3], words[(group + 3) & 3]);
            }
            uint32x4_t sum = vaddq_u32(*next, vld1q_u32(constants + 4 * group)), before = abcd;
            abcd = vsha256hq_u32(abcd, efgh, sum);
            efgh = vsha256h2q_u32(efgh, before, sum);
        }
        abcd = vaddq_u32(abcd, first);
        efgh = vaddq_u32(efgh, second);
    }
    vst1q_u32(state, abcd);
    vst1q_u32(state + 4, efgh);
}
#else
static int has_instructions(void) { return 0; }

static void mix_with_instructions(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    mix_portably(state, bytes, blocks);
}
#endif

// Whether the instructions are used: 0 if that is not known yet, 1 or 2.
static _Atomic int choice = 0;

int halyard_sha256_use_instructions(int uses) {
    int has = has_instructions();
    atomic_store_explicit(&choice, has && uses ? 2 : 1, memory_order_relaxed);
    return has;
}

static void mix(uint32_t state[8], const uint8_t *bytes, size_t blocks) {
    int known = atomic_load_explicit(&choice, memory_order_relaxed);
    if (known == 0) known = halyard_sha256_use_instructions(1) ? 2 : 1;
    (known == 2 ? mix_with_instructions : mix_portably)(state, bytes, blocks);
}

void halyard_sha256_init(halyard_sha256 *digest) {
    static const uint32_t start[8] = {
        0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
    };
    memset(digest, 0, sizeof *digest);
    memcpy(digest->state, start, sizeof start);
}

void halyard_sha256_update(halyard_sha256 *digest, const void *bytes, size_t count) {
    if (count == 0) return;
    const uint8_t *next = bytes;
    size_t used = digest->count % 64;
    digest->count += count;
    if (used > 0) {
        size_t part = count < 64 - used ? count : 64 - used;
        memcpy(digest->rest + used, next, part);
        if (used + part < 64) return;
        mix(digest->state, digest->rest, 1);
        next += part;
        count -= part;
    }
    if (count >= 64) mix(digest->state, next, count / 64);
    if (count % 64 > 0) memcpy(digest->rest, next + count / 64 * 64, count % 64);
}

void halyard_sha256_finish(halyard_sha256 *digest, uint8_t *result) {
    uint64_t bits = digest->count * 8;
    uint8_t end[72] = {0x80};
    size_t zeros = (119 - digest->count % 64) % 64;
    for (int i = 0; i < 8; i++) end[1 + zeros + i] = (uint8_t)(bits >> (56 - 8 * i));
    halyard_sha256_update(digest, end, 1 + zeros + 8);
    for (int i = 0; i < 32; i++) result[i] = (uint8_t)(digest->state[i / 4] >> (24 - 8 * (i % 4)));
}
