/* SPDX-License-Identifier: Apache-2.0 */
/* The operations on pipelines: a frozen change of a box goes through the stages of its project, and back. */
#include "op/pipeline.h"

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
#include "box/owner.h"
#include "box/project.h"
#include "op/intents.h"
#include "op/outcome.h"
#include "op/point.h"
#include "op/value.h"

void pipeline_finish(struct pipeline *p)
{
	project_finish(&p->project);
	store_pipeline_finish(&p->row);
	if (p->shelf.dir)
		box_shelf_close(&p->shelf);
	close_fd(&p->lock);
}

static void begin(struct pipeline *p, struct op_context *ctx)
{
	p->ctx = ctx;
	p->quiet = *ctx;
	p->quiet.stdin_fd = p->quiet.out_fds[0] = p->quiet.out_fds[1] = -1;
	p->quiet.emit = NULL;
	p->quiet.begun = NULL;
	p->quiet.keep_output = false;
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
int pipeline_lock(const char *project, int *ret_fd, struct aisbx_error *e)
{
	const struct timespec pause = { .tv_nsec = 5000000 };
	int r = try_lock(project, ret_fd);

	for (int i = 0; r == -EWOULDBLOCK && i < 40; i++) {
		nanosleep(&pause, NULL);
		r = try_lock(project, ret_fd);
	}
	if (r == -EWOULDBLOCK)
		return aisbx_refuse(e, AISBX_AREA_BOX, EBUSY,
				    "a pipeline of '%s' is under way; 'aisbx pipeline ls' shows which",
				    project);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "lock the project '%s'", project) : 0;
}

static bool is_live(const char *project)
{
	scoped(drop_fd) int fd = -1;

	return try_lock(project, &fd) == -EWOULDBLOCK;
}

/* Whether the project has a way to test, for the stages of who names none. */
static bool has_test(struct pipeline *p)
{
	scoped(intent_list_finish) struct intent_list found = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	json_t *args = json_pack("{s:s}", "project", p->row.project);
	bool has = op_intents_find_by(&p->quiet, args, &p->project, &found, NULL, &ignored) == 0 &&
		   intent_best(&found, INTENT_TEST);

	json_decref(args);
	return has;
}

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
		r = aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the rules of a pipeline");
	} else if (!json_is_array(list)) {
		r = *rules ? project_parse(rules, strlen(rules), PROJECT_FILE, ret, e) : 0;
	} else {
		json_array_foreach(list, i, file)
		{
			items[i].dir = (char *)json_string_value(json_object_get(file, "dir"));
			items[i].text = (char *)json_string_value(json_object_get(file, "text"));
		}
		r = box_project_read(&files, ret, e);
	}
	json_decref(list);
	return r;
}

int pipeline_read_rules(struct pipeline *p, struct aisbx_error *e)
{
	json_t *how = json_pack("{s:s}", "conflict", p->row.conflict);
	int r = parse_rules(p->row.rules, &p->project, e);

	p->applies = op_resolution(how);
	json_decref(how);
	if (r == 0 && !p->project.n_stages) {
		p->bare = !has_test(p);
		r = project_default_stages(&p->project, !p->bare, e);
	}
	if (r < 0)
		return r;
	for (size_t i = 0; i < p->row.n_stages; i++)
		if (i >= p->project.n_stages || strcmp(p->project.stages[i].name, p->row.stages[i].name) != 0)
			return aisbx_refuse(e, AISBX_AREA_BOX, EINVAL,
					    "the stages of pipeline '%s' are not those of its rules",
					    p->row.id);
	return 0;
}

int pipeline_open(struct op_context *ctx, const char *key, bool lock, struct pipeline *p,
		  struct aisbx_error *e)
{
	int r;

	begin(p, ctx);
	r = box_shelf_open(&p->shelf, e);
	if (r == 0)
		r = store_pipeline_find(p->shelf.store, key, box_acting_for(), &p->row, e);
	if (r == 0 && lock) {
		char id[STORE_ID_MAX];

		memcpy(id, p->row.id, sizeof(id));
		r = pipeline_lock(p->row.project, &p->lock, e);
		if (r == 0) { /* it may have moved until the lock was ours */
			store_pipeline_finish(&p->row);
			r = store_pipeline_find(p->shelf.store, id, NULL, &p->row, e);
		}
	}
	return r < 0 ? r : pipeline_read_rules(p, e);
}

enum pipeline_state pipeline_row_state(const struct store_pipeline *row)
{
	scoped(drop_mem) enum stage_state *states = calloc(row->n_stages + 1, sizeof(*states));

