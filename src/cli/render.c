/* SPDX-License-Identifier: Apache-2.0 */
/* Results as text. Data goes to stdout, messages about it to stderr. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/unicode.h"
#include "base/value.h"
#include "cli/cli.h"
#include "cli/render_common.h"

#define VIOLATIONS_SHOWN 8u

static void print(FILE *out, const char *text, struct unicode_show how)
{
	char shown[UNICODE_SHOWN];

	while (*text) {
		text += unicode_show(&how, text, shown);
		fputs(shown, out);
	}
}

void cli_print_safe(FILE *out, const char *text)
{
	print(out, text, (struct unicode_show){ .keep = "\n\t", .joins = true });
}

void cli_print_name(FILE *out, const char *name)
{
	print(out, name, (struct unicode_show){ .keep = "" });
}

static void render_violation(const json_t *v)
{
	const char *by = text_of(v, "by"), *allow = text_of(v, "allow_with");

	fprintf(stderr, "aisbx: %s: ", strcmp(text_of(v, "kind"), "decoy") ? "refused" : "noticed");
	cli_print_safe(stderr, text_of(v, "what"));
	if (*by) {
		fprintf(stderr, " by ");
		cli_print_safe(stderr, by);
	}
	fprintf(stderr, " (");
	cli_print_safe(stderr, text_of(v, "rule"));
	fprintf(stderr, ")");
	if (*allow) {
		fprintf(stderr, "; allowed with %s", strncmp(allow, "net:", 4) ? "" : "--net ");
		cli_print_safe(stderr, allow);
	}
	fprintf(stderr, "\n");
}

/*
 * Not of limits, for which the run has words of its own. Look-ups of a run that ended WELL are only counted:
 * nothing depended on them.
 */
static void render_violations(const json_t *list, bool well)
{
	size_t i, shown = 0, more = 0;
	const json_t *v;

	json_array_foreach(list, i, v)
	{
		if (!strcmp(text_of(v, "kind"), "limit") || (well && cli_is_lookup(v)))
			continue;
		if (shown < VIOLATIONS_SHOWN)
			render_violation(v);
		more += shown++ >= VIOLATIONS_SHOWN;
	}
	if (more)
		fprintf(stderr, "aisbx: ... and %zu more; --json lists them all\n", more);
	if (well)
		cli_render_lookups(list);
}

/* Not silenced by --quiet: a status of 127 alone says too little. */
static void render_failures(const json_t *result)
{
	static const char *const keys[] = { "error", "snapshot_error", "output_error", "history_error",
					    "log_error" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++) {
		const char *error = text_of(result, keys[i]);

		if (!*error)
			continue;
		fprintf(stderr, "aisbx: ");
		cli_print_safe(stderr, error);
		fprintf(stderr, "\n");
	}
}

/* What became of a run by each limit: words before and behind its value. */
static const struct {
	const char *kind;
	enum { NUMBER, MS, BYTES } unit;
	const char *before, *behind;
} limit_words[] = {
	{ "wall_time", MS, "stopped after ", ", the limit of this run" },
	{ "cpu_time", MS, "stopped after ", " of processor time, the limit of this run" },
	{ "memory", BYTES, "out of memory: ", " is the limit of this run" },
	{ "processes", NUMBER, "", " processes at once is the limit of this run" },
	{ "files", NUMBER, "", " open files in one process is the limit of this run" },
	{ "file_size", BYTES, "", " for one file is the limit of this run" },
	{ "disk", BYTES, "the disk is full: ", " is the limit of this run" },
	{ "inodes", NUMBER, "the disk is full: ", " files is the limit of this run" },
	{ "lifetime", MS, "stopped after ", ", when the box expired" },
};

/* The violation that is about a limit; NULL: there is none. */
static const json_t *limit_violation(const json_t *violations)
{
	const json_t *v;
	size_t i;

	json_array_foreach(violations, i, v) if (!strcmp(text_of(v, "kind"), "limit")) return v;
	return NULL;
}

/* What a person can do about it. */
static void render_way_out(const json_t *violation)
{
	const char *why = strstr(text_of(violation, "rule"), ": ");

	if (*text_of(violation, "allow_with"))
		fprintf(stderr, "; raise it with %s\n", text_of(violation, "allow_with"));
	else
		fprintf(stderr, "%s%s\n", why ? "; " : "", why ? why + 2 : "");
}

