/* SPDX-License-Identifier: Apache-2.0 */
/* Files of public keys, as fleet-users writes them: {"NAME": ["KEY", ...], ...}. */
#ifndef FLEET_AGENT_KEY_LIST_H
#define FLEET_AGENT_KEY_LIST_H

#include "fleet/wire/key.h"

struct key_named {
	char name[FLEET_NAME];
	struct key_public key;
};

struct key_list {
	struct key_named *items; /* owned; in the order of the file */
	size_t n;
};

/* RET needs key_list_finish. An empty file of no keys is refused: nobody would be trusted. */
int key_list_read(const char *path, struct key_list *ret, struct aisbx_error *e);
void key_list_finish(struct key_list *list);

#endif
