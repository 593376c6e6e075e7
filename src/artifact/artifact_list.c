/* SPDX-License-Identifier: Apache-2.0 */
/* Finding artifacts, and what is in one that is a directory. */
#include <errno.h>
#include <stdlib.h>

#include "artifact/artifact.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"

int artifact_find(const char *key, struct artifact *ret, struct aisbx_error *e)
{
	int r = box_state_open(&ret->state, e);

	return r < 0 ? r : store_saved_artifact_find(ret->state.store, key, box_acting_for(), &ret->row, e);
}

void artifact_finish(struct artifact *a)
{
	store_saved_artifact_finish(&a->row);
	if (a->state.dir)
		box_state_close(&a->state);
}

int artifact_ls(const char *box, struct artifact_list *ret, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	int r = box_state_open(&state, e);

	return r < 0 ? r
		     : store_saved_artifact_list(state.store, box, box_acting_for(), &ret->rows, &ret->n, e);
}

void artifact_list_finish(struct artifact_list *l)
{
	store_saved_artifact_list_finish(l->rows, l->n);
}

int artifact_entries(const struct artifact *a, size_t max,
		     void (*tell)(void *ctx, const struct unpack *entry), void *ctx, bool *ret_more,
		     struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;
	scoped(drop_mem) struct unpack *p = calloc(1, sizeof(*p));
	int r;

	if (!p)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "list the files of the artifact");
	r = artifact_open(&a->state, &a->row, &fd, e);
	if (r < 0)
		return r;
	*p = (struct unpack){ .fd = fd, .end = (uint64_t)a->row.size };
	r = unpack_next(p, e); /* the directory itself */
	for (size_t n = 0; r > 0 && (r = unpack_next(p, e)) > 0 && n < max; n++) {
		tell(ctx, p);
		if (p->e.type == FILE_IS_FILE)
			p->at += p->e.size;
	}
	*ret_more = r > 0;
	return r < 0 ? r : 0;
}
