// SHA-256 (FIPS 180-4), with the instructions of the processor where it has them.

#ifndef HALYARD_SHA256_H
#define HALYARD_SHA256_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    uint32_t state[8];
    uint64_t count;    // bytes so far
    uint8_t rest[64];  // the first count % 64 bytes have no whole block yet
} halyard_sha256;

void halyard_sha256_init(halyard_sha256 *digest);
void halyard_sha256_update(halyard_sha256 *digest, const void *bytes, size_t count);
// Writes 32 bytes. The digest is not used again.
void halyard_sha256_finish(halyard_sha256 *digest, uint8_t *result);
// Uses the instructions of the processor, or not. For tests. Returns whether it has them.
int halyard_sha256_use_instructions(int uses);

#endif
