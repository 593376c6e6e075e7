/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Takes secrets out of streams of bytes: each place where one stands, in any spelling of base/lens.h and
 * however it was cut into pieces, becomes "[secret NAME]". What may be the beginning of one is held back
 * until more is known; nothing else is.
 */
#ifndef SECRET_REDACT_H
#define SECRET_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/lens.h"

/* A value that is known to the supervisor and to the box, and to nobody else. */
struct run_secret {
	char *name;  /* owned by the list it is in, as all here */
	char *value; /* any bytes; a NUL follows them */
	size_t len;
	bool as_file, as_env; /* how the box gets it */
};

/* Shorter ones stand in too many innocent places; so many, and so much of them together, can be looked for at
 * once. */
#define SECRET_MIN       8u
#define SECRET_MAX_BYTES 65536u
#define SECRET_MAX_ALL   262144u
#define SECRET_MAX       64u
#define SECRET_MAX_NAME  64u

/* A line of a secret that counts by itself: long enough, and no border of a PEM block. Blanks around it do
 * not count. */
const char *secret_line(const char *value, size_t len, size_t *at, size_t *ret_len);
/* So many symbols of a spelling of N: from there on the beginning alone counts as the whole. */
size_t secret_most(size_t n);

/* What is looked for; can be shared by streams. */
struct redactor;

/* NULL when memory runs out. Values are copied. */
struct redactor *redactor_create(const struct run_secret *list, size_t n);
void redactor_destroy(struct redactor *r);
static inline void drop_redactor(struct redactor **r)
{
	redactor_destroy(*r);
}

/* A stretch of the stream that is part of a secret. */
struct redact_cover {
	uint64_t from, to;
	uint64_t len; /* of the match that gives it its name: of those that begin first the longest */
	uint32_t secret;
	bool had_line, had_text; /* of its bytes that left already: what has_text() asks */
};

/* One stream. */
struct redact {
	const struct redactor *what; /* borrowed; NULL: nothing is looked for */
	uint32_t state[LENS_COUNT];
	struct lens_state lens[LENS_COUNT];
	uint64_t *places[LENS_COUNT]; /* owned; rings: where the last symbols stood */
	uint64_t n_symbols[LENS_COUNT];
	struct buf held;             /* what did not leave yet */
	uint64_t base;               /* place of its first byte */
	uint64_t seen;               /* place behind the last byte that was looked at */
	struct redact_cover *covers; /* owned; of what is held; sorted, apart from each other */
	size_t n_covers, cap_covers;
	unsigned int
		tail; /* so many bytes more of this line belong to the last cover: the text beside a dump */
	bool inside;  /* the last byte that left was part of a secret */
	bool failed;  /* no memory: from here on nothing leaves */
};

/* False: no memory. WHAT may be NULL. */
bool redact_init(struct redact *s, const struct redactor *what);
void redact_finish(struct redact *s);
/* Adds to OUT what may leave. */
void redact_feed(struct redact *s, const void *data, size_t len, struct buf *out);
/* Nothing follows. */
void redact_end(struct redact *s, struct buf *out);
/* Other secrets from here on; what is held is looked at again. False: no memory. */
bool redact_switch(struct redact *s, const struct redactor *what);
/* Something is held that redact_idle would let go. */
bool redact_can_idle(const struct redact *s);
/*
 * For a terminal, at which somebody waits for the echo of a key: lets go of a beginning of at most two
 * symbols. More of the same secret does not follow it: the rest is still covered.
 */
void redact_idle(struct redact *s, struct buf *out);

/* Adds to OUT the bytes without the secrets; false: no memory, and OUT has nothing of them. */
bool redact_bytes(const struct redactor *what, const void *data, size_t len, struct buf *out);

#endif
