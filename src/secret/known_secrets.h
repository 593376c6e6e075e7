/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The secrets that a box has been given, as all its supervisors know them: each takes them out of what its
 * own command writes, for that could have read any of them. They lie in memory that the first supervisor
 * shares with those that join, and that it alone writes.
 */
#ifndef SECRET_KNOWN_SECRETS_H
#define SECRET_KNOWN_SECRETS_H

#include "aisbx/error.h"
#include "secret/redact.h"

struct known_secrets_page;

struct known_secrets {
	int fd;                          /* owned; -1: it does not exist yet */
	struct known_secrets_page *page; /* owned; mapped */
	uint32_t known;                  /* so many of its secrets are looked for */
	struct redactor **made;          /* owned; the newest last: streams may still use the others */
	size_t n_made;
	bool failed; /* the secrets of the box are not known: none of its output may be passed on */
};

#define KNOWN_SECRETS_INIT \
	{                  \
		.fd = -1   \
	}

void known_secrets_finish(struct known_secrets *v);
/* Adds N more; makes it first, if needed. -EBUSY: there is another one of that name. */
int known_secrets_add(struct known_secrets *v, const struct run_secret *list, size_t n,
		      struct aisbx_error *e);
/* The same with those of the memory that FD is; FD stays the caller's. */
int known_secrets_add_all(struct known_secrets *v, int fd, struct aisbx_error *e);
/* From now on V is the memory that FD is; takes FD, also on failure. */
int known_secrets_join(struct known_secrets *v, int fd, struct aisbx_error *e);
/* What to send to a command that joins; borrowed. */
int known_secrets_share(struct known_secrets *v, int *ret_fd, struct aisbx_error *e);
/* Whether there is anything to search for, or `failed`. */
bool known_secrets_any(const struct known_secrets *v);
/* What to search for now; NULL: nothing. See also `failed`. */
const struct redactor *known_secrets_redactor(struct known_secrets *v);

#endif
