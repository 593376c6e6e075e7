/* SPDX-License-Identifier: Apache-2.0 */
/* Finishing a promotion that was cut off, making a lost store anew. */
#ifndef PROMOTE_RECOVER_H
#define PROMOTE_RECOVER_H

#include "box/box.h"
#include "box/caller.h"

struct promote_recover_request {
	bool give_up; /* one that cannot be finished is left half done for good */
	bool rebuild; /* the store is made anew first */
};

struct promote_recovered {
	struct box_recovered found;
	bool is_rebuilt;
	struct store_rebuild rebuilt; /* owned; then: what the new store has */
};

void promote_recovered_finish(struct promote_recovered *r);
int promote_recover(const struct caller *by, const struct promote_recover_request *req,
		    struct promote_recovered *ret, struct aisbx_error *e);

#endif
