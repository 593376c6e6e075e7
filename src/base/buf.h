/* SPDX-License-Identifier: Apache-2.0 */
/* A growing byte buffer. A failed allocation is remembered: check once, at the end. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stdbool.h>
#include <stddef.h>

struct buf {
	char *data; /* owned */
	size_t len;
	size_t cap;
	bool failed;
};

void buf_finish(struct buf *b);
void buf_add(struct buf *b, const void *data, size_t len);
void buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Bytes as UTF-8: each invalid byte becomes U+FFFD. */
void buf_add_utf8(struct buf *b, const char *data, size_t len);
/* Whether that would replace nothing. */
bool buf_is_utf8(const char *text);
/* NUL-terminated content (the NUL is not counted in len), or NULL when an allocation failed. */
char *buf_str(struct buf *b);

#endif
