/* SPDX-License-Identifier: Apache-2.0 */
/* Judging by what somebody names, or by all gates of the project: finds the person's own file, reads the
 * checks. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/lookup.h"
#include "box/project.h"
#include "flow/gate.h"

/* Room for one more; NULL and an error. */
static struct project_check *add(struct project_checks *to, enum project_check_kind kind, const char *text,
				 struct aisbx_error *e)
{
	struct project_check *more = realloc(to->items, (to->n + 1) * sizeof(*more));

	if (more) {
		to->items = more;
		more += to->n++;
		*more = (struct project_check){ .kind = kind, .text = strdup(text) };
	}
	if (!more || !more->text) {
		aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the checks");
		return NULL;
	}
	return more;
}

static int add_command(struct project_checks *to, const char *text, struct aisbx_error *e)
{
	struct project_check *c = add(to, CHECK_COMMAND, text, e);

	if (!c)
		return e->code;
	c->shell = true;
	strlist_add(&c->argv, "sh");
	strlist_add(&c->argv, "-c");
	strlist_add(&c->argv, text);
	return c->argv.failed ? aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the checks") : 0;
}

static int add_rego(struct project_checks *to, const char *file, const char *query, struct aisbx_error *e)
{
	struct project_check *c;

	if (!file || !query)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--rego names a file and --query its query; give both");
	c = add(to, CHECK_REGO, query, e);
	if (!c)
		return e->code;
	c->rego = strdup(file);
	c->query = strdup(query);
	return c->rego && c->query ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the checks");
}

static int add_all_gates(const char *dir, const struct project *p, struct project_checks *to,
			 struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < p->n_gates; i++)
		r = project_check_add(p, p->gates[i].name, to, e);
	if (r == 0 && !to->n)
		return aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
			"'%s' has no gates; write 'gates: {ready: [test, \"not traps\"]}' into its "
			"aisbx.yaml, or give the checks: aisbx gate check BOX test 'not traps'",
			path_tail(dir, PATH_TOLD));
	return r;
}

/* What REQ names, or all gates of the project. */
static int read_checks(const struct gate_request *req, const char *dir, const struct project *p,
		       struct project_checks *to, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && req->checks && i < req->checks->n; i++)
		r = project_check_add(p, req->checks->items[i], to, e);
	for (size_t i = 0; r == 0 && req->commands && i < req->commands->n; i++)
		r = add_command(to, req->commands->items[i], e);
	if (r == 0 && (req->rego || req->query))
		r = add_rego(to, req->rego, req->query, e);
	return r < 0 || to->n ? r : add_all_gates(dir, p, to, e);
}

/* The person's real directory: never a box's version of it. Heap, or NULL with an error. */
static char *find_dir(const struct caller *by, const char *given, const char *box, struct aisbx_error *e)
{
	scoped(lookup_finish) struct lookup at = LOOKUP_INIT;
	char *dir;

	if (box && !given && lookup_open(box, false, &at, e) < 0)
		return NULL;
	dir = path_resolve(by->cwd, given ? given : at.box.project ? at.box.project : caller_project(by));
	if (!dir)
		aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the gates");
	return dir;
}

void gate_answer_finish(struct gate_answer *a)
{
	gate_verdict_finish(&a->verdict);
	project_checks_finish(&a->checks);
	project_finish(&a->project);
}

int gate_check(const struct caller *by, const struct gate_request *req, struct gate_answer *ret,
	       struct aisbx_error *e)
{
	scoped(drop_mem) char *dir = find_dir(by, req->dir, req->box, e);
	const struct gate_subject subject = {
		.box = req->box, .dir = dir, .profile = req->profile, .drift = req->drift
	};
	int r = dir ? box_project_load(dir, PROJECT_GATES | PROJECT_INTENTS | PROJECT_JUDGES, &ret->project,
				       e)
		    : e->code;

	if (r < 0)
		return dir ? aisbx_hint(e, "'aisbx project check' reports all problems") : r;
	r = read_checks(req, dir, &ret->project, &ret->checks, e);
	return r < 0 ? r : gate_judge(by, &ret->project, &ret->checks, &subject, &ret->verdict, e);
}
