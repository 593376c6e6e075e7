/* SPDX-License-Identifier: Apache-2.0 */
/* A pipeline from its start: the settings of its project, its row in the store, the lock on its project. */
#include "flow/pipeline.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/intents.h"
#include "box/lookup.h"
#include "box/owner.h"
#include "box/project.h"

void pipeline_finish(struct pipeline *p)
{
	project_finish(&p->project);
	store_pipeline_finish(&p->row);
	if (p->state.dir)
		box_state_close(&p->state);
	close_fd(&p->lock);
}

/* On the directory itself: whoever works on the same project sees the same one. */
static int try_lock(const char *project, int *ret_fd)
{
	scoped(drop_fd) int fd = open(project, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return -errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* Who only looks whether it is taken takes it for a moment. */
static int lock_project(const char *project, int *ret_fd, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int r = try_lock(project, ret_fd);

	for (int i = 0; r == -EWOULDBLOCK && i < 40; i++) {
		nanosleep(&pause, NULL);
		r = try_lock(project, ret_fd);
	}
	if (r == -EWOULDBLOCK)
		return aisbx_refuse(
			e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
			"another pipeline of '%s' is in progress; 'aisbx pipeline ls' shows which", project);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "lock the project '%s'", project) : 0;
}

bool pipeline_is_live(const char *project)
{
	scoped(drop_fd) int fd = -1;

	return try_lock(project, &fd) == -EWOULDBLOCK;
}

/* Whether the project has a way to test, for the stages of who names none. */
static bool has_test(struct pipeline *p)
{
	scoped(intent_list_finish) struct intent_list found = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return box_intents(NULL, NULL, p->row.project, "", &p->project, &found, &ignored) == 0 &&
	       intent_best(&found, INTENT_TEST);
}

/* Gates are part of the stages that name them. */
#define NEEDS (PROJECT_STAGES | PROJECT_INTENTS | PROJECT_JUDGES)

/* RULES: see read_files; or, of a pipeline of an older aisbx, the text of the project's one file. */
static int parse_rules(const char *rules, struct project *ret, struct aisbx_error *e)
{
	json_t *list = json_loads(rules, 0, NULL);
	size_t n = json_array_size(list), i;
	scoped(drop_mem) struct box_project_file *items = calloc(n + 1, sizeof(*items));
	const struct box_project_files files = { items, n };
	const json_t *file;
	int r;

	if (!items) {
		r = aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the settings of a pipeline");
	} else if (!json_is_array(list)) {
		r = *rules ? project_parse_parts(rules, strlen(rules), PROJECT_FILE, NEEDS, ret, e) : 0;
	} else {
		json_array_foreach(list, i, file)
		{
			items[i].dir = (char *)json_string_value(json_object_get(file, "dir"));
			items[i].text = (char *)json_string_value(json_object_get(file, "text"));
		}
		r = box_project_read(&files, NEEDS, ret, e);
	}
	json_decref(list);
	return r;
}

static int read_rules(struct pipeline *p, struct aisbx_error *e)
{
	int r = parse_rules(p->row.rules, &p->project, e);

	p->applies = merge_resolution_by_name(p->row.conflict);
	if (r == 0 && !p->project.n_stages) {
		p->bare = !has_test(p);
		r = project_default_stages(&p->project, !p->bare, e);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->row.n_stages; i++)
		if (i >= p->project.n_stages || strcmp(p->project.stages[i].name, p->row.stages[i].name) != 0)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
					    "the stages of pipeline '%s' do not match its settings",
					    p->row.id);
	return 0;
}

int pipeline_open(const struct pipeline_callbacks *callbacks, const char *key, struct pipeline *p,
		  struct aisbx_error *e)
{
	char id[STORE_ID_MAX];
	int r;

	p->callbacks = *callbacks;
	r = box_state_open(&p->state, e);
	if (r == 0)
		r = store_pipeline_find(p->state.store, key, box_acting_for(), &p->row, e);
	if (r < 0)
		return r;
	memcpy(id, p->row.id, sizeof(id));
	r = lock_project(p->row.project, &p->lock, e);
	if (r == 0) { /* it may have moved until the lock was ours */
		store_pipeline_finish(&p->row);
		r = store_pipeline_find(p->state.store, id, NULL, &p->row, e);
	}
	return r < 0 ? r : read_rules(p, e);
}

enum pipeline_state pipeline_row_state(const struct store_pipeline *row)
{
	scoped(drop_mem) enum stage_state *states = calloc(row->n_stages + 1, sizeof(*states));

	for (size_t i = 0; states && i < row->n_stages; i++)
		states[i] = stage_state_by_name(row->stages[i].state);
	return states ? pipeline_state_of(states, row->n_stages, row->back) : PIPELINE_STOPPED;
}

/* The person's own files, as they are, as one text. What they say counts to the end, whatever a stage puts
 * there. */
static int read_files(const char *project, char **ret, struct aisbx_error *e)
{
	scoped(box_project_files_finish) struct box_project_files files = { 0 };
	json_t *list = json_array();
	int r = box_project_find(project, &files, e);

	for (size_t i = 0; i < files.n; i++)
		json_array_append_new(list, json_pack("{s:s, s:s}", "dir", files.items[i].dir, "text",
						      files.items[i].text));
	if (r == 0 && json_array_size(list) != files.n)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EILSEQ,
				 "'%s' or its path is not UTF-8", PROJECT_FILE);
	*ret = r == 0 ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return r < 0 || *ret ? r : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", PROJECT_FILE);
}

