/* SPDX-License-Identifier: Apache-2.0 */
/* `--on LABELS`: the same command line, carried out by a node of the fleet. */
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/program.h"
#include "base/scope.h"
#include "base/str.h"
#include "cli/cli.h"
#include "fleet/agent/allowed.h"
#include "fleet/agent/loop.h"
#include "fleet/client/class.h"
#include "fleet/client/client.h"
#include "fleet/client/job.h"

#define OR_HERE_MS   5000
#define LONGEST_BODY ((size_t)512 << 10)
/* Operations that read standard input. */
#define READERS "run|exec|file write"

/* A command line with --on. */
struct on {
	struct fleet_options fleet;
	const struct op *op;
	int op_words;   /* of its name */
	char **op_at;   /* where its name stands */
	char **op_rest; /* and what follows, without options of --on */
	struct cli_common common;
	json_t *arguments; /* owned */
};

static void finish(struct on *on)
{
	fleet_options_finish(&on->fleet);
	json_decref(on->arguments);
}

static int find_operation(struct on *on, char **words, struct aisbx_error *e)
{
	char both[64];

	if (!words[0])
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "--on needs an operation: aisbx --on LABELS run -- COMMAND");
	on->op = op_by_name(words[0]);
	on->op_at = words;
	on->op_words = 1;
	if (!on->op && words[1] &&
	    snprintf(both, sizeof(both), "%s %s", words[0], words[1]) < (int)sizeof(both)) {
		on->op = op_by_name(both);
		on->op_words = 2;
	}
	return on->op ? 0
		      : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				     "there is no operation '%.100s'; 'aisbx help all' lists them", words[0]);
}

/* "NAME" becomes "NAME=VALUE": the variable of this machine is meant. */
static int give_variables(json_t *list, struct aisbx_error *e)
{
	size_t i;
	const json_t *item;

	json_array_foreach(list, i, item)
	{
		const char *name = json_string_value(item), *value = name ? getenv(name) : NULL;
		scoped(drop_mem) char *both = NULL;

		if (!name || strchr(name, '='))
			continue;
		if (asprintf(&both, "%s=%s", name, value ? value : "") < 0 ||
		    json_array_set_new(list, i, json_string(both)) < 0)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
					    "the variable '%.80s' cannot be passed on: it is not UTF-8",
					    name);
	}
	return 0;
}

/* The program of run-code travels; its file is here. */
static int give_program(json_t *arguments, struct aisbx_error *e)
{
	const char *path = op_text(arguments, "file");
	scoped(drop_fd) int fd = -1;
	scoped(buf_finish) struct buf text = { 0 };
	int r;

	if (!path)
		return 0;
	fd = strcmp(path, "-") != 0 ? open(path, O_RDONLY | O_CLOEXEC) : dup(STDIN_FILENO);
	r = io_read_all(fd, LONGEST_BODY, &text);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, -r, "read the program '%s'", path);
	if (json_object_set_new(arguments, "code", json_stringn(text.data, text.len)) < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EILSEQ,
				    "the program '%s' is not UTF-8", path);
	json_object_del(arguments, "file");
	return 0;
}

/* What belongs to this machine is resolved here; what then still does is refused. */
static int prepare(struct on *on, struct aisbx_error *e)
{
	const char *method;
	int r = give_variables(json_object_get(on->arguments, "env"), e);

	if (op_flag(on->arguments, "detach")) {
		on->fleet.detach = true;
		json_object_del(on->arguments, "detach");
	}
	json_object_del(on->arguments, "fresh");
	if (r == 0 && on->op == &op_run_code)
		r = give_program(on->arguments, e);
	if (r == 0)
		r = op_check_args(on->op, on->arguments, e);
	if (r == 0)
		r = allowed_check(on->op->name, on->arguments, NULL, &method, e);
	if (r == 0 && on->fleet.once && on->fleet.detach)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "--once and --detach exclude each other: who submitted it must be there to "
				 "let it begin");
	return r;
}

static int parse(struct on *on, char **words, struct aisbx_error *e)
{
	char **rest = words;
	int r = fleet_options_take(&on->fleet, words, CLIENT_ON_OPTIONS, true, &rest, e);

	if (r == 0)
		r = find_operation(on, rest, e);
	if (r == 0)
		r = fleet_options_take(&on->fleet, rest + on->op_words, CLIENT_ON_OPTIONS, true, &on->op_rest,
				       e);
	if (r == 0)
		r = cli_parse(on->op, on->op_rest, &on->common, &on->arguments, e);
	if (r < 0 || on->common.help)
		return r;
	return prepare(on, e);
}

static struct fleet_text *make_body(const struct on *on, struct aisbx_error *e)
{
	const bool reads = !on->fleet.detach && str_is_one_of(on->op->name, READERS);
	json_t *body = json_pack("{s:s, s:O, s:b}", "operation", on->op->name, "arguments", on->arguments,
				 "stdin", reads);
	char *text = body ? json_dumps(body, JSON_COMPACT) : NULL;
	struct fleet_text *ret = NULL;

	if (!text)
		aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "write the job");
	else if (strlen(text) > LONGEST_BODY)
		aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, EMSGSIZE,
			     "the command has %zu bytes, and a job %zu at most; give it as input instead",
			     strlen(text), LONGEST_BODY);
	else
		ret = fleet_text_new(text, strlen(text));
	free(text);
	json_decref(body);
	return ret;
}

