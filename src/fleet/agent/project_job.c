/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a job with a project, one after the other. */
#include "fleet/agent/project_job.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/str.h"
#include "fleet/agent/carry.h"
#include "fleet/core/memory.h"

#define LONGEST    4000
#define EXPERIMENT "experiment.try"

enum step { FETCHES, CREATES, RUNS, SENDS };

struct project_job {
	struct project_job_options o;
	enum step step;
	char tree[CONTENT_TREE];
	char box[64]; /* that has the changes */
	bool has_tree, has_box;
	const char *method;      /* borrowed; of the table */
	json_t *create, *run;    /* owned; parameters */
	json_t *answer;          /* owned; of the run */
	struct carrier *carrier; /* owned */
};

static int check_at(const char *at, struct aisbx_error *e)
{
	const size_t len = at ? strlen(at) : 0;
	bool bad = !at || len > LONGEST || at[0] == '/' || (len && at[len - 1] == '/');

	for (const char *c = at; !bad && *c; c += strcspn(c, "/"), c += *c == '/') {
		const size_t n = strcspn(c, "/");

		bad = !n || (n == 1 && c[0] == '.') || (n == 2 && !strncmp(c, "..", 2));
	}
	return bad ? aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				  "\"at\" of a job's project must be the path of a directory in it")
		   : 0;
}

int project_wish_read(const char *operation, const json_t *said, const json_t *arguments,
		      struct project_wish *ret, struct aisbx_error *e)
{
	const char *tree = json_string_value(json_object_get(said, "tree"));
	const json_t *at = json_object_get(said, "at");