/* One that is not over would have its targets changed under it. */
static int check_others(struct pipeline *p, struct aisbx_error *e)
{
	struct store_pipeline *list = NULL;
	size_t n = 0;
	int r = store_pipeline_list(p->state.store, p->row.project, NULL, 100, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		enum pipeline_state s = pipeline_row_state(&list[i]);

		if (s == PIPELINE_WAITING)
			r = aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
					 "pipeline '%s' of this project is waiting for approval; first run "
					 "'aisbx approve %s' or 'aisbx approve %s --reject'",
					 list[i].id, list[i].id, list[i].id);
		else if (s == PIPELINE_RUNNING)
			r = aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_BOX, EBUSY,
					 "pipeline '%s' of this project was interrupted; first run 'aisbx "
					 "pipeline resume %s' or 'aisbx pipeline undo %s'",
					 list[i].id, list[i].id, list[i].id);
	}
	store_pipeline_list_finish(list, n);
	return r;
}

/* The stages up to TO. */
static int add_stages(struct pipeline *p, const char *to, struct aisbx_error *e)
{
	size_t n = 0;

	while (to && n < p->project.n_stages && strcmp(p->project.stages[n].name, to) != 0)
		n++;
	if (to && n == p->project.n_stages)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the project has no stage '%.60s'; 'aisbx project show' lists them", to);
	n = to ? n + 1 : p->project.n_stages;
	p->row.stages = calloc(n, sizeof(*p->row.stages));
	for (; p->row.stages && p->row.n_stages < n; p->row.n_stages++) {
		struct store_stage *s = &p->row.stages[p->row.n_stages];

		*s = (struct store_stage){ .name = strdup(p->project.stages[p->row.n_stages].name),
					   .why = strdup(""),
					   .detail = strdup("{}"),
					   .state = "pending" };
		if (!s->name || !s->why || !s->detail)
			return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the stages");
	}
	return p->row.stages ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "read the stages");
}

static int find_box(struct pipeline *p, const char *key, struct lookup *at, struct aisbx_error *e)
{
	int r = lookup_open(key, false, at, e);

	if (r == 0 && !at->box.project)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_BOX, EINVAL,
				 "box '%s' has no project, so there are no stages", at->box.name);
	if (r < 0)
		return r;
	memcpy(p->row.box, at->box.id, sizeof(p->row.box));
	memcpy(p->row.box_name, at->box.name, sizeof(p->row.box_name));
	p->row.project = strdup(at->box.project);
	return p->row.project ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the project");
}

/* So that nothing changes under way. */
static int freeze(struct pipeline *p, struct lookup *at, struct aisbx_error *e)
{
	struct store_snapshot snap;
	int r = at->snapshot[0] ? store_snapshot_find(at->state.store, at->box.id, at->snapshot, &snap, e)
				: box_snapshot_any(&at->state, &at->box, NULL, &snap, e);

	if (r == 0)
		memcpy(p->row.snapshot, snap.id, sizeof(p->row.snapshot));
	return r;
}

static int add_row(struct pipeline *p, struct aisbx_error *e)
{
	int r = store_sync(p->state.store, e);

	if (r == 0)
		r = store_begin(p->state.store, e);
	if (r == 0)
		r = store_pipeline_add(p->state.store, &p->row, e);
	if (r == 0)
		r = store_event_add(p->state.store, "pipeline.begun", p->row.box, NULL, e,
				    "{\"pipeline\":\"%s\"}", p->row.id);
	if (r == 0)
		r = store_commit(p->state.store, e);
	store_rollback(p->state.store);
	return r;
}

int pipeline_begin(const struct pipeline_callbacks *callbacks, const struct pipeline_request *req,
		   struct pipeline *p, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	int r;

	p->callbacks = *callbacks;
	p->row.yes = req->yes;
	if (p->row.yes && callbacks->by->owner)
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
				    "only a person can approve in advance; omit 'yes'");
	snprintf(p->row.conflict, sizeof(p->row.conflict), "%s", req->conflict ? req->conflict : "stop");
	r = find_box(p, req->box, &at, e);
	if (r == 0)
		r = lock_project(p->row.project, &p->lock, e);
	if (r == 0)
		r = box_state_open(&p->state, e);
	if (r == 0)
		r = check_others(p, e);
	if (r == 0)
		r = read_files(p->row.project, &p->row.rules, e);
	if (r == 0)
		r = read_rules(p, e);
	if (r == 0)
		r = add_stages(p, req->to, e);
	if (r == 0)
		r = freeze(p, &at, e);
	if (r < 0)
		return r;
	box_new_id("pipe-", p->row.id);
	snprintf(p->row.owner, sizeof(p->row.owner), "%s", box_acting_for() ? box_acting_for() : "");
	p->row.created_ms = box_now_ms();
	return add_row(p, e);
}

/* A stage at which an earlier try to take it back got stuck is tried again. */
static int retry_stuck(struct pipeline *p, struct aisbx_error *e)
{
	for (size_t i = p->row.n_stages; i-- > 0;) {
		enum stage_state s = stage_state_by_name(p->row.stages[i].state);

		if (s == STAGE_STUCK)
			return pipeline_move(p, i, EVENT_BACK, NULL, NULL, e);
		if (s != STAGE_PENDING && s != STAGE_FAILED && s != STAGE_UNDONE)
			break;
	}
	return 0;
}

int pipeline_turn(struct pipeline *p, enum merge_resolution conflict, struct aisbx_error *e)
{
	int r = store_sync(p->state.store, e);

	if (r == 0)
		r = store_pipeline_turn(p->state.store, p->row.id, e);
	if (r < 0)
		return r;
	p->row.back = true;
	p->conflict = conflict;
	return retry_stuck(p, e);
}
