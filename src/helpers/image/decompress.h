/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression piece by piece: gzip (any number of members), zstd (any number of frames), or a copy. */
#ifndef HELPERS_IMAGE_DECOMPRESS_H
#define HELPERS_IMAGE_DECOMPRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

struct decompress;

struct decompress_step {
	const uint8_t *in; /* moved on by what was used */
	size_t in_len;
	uint8_t *out; /* likewise */
	size_t out_cap;
	bool more; /* there may be more output without more input */
};

/* By the first bytes of FD, which are looked at and not taken. */
int decompress_create(int fd, struct decompress **ret, struct aisbx_error *e);
void decompress_destroy(struct decompress *d);
int decompress_step(struct decompress *d, struct decompress_step *step, struct aisbx_error *e);
/* After the last input: whether that was the end. */
int decompress_ended(const struct decompress *d, struct aisbx_error *e);

#endif
