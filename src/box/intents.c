/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a project's commands from its files as a box or the host has them. */
#include "box/intents.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/owner.h"
#include "box/file_view.h"

/* Files are read once, however often somebody asks. */
#define MAX_KEPT 64

struct reader {
	struct box_file_view *view;
	struct {
		char *name; /* owned */
		struct buf text;
		bool there;
	} kept[MAX_KEPT];
	size_t n;
};

static void reader_finish(struct reader *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free(r->kept[i].name);
		buf_finish(&r->kept[i].text);
	}
}

static bool has(void *ctx, const char *path)
{
	return box_file_view_has(((struct reader *)ctx)->view, path);
}

/* NULL as well when it holds a NUL: that is no text. */
static const char *text(void *ctx, const char *name)
{
	struct reader *r = ctx;
	size_t i = 0;

	while (i < r->n && strcmp(r->kept[i].name, name) != 0)
		i++;
	if (i == MAX_KEPT)
		return NULL;
	if (i == r->n) {
		r->kept[i].name = strdup(name);
		if (!r->kept[i].name)
			return NULL;
		r->n++;
		r->kept[i].there = box_file_view_read(r->view, name, INTENT_MAX_TEXT, &r->kept[i].text) &&
				   buf_str(&r->kept[i].text) &&
				   strlen(r->kept[i].text.data) == r->kept[i].text.len;
	}
	return r->kept[i].there ? r->kept[i].text.data : NULL;
}

static int read_project(struct reader *r, struct project *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf file = { 0 };

	if (!box_file_view_has(r->view, PROJECT_FILE))
		return 0;
	if (!box_file_view_read(r->view, PROJECT_FILE, PROJECT_MAX_BYTES, &file))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' is not a readable regular file of at most %u bytes", PROJECT_FILE,
				    PROJECT_MAX_BYTES);
	return project_parse_parts(file.data ? file.data : "", file.len, PROJECT_FILE, PROJECT_INTENTS, ret,
				   e);
}

int box_intents(struct box_state *state, const struct store_box *box, const char *project, const char *dir,
		const struct project *says, struct intent_list *ret, struct aisbx_error *e)
{
	scoped(box_file_view_close) struct box_file_view view = BOX_FILE_VIEW_INIT;
	scoped(reader_finish) struct reader r = { .view = &view };
	scoped(strlist_finish) struct strlist names = { 0 };
	scoped(project_finish) struct project p = { 0 };
	struct intent_source src = { .names = &names, .has = has, .text = text, .ctx = &r };
	int err = box_file_view_open(state, box, project, dir, &view, e);

	if (err == 0)
		err = box_file_view_names(&view, &names, e);
	if (err == 0 && !says)
		err = read_project(&r, &p, e);
	return err < 0 ? err : intent_find(&src, says ? says : &p, ret, e);
}

/* Where to look, below the project; CWD is relative to FROM. Heap, or NULL with an error. */
static char *place(const char *project, const char *from, const char *cwd, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(from, cwd ? cwd : ".");
	const char *below = full ? path_below(full, project) : NULL;
	char *dir;

	if (full && !below) {
		aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			     "'%s' is not in the project '%s', so its command cannot be determined", cwd,
			     project);
		return NULL;
	}
	dir = below ? strdup(below) : NULL;
	if (!dir)
		aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the project's commands");
	return dir;
}

/* The box, if one is meant, and the project; heap. */
static int find_project(const char *cwd, const struct box_intents_request *req, struct box_state *state,
			struct store_box *box, char **ret, struct aisbx_error *e)
{
	int r = 0;

	if (req->box && req->project)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the project of a box is set when it is made; omit --project");
	if (req->box)
		r = box_state_open(state, e);
	if (r == 0 && req->box)
		r = box_find(state, req->box, box, e);
	if (r == 0 && req->box && !box->project)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL, "box '%s' has no project",
				 box->name);
	if (r < 0)
		return r;
	*ret = path_resolve(cwd, req->box ? box->project : req->project ? req->project : ".");
	return *ret ? 0 : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the project's commands");
}

static bool has_wanted(const struct intent_list *l, enum intent want)
{
	return want == INTENT_COUNT ? l->n : !!intent_best(l, want);
}

/* From DIR upwards to the project, until there is what is wanted. DIR becomes where it was found. */
static int find_nearest(struct box_state *state, const struct store_box *box, const char *project,
			const struct box_intents_request *req, char *dir, struct intent_list *ret,
			struct aisbx_error *e)
{
	while (*dir) {
		struct aisbx_error ignored = AISBX_ERROR_INIT; /* the box may not have that directory */
		scoped(intent_list_finish) struct intent_list found = { 0 };
		char *slash = strrchr(dir, '/');

		if (box_intents(state, box, project, dir, req->says, &found, &ignored) == 0 &&
		    has_wanted(&found, req->want)) {
			*ret = found;
			found = (struct intent_list){ 0 };
			return 0;
		}
		*(slash ? slash : dir) = '\0';
	}
	return box_intents(state, box, project, dir, req->says, ret, e);
}

int box_intents_find(const char *cwd, const struct box_intents_request *req, struct intent_list *ret,
		     char **ret_dir, struct aisbx_error *e)
{
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	scoped(drop_mem) char *project = NULL, *dir = NULL;
	struct box_state *s = req->box ? &state : NULL;
	const struct store_box *b = req->box ? &box : NULL;
	bool is_below;
	int r = find_project(cwd, req, &state, &box, &project, e);

	if (r < 0)
		return r;
	is_below = req->here && path_is_within(req->here, project);
	dir = place(project, is_below ? req->here : project, req->dir, e);
	if (!dir)
		return e->code;
	r = is_below && !req->dir ? find_nearest(s, b, project, req, dir, ret, e)
				  : box_intents(s, b, project, dir, req->says, ret, e);
	if (r == 0 && ret_dir)
		*ret_dir = take_mem(&dir);
	return r;
}