static int make_job(const struct on *on, struct fleet_job *job, struct aisbx_error *e)
{
	uint64_t priority = 5, attempts = 5, deadline = 0;
	int r = class_of_labels(on->fleet.on, job->class, e);

	if (r == 0)
		r = fleet_options_number("priority", on->fleet.priority, 0, 9, 5, &priority, e);
	if (r == 0)
		r = fleet_options_number("attempts", on->fleet.attempts, 1, 1000, 5, &attempts, e);
	if (r == 0 && on->fleet.deadline && (!str_to_ms(on->fleet.deadline, &deadline) || !deadline))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "--deadline must be a time, such as 10m, not '%.50s'", on->fleet.deadline);
	if (r < 0)
		return r;
	fleet_options_fresh_name("j-", job->id);
	snprintf(job->submitter, sizeof(job->submitter), "%s", job->id);
	snprintf(job->tenant, sizeof(job->tenant), "%s", on->fleet.tenant);
	job->effect = on->fleet.once ? FLEET_ONCE : FLEET_REPEATABLE;
	job->priority = (unsigned)priority;
	job->attempts = on->fleet.once ? 1 : (unsigned)attempts;
	job->deadline_wall_ms = deadline ? loop_now().wall_ms + deadline : 0;
	job->body = make_body(on, e);
	return job->body ? 0 : e->code;
}

/* The same command line without --on, by the aisbx of this machine. */
static int run_here(const struct on *on, const char *why, struct aisbx_error *e)
{
	static const char *const places[] = { "/aisbx", "/../../bin/aisbx" };
	char here[PATH_MAX], path[PATH_MAX + 32];
	ssize_t n = readlink("/proc/self/exe", here, sizeof(here) - 1);
	scoped(strlist_finish) struct strlist words = { 0 };

	fprintf(stderr, "aisbx: %s; it runs on this machine\n", why);
	here[n > 0 ? n : 0] = '\0';
	strlist_add(&words, "aisbx");
	for (int i = 0; i < on->op_words; i++)
		strlist_add(&words, on->op_at[i]);
	if (on->fleet.detach && !op_flag(on->arguments, "detach") && on->op == &op_run)
		strlist_add(&words, "--detach");
	for (char **w = on->op_rest; *w; w++)
		if (strcmp(*w, "--detach") != 0 || !on->fleet.detach)
			strlist_add(&words, *w);
	if (words.failed)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start aisbx");
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%.*s%s",
			 (int)(strrchr(here, '/') ? strrchr(here, '/') - here : 0), here, places[i]);
		execv(path, words.items);
	}
	execvp("aisbx", words.items);
	return aisbx_fail(e, AISBX_AREA_RUN, errno, "start aisbx");
}

/* With --or-here: connects, and makes sure that a hub is there. */
static int connect_to(const struct on *on, const char *name, struct bus **ret, char *why, size_t cap,
		      struct aisbx_error *e)
{
	uint64_t ms = 0;
	char *text = NULL;
	size_t len;
	int r;

	if (on->fleet.or_here) {
		ms = OR_HERE_MS;
		if (on->fleet.or_here[0] && (!str_to_ms(on->fleet.or_here, &ms) || !ms))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "--or-here=TIME must be a time, such as 5s, not '%.50s'",
					    on->fleet.or_here);
	}
	r = fleet_options_connect(&on->fleet, BUS_SUBMITTER, name, ms, ret, e);
	if (!on->fleet.or_here)
		return r;
	if (r == 0 && bus_request(*ret, "aisbx.ask.status", "", 0, ms, &text, &len, e) < 0) {
		char waited[32];

		snprintf(why, cap, "no hub answered in %s", str_ms(ms, waited, sizeof(waited)));
	} else if (r < 0)
		snprintf(why, cap, "%s", e->text);
	free(text);
	return 0;
}

static int submit(const struct on *on, struct saved_job *job, struct aisbx_error *e)
{
	struct job_options options = { .fleet = &on->fleet,
				       .op = on->op,
				       .common = on->common,
				       .detach = on->fleet.detach,
				       .reads = !on->fleet.detach && str_is_one_of(on->op->name, READERS),
				       .saved = job };
	char dir[PATH_MAX], why[512] = "";
	int r, lock = -1;

	loop_block_signals();
	r = connect_to(on, job->saved.job.submitter, &options.bus, why, sizeof(why), e);
	if (r == 0 && why[0])
		r = run_here(on, why, e);
	if (r == 0)
		r = client_table_open(&options.table, dir, sizeof(dir), e);
	if (r == 0)
		r = client_job_lock(dir, job->saved.job.id, &lock, e);
	if (r == 0)
		r = job_follow(&options, e);
	client_job_unlock(dir, job->saved.job.id, lock);
	bus_close(options.bus);
	saved_close(options.table);
	return r;
}

int client_on(char **words, struct aisbx_error *e)
{
	scoped(finish) struct on on = { 0 };
	scoped(saved_job_finish) struct saved_job job = { 0 };
	int r = parse(&on, words, e);

	if (r < 0)
		return r;
	if (on.common.help) {
		cli_help_op(on.op, false, stdout);
		return 0;
	}
	r = fleet_options_complete(&on.fleet, e);
	if (r == 0)
		r = make_job(&on, &job.saved.job, e);
	return r == 0 ? submit(&on, &job, e) : r;
}
