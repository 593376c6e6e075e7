/* SPDX-License-Identifier: Apache-2.0 */
/* Out of a box into what is kept of it. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "artifact/artifact.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/integrity.h"
#include "secret/scrub.h"

#define MAX_NOTE 4096u

/* What the box handed over: the pack, and behind it the answer. */
static int hear(struct box_act *f, int draft, uint64_t *ret_len, struct aisbx_error *e)
{
	struct file_answer *a = &f->reply.head;
	struct stat st;

	if (fstat(draft, &st) < 0 || st.st_size < (off_t)sizeof(*a) ||
	    pread(draft, a, sizeof(*a), st.st_size - (off_t)sizeof(*a)) != sizeof(*a) ||
	    !box_file_checks(a, 0))
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_BOX, EPROTO,
				    "the answer of aisbx-file is invalid");
	*ret_len = (uint64_t)st.st_size - sizeof(*a);
	return a->error ? box_act_explain(f, a, e) : 0;
}

/* Its newest run made it, or nobody knows. */
static int find_run(struct box_state *s, const char *box, char ret_id[STORE_ID_MAX], struct aisbx_error *e)
{
	const struct store_run_filter filter = { .box = box, .limit = 1 };
	struct store_run *runs = NULL;
	size_t n = 0;
	int r = store_run_list(s->store, &filter, &runs, &n, e);

	if (r == 0 && n)
		memcpy(ret_id, runs[0].id, STORE_ID_MAX);
	store_run_list_finish(runs, n);
	return r;
}

static int name_it(const struct artifact_save_request *req, const struct box_act *f,
		   struct store_saved_artifact *row, struct aisbx_error *e)
{
	const char *name = req->name, *slash = strrchr(f->path, '/');
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(box_state_close) struct box_state state = { 0 };
	int r = name ? box_check_name(name, e) : 0;

	if (r == 0 && req->note_len > MAX_NOTE)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "a note may have at most %u bytes", MAX_NOTE);
	if (r == 0)
		r = box_state_open(&state, e);
	if (r == 0)
		r = box_find(&state, f->req.box.id, &box, e);
	if (r == 0)
		r = box_check_integrity(&state, &box, e);
	if (r == 0)
		r = find_run(&state, box.id, row->run, e);
	if (r < 0)
		return r;
	box_new_id("a-", row->id);
	row->note = (char *)(uintptr_t)req->note;
	row->path = f->path;
	row->created_ms = box_now_ms();
	if (!name && slash &&
	    box_check_name(slash + 1, &ignored) == 0) /* as it is called, if that is a name */
		name = slash + 1;
	snprintf(row->name, sizeof(row->name), "%s", name ? name : row->id);
	memcpy(row->box, box.id, sizeof(row->box));
	memcpy(row->box_name, box.name, sizeof(row->box_name));
	snprintf(row->owner, sizeof(row->owner), "%s", box_acting_for() ? box_acting_for() : "");
	return 0;
}

static int keep(const struct strlist *allowed, struct box_act *f, struct store_saved_artifact *row,
		struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(drop_fd) int draft = -1;
	struct driver_result ran = { 0 };
	uint64_t len = 0;
	int r = box_state_open(&state, e);

	if (r == 0)
		r = artifact_draft(&state, &draft, e);
	if (r == 0)
		r = box_file_send(&f->req, &f->ask, draft, &ran, e);
	driver_result_finish(&ran);
	if (r == 0)
		r = hear(f, draft, &len, e);
	if (r == 0)
		r = artifact_keep(&state, draft, len, allowed, row, e);
	return r;
}

void artifact_saved_finish(struct artifact_saved *s)
{
	box_act_finish(&s->act);
}

int artifact_save(const struct caller *by, const struct artifact_save_request *req,
		  struct artifact_saved *ret, struct aisbx_error *e)
{
	struct box_act *f = &ret->act;
	int r = box_act_begin(by, req->box, &req->path, FILE_PACK, f, e);

	f->ask.head.limit = ARTIFACT_BYTES;
	f->req.profile.limits[LIMIT_FILE_SIZE] = 0; /* the file it goes into is ours */
	if (r == 0)
		r = name_it(req, f, &ret->row, e);
	if (r == 0)
		r = keep(req->allowed, f, &ret->row, e);
	if (r < 0 && f->scan)
		scrub_error(e, fingerprints_scrub, f->scan);
	ret->left_out = f->reply.head.next;
	return r;
}
