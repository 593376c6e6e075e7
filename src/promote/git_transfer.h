/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One repository while it is decided what is promoted. For git_plan.c, git_wanted.c, git_pack.c and
 * git_settle.c.
 */
#ifndef PROMOTE_GIT_TRANSFER_H
#define PROMOTE_GIT_TRANSFER_H

#include "promote/git.h"
#include "promote/git_list.h"

/* One branch to promote, until the relation of both sides is known. */
struct git_wanted {
	const char *from; /* borrowed; of the box */
	const char *ref;  /* borrowed; of the host */
	const char *old;  /* borrowed; its commit on the host; NULL: none */
	const char *now;  /* borrowed */
	bool is_head;     /* the box's work tree has it checked out */
	bool is_aside;    /* the branch for commits that cannot go to their own */
	bool ahead, apart;
	uint64_t commits;
};

struct git_wanted_list {
	struct git_wanted *list; /* owned */
	size_t n;
};

/* One repository while it is decided about. */
struct git_transfer {
	const struct box_git_ask *ask;
	struct box_git *g;
	const struct git_list *boxes, *hosts; /* all of the two */
	const struct git_repo *box, *host;    /* host NULL: it has none */
	char *before;                         /* owned; the branch that the host had checked out */
	const char *head;                     /* borrowed; the branch the box worked on; NULL: none */
	char aside[STORE_NAME_MAX + 32];      /* name of a branch of the box's own */
	struct git_wanted_list wanted;
	unsigned int number;
};

/* "main" of "refs/heads/main". */
const char *git_short_name(const char *ref);
/* A message about what stays in the box, once. */
void git_say(struct box_git *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void git_change_finish(struct git_change *c);

/* git_wanted.c: what should be promoted. D has box, host and lists. */
int git_transfer_want(struct git_transfer *d, struct aisbx_error *e);
void git_transfer_finish(struct git_transfer *d);
/*
 * A branch of the host whose name is a prefix of REF's name, or the reverse, which git does not allow; NULL:
 * none.
 */
const char *git_blocked_by(const struct git_repo *host, const char *ref);

/*
 * git_pack.c: fetches the wanted objects, checked, and determines the relation of both sides for each branch.
 */
int git_transfer_pack(struct git_transfer *d, struct aisbx_error *e);

/* git_settle.c: turns it into a change. Negative errno. */
int git_transfer_settle(struct git_transfer *d);

#endif