static void render_limit(const json_t *limit, const json_t *violation)
{
	bool sure = !json_is_false(json_object_get(limit, "sure"));
	const char *kind = json_string_value(json_object_get(limit, "kind"));
	uint64_t value = (uint64_t)json_integer_value(json_object_get(limit, "value"));
	char text[64];

	for (size_t i = 0; kind && i < sizeof(limit_words) / sizeof(*limit_words); i++) {
		if (strcmp(kind, limit_words[i].kind) != 0)
			continue;
		if (limit_words[i].unit == MS)
			str_ms(value, text, sizeof(text));
		else if (limit_words[i].unit == BYTES)
			str_size(value, text, sizeof(text));
		else
			snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
		fprintf(stderr, "aisbx: %s%s%s%s",
			sure ? "" : "its output points to a limit: ", limit_words[i].before, text,
			limit_words[i].behind);
		render_way_out(violation);
	}
}

/* A limit that the command came to and did not fail for is no reason of anything, but good to know. */
static void render_limits(const json_t *limit, const json_t *violation)
{
	if (json_is_object(limit)) {
		render_limit(limit, violation);
	} else if (violation) {
		fprintf(stderr, "aisbx: it wanted to %s, and went on without", text_of(violation, "what"));
		render_way_out(violation);
	}
}

void cli_print_last_lines(FILE *out, const char *output)
{
	const char *from = output + strlen(output);
	int lines = 0;

	while (from > output && (from[-1] != '\n' || !*from || ++lines < 5))
		from--;
	while (*from) {
		size_t n = strcspn(from, "\n");
		char line[200];

		snprintf(line, sizeof(line), "%.*s", (int)(n < sizeof(line) ? n : sizeof(line) - 1), from);
		fprintf(out, "    ");
		cli_print_safe(out, line);
		fprintf(out, "\n");
		from += n + (from[n] == '\n');
	}
}

/* A service that failed while the command ran; why the command could not even start is told as the run's
 * error. */
static void render_services(const json_t *result)
{
	const json_t *s;
	size_t i;

	if (*text_of(result, "error"))
		return;
	json_array_foreach(json_object_get(result, "services"), i, s)
	{
		const json_t *code = json_object_get(s, "exit_code"), *signal = json_object_get(s, "signal");
		long long restarts = json_integer_value(json_object_get(s, "restarts"));

		if (strcmp(text_of(s, "state"), "failed") != 0)
			continue;
		fprintf(stderr, "aisbx: service '");
		cli_print_name(stderr, text_of(s, "name"));
		fprintf(stderr, "' failed");
		if (json_is_integer(code))
			fprintf(stderr, " with exit status %lld", json_integer_value(code));
		else if (json_is_integer(signal))
			fprintf(stderr, " by signal %lld", json_integer_value(signal));
		if (restarts)
			fprintf(stderr, " after %lld restart%s", restarts, restarts == 1 ? "" : "s");
		fprintf(stderr, "%s\n", *text_of(s, "output") ? "; its last output:" : "");
		cli_print_last_lines(stderr, text_of(s, "output"));
	}
}

static void render_run(const json_t *result)
{
	const json_t *limit = json_object_get(result, "limit"),
		     *isolation = json_object_get(result, "isolation");
	const json_t *cut = json_object_get(result, "truncated"),
		     *missing = json_object_get(isolation, "missing"),
		     *devices = json_object_get(isolation, "devices");
	json_int_t dropped = json_integer_value(json_object_get(cut, "stdout")) +
			     json_integer_value(json_object_get(cut, "stderr"));
	char text[32];
	size_t i;
	const json_t *wall;

	render_violations(json_object_get(result, "violations"), !strcmp(text_of(result, "status"), "ok"));
	render_services(result);
	if (dropped)
		fprintf(stderr, "aisbx: %s of output cut off; --output raises the limit\n",
			str_size((uint64_t)dropped, text, sizeof(text)));
	render_limits(limit, limit_violation(json_object_get(result, "violations")));
	if (json_array_size(devices)) {
		fprintf(stderr, "aisbx: this run reached the drivers of");
		json_array_foreach(devices, i, wall)
			fprintf(stderr, "%s %s", i ? "," : "", json_string_value(wall));
		fprintf(stderr, ": a defect in one is a way out of the box\n");
	}
	if (json_array_size(missing)) {
		fprintf(stderr, "aisbx: this run had no wall");
		json_array_foreach(missing, i, wall)
			fprintf(stderr, "%s '%s'", i ? "," : "", json_string_value(wall));
		fprintf(stderr, ", because %s\n",
			strcmp(text_of(isolation, "driver"), "native") ? "--without or the driver left it out"
								       : "--without disabled it");
	}
}

