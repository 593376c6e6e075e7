/* SPDX-License-Identifier: Apache-2.0 */
/* The network rules that a box which stays gives to each of its runs, changed after it was made. */
#ifndef BOX_NET_KEPT_H
#define BOX_NET_KEPT_H

#include <stdbool.h>

#include "aisbx/error.h"
#include "base/str.h"

/*
 * Adds the rules or presets VALUES to those of box KEY (ON), or takes them away. RET: all rules that it has
 * then, in their one true form. *RET_CHANGED: something did. -ENOENT: there is no such box.
 */
int net_kept_change(const char *key, const struct strlist *values, bool on, struct strlist *ret,
		    bool *ret_changed, struct aisbx_error *e);

#endif