	for (size_t i = 0; states && i < row->n_stages; i++)
		states[i] = stage_state_by_name(row->stages[i].state);
	return states ? pipeline_state_of(states, row->n_stages, row->back) : PIPELINE_STOPPED;
}

static json_t *time_json(int64_t ms)
{
	return ms ? json_integer(ms) : json_null();
}

static json_t *approval_json(struct store *s, const struct store_pipeline *row, size_t i)
{
	scoped(store_approval_finish) struct store_approval a = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (store_approval_find(s, row->id, i, row->snapshot, &a, &ignored) < 0)
		return json_null();
	return json_pack("{s:b, s:s, s:I, s:s, s:s, s:I}", "approved", a.approved, "name", a.name, "uid",
			 (json_int_t)a.uid, "way", a.way, "note", a.note, "time_ms", (json_int_t)a.time_ms);
}

static json_t *stage_json(struct store *s, const struct store_pipeline *row, size_t i)
{
	const struct store_stage *stage = &row->stages[i];
	json_t *detail = json_loads(stage->detail, 0, NULL);
	json_t *j = json_pack("{s:s, s:s, s:s?, s:s?, s:o, s:o, s:o}", "stage", stage->name, "state",
			      stage->state, "why", *stage->why ? stage->why : NULL, "promotion",
			      stage->promotion[0] ? stage->promotion : NULL, "begun_ms",
			      time_json(stage->begun_ms), "ended_ms", time_json(stage->ended_ms), "approval",
			      approval_json(s, row, i));

	json_object_update_missing(j, detail);
	json_decref(detail);
	return j;
}

json_t *pipeline_json(struct store *s, const struct store_pipeline *row)
{
	json_t *stages = json_array();

	for (size_t i = 0; i < row->n_stages; i++)
		json_array_append_new(stages, stage_json(s, row, i));
	return json_pack("{s:s, s:s, s:b, s:s, s:s, s:s, s:b, s:I, s:o}", "pipeline", row->id, "state",
			 pipeline_state_name(pipeline_row_state(row)), "live", is_live(row->project), "box",
			 row->box_name, "snapshot", row->snapshot, "project", row->project, "back", row->back,
			 "created_ms", (json_int_t)row->created_ms, "stages", stages);
}

/* ---- its beginning ---- */

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
		r = aisbx_refuse(e, AISBX_AREA_POLICY, EILSEQ, "'%s' or its path is not UTF-8", PROJECT_FILE);
	*ret = r == 0 ? json_dumps(list, JSON_COMPACT) : NULL;
	json_decref(list);
	return r < 0 || *ret ? r : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read '%s'", PROJECT_FILE);
}

