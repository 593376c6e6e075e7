/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where packs and trees lie: objects by name, in a directory or in S3-compatible storage. An object is
 * complete as soon as it can be seen, and what was written is seen by all who look later.
 */
#ifndef FLEET_CONTENT_STORE_H
#define FLEET_CONTENT_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "fleet/content/key.h"

#define CONTENT_TAIL        UINT64_MAX /* as the first byte of a range: the last LEN bytes, or all */
#define CONTENT_OBJECT_NAME 256u

struct content_store;

/* Called for each object, in the order of names. Negative ends the list with that. */
typedef int content_take_fn(void *ctx, const char *name, uint64_t size);

struct content_store_ops {
	/* LEN bytes from FROM on, or what there is of them, added to RET. -ENOENT without E: no such object.
	 */
	int (*get)(struct content_store *s, const char *name, uint64_t from, uint64_t len, struct buf *ret,
		   struct aisbx_error *e);
	/* IS_NEW: -EEXIST without E if there is one of that name. */
	int (*put)(struct content_store *s, const char *name, const void *data, size_t len, bool is_new,
		   struct aisbx_error *e);
	/* Objects whose names begin with PREFIX and come after AFTER ("": all). */
	int (*list)(struct content_store *s, const char *prefix, const char *after, content_take_fn *take,
		    void *ctx, struct aisbx_error *e);
	/* One that is not there is no error. */
	int (*remove)(struct content_store *s, const char *name, struct aisbx_error *e);
	void (*destroy)(struct content_store *s);
};

struct content_store {
	const struct content_store_ops *ops;
	char *url;          /* owned; as it was given */
	uint64_t sent, got; /* bytes, with what S3 needs around them */
	uint64_t requests;
};

/* URL: "dir:/PATH", "s3://BUCKET[/PREFIX]" or "http://HOST:PORT" of a peer (fleet/content/serve.c), which can
 * only be read; TENANT's part of it. One store is for one thread. */
int content_store_open(const char *url, const char *tenant, const struct content_key *k,
		       struct content_store **ret, struct aisbx_error *e);
/* Who pushes may be the first: a directory is made. Others are told if there is none. */
int content_store_make(const char *url, struct aisbx_error *e);
void content_store_close(struct content_store *s);
void content_store_drop(struct content_store **s);

int content_get(struct content_store *s, const char *name, uint64_t from, uint64_t len, struct buf *ret,
		struct aisbx_error *e);
int content_put(struct content_store *s, const char *name, const void *data, size_t len, bool is_new,
		struct aisbx_error *e);
int content_list(struct content_store *s, const char *prefix, const char *after, content_take_fn *take,
		 void *ctx, struct aisbx_error *e);
int content_remove(struct content_store *s, const char *name, struct aisbx_error *e);

/* The kinds. */
int content_store_dir(const char *path, const char *tenant, struct content_store **ret,
		      struct aisbx_error *e);
int content_store_dir_make(const char *path, struct aisbx_error *e);
int content_store_peer(const char *url, const char *tenant, const struct content_key *k,
		       struct content_store **ret, struct aisbx_error *e);
int content_store_s3(const char *bucket, const char *tenant, struct content_store **ret,
		     struct aisbx_error *e);

#endif
