/* SPDX-License-Identifier: Apache-2.0 */
/* Templates by recipe: built inside a box, and again only when recipe, lock or base changed. */
#ifndef FLOW_TEMPLATE_BUILD_H
#define FLOW_TEMPLATE_BUILD_H

#include "box/caller.h"
#include "box/template.h"

struct template_build_request {
	const char *recipe; /* name or file */
	bool update_lock;   /* make the lock anew first */
	bool rebuild;       /* also if nothing changed */
	bool shared;
};

struct template_built {
	struct box_template template; /* owned */
	bool built;                   /* false: the one that was there is the same */
	char *lock;                   /* owned; path of the lock; NULL: it needs none */
};

void template_built_finish(struct template_built *t);
/* The output of its steps goes where that of runs of BY goes. */
int template_build(const struct caller *by, const struct template_build_request *req,
		   struct template_built *ret, struct aisbx_error *e);

#endif
