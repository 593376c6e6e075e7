/* SPDX-License-Identifier: Apache-2.0 */
/* On which node a box was made, for those that were made from here: a table beside that of the submitter's
 * jobs. It only remembers; what is so, the node knows. */
#ifndef FLEET_AGENT_HOMES_H
#define FLEET_AGENT_HOMES_H

#include "aisbx/error.h"
#include "fleet/core/types.h"

/* Ids and names of boxes, with their NUL. */
#define HOME_BOX 80

struct home {
	char id[HOME_BOX], name[HOME_BOX], node[FLEET_NAME];
};

struct homes;

/* DIR: of the submitter's table. Forgets what nobody used for a long time. */
int homes_open(const char *dir, struct homes **ret, struct aisbx_error *e);
void homes_close(struct homes *h); /* NULL is allowed */
int homes_put(struct homes *h, const char *tenant, const struct home *home, struct aisbx_error *e);
/* Boxes with this id or name, the newest first, MOST of them; returns how many. */
int homes_find(struct homes *h, const char *tenant, const char *box, struct home *ret, size_t most,
	       struct aisbx_error *e);
/* BOX of NODE, by id or name, is gone. */
int homes_forget(struct homes *h, const char *tenant, const char *node, const char *box,
		 struct aisbx_error *e);
/* The names of nodes that have boxes of TENANT, the one of the newest first, MOST of them; returns how many.
 */
int homes_nodes(struct homes *h, const char *tenant, char (*ret)[FLEET_NAME], size_t most,
		struct aisbx_error *e);

#endif