/* One that is not over would have its targets changed under it. */
static int check_others(struct pipeline *p, struct aisbx_error *e)
{
	struct store_pipeline *list = NULL;
	size_t n = 0;
	int r = store_pipeline_list(p->shelf.store, p->row.project, NULL, 100, &list, &n, e);

	for (size_t i = 0; r == 0 && i < n; i++) {
		enum pipeline_state s = pipeline_row_state(&list[i]);

		if (s == PIPELINE_WAITING)
			r = aisbx_refuse(e, AISBX_AREA_BOX, EBUSY,
					 "pipeline '%s' of this project waits for a person; 'aisbx approve "
					 "%s' or 'aisbx approve %s --reject' first",
					 list[i].id, list[i].id, list[i].id);
		else if (s == PIPELINE_RUNNING)
			r = aisbx_refuse(e, AISBX_AREA_BOX, EBUSY,
					 "pipeline '%s' of this project was cut off; 'aisbx pipeline resume "
					 "%s' or 'aisbx pipeline undo %s' first",
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
		return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
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

static int find_box(struct pipeline *p, const char *key, struct point *at, struct aisbx_error *e)
{
	int r = point_open(key, false, at, e);

	if (r == 0 && !at->box.project)
		r = aisbx_refuse(e, AISBX_AREA_BOX, EINVAL, "box '%s' has no project, so there are no stages",
				 at->box.name);
	if (r < 0)
		return r;
	memcpy(p->row.box, at->box.id, sizeof(p->row.box));
	memcpy(p->row.box_name, at->box.name, sizeof(p->row.box_name));
	p->row.project = strdup(at->box.project);
	return p->row.project ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "find the project");
}

/* So that nothing changes under way. */
static int freeze(struct pipeline *p, struct point *at, struct aisbx_error *e)
{
	struct store_snapshot snap;
	int r = at->snapshot[0] ? store_snapshot_find(at->shelf.store, at->box.id, at->snapshot, &snap, e)
				: box_snapshot_any(&at->shelf, &at->box, NULL, &snap, e);

	if (r == 0)
		memcpy(p->row.snapshot, snap.id, sizeof(p->row.snapshot));
	return r;
}

static int add_row(struct pipeline *p, struct aisbx_error *e)
{
	int r = store_sync(p->shelf.store, e);

	if (r == 0)
		r = store_begin(p->shelf.store, e);
	if (r == 0)
		r = store_pipeline_add(p->shelf.store, &p->row, e);
	if (r == 0)
		r = store_event_add(p->shelf.store, "pipeline.begun", p->row.box, NULL, e,
				    "{\"pipeline\":\"%s\"}", p->row.id);
	if (r == 0)
		r = store_commit(p->shelf.store, e);
	store_rollback(p->shelf.store);
	return r;
}

static int run_run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	scoped(point_finish) struct point at = POINT_INIT;
	const json_t *conflict = json_object_get(args, "conflict");
	int r;

	begin(&p, ctx);
	p.row.yes = json_is_true(json_object_get(args, "yes"));
	if (p.row.yes && ctx->owner)
		return aisbx_refuse(e, AISBX_AREA_POLICY, EACCES,
				    "only a person can approve in advance; leave 'yes' out");
	snprintf(p.row.conflict, sizeof(p.row.conflict), "%s",
		 json_string_value(conflict) ? json_string_value(conflict) : "stop");
	r = find_box(&p, json_string_value(json_object_get(args, "box")), &at, e);
	if (r == 0)
		r = pipeline_lock(p.row.project, &p.lock, e);
	if (r == 0)
		r = box_shelf_open(&p.shelf, e);
	if (r == 0)
		r = check_others(&p, e);
	if (r == 0)
		r = read_files(p.row.project, &p.row.rules, e);
	if (r == 0)
		r = pipeline_read_rules(&p, e);
	if (r == 0)
		r = add_stages(&p, json_string_value(json_object_get(args, "to")), e);
	if (r == 0)
		r = freeze(&p, &at, e);
	if (r < 0)
		return r;
	box_new_id("pipe-", p.row.id);
	snprintf(p.row.owner, sizeof(p.row.owner), "%s", box_acting_for() ? box_acting_for() : "");
	p.row.created_ms = box_now_ms();
	r = add_row(&p, e);
	point_finish(&at);
	at = (struct point)POINT_INIT;
	return r < 0 ? r : pipeline_drive(&p, ret_result, e);
}

static int run_resume(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	int r = pipeline_open(ctx, json_string_value(json_object_get(args, "pipeline")), true, &p, e);

	return r < 0 ? r : pipeline_drive(&p, ret_result, e);
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

static int run_undo(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(pipeline_finish) struct pipeline p = PIPELINE_INIT;
	int r = pipeline_open(ctx, json_string_value(json_object_get(args, "pipeline")), true, &p, e);

	if (r == 0)
		r = store_sync(p.shelf.store, e);
	if (r == 0)
		r = store_pipeline_turn(p.shelf.store, p.row.id, e);
	if (r < 0)
		return r;
	p.row.back = true;
	p.conflict = op_resolution(args);
	r = retry_stuck(&p, e);
	return r < 0 ? r : pipeline_drive(&p, ret_result, e);
}

static int run_show(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	scoped(store_pipeline_finish) struct store_pipeline row = { 0 };
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	if (r == 0)
		r = store_pipeline_find(shelf.store, json_string_value(json_object_get(args, "pipeline")),
					box_acting_for(), &row, e);
	if (r == 0)
		*ret_result = pipeline_json(shelf.store, &row);
	return r < 0 || *ret_result ? r : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static int run_ls(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(box_shelf_close) struct box_shelf shelf = { 0 };
	struct store_pipeline *list = NULL;
	uint64_t limit = 20;
	json_t *all;
	size_t n = 0;
	int r = box_shelf_open(&shelf, e);

	(void)ctx;
	op_value_number(json_object_get(args, "limit"), &limit);
	if (r == 0)
		r = store_pipeline_list(shelf.store, NULL, box_acting_for(),
					limit < INT64_MAX ? (int64_t)limit : INT64_MAX, &list, &n, e);
	if (r < 0)
		return r;
	all = json_array();
	for (size_t i = 0; i < n; i++)
		json_array_append_new(all, pipeline_json(shelf.store, &list[i]));
	store_pipeline_list_finish(list, n);
	*ret_result = json_pack("{s:o}", "pipelines", all);
	return *ret_result ? 0 : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "write the result");
}

static const struct op_param run_params[] = {
	{ .name = "box",
	  .type = OP_STRING,
	  .positional = true,
	  .required = true,
	  .value = "BOX[@SNAPSHOT]",
	  .help = "whose changes" },
	{ .name = "to",
	  .type = OP_STRING,
	  .value = "STAGE",
	  .help = "stop behind this stage; default: all of them",
	  .model = true },
	{ .name = "conflict",
	  .type = OP_CHOICE,
	  .value = "HOW",
	  .choices = op_resolutions,
	  .help = "what becomes of files of a directory that were changed on both sides: stop there "
		  "(default), keep them, or overwrite them",
	  .model = true },
	{ .name = "yes",
	  .letter = 'y',
	  .type = OP_FLAG,
	  .help = "you approve of every stage that asks; commands of stages run outside of any box" },
	{ .name = NULL },
};

static const struct op_field one_result[] = { PIPELINE_FIELDS(""), { NULL, NULL, NULL } };

const struct op op_pipeline_run = {
	.name = "pipeline run",
	.method = "pipeline.run",
	.summary = "Bring a box's changes through the stages of its project",
	.about = "Freezes the box and brings what it changed through the stages that the project's "
		 "aisbx.yaml names, one after the\n"
		 "other: gates that must hold, a person's approval where it is asked for, the change of the "
		 "stage's target (a\n"
		 "directory, a branch, a command of the project's own), then gates that are asked about the "
		 "target. When those do\n"
		 "not hold, that stage is taken back and everything stops: earlier stages keep what they "
		 "have, later ones are never\n"
		 "touched. Without stages in the file there are two: verified (the project's tests, no "
		 "traps) and dev (the project).\n"
		 "Every step is on the disk before it is made: after a crash 'aisbx pipeline resume' goes "
		 "on.\n"
		 "Exit status: 0 done, 1 stopped, 3 waiting for 'aisbx approve'.",
	.example = "aisbx pipeline run try1\naisbx pipeline run try1@tested --to staging\naisbx approve "
		   "pipe-1f2e --note 'as agreed'\n"
		   "aisbx pipeline undo pipe-1f2e",
	.grant = GRANT_HOST,
	.params = run_params,
	.result = one_result,
	.run = run_run,
};

static const struct op_param show_params[] = { PIPELINE_PARAM, { .name = NULL } };

const struct op op_pipeline_resume = {
	.name = "pipeline resume",
	.method = "pipeline.resume",
	.summary = "Go on with a pipeline that was cut off, or that waited",
	.about = "Finds out how far a pipeline came, finishes or takes back what was under way, and goes on. "
		 "A promotion is known by\n"
		 "its id, so it is never made twice. Of a command that was cut off nobody knows how far it "
		 "came: its rollback command\n"
		 "runs, then the command once more; without a rollback command the pipeline stops there and "
		 "says so.",
	.example = "aisbx pipeline resume pipe-1f2e",
	.grant = GRANT_HOST,
	.params = show_params,
	.result = one_result,
	.run = run_resume,
};

const struct op op_pipeline_show = {
	.name = "pipeline show",
	.method = "pipeline.show",
	.summary = "Show a pipeline and how far it came",
	.about = "Shows the stages with their states, what gates said, and who approved.",
	.example = "aisbx pipeline show pipe-1f2e",
	.grant = GRANT_READ,
	.params = show_params,
	.result = one_result,
	.run = run_show,
};

static const struct op_param undo_params[] = { PIPELINE_PARAM, CONFLICT_PARAM, { .name = NULL } };

const struct op op_pipeline_undo = {
	.name = "pipeline undo",
	.method = "pipeline.undo",
	.summary = "Take a pipeline back, the last stage first",
	.about = "Takes back what every stage of the pipeline put into its target, in reverse order: "
		 "promotions as 'aisbx undo' does,\n"
		 "commands by their rollback command. It stops at a stage that cannot be taken back, and "
		 "earlier ones keep what they\n"
		 "have; after a crash 'aisbx pipeline resume' goes on with it.",
	.example = "aisbx pipeline undo pipe-1f2e\naisbx pipeline undo pipe-1f2e --conflict keep",
	.grant = GRANT_HOST,
	.params = undo_params,
	.result = one_result,
	.run = run_undo,
};

static const struct op_param ls_params[] = {
	{ .name = "limit", .letter = 'n', .type = OP_NUMBER, .value = "N", .help = "at most N; default 20" },
	{ .name = NULL },
};

static const struct op_field ls_result[] = { { "pipelines", "array", "newest first" },
					     PIPELINE_FIELDS("pipelines[]."),
					     { NULL, NULL, NULL } };

const struct op op_pipeline_ls = {
	.name = "pipeline ls",
	.method = "pipeline.ls",
	.summary = "List pipelines",
	.about = "Lists pipelines, newest first.",
	.example = "aisbx pipeline ls",
	.grant = GRANT_READ,
	.params = ls_params,
	.result = ls_result,
	.run = run_ls,
};
