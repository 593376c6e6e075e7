/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the box for whom we act first, so that contexts of others' boxes are as little there as the boxes. */
#include "box/code_contexts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/lookup.h"

void code_contexts_finish(struct code_contexts *c)
{
	free(c->list);
}

int code_contexts(const struct caller *by, const char *box, const char *end, const char *lang,
		  struct code_contexts *ret, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup found = LOOKUP_INIT;
	size_t left = 0;
	int r = 0;

	if (end && !context_is_name(end))
		return context_refuse_name(end, e);
	if (lang && !end)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"a language only chooses among contexts to end; name the one to end, too");
	r = lookup_open_box(box, false, &found, e);
	if (r == 0)
		r = contexts_look(found.box.id, &ret->list, &ret->n, e);
	for (size_t i = 0; r == 0 && i < ret->n; i++) {
		const struct context_there *c = &ret->list[i];
		const struct context context = { .box = found.box.id, .name = c->name, .lang = c->lang };

		if (end && !strcmp(end, c->name) && (!lang || !strcmp(lang, c->lang)))
			ret->ended += context_end(by, &context);
		else
			ret->list[left++] = *c;
	}
	if (r == 0)
		ret->n = left;
	return r;
}
