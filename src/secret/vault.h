/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secrets that a box has been given, as all its supervisors know them: each takes them out of what its
 * own command writes, for that could have read any of them. They lie in memory that the first supervisor
 * shares with those that join, and that it alone writes.
 */
#ifndef SECRET_VAULT_H
#define SECRET_VAULT_H

#include "aisbx/error.h"
#include "secret/redact.h"

struct vault_page;

struct vault {
	int fd;                  /* owned; -1: it does not exist yet */
	struct vault_page *page; /* owned; mapped */
	uint32_t known;          /* so many of its secrets are looked for */
	struct redactor **made;  /* owned; the newest last: streams may still use the others */
	size_t n_made;
	bool failed; /* the secrets of the box are not known: none of its output may be passed on */
};

#define VAULT_INIT       \
	{                \
		.fd = -1 \
	}

void vault_finish(struct vault *v);
/* Adds N more; makes it first, if needed. -EBUSY: there is another one of that name. */
int vault_add(struct vault *v, const struct run_secret *list, size_t n, struct aisbx_error *e);
/* The same with those of the vault that FD is; FD stays the caller's. */
int vault_add_all(struct vault *v, int fd, struct aisbx_error *e);
/* From now on V is the vault that FD is; takes FD, also on failure. */
int vault_join(struct vault *v, int fd, struct aisbx_error *e);
/* What to send to a command that joins; borrowed. */
int vault_share(struct vault *v, int *ret_fd, struct aisbx_error *e);
/* What to search for now; NULL: nothing. See also `failed`. */
const struct redactor *vault_redactor(struct vault *v);

#endif
