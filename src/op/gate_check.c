/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `gate check`: whether a box, or a directory, is as it must be, and why. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "op/drift.h"
#include "flow/gate.h"
#include "op/point.h"
#include "op/project.h"
#include "expr/facts.h"

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
				    "--rego names a file and --query what is asked of it; say both");
	c = add(to, CHECK_REGO, query, e);
	if (!c)
		return e->code;
	c->rego = strdup(file);
	c->query = strdup(query);
	return c->rego && c->query ? 0 : aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the checks");
}

/* What ARGS name, or all gates of the project. */
static int read_checks(const json_t *args, const char *dir, const struct project *p,
		       struct project_checks *to, struct aisbx_error *e)
{
	const char *rego = json_string_value(json_object_get(args, "rego")),
		   *query = json_string_value(json_object_get(args, "query"));
	const json_t *text;
	size_t i;
	int r = 0;

	json_array_foreach(json_object_get(args, "checks"), i, text) if (r == 0) r =
		project_check_add(p, json_string_value(text), to, e);
	json_array_foreach(json_object_get(args, "command"), i, text) if (r == 0) r =
		add_command(to, json_string_value(text), e);
	if (r == 0 && (rego || query))
		r = add_rego(to, rego, query, e);
	if (r < 0 || to->n)
		return r;
	for (i = 0; r == 0 && i < p->n_gates; i++)
		r = project_check_add(p, p->gates[i].name, to, e);
	if (r == 0 && !to->n)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENOENT,
				    "'%s' has no gates; write 'gates: {ready: [test, \"not traps\"]}' into "
				    "its aisbx.yaml, or name "
				    "what must hold: aisbx gate check BOX test 'not traps'",
				    path_tail(dir, PATH_TOLD));
	return r;
}

/* The person's real directory: never a box's version of it. Heap, or NULL with an error. */
static char *find_dir(const struct op_context *ctx, const char *given, const char *box, struct aisbx_error *e)
{
	scoped(point_finish) struct point at = POINT_INIT;
	char *dir;

	if (box && !given && point_open(box, false, &at, e) < 0)
		return NULL;
	dir = path_resolve(ctx->by.cwd, given ? given : at.box.project ? at.box.project : ".");
	if (!dir)
		aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "find the gates");
	return dir;
}

static json_t *gate_names(const struct project_checks *checks)
{
	json_t *names = json_array();

	for (size_t i = 0; i < checks->n; i++) {
		const char *gate = checks->items[i].gate;
		bool known = !gate;

		for (size_t j = 0; !known && j < json_array_size(names); j++)
			known = !strcmp(json_string_value(json_array_get(names, j)), gate);
		if (!known)
			json_array_append_new(names, json_string(gate));
	}
	return names;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(project_checks_finish) struct project_checks checks = { 0 };
	scoped(project_finish) struct project p = { 0 };
	scoped(drop_mem) char *dir = NULL;
	struct gate_subject subject = { .box = json_string_value(json_object_get(args, "box")),
					.profile = json_string_value(json_object_get(args, "profile")),
					.drift = true };
	int r;

	if (subject.box &&
	    !strcmp(subject.box, ".")) /* other directories are only for whoever may say --dir */
		subject.box = NULL;
	subject.dir = dir = find_dir(ctx, json_string_value(json_object_get(args, "dir")), subject.box, e);
	r = dir ? op_project_load(dir, &p, e) : e->code;
	if (r == 0)
		r = read_checks(args, dir, &p, &checks, e);
	if (r == 0)
		r = op_gate_judge(ctx, &p, &checks, &subject, ret_result, e);
	ctx->exit_status = r < 0 ? 125 : json_is_true(json_object_get(*ret_result, "passed")) ? 0 : 1;
	if (r < 0)
		return r;
	json_object_set_new(*ret_result, "gates", gate_names(&checks));
	json_object_set_new(*ret_result, "files", op_project_files_json(&p));
	return 0;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_MODEL, "BOX[@SNAPSHOT]",
	  "what is judged; '.', or nothing: the directory as it is" },
	{ "checks", 0, OP_LIST, OP_POSITIONAL | OP_MODEL, "GATE|INTENT|EXPRESSION",
	  "what must hold; default: all gates of the project" },
	{ "command", 'c', OP_LIST, OP_MODEL, "COMMAND", "a text for a shell that must exit with 0" },
	{ "rego", 0, OP_STRING, 0, "FILE", "a policy below the project, asked by opa" },
	{ "query", 0, OP_STRING, 0, "QUERY", "what must be true of it: data.aisbx.allow" },
	{ "dir", 0, OP_STRING, 0, "DIR",
	  "directory whose aisbx.yaml counts; default: the project of the box, or the current one" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE",
	  "what the commands may do; default: as the box has it, or as for run" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "passed", "boolean", "all of it holds", .model = true },
	{ "box", "string|null", "name of what was judged; null: a directory", .model = true },
	{ "snapshot", "string|null",
	  "of the box, taken because something had to be run: this is what was judged", .model = true },
	{ "gates", "array", "names of the gates that were asked for" },
	{ "files", "array",
	  "every aisbx.yaml that counted: of the project and of directories above it, the outermost first" },
	{ "checks", "array", "one after the other, all of them", .model = true },
	{ "checks[].check", "string", "as it was written", .model = true },
	{ "checks[].kind", "string", "intent, expression, command or rego" },
	{ "checks[].gate", "string|null", "the gate it belongs to" },
	{ "checks[].passed", "boolean", "it holds", .model = true },
	{ "checks[].why", "string", "what made it so; what is not known is named", .model = true },
	{ "checks[].run", "string|null", "id of what was run for it; 'aisbx logs' shows what that wrote",
	  .model = true },
	{ "checks[].score", "number|null", "what a command said" },
	{ "checks[].judges", "array",
	  "what the box had changed of what this is judged by, below the project: the person's own counted",
	  .model = true },
	{ "cpu_ms", "number", "processor time of what was run to judge" },
	{ "facts", "object", "all that were asked for, by their names; null: not known" },
	DRIFT_FIELDS,
	{ NULL, NULL, NULL },
};

#define FACT_LINE(name, type, help) "  " name ": " help "\n"

const struct op op_gate_check = {
	.name = "gate check",
	.group = GROUP_BRING_BACK,
	.view = VIEW_GATE,
	.method = "gate.check",
	.summary = "Tell whether a box is as it must be to go further",
	.about = "Judges a box, or a directory as it is, by gates: lists of what must hold, in the "
		 "aisbx.yaml of the person's own\n"
		 "directory, whatever a box made of it. A check is an intent that must pass (test), an "
		 "expression over facts\n"
		 "(tests==pass, risk<=medium, changes.deleted<10, not traps), a command that must exit with "
		 "0, or a policy in\n"
		 "Rego. All are judged, also after one that failed. Only what they ask for is made: commands "
		 "run in forks that\n"
		 "are thrown away, so the box stays as it is. What is not known does not hold.\n\n"
		 "Facts:\n" EXPR_FACTS(FACT_LINE) "\ndocs/gates.md has the language. Exits with 0 when "
						  "everything holds, with 1 when something does\n"
						  "not, and with 125 when it could not be judged.",
	.example = "aisbx gate check try1\naisbx gate check try1 ready\naisbx gate check try1 test "
		   "'risk<=medium and not traps'\n"
		   "aisbx gate check try1 --command './bench.sh' 'score>=0.95'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
