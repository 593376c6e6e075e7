/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fingerprints of secrets that were given to boxes: not their values, but hashes by which a value is
 * recognized in what a box has written. docs/secrets.md says how much a fingerprint reveals if it is stolen.
 */
#ifndef SECRET_FINGERPRINTS_H
#define SECRET_FINGERPRINTS_H

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/encoding.h"
#include "secret/redact.h"

struct fingerprints;

/* Stores fingerprints of the secrets, in the state directory DIR; not of those that a project has. */
int fingerprints_record(const char *dir, const struct run_secret *list, size_t n, struct aisbx_error *e);
/*
 * N bytes that look random and are always the same for LABEL and DIR; made from the key of the fingerprints,
 * which they do not reveal.
 */
int fingerprints_derive(const char *dir, const char *label, uint8_t *ret, size_t n, struct aisbx_error *e);
/* All fingerprints; NULL, and no error, if there are none. */
int fingerprints_load(const char *dir, struct fingerprints **ret, struct aisbx_error *e);
/* The same, and in memory those of the N in LIST that are of a project. */
int fingerprints_load_with(const char *dir, const struct run_secret *list, size_t n,
			   struct fingerprints **ret, struct aisbx_error *e);
void fingerprints_free(struct fingerprints *m);
static inline void drop_fingerprints(struct fingerprints **m)
{
	fingerprints_free(*m);
}

/* A range of bytes that is a secret. */
struct fingerprint_found {
	uint64_t from, to;
	const char *name; /* borrowed from the fingerprints */
	enum encoding form;
};

/* Searching for all of them in one file or text. */
struct fingerprint_scan;

struct fingerprint_scan *fingerprint_scan_create(const struct fingerprints *m);
void fingerprint_scan_free(struct fingerprint_scan *s);
static inline void drop_fingerprint_scan(struct fingerprint_scan **s)
{
	fingerprint_scan_free(*s);
}
/* A new text begins. */
void fingerprint_scan_begin(struct fingerprint_scan *s);
void fingerprint_scan_add(struct fingerprint_scan *s, const void *data, size_t len);
/* What was found since the beginning, sorted by `to`; RET is valid until the next call. False: no memory,
 * some are missing. */
bool fingerprint_scan_found(const struct fingerprint_scan *s, const struct fingerprint_found **ret,
			    size_t *ret_n);

/* Appends the bytes without secrets to OUT; a scrub_fn of a scan. False: no memory. */
bool fingerprints_scrub(const void *scan, const char *data, size_t len, struct buf *out);
/* The same for a patch, whose lines begin with a column that is not part of the files. */
bool fingerprints_scrub_patch(struct fingerprint_scan *s, const char *data, size_t len, struct buf *out);

#endif
