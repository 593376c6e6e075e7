/* SPDX-License-Identifier: Apache-2.0 */
/* One call to S3-compatible storage, tried again after a break as long as patience lasts. */
#ifndef FLEET_CONTENT_S3_CALL_H
#define FLEET_CONTENT_S3_CALL_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"

#define S3_PATIENCE_S 60u /* so long is tried again; AISBX_S3_PATIENCE says otherwise, in seconds */

struct s3_place {
	char *base;   /* owned; "https://HOST/BUCKET" */
	char *prefix; /* owned; before each name: "PREFIX/TENANT/" */
	char *who;    /* owned; secret; "KEY:SECRET" */
	char *token;  /* owned; secret; header of a session or for a peer, or NULL */
	char *sign;   /* owned; how libcurl signs; NULL: not at all */
	unsigned int patience_s;
	void *easy; /* owned; keeps the connection */
};

int s3_place_init(const char *bucket, const char *tenant, struct s3_place *ret, struct aisbx_error *e);
/* A peer at URL, which understands as much of S3 as reading needs. WORD: what it is shown. */
int s3_place_peer(const char *url, const char *tenant, const char *word, struct s3_place *ret,
		  struct aisbx_error *e);
void s3_place_finish(struct s3_place *p);

struct s3_call {
	const char *method;
	const char *name; /* of an object; or: */
	const char *prefix, *after;
	unsigned int page; /* a list of so many names with PREFIX and after AFTER */
	char range[64];    /* "FIRST-LAST" or "-LAST N"; "": all */
	const void *body;
	size_t body_len;
	bool is_new;      /* only if there is none of that name */
	struct buf *into; /* borrowed; gets the body of an answer 2xx, at most MOST bytes */
	uint64_t most;

	/* What came. */
	long status;
	char text[1024];    /* of an answer that is not 2xx */
	uint64_t sent, got; /* bytes, of all tries */

	/* s3_call.c's own. */
	size_t into_was, text_len;
	void *easy;
	bool is_more;
};

/* 0: there is an answer, whatever its status. */
int s3_call_run(const struct s3_place *p, struct s3_call *c, struct aisbx_error *e);

/* The code in the text of an error: "NoSuchKey". */
void s3_error_code(const struct s3_call *c, char ret[64]);
bool s3_error_is(const struct s3_call *c, const char *code);

#endif
