/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `gate check`: whether a box, or a directory, passes its gates, and why. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "expr/facts.h"
#include "flow/gate.h"
#include "op/args.h"
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
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "evaluate the gates");
	if (answer.verdict.drift.told)
		json_object_set_new(*ret_result, "drift", op_drift_report_json(&answer.verdict.drift));
	json_object_set_new(*ret_result, "gates", gate_names(&answer.checks));
	json_object_set_new(*ret_result, "files", op_project_files_json(&answer.project));
	return 0;
}

static const struct op_param params[] = {
	{ "box", 0, OP_STRING, OP_POSITIONAL | OP_MODEL | OP_CURRENT, "BOX[@SNAPSHOT]",
	  "box or snapshot to check; '.' or nothing: the directory itself" },
	{ "checks", 0, OP_LIST, OP_POSITIONAL | OP_MODEL, "GATE|INTENT|EXPRESSION",
	  "names of gates, or checks; default: all gates of the project" },
	{ "command", 'c', OP_LIST, OP_MODEL, "COMMAND", "shell command that must exit with 0" },
	{ "rego", 0, OP_STRING, 0, "FILE", "policy file in the project, evaluated by opa" },
	{ "query", 0, OP_STRING, 0, "QUERY", "query that must be true: data.aisbx.allow" },
	{ "dir", 0, OP_STRING, 0, "DIR",
	  "directory whose aisbx.yaml is used; default: the project of the box, or the current one" },
	HERE_PARAM,
	{ "profile", 'p', OP_STRING, 0, "PROFILE",
	  "what the commands may do; default: the box's profile, or as for run" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "passed", "boolean", "all checks hold", .model = true },
	{ "box", "string|null", "name of the box; null: a directory", .model = true },
	{ "snapshot", "string|null",
	  "snapshot of the box that was checked, taken because a command had to be run", .model = true },
	{ "gates", "array", "names of the requested gates" },
	{ "files", "array",
	  "every aisbx.yaml that was used: that of the project and those of directories above it, the "
	  "outermost first" },
	{ "checks", "array", "all checks, in order", .model = true },
	{ "checks[].check", "string", "as it was written", .model = true },
	{ "checks[].kind", "string", "intent, expression, command, rego or wasm" },
	{ "checks[].gate", "string|null", "its gate" },
	{ "checks[].passed", "boolean", "it holds", .model = true },
	{ "checks[].why", "string", "the reason; facts that are not known are named", .model = true },
	{ "checks[].run", "string|null", "id of the run made for it; 'aisbx logs' shows its output",
	  .model = true },
	{ "checks[].score", "number|null", "score that a command reported" },
	{ "checks[].judges", "array",
	  "files that decide this check and that the box had changed, relative to the project: the person's "
	  "own versions were used",
	  .model = true },
	{ "cpu_ms", "number", "processor time of the commands that were run" },
	{ "facts", "object", "all facts that were needed, by name; null: not known" },
	DRIFT_FIELDS,
	{ NULL, NULL, NULL },
};

#define FACT_LINE(name, type, help) "  " name ": " help "\n"

const struct op op_gate_check = {
	.name = "gate check",
	.group = GROUP_BRING_BACK,
	.view = VIEW_GATE,
	.method = "gate.check",
	.tool = "sandbox_gate",
	.brief = "Check a box by the project's gates, intents (test), expressions (risk<=medium, changes<20, "
		 "not traps) and commands. It does not change.",
	.summary = "Check whether a box passes the project's gates",
	.about = "Checks a box, or a directory as it is, against gates: lists of conditions in the\n"
		 "aisbx.yaml of the person's own directory; the box's version of that file does not count.\n"
		 "A check is an intent that must pass (test), an expression over facts (tests==pass,\n"
		 "risk<=medium, changes.deleted<10, not traps), a command that must exit with 0, or a Rego\n"
		 "policy. All checks are evaluated, even after one failed. Only what they need is\n"
		 "computed. Commands run in forks that are removed afterwards, so the box does not change.\n"
		 "A check whose facts are not known does not hold.\n\n"
		 "Facts:\n" EXPR_FACTS(
			 FACT_LINE) "\n"
				    "docs/gates.md describes the language. Exits with 0 if everything holds, "
				    "with 1 if\n"
				    "something does not, and with 125 if the gates could not be evaluated.",
	.example = "aisbx gate check try1\naisbx gate check try1 ready\naisbx gate check try1 test "
		   "'risk<=medium and not traps'\n"
		   "aisbx gate check try1 --command './bench.sh' 'score>=0.95'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
