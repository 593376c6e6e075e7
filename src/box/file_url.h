/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Signed addresses of files of boxes: who has one may read or write that one file until it expires, and needs
 * no token. The key belongs to the state directory.
 */
#ifndef BOX_FILE_URL_H
#define BOX_FILE_URL_H

#include <stdbool.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/buf.h"
#include "base/sha256.h"

/* The place of the server that they lead to. */
#define FILE_URL_PLACE "/files"
/* What one allows. */
struct file_url {
	bool writes;       /* PUT; else GET */
	const char *owner; /* borrowed; "": the person */
	const char *box;   /* borrowed; the id */
	const char *path;  /* borrowed; absolute, in the box */
	uint64_t until;    /* seconds since 1970 */
};

/* Its parts as they came, none of them NULL. */
struct file_url_text {
	const char *method, *owner, *box, *path, *until, *signature;
};

int file_url_key(uint8_t ret[SHA256_BYTES], struct aisbx_error *e);
/* The query: "box=...&signature=..."; false: no memory. */
bool file_url_write(const struct file_url *u, const uint8_t key[SHA256_BYTES], struct buf *out);
/*
 * False: it is not one of ours, or too old at NOW; which of both is not told. RET borrows from T and from
 * PATH, where its path is unescaped.
 */
bool file_url_read(const struct file_url_text *t, const uint8_t key[SHA256_BYTES], uint64_t now,
		   struct buf *path, struct file_url *ret);

#endif