	if (!json_is_object(said) || !content_is_tree(tree) || !json_is_string(at) ||
	    json_object_size(said) != 2 || strlen(json_string_value(at)) != json_string_length(at))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "\"project\" of a job must be {\"tree\": ID, \"at\": PATH}");
	if (!str_is_one_of(operation, "run|try"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%.60s' takes no project along; 'run' and 'try' do", operation);
	if (json_object_get(arguments, "box"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--project and --box exclude each other: a box has a project already");
	memcpy(ret->tree, tree, CONTENT_TREE);
	ret->at = json_string_value(at);
	return check_at(ret->at, e);
}

static void move(json_t *from, const char *name, json_t *to, bool keep)
{
	if (json_object_get(from, name))
		json_object_set(to, name, json_object_get(from, name));
	if (!keep)
		json_object_del(from, name);
}

/* The arguments of a run become those of its box and those of a run in it. */
static void split(struct project_job *p, const char *at)
{
	static const char *const of_box[] = { "image", "ids", "pull" }, *const to_both[] = { "profile" };
	char path[PATH_MAX];
	const char *cwd = json_string_value(json_object_get(p->run, "cwd"));

	trees_path(p->o.trees, p->o.tenant, p->tree, path);
	snprintf(p->box, sizeof(p->box), "%s", p->o.box);
	p->create = json_pack("{s:s, s:s}", "name", p->box, "project", path);
	for (size_t i = 0; i < sizeof(of_box) / sizeof(of_box[0]); i++)
		move(p->run, of_box[i], p->create, false);
	for (size_t i = 0; i < sizeof(to_both) / sizeof(to_both[0]); i++)
		move(p->run, to_both[i], p->create, true);
	move(p->create, "image", p->create, true);
	if (json_object_get(p->create, "image")) {
		json_object_set(p->create, "from", json_object_get(p->create, "image"));
		json_object_del(p->create, "image");
	}
	move(p->run, "no-caches", p->create, true);
	json_object_set_new(p->run, "box", json_string(p->box));
	if (*at && (!cwd || *cwd != '/'))
		json_object_set_new(p->run, "cwd",
				    json_sprintf("%s%s%s", at, cwd ? "/" : "", cwd ? cwd : ""));
}

/* It makes its boxes itself, and keeps that of a branch that passed. */
static void prepare_experiment(struct project_job *p)
{
	char path[PATH_MAX];

	trees_path(p->o.trees, p->o.tenant, p->tree, path);
	json_object_set_new(p->run, "project", json_string(path));
}

int project_job_start(const struct project_job_options *options, const struct project_wish *wish,
		      const char *method, const json_t *arguments, struct project_job **ret,
		      struct aisbx_error *e)
{
	struct project_job *p = fleet_new(sizeof(*p));
	int r;

	*p = (struct project_job){ .o = *options, .method = method, .run = json_deep_copy(arguments) };
	memcpy(p->tree, wish->tree, sizeof(p->tree));
	if (!strcmp(method, EXPERIMENT))
		prepare_experiment(p);
	else
		split(p, wish->at);
	if (!p->run)
		fleet_out_of_memory();
	r = trees_want(p->o.trees, p->o.tenant, p->tree, e);
	p->has_tree = r >= 0;
	if (r < 0) {
		project_job_destroy(p);
		return r;
	}
	*ret = p;
	if (r == 1)
		project_job_ready(p, p->tree, NULL, false);
	return 0;
}

void project_job_destroy(struct project_job *p)
{
	if (!p)
		return;
	carrier_stop(p->carrier);
	if (p->has_box)
		p->o.order(p->o.ctx, "box.rm", json_pack("{s:[s]}", "boxes", p->box));
	if (p->has_tree)
		trees_release(p->o.trees, p->o.tenant, p->tree);
	json_decref(p->create);
	json_decref(p->run);
	json_decref(p->answer);
	free(p);
}

void project_job_ready(struct project_job *p, const char *tree, const char *why, bool is_bad)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (p->step != FETCHES || strcmp(p->tree, tree) != 0)
		return;
	if (why && is_bad) {
		aisbx_refuse(&e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT, "%s", why);
		p->o.refused(p->o.ctx, &e);
	} else if (why)
		p->o.not_started(p->o.ctx, why);
	else if (p->create) {
		p->step = CREATES;
		p->o.call(p->o.ctx, "box.create", json_incref(p->create), false);
	} else {
		p->step = RUNS;
		p->o.call(p->o.ctx, p->method, json_incref(p->run), true);
	}
}

static void end(struct project_job *p, json_t *changes)
{
	json_t *answer = json_incref(p->answer);

	p->o.ended(p->o.ctx, answer, changes);
	json_decref(answer);
	json_decref(changes);
}

/* What was run was run: its result tells that, and why its changes do not come. */
static void on_sent(void *ctx, const json_t *said)
{
	struct project_job *p = ctx;
	const char *why = json_string_value(json_object_get(json_object_get(said, "error"), "text"));
	json_t *changes = json_object_get(said, "ok");

	p->carrier = NULL;
	if (!changes)
		changes = json_pack("{s:s}", "error", why ? why : "the carrier of the changes was killed");
	else
		changes = json_object_size(changes) ? json_incref(changes) : NULL;
	end(p, changes);
}

static void send_changes(struct project_job *p)
{
	char key[PATH_MAX], cache[PATH_MAX], state[PATH_MAX];
	struct carry_request q = { .state = state, .send = p->box, .ctx = p, .done = on_sent };
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r = trees_place(p->o.trees, p->o.tenant, key, cache, &q.place, &e);

	snprintf(state, sizeof(state), "%s/tenants/%s/state", p->o.dir, p->o.tenant);
	p->step = SENDS;
	if (r == 0)
		r = carrier_start(p->o.loop, &q, &p->carrier, &e);
	if (r < 0)
		end(p, json_pack("{s:s}", "error", e.text));
}

/* Of an experiment: the one it kept. */
static void take_box(struct project_job *p)
{
	const char *box = json_string_value(json_object_get(json_object_get(p->answer, "result"), "box"));

	p->has_box = box && strlen(box) < sizeof(p->box);
	if (p->has_box)
		snprintf(p->box, sizeof(p->box), "%s", box);
}

void project_job_said(struct project_job *p, const json_t *answer)
{
	const bool failed = !json_object_get(answer, "result");

	if (p->step == CREATES && !failed) {
		p->has_box = true;
		p->step = RUNS;
		p->o.call(p->o.ctx, p->method, json_incref(p->run), true);
		return;
	}
	p->answer = json_deep_copy(answer);
	if (!p->create && !failed)
		take_box(p);
	if (p->step == RUNS && p->has_box && !failed)
		send_changes(p);
	else
		end(p, NULL);
}

bool project_job_runs(const struct project_job *p)
{
	return p->step == RUNS;
}