static void view_run(const json_t *result, bool quiet)
{
	if (json_is_true(json_object_get(result, "detached"))) {
		printf("%s\n", *text_of(result, "name") ? text_of(result, "name") : text_of(result, "run"));
		return;
	}
	if (!quiet) {
		render_run(result);
		cli_render_warnings(result);
		cli_render_files(result);
		cli_render_tests(result);
	}
	render_failures(result);
	if (json_object_get(result, "gate"))
		cli_render_gate(json_object_get(result, "gate"));
	if (!quiet && json_object_get(result, "intent") && *text_of(result, "box"))
		fprintf(stderr, "aisbx: box %s has the changes; next: aisbx diff %s, aisbx promote %s\n",
			text_of(result, "box"), text_of(result, "box"), text_of(result, "box"));
}

/* Of a run that is a part of the result. */
static void view_inner_run(const json_t *run, bool quiet)
{
	if (!quiet && json_is_object(run))
		render_run(run);
	render_failures(run);
}

static void view_plan_step(const json_t *result, bool quiet)
{
	view_inner_run(json_object_get(result, "result"), quiet);
	cli_render_plan(result);
}

static void view_guard(const json_t *result, bool quiet)
{
	view_inner_run(json_object_get(result, "run"), quiet);
	cli_render_guard(result);
}

static void view_learn(const json_t *result, bool quiet)
{
	(void)quiet;
	if (!*text_of(result, "file"))
		fputs(text_of(result, "profile"), stdout);
}

/* Also of each branch, before the result. */
static void view_try(const json_t *result, bool quiet)
{
	if (json_object_get(result, "branches"))
		cli_render_try(result);
	else if (!quiet)
		cli_try_item(result);
}

static void view_experiment_end(const json_t *result, bool quiet)
{
	if (json_object_get(result, "branches"))
		cli_render_experiment(result);
	else if (!quiet)
		cli_try_item(result);
}

static void view_doctor(const json_t *result, bool quiet)
{
	if (!quiet) /* the exit status is the answer */
		cli_render_doctor(result);
}

static void view_json(const json_t *result, bool quiet)
{
	(void)quiet;
	json_dumpf(result, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER | VALUE_REALS);
	fputc('\n', stdout);
}

