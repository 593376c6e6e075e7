/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `gate check`: whether a box, or a directory, is as it must be, and why. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "expr/facts.h"
#include "flow/gate.h"
#include "op/drift.h"
#include "op/project.h"

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
	scoped(gate_answer_finish) struct gate_answer answer = { 0 };
	scoped(strlist_finish) struct strlist checks = { 0 }, commands = { 0 };
	struct gate_request req = { .box = json_string_value(json_object_get(args, "box")),
				    .dir = json_string_value(json_object_get(args, "dir")),
				    .profile = json_string_value(json_object_get(args, "profile")),
				    .checks = &checks,
				    .commands = &commands,
				    .rego = json_string_value(json_object_get(args, "rego")),
				    .query = json_string_value(json_object_get(args, "query")),
				    .drift = true };
	int r;

	if (req.box && !strcmp(req.box, ".")) /* other directories are only for whoever may say --dir */
		req.box = NULL;
	value_list(json_object_get(args, "checks"), &checks);
	value_list(json_object_get(args, "command"), &commands);
	r = checks.failed || commands.failed ? aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "read the checks")
					     : gate_check(&ctx->by, &req, &answer, e);
	ctx->exit_status = r < 0 ? 125 : answer.verdict.passed ? 0 : 1;
	if (r < 0)
		return r;
	*ret_result = gate_verdict_json(&answer.verdict);
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "judge by gates");
	if (answer.verdict.drift.told)
		json_object_set_new(*ret_result, "drift", op_drift_report_json(&answer.verdict.drift));
	json_object_set_new(*ret_result, "gates", gate_names(&answer.checks));
	json_object_set_new(*ret_result, "files", op_project_files_json(&answer.project));
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
