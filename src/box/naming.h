/* SPDX-License-Identifier: Apache-2.0 */
/* Names for boxes that nobody named. */
#ifndef BOX_NAMING_H
#define BOX_NAMING_H

#include "store/store.h"

/* Two words that OWNER has no box of yet, such as "brave-otter". In the transaction that adds the box. */
int box_name_new(struct store *s, const char *owner, char ret[STORE_NAME_MAX + 1], struct aisbx_error *e);
/*
 * Of a fork: "brave-otter-2" for "brave-otter", the next number for one that has a number. *NUMBER: 0 at the
 * first call, then kept by the caller, so that many forks are named quickly.
 */
int box_name_next(struct store *s, const char *owner, const char *of, uint64_t *number,
		  char ret[STORE_NAME_MAX + 1], struct aisbx_error *e);

#endif
