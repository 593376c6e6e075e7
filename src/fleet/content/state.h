/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The generations of a store. Each run of gc begins a new one, and says which packs are condemned: no push
 * may rely on them any more. They are deleted by a later run, if no tree needs them then. Nothing is locked:
 * a push looks at this again after its tree was written, and repeats what it took from a condemned pack.
 */
#ifndef FLEET_CONTENT_STATE_H
#define FLEET_CONTENT_STATE_H

#include "base/str.h"
#include "fleet/content/store.h"

#define CONTENT_STATE_KEPT 8u /* generations for which lists of deleted packs stay */
#define CONTENT_STATE_LATE 4u /* a push that took longer begins anew */

struct content_state {
	uint64_t generation;      /* 1 in a store that had no gc yet */
	char store[17];           /* which store this is: one that was emptied and filled again is another */
	struct strlist condemned; /* packs; sorted */
	struct strlist deleted;   /* likewise */
	struct strlist lists;     /* objects below "state/" */
};

int content_state_load(struct content_store *s, struct content_state *ret, struct aisbx_error *e);
void content_state_finish(struct content_state *st);
/* PACK must not be relied on. */
bool content_state_is_gone(const struct content_state *st, const char *pack);
bool content_list_has(const struct strlist *sorted, const char *name);
void content_list_sort(struct strlist *l);

/* The packs that an object below "state/" lists, added to RET. */
int content_state_read(struct content_store *s, const char *name, struct strlist *ret, struct aisbx_error *e);
/* Gives a store that is new its name. */
int content_state_make(struct content_store *s, struct content_state *st, struct aisbx_error *e);
/* Begins generation NEXT. -EEXIST without E: somebody else did. */
int content_state_begin(struct content_store *s, uint64_t next, struct aisbx_error *e);
/* Says that the PACKS are WHAT, "condemned" or "deleted". */
int content_state_say(struct content_store *s, const char *what, uint64_t generation,
		      const struct strlist *packs, struct aisbx_error *e);

#endif
