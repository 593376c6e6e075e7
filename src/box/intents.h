/* SPDX-License-Identifier: Apache-2.0 */
/* How a project is tested, built and so on, by its files as a box or the host has them. */
#ifndef BOX_INTENTS_H
#define BOX_INTENTS_H

#include "box/box.h"
#include "project/intent.h"
#include "project/project.h"

/*
 * BOX NULL: as the host has them, and SHELF may be NULL, too. DIR: relative to the project. SAYS: the
 * aisbx.yaml to use; NULL: the one that is there.
 */
int box_intents(struct box_state *state, const struct store_box *box, const char *project, const char *dir,
		const struct project *says, struct intent_list *ret, struct aisbx_error *e);

struct box_intents_request {
	const char *box;     /* borrowed, as all of these; NULL: as the host has them */
	const char *project; /* without a box; relative to the caller's directory; NULL: that */
	const char *dir;     /* where to look, below the project; NULL: in the project */
	/*
	 * NULL, or where the person is: if that is below the project, DIR is relative to it, and without DIR
	 * the nearest directory between it and the project that has a command for WANT, or for anything.
	 */
	const char *here;
	enum intent want; /* with HERE; INTENT_COUNT: anything */
	/* NULL, or what counts whatever aisbx.yaml is there: a box could have written that. */
	const struct project *says;
};

/* CWD: the caller's directory. RET_DIR (may be NULL): where they were looked for, below the project; heap. */
int box_intents_find(const char *cwd, const struct box_intents_request *req, struct intent_list *ret,
		     char **ret_dir, struct aisbx_error *e);

#endif