/* The first for what differs when nobody wants words, the second for what does not. */
static const struct {
	void (*show)(const json_t *result, bool quiet);
	void (*plain)(const json_t *result);
} views[VIEW_COUNT] = {
	[VIEW_JSON] = { view_json },
	[VIEW_NOTHING] = { NULL },
	[VIEW_ARTIFACT] = { .plain = cli_render_artifact },
	[VIEW_ARTIFACTS] = { .plain = cli_render_artifacts },
	[VIEW_ARTIFACT_SHOW] = { .plain = cli_render_artifact_show },
	[VIEW_BOX] = { .plain = cli_render_box },
	[VIEW_ATTACH] = { cli_render_attach },
	[VIEW_BOXES] = { .plain = cli_render_boxes },
	[VIEW_COMBINE] = { .plain = cli_render_combine },
	[VIEW_COMMIT] = { .plain = cli_render_commit },
	[VIEW_CONTENT] = { .plain = cli_render_file_read },
	[VIEW_DIFF] = { .plain = cli_render_diff },
	[VIEW_DOCTOR] = { view_doctor },
	[VIEW_EXPERIMENT] = { .plain = cli_render_experiment },
	[VIEW_EXPERIMENTS] = { .plain = cli_render_experiments },
	[VIEW_EXPERIMENT_END] = { view_experiment_end },
	[VIEW_EXPERIMENT_READY] = { .plain = cli_render_experiment_ready },
	[VIEW_FILES] = { .plain = cli_render_file_ls },
	[VIEW_FILE_STAT] = { .plain = cli_render_file_stat },
	[VIEW_GATE] = { .plain = cli_render_gate },
	[VIEW_DU] = { .plain = cli_render_du },
	[VIEW_GC] = { .plain = cli_render_gc },
	[VIEW_GUARD] = { view_guard },
	[VIEW_HISTORY] = { .plain = cli_render_history },
	[VIEW_IMAGE] = { cli_render_image },
	[VIEW_IMAGES] = { .plain = cli_render_images },
	[VIEW_IMAGE_INIT] = { cli_render_image_init },
	[VIEW_IMAGE_PUSH] = { .plain = cli_render_image_push },
	[VIEW_IMAGE_SHOW] = { .plain = cli_render_image_show },
	[VIEW_IMAGE_VERIFY] = { .plain = cli_render_image_verify },
	[VIEW_INSTALL] = { .plain = cli_render_install },
	[VIEW_INTENTS] = { .plain = cli_render_intents },
	[VIEW_LANGUAGE] = { cli_render_language },
	[VIEW_LANGUAGES] = { .plain = cli_render_languages },
	[VIEW_LEARN] = { view_learn },
	[VIEW_NAMES] = { .plain = cli_render_names },
	[VIEW_NET] = { .plain = cli_render_net_rules },
	[VIEW_PIPELINE] = { .plain = cli_render_pipeline },
	[VIEW_PIPELINES] = { .plain = cli_render_pipelines },
	[VIEW_PIPELINE_SHOW] = { .plain = cli_render_pipeline_show },
	[VIEW_PLAN] = { .plain = cli_render_plan },
	[VIEW_PLANS] = { .plain = cli_render_plans },
	[VIEW_PLAN_STEP] = { view_plan_step },
	[VIEW_PORTS] = { .plain = cli_render_ports },
	[VIEW_PROFILE] = { .plain = cli_render_profile_show },
	[VIEW_PROFILES] = { .plain = cli_render_profile_ls },
	[VIEW_PROFILE_CHECK] = { .plain = cli_render_profile_check },
	[VIEW_PROFILE_DIFF] = { .plain = cli_render_profile_diff },
	[VIEW_PROFILE_EXPLAIN] = { .plain = cli_render_profile_explain },
	[VIEW_PROJECT] = { .plain = cli_render_project_show },
	[VIEW_PROJECT_CHECK] = { .plain = cli_render_project_check },
	[VIEW_PROMOTE] = { .plain = cli_render_promote },
	[VIEW_PS] = { .plain = cli_render_ps },
	[VIEW_RECOVER] = { .plain = cli_render_recover },
	[VIEW_REPLAY] = { .plain = cli_render_replay },
	[VIEW_RUN] = { view_run },
	[VIEW_SHELL] = { cli_render_shell },
	[VIEW_SCAN] = { .plain = cli_render_scan },
	[VIEW_STATS] = { .plain = cli_render_stats },
	[VIEW_TEMPLATE_PULL] = { cli_render_template_pull },
	[VIEW_TEMPLATES] = { .plain = cli_render_templates },
	[VIEW_TREE] = { .plain = cli_render_tree },
	[VIEW_TRY] = { view_try },
	[VIEW_UNDO] = { .plain = cli_render_undo },
	[VIEW_USE] = { .plain = cli_render_use },
	[VIEW_WATCH] = { .plain = cli_render_file_watch },
};

/* What changed on the machine since a box was made is told behind its result; of these it is not. */
static bool tells_drift(enum op_view view)
{
	return view != VIEW_JSON && view != VIEW_RUN && view != VIEW_LEARN;
}

void cli_render(const struct op *op, const struct cli_common *common, const json_t *result)
{
	if (views[op->view].show)
		views[op->view].show(result, common->quiet);
	else if (views[op->view].plain)
		views[op->view].plain(result);
	if (!common->quiet && tells_drift(op->view))
		cli_render_drift(result);
}
