/* SPDX-License-Identifier: Apache-2.0 */
/* The contexts of a box, for who may see the box. */
#ifndef BOX_CODE_CONTEXTS_H
#define BOX_CODE_CONTEXTS_H

#include "box/code.h"

struct code_contexts {
	struct context_there *list; /* owned; those that are there */
	size_t n;
	size_t ended; /* how many were ended */
};

void code_contexts_finish(struct code_contexts *c);
/* END: NULL, or the name of those that are ended first, of LANG (NULL: of all languages). */
int code_contexts(const struct caller *by, const char *box, const char *end, const char *lang,
		  struct code_contexts *ret, struct aisbx_error *e);

#endif
