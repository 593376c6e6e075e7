/* SPDX-License-Identifier: Apache-2.0 */
/* Results as words. Data goes to stdout, words about it to stderr. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/str.h"
#include "base/unicode.h"
#include "cli/cli.h"
#include "cli/words.h"

bool cli_colour(FILE *out)
{
	const char *no = getenv("NO_COLOR"), *term = getenv("TERM");

	return isatty(fileno(out)) && !(no && *no) && !(term && !strcmp(term, "dumb"));
}

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

/* Not of limits, for which the run has words of its own. */
static void render_violations(const json_t *list)
{
	const json_t *v;
	size_t i;

	json_array_foreach(list, i, v)
	{
		const char *by = text_of(v, "by");

		if (!strcmp(text_of(v, "kind"), "limit"))
			continue;
		if (i == 8) {
			fprintf(stderr, "aisbx: ... and %zu more; --json lists them all\n",
				json_array_size(list) - i);
			return;
		}
		fprintf(stderr, "aisbx: %s: ", strcmp(text_of(v, "kind"), "decoy") ? "refused" : "noticed");
		cli_print_safe(stderr, text_of(v, "what"));
		if (*by) {
			fprintf(stderr, " by ");
			cli_print_safe(stderr, by);
		}
		fprintf(stderr, " (");
		cli_print_safe(stderr, text_of(v, "rule"));
		fprintf(stderr, ")");
		if (*text_of(v, "allow_with")) {
			fprintf(stderr, "; allowed with ");
			cli_print_safe(stderr, text_of(v, "allow_with"));
		}
		fprintf(stderr, "\n");
	}
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
	{ "file_size", BYTES, "", " for one file is the limit of this run" },
	{ "disk", BYTES, "the disk is full: ", " is the limit of this run" },
	{ "inodes", NUMBER, "the disk is full: ", " files is the limit of this run" },
	{ "lifetime", MS, "stopped after ", ", when the time of the box was over" },
};

static void render_limit(const json_t *limit)
{
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
		fprintf(stderr, "aisbx: %s%s%s; %s sets another\n", limit_words[i].before, text,
			limit_words[i].behind, json_string_value(json_object_get(limit, "raise_with")));
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
		     *missing = json_object_get(isolation, "missing");
	json_int_t dropped = json_integer_value(json_object_get(cut, "stdout")) +
			     json_integer_value(json_object_get(cut, "stderr"));
	char text[32];
	size_t i;
	const json_t *wall;

	render_violations(json_object_get(result, "violations"));
	render_services(result);
	if (dropped)
		fprintf(stderr, "aisbx: %s of output cut off; --output allows more\n",
			str_size((uint64_t)dropped, text, sizeof(text)));
	if (json_is_object(limit))
		render_limit(limit);
	if (json_array_size(missing)) {
		fprintf(stderr, "aisbx: this run had no wall");
		json_array_foreach(missing, i, wall)
			fprintf(stderr, "%s '%s'", i ? "," : "", json_string_value(wall));
		fprintf(stderr, ", because --without gave it up\n");
	}
}

