/* SPDX-License-Identifier: Apache-2.0 */
/* What this machine remembers, so that it need not ask again: a directory that may be deleted at any time. */
#ifndef FLEET_CONTENT_CACHE_H
#define FLEET_CONTENT_CACHE_H

#include "base/buf.h"
#include "fleet/content/key.h"

struct content_cache {
	int fd;     /* owned; of one tenant's key */
	char *path; /* owned; absolute */
};

#define CONTENT_CACHE_INIT \
	{                  \
		.fd = -1   \
	}

/* DIR, or if NULL the person's directory of caches. Only this user can look into it. */
int content_cache_open(const char *dir, const struct content_key *k, struct content_cache *ret,
		       struct aisbx_error *e);
void content_cache_finish(struct content_cache *c);
/* The directory NAME in it, made if it is not there; or a negative errno. */
int content_cache_dir(const struct content_cache *c, const char *name);

/* A file of a cache that ends with a checksum. Reading one that is damaged is -EBADMSG. */
int content_cache_read(int dir, const char *name, size_t most, struct buf *ret);
/* Replaces it at once. */
int content_cache_write(int dir, const char *name, struct buf *text);

/* A name for a file or directory about TEXT. */
void content_cache_name(const char *text, char ret[33]);

#endif
