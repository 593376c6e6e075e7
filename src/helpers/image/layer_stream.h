/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The blob of a layer, decompressed: gzip, zstd or neither, as its first bytes say. A second thread reads,
 * counts both digests and decompresses ahead.
 */
#ifndef HELPERS_IMAGE_LAYER_STREAM_H
#define HELPERS_IMAGE_LAYER_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"

#define DIGEST_HEX 64

struct layer_stream;

/* FD stays the caller's, and open until the stream is closed. More than MOST bytes out of it are refused. */
int layer_stream_open(int fd, uint64_t most, struct layer_stream **ret, struct aisbx_error *e);
void layer_stream_close(struct layer_stream *s);
static inline void drop_layer_stream(struct layer_stream **s)
{
	layer_stream_close(*s);
}

/* As struct tar_source wants it; CTX is the stream. */
int layer_stream_next(void *ctx, const uint8_t **ret_data, size_t *ret_len, struct aisbx_error *e);
/* How many bytes of the blob were read. */
uint64_t layer_stream_read(const struct layer_stream *s);
/* Reads on to the end of the blob; both digests as hexadecimal digits, with a NUL. */
int layer_stream_end(struct layer_stream *s, char ret_digest[DIGEST_HEX + 1],
		     char ret_diff_id[DIGEST_HEX + 1], struct aisbx_error *e);

#endif
