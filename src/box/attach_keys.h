/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the two keys that leave a run in what a person types. Pure. */
#ifndef BOX_ATTACH_KEYS_H
#define BOX_ATTACH_KEYS_H

#include <stdbool.h>
#include <stddef.h>

#include "run/terminal.h"

struct attach_keys {
	bool first; /* the first key was pressed, and waits for what follows */
};

/*
 * Takes LEN bytes that were typed; RET (LEN + 1 bytes) gets those that are for the command, RET_LEN of them.
 * True: both keys were pressed, and what follows is for nobody.
 */
static inline bool attach_keys_feed(struct attach_keys *k, const char *typed, size_t len, char *ret,
				    size_t *ret_len)
{
	*ret_len = 0;
	for (size_t i = 0; i < len; i++) {
		if (k->first && typed[i] == TERMINAL_KEY_2)
			return true;
		if (k->first)
			ret[(*ret_len)++] = TERMINAL_KEY_1;
		k->first = typed[i] == TERMINAL_KEY_1;
		if (!k->first)
			ret[(*ret_len)++] = typed[i];
	}
	return false;
}

#endif