/* Operations with words of their own for people; the others show their result as it is. */
static const struct {
	const char *op;
	void (*render)(const json_t *result);
} renderers[] = {
	{ "create", cli_render_names },
	{ "diff", cli_render_diff },
	{ "doctor", cli_render_doctor },
	{ "fork", cli_render_names },
	{ "history", cli_render_history },
	{ "ls", cli_render_boxes },
	{ "promote", cli_render_promote },
	{ "recover", cli_render_recover },
	{ "combine", cli_render_combine },
	{ "undo", cli_render_undo },
	{ "rename", cli_render_names },
	{ "renew", cli_render_names },
	{ "snap", cli_render_names },
	{ "tree", cli_render_tree },
	{ "ps", cli_render_ps },
	{ "stats", cli_render_stats },
	{ "file read", cli_render_file_read },
	{ "file ls", cli_render_file_ls },
	{ "file watch", cli_render_file_watch },
	{ "artifact read", cli_render_file_read },
	{ "artifact ls", cli_render_artifacts },
	{ "artifact save", cli_render_artifact },
	{ "gate check", cli_render_gate },
	{ "guard", cli_render_guard },
	{ "replay", cli_render_replay },
	{ "scan", cli_render_scan },
	{ "intents", cli_render_intents },
	{ "commit", cli_render_commit },
	{ "plan create", cli_render_plan },
	{ "plan show", cli_render_plan },
	{ "plan ls", cli_render_plans },
	{ "plan step", cli_render_plan },
	{ "pipeline run", cli_render_pipeline },
	{ "pipeline resume", cli_render_pipeline },
	{ "pipeline undo", cli_render_pipeline },
	{ "pipeline show", cli_render_pipeline_show },
	{ "pipeline ls", cli_render_pipelines },
	{ "approve", cli_render_pipeline },
	{ "install", cli_render_install },
	{ "uninstall", cli_render_install },
	{ "profile ls", cli_render_profile_ls },
	{ "profile show", cli_render_profile_show },
	{ "profile check", cli_render_profile_check },
	{ "profile explain", cli_render_profile_explain },
	{ "profile diff", cli_render_profile_diff },
	{ "try", cli_render_try },
	{ "experiment open", cli_render_experiment },
	{ "experiment show", cli_render_experiment },
	{ "experiment end", cli_render_experiment },
	{ "experiment ready", cli_render_experiment_ready },
	{ "experiment ls", cli_render_experiments },
	{ "project check", cli_render_project_check },
	{ "project show", cli_render_project_show },
};

/* Done is done. */
static const char *const silent[] = { "artifact get", "artifact rm", "file mkdir", "file mv",  "file rm",
				      "file write",   "input",       "kill",       "logs",     "pause",
				      "resume",       "plan rm",     "rm",         "rollback", "wait" };

void cli_render(const struct op *op, const struct cli_common *common, const json_t *result)
{
	if (!strcmp(op->name, "run") && json_is_true(json_object_get(result, "detached"))) {
		printf("%s\n", text_of(result, "run"));
		return;
	}
	if (!strcmp(op->name, "run") || !strcmp(op->name, "exec") || !strcmp(op->name, "run-code") ||
	    !strcmp(op->name, "do")) {
		if (!common->quiet)
			render_run(result);
		if (!common->quiet) {
			cli_render_warnings(result);
			cli_render_files(result);
			cli_render_tests(result);
		}
		render_failures(result);
		return;
	}
	if (!strcmp(op->name, "plan step")) {
		const json_t *run = json_object_get(result, "result");

		if (!common->quiet && json_is_object(run))
			render_run(run);
		render_failures(run);
	}
	if (!strcmp(op->name, "guard") && json_is_object(json_object_get(result, "run"))) {
		if (!common->quiet)
			render_run(json_object_get(result, "run"));
		render_failures(json_object_get(result, "run"));
	}
	if (!strcmp(op->name, "learn")) {
		if (!*text_of(result, "file"))
			fputs(text_of(result, "profile"), stdout);
		return;
	}
	if ((!strcmp(op->name, "try") || !strcmp(op->name, "experiment end")) &&
	    !json_object_get(result, "branches")) { /* before the result */
		if (!common->quiet)
			cli_try_item(result);
		return;
	}
	if (common->quiet && !strcmp(op->name, "doctor"))
		return; /* the exit status is the answer */
	for (size_t i = 0; i < sizeof(renderers) / sizeof(*renderers); i++)
		if (!strcmp(op->name, renderers[i].op)) {
			renderers[i].render(result);
			if (!common->quiet)
				cli_render_drift(result);
			return;
		}
	for (size_t i = 0; i < sizeof(silent) / sizeof(*silent); i++)
		if (!strcmp(op->name, silent[i])) {
			if (!common->quiet)
				cli_render_drift(result);
			return;
		}
	json_dumpf(result, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER);
	fputc('\n', stdout);
}
