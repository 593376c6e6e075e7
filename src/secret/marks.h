/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints of secrets that were given to boxes: not their values, but hashes by which a value is
 * recognized in what a box has written. docs/secrets.md says how much a fingerprint reveals if it is stolen.
 */
#ifndef SECRET_MARKS_H
#define SECRET_MARKS_H

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/lens.h"
#include "secret/redact.h"

struct marks;

/* Stores fingerprints of the secrets, in the state directory DIR. */
int marks_record(const char *dir, const struct run_secret *list, size_t n, struct aisbx_error *e);
/* All fingerprints; NULL, and no error, if there are none. */
int marks_load(const char *dir, struct marks **ret, struct aisbx_error *e);
void marks_free(struct marks *m);
static inline void drop_marks(struct marks **m)
{
	marks_free(*m);
}

/* A range of bytes that is a secret. */
struct marks_found {
	uint64_t from, to;
	const char *name; /* borrowed from the marks */
	enum lens form;
};

/* Searching for all of them in one file or text. */
struct marks_scan;

struct marks_scan *marks_scan_create(const struct marks *m);
void marks_scan_free(struct marks_scan *s);
static inline void drop_marks_scan(struct marks_scan **s)
{
	marks_scan_free(*s);
}
/* A new text begins. */
void marks_scan_begin(struct marks_scan *s);
void marks_scan_add(struct marks_scan *s, const void *data, size_t len);
/* What was found since the beginning, sorted by `to`; RET is valid until the next call. False: no memory,
 * some are missing. */
bool marks_scan_found(const struct marks_scan *s, const struct marks_found **ret, size_t *ret_n);

/* Appends the bytes without secrets to OUT; a scrub_fn of a scan. False: no memory. */
bool marks_scrub(const void *scan, const char *data, size_t len, struct buf *out);
/* The same for a patch, whose lines begin with a column that is not part of the files. */
bool marks_scrub_patch(struct marks_scan *s, const char *data, size_t len, struct buf *out);

#endif
