/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A project that is sent to another machine, and the changes that come back from there: they become a box
 * here, a frozen layer on the project as it was when it was sent. The sending itself is not done here.
 */
#ifndef BOX_TRAVEL_H
#define BOX_TRAVEL_H

#include <stdint.h>
#include <time.h>

#include "aisbx/error.h"
#include "base/str.h"

/* A project when it is sent, or what a box has made of it. */
struct box_departure {
	char *project;          /* owned; absolute */
	char *under;            /* owned; the directory that is sent: PROJECT, or a box's copy of it */
	struct strlist layers;  /* owned; directories of changes that lie over it, oldest first */
	char *at;               /* owned; where the caller is in it; "": at its top */
	int64_t dev, ino, born; /* which directory it is, as struct store_place has it */
	struct timespec since;  /* later changes are not in what is sent */
	struct strlist secrets; /* owned; files of it with values that look like secrets */
	/* Of a box, all owned. BASE: a fork that keeps what is sent, until the changes stand on it; NULL:
	 * none. */
	char *base, *profile;
	struct strlist net;   /* what its runs may reach, as for --net */
	struct strlist stays; /* what of it is not sent, for people */
	bool no_caches;
};

void box_departure_finish(struct box_departure *d);
/*
 * The project that CWD is in, or PROJECT (may be NULL), which is relative to CWD. What must not leave this
 * machine as a whole is refused: the home directory, and what has the state of aisbx in it.
 */
int box_depart(const char *cwd, const char *project, const char *const *env, struct box_departure *ret,
	       struct aisbx_error *e);

/*
 * The project as FROM, BOX[@SNAPSHOT], has it. Whatever else that box changed, and what its runs have that
 * does not travel, is refused. ON_IMAGE: somebody says which image the command runs on.
 */
int box_depart_from(const char *cwd, const char *from, bool on_image, const char *const *env,
		    struct box_departure *ret, struct aisbx_error *e);
/* Nobody waits for what was sent any more: its fork goes. NULL is allowed. */
void box_departure_drop(const char *base);
/* What must not leave this machine as a whole. Inside box/ only, as the next. */
int box_departure_check(const char *project, const char *const *env, struct aisbx_error *e);
void box_departure_take_time(struct timespec *ret);

/* Changes that are being brought here: a layer that has no box yet. */
struct box_arrival;

/* *RET NULL: a box NAME is there already; then nothing else was done. */
int box_arrival_open(const char *name, struct box_arrival **ret, struct aisbx_error *e);
/* Where the changes belong. There is nothing yet. */
const char *box_arrival_changes(const struct box_arrival *a);
/* Where that belongs which the project had at the names of these changes when it was sent. */
const char *box_arrival_copy(const struct box_arrival *a);
/*
 * What came is checked as hostile: from now on box NAME has these changes of the project that D tells of.
 * With a base it is that fork, under its new name.
 */
int box_arrival_settle(struct box_arrival *a, struct box_departure *d, const char *name, const char *profile,
		       struct aisbx_error *e);
/* What has no box goes. NULL is allowed. */
void box_arrival_close(struct box_arrival *a);
static inline void drop_arrival(struct box_arrival **a)
{
	box_arrival_close(*a);
}

/*
 * The changes of box KEY to its project as one directory, in the way of an upper directory of overlayfs: SEND
 * is called with it while nobody else can use the box.
 */
int box_send_changes(const char *key, int (*send)(void *ctx, const char *dir, struct aisbx_error *e),
		     void *ctx, struct aisbx_error *e);

/* The directory PATH with all that is in it, whatever its permissions; none is no error. */
int box_remove_dir(const char *path, struct aisbx_error *e);

/* Boxes whose names begin with PREFIX, and not with BUT, and that nobody uses, are removed. */
int box_remove_others(const char *prefix, const char *but, struct aisbx_error *e);

#endif
