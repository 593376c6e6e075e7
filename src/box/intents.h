/* SPDX-License-Identifier: Apache-2.0 */
/* How a project is tested, built and so on, by its files as a box, or the host, has them. */
#ifndef BOX_INTENTS_H
#define BOX_INTENTS_H

#include "box/box.h"
#include "project/intent.h"
#include "project/project.h"

/* BOX NULL: as the host has them, and SHELF may be NULL, too. DIR: below the project. SAYS: the aisbx.yaml
 * that counts; NULL: the one that is there. */
int box_intents(struct box_shelf *shelf, const struct store_box *box, const char *project, const char *dir,
		const struct project *says, struct intent_list *ret, struct aisbx_error *e);

#endif
