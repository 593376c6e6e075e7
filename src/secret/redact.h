/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Removes secrets from streams of bytes: each occurrence, in any encoding of base/encoding.h and however it
 * is split into pieces, becomes "[secret NAME]". A possible beginning is held back until more is known;
 * nothing else is.
 */
#ifndef SECRET_REDACT_H
#define SECRET_REDACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/encoding.h"

/* A value that is known only to the supervisor and to the box. */
struct run_secret {
	char *name;  /* owned by the list it is in, as all here */
	char *value; /* any bytes; a NUL follows them */
	size_t len;
	bool as_file, as_env; /* how the box gets it; neither: not at all, it is only looked for */
	bool of_project;      /* it is in a file of the project: the box has it anyway */
};

/*
 * Shorter ones would match too much ordinary text; this many, and this many bytes together, can be searched
 * for.
 */
#define SECRET_MIN       8u
#define SECRET_MAX_BYTES 65536u
#define SECRET_MAX_ALL   262144u
#define SECRET_MAX       64u
#define SECRET_MAX_NAME  64u
/* The same of those in files of a project. Their names have a colon, which others have not. */
#define SECRET_PROJECT_MAX 48u
#define SECRET_PROJECT_ALL 65536u

/*
 * A line of a secret that counts by itself: long enough, and no border of a PEM block. Surrounding spaces are
 * ignored.
 */
const char *secret_line(const char *value, size_t len, size_t *at, size_t *ret_len);
/* Number of symbols of an encoding of N after which the beginning alone counts as the whole. */
size_t secret_most(size_t n);

/* The searched secrets; can be shared by streams. */
struct redactor;

/* NULL when memory runs out. Values are copied. */
struct redactor *redactor_create(const struct run_secret *list, size_t n);
/* One more owner of R, who destroys it, too. */
struct redactor *redactor_share(struct redactor *r);
void redactor_destroy(struct redactor *r);
static inline void drop_redactor(struct redactor **r)
{
	redactor_destroy(*r);
}

/* A range of the stream that is part of a secret. */
struct redact_cover {
	uint64_t from, to;
	uint64_t len; /* of the match that gives it its name: the longest of those that begin first */
	uint32_t secret;
	bool had_line, had_text; /* of its bytes that left already: what has_text() asks */
};

/* One stream. */
struct redact {
	const struct redactor *what; /* borrowed; NULL: nothing is looked for */
	uint32_t state[ENCODING_COUNT];
	struct encoding_state encoding[ENCODING_COUNT];
	uint64_t *places[ENCODING_COUNT]; /* owned; rings: where the last symbols stood */
	uint64_t n_symbols[ENCODING_COUNT];
	struct buf held;             /* held back */
	uint64_t base;               /* place of its first byte */
	uint64_t seen;               /* place behind the last byte that was looked at */
	struct redact_cover *covers; /* owned; of what is held; sorted, apart from each other */
	size_t n_covers, cap_covers;
	unsigned int
		tail; /* so many bytes more of this line belong to the last cover: the text beside a dump */
	bool inside;  /* the last byte that left was part of a secret */
	bool failed;  /* no memory: from here on nothing is passed on */
};

/* False: no memory. WHAT may be NULL. */
bool redact_init(struct redact *s, const struct redactor *what);
void redact_finish(struct redact *s);
/* Appends to OUT what may be passed on. */
void redact_feed(struct redact *s, const void *data, size_t len, struct buf *out);
/* Nothing follows. */
void redact_end(struct redact *s, struct buf *out);
/* Other secrets from here on; what is held back is checked again. False: no memory. */
bool redact_switch(struct redact *s, const struct redactor *what);
/* Something is held back that redact_idle would release. */
bool redact_can_idle(const struct redact *s);
/*
 * For a terminal, where a person waits for the echo of a key: releases a beginning of at most two symbols.
 * The rest of a secret is still replaced, so no more of it follows.
 */
void redact_idle(struct redact *s, struct buf *out);

/* Appends the bytes to OUT without the secrets; false: no memory, and nothing was appended. */
bool redact_bytes(const struct redactor *what, const void *data, size_t len, struct buf *out);

#endif
