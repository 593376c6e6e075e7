/* SPDX-License-Identifier: Apache-2.0 */
/* Inside wire: fields of JSON objects, each checked when it is read and when it is written. Only wire*.c
 * includes this. */
#ifndef FLEET_WIRE_WIRE_JSON_H
#define FLEET_WIRE_WIRE_JSON_H

#include <jansson.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "fleet/core/types.h"

/* Numbers are signed in JSON libraries: 63 bits are exact everywhere that counts. */
#define WIRE_NUMBER_MAX ((uint64_t)INT64_MAX)
/* Of slots, attempts and the like. */
#define WIRE_COUNT_MAX 1000000u
/* Objects within objects; ours are two deep. */
#define WIRE_DEPTH 16

/* An object that is read. After the first thing that is wrong nothing more is read: look at r once, at the
 * end. */
struct wire_in {
	const json_t *object; /* borrowed */
	const char *what;     /* "message": for errors */
	struct aisbx_error *e;
	int r;
};

/* An object that is written, likewise. */
struct wire_out {
	json_t *object; /* owned */
	int r;          /* 0, -ENOMEM, or -EINVAL: it holds something that nobody would read */
};

/* How a field is checked. */
typedef bool wire_check(const char *text);
bool wire_is_labels(const char *text);
bool wire_is_seal(const char *text);

/* The object in DATA, of a version that we know; for json_decref. NULL: E says why. */
json_t *wire_open(const char *data, size_t len, const char *what, struct aisbx_error *e);
/* Something is wrong with field KEY. */
void wire_in_fail(struct wire_in *in, const char *key, const char *why);
bool wire_in_has(const struct wire_in *in, const char *key);
/* Text of at most SIZE - 1 bytes that CHECK (or NULL) says yes to. Absent: "", unless it is NEEDED. */
void wire_in_string(struct wire_in *in, const char *key, bool needed, wire_check *check, char *ret,
		    size_t size);
void wire_in_text(struct wire_in *in, const char *key, struct fleet_text **ret);
/* Absent: 0. */
void wire_in_number(struct wire_in *in, const char *key, uint64_t most, uint64_t *ret);
void wire_in_count(struct wire_in *in, const char *key, unsigned most, unsigned *ret);
void wire_in_bool(struct wire_in *in, const char *key, bool *ret);
/* One of the names that NAME_OF gives for 0 to N - 1. Needed. */
unsigned wire_in_word(struct wire_in *in, const char *key, const char *(*name_of)(unsigned value),
		      unsigned n);

void wire_out_begin(struct wire_out *out);
void wire_out_value(struct wire_out *out, const char *key,
		    json_t *value); /* takes VALUE, which may be NULL: no memory */
/* Empty and zero are left out, where they mean the same as nothing. */
void wire_out_string(struct wire_out *out, const char *key, wire_check *check, const char *text);
void wire_out_text(struct wire_out *out, const char *key, const struct fleet_text *text);
void wire_out_number(struct wire_out *out, const char *key, uint64_t most, uint64_t value);
void wire_out_bool(struct wire_out *out, const char *key, bool value);
/* Adds the version and writes all to RET. */
int wire_out_end(struct wire_out *out, struct buf *ret);

/* A job or a record within something else. */
void wire_job_read(struct wire_in *in, struct fleet_job *ret);
void wire_job_write(struct wire_out *out, const struct fleet_job *job);
void wire_record_read(struct wire_in *in, struct fleet_record *ret);
void wire_record_write(struct wire_out *out, const struct fleet_record *record);

#endif
