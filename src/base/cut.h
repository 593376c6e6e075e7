/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Content-defined chunking (FastCDC): where a chunk ends is decided by the bytes before it. So what is added
 * or removed in one place changes the chunks there, and those behind it are the same as before.
 */
#ifndef BASE_CUT_H
#define BASE_CUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUT_MOST (512u << 10) /* of archives that are not compressed */

struct cut {
	uint64_t gear[256];
	size_t least, usual, most; /* bytes of a chunk */
	uint64_t many, few;        /* bits that are 0 where one ends: before it is of usual size, and after */
	bool parts;                /* compressed: gzip members and zstd frames are chunks, if they are not too
				      large */
};

/* For an archive, or with PARTS for what is compressed already. */
void cut_init(struct cut *ret, bool parts);
/* For anything else: chunks of 2^BITS bytes usually, of a quarter of it at least, of four times it at most.
 */
void cut_init_usual(struct cut *ret, unsigned int bits);
/* Bytes of the first chunk of DATA, at most LEN. DATA has C->most bytes, or what is left. */
size_t cut_find(const struct cut *c, const uint8_t *data, size_t len);
/* Where the second gzip member or zstd frame of DATA begins, as layers of ours have them; LEN: nowhere. */
size_t cut_first_part(const uint8_t *data, size_t len);

#endif
