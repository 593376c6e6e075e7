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
#include "base/scope.h"
#include "base/str.h"
#include "box/travel.h"
#include "cli/cli.h"
#include "fleet/agent/allowed.h"
#include "fleet/agent/loop.h"
#include "fleet/client/class.h"
#include "fleet/client/client.h"
#include "fleet/client/here.h"
#include "fleet/client/project.h"
#include "fleet/client/home_node.h"
#include "fleet/client/job.h"
#include "fleet/client/secrets.h"
#include "fleet/client/spread.h"

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
	json_t *plan;      /* owned; of a project that goes along; NULL: none does */
	struct run_secrets secrets;
	bool promote;   /* of `try`: what wins is promoted here */
	bool is_branch; /* its result is for whoever compares branches */
};

static void finish(struct on *on)
{
	fleet_options_finish(&on->fleet);
	json_decref(on->arguments);
	json_decref(on->plan);
	box_secrets_finish(&on->secrets);
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

int client_give_variables(json_t *list, struct aisbx_error *e)
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

/* Branches of an experiment go to different nodes, but for those that start from a box of one. */
static bool spreads(const struct on *on)
{
	return on->op == &op_try && !json_object_get(on->arguments, "box");
}

/* What belongs to this machine is resolved here; what then still does is refused. */
static int prepare(struct on *on, struct aisbx_error *e)
{
	const char *method;
	int r = client_give_variables(json_object_get(on->arguments, "env"), e);

	if (op_flag(on->arguments, "detach")) {
		on->fleet.detach = true;
		json_object_del(on->arguments, "detach");
	}
	json_object_del(on->arguments, "fresh");
	if (r == 0)
		r = client_secrets_take(on->op->name, on->arguments, &on->secrets, e);
	if (spreads(on)) {
		on->promote = op_flag(on->arguments, "promote");
		json_object_del(on->arguments, "promote");
		if (!on->fleet.base)
			on->fleet.project = on->fleet.project ? on->fleet.project : "";
	}
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

/* Those of --on, and which operation it is. */
static int parse_options(struct on *on, char **words, struct aisbx_error *e)
{
	char **rest = words;
	int r = fleet_options_take(&on->fleet, words, CLIENT_ON_OPTIONS, true, &rest, e);

	if (r == 0)
		r = find_operation(on, rest, e);
	if (r == 0)
		r = fleet_options_take(&on->fleet, rest + on->op_words, CLIENT_ON_OPTIONS, true, &on->op_rest,
				       e);
	return r;
}

static int parse(struct on *on, struct aisbx_error *e)
{
	int r = cli_parse(on->op, on->op_rest, &on->common, &on->arguments, e);

	if (r < 0 || on->common.help)
		return r;
	return prepare(on, e);
}

static struct fleet_text *make_body(const struct on *on, struct aisbx_error *e)
{
	const bool reads = !on->fleet.detach && str_is_one_of(on->op->name, READERS);
	json_t *body = json_pack("{s:s, s:O, s:b, s:O*}", "operation", on->op->name, "arguments",
				 on->arguments, "stdin", reads, "project", json_object_get(on->plan, "body"));
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

int client_job_like(const struct fleet_options *fleet, struct fleet_job *job, struct aisbx_error *e)
{
	uint64_t priority = 5, attempts = 5, deadline = 0;
	int r = class_of_labels(fleet->on, job->class, e);

	if (r == 0)
		r = fleet_options_number("priority", fleet->priority, 0, 9, 5, &priority, e);
	if (r == 0)
		r = fleet_options_number("attempts", fleet->attempts, 1, 1000, 5, &attempts, e);
	if (r == 0 && fleet->deadline && (!str_to_ms(fleet->deadline, &deadline) || !deadline))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "--deadline must be a time, such as 10m, not '%.50s'", fleet->deadline);
	if (r < 0)
		return r;
	fleet_options_fresh_name("j-", job->id);
	snprintf(job->submitter, sizeof(job->submitter), "%s", job->id);
	snprintf(job->tenant, sizeof(job->tenant), "%s", fleet->tenant);
	job->effect = fleet->once ? FLEET_ONCE : FLEET_REPEATABLE;
	job->priority = (unsigned)priority;
	job->attempts = fleet->once ? 1 : (unsigned)attempts;
	job->deadline_wall_ms = deadline ? loop_now().wall_ms + deadline : 0;
	return 0;
}

/* To the node that has the boxes which are named, as far as that is known here. */
static int go_home(struct on *on, struct fleet_job *job, struct aisbx_error *e)
{
	char dir[PATH_MAX], labels[FLEET_NAME];
	struct homes *homes = NULL;
	int r;

	if (!home_matters(on->op->name, on->arguments))
		return 0;
	snprintf(labels, sizeof(labels), "%s", job->class);
	r = client_table_dir(dir, sizeof(dir), e);
	if (r == 0 && access(dir, F_OK) == 0)
		r = homes_open(dir, &homes, e);
	if (r == 0)
		r = home_find(homes, job->tenant, on->op->name, on->arguments, job->class, e);
	homes_close(homes);
	if (r == 0 && strcmp(labels, job->class) != 0)
		on->fleet.or_here = NULL; /* this machine has not got them */
	return r;
}

static int make_job(struct on *on, struct fleet_job *job, struct aisbx_error *e)
{
	int r = client_job_like(&on->fleet, job, e);

	if (r == 0)
		r = go_home(on, job, e);
	if (r < 0)
		return r;
	if (on->plan) /* enough of its name to tell it from others */
		snprintf(job->content, sizeof(job->content), "%.40s",
			 json_string_value(json_object_get(json_object_get(on->plan, "body"), "tree")));
	job->body = make_body(on, e);
	return job->body ? 0 : e->code;
}

/* The same command line without --on, by the aisbx of this machine. */
static int run_here(const struct on *on, const char *why, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };

	fprintf(stderr, "aisbx: %s; it runs on this machine\n", why);
	strlist_add(&words, "aisbx");
	for (int i = 0; i < on->op_words; i++)
		strlist_add(&words, on->op_at[i]);
	if (on->fleet.detach && !op_flag(on->arguments, "detach") && on->op == &op_run)
		strlist_add(&words, "--detach");
	for (char **w = on->op_rest; *w; w++)
		if (strcmp(*w, "--detach") != 0 || !on->fleet.detach)
			strlist_add(&words, *w);
	return here_exec(&words, e);
}

/* Nothing was submitted: nobody needs what was to be its base. */
static void stay(const struct on *on)
{
	box_departure_drop(json_string_value(json_object_get(on->plan, "base")));
}

static int submit(struct on *on, struct saved_job *job, struct aisbx_error *e)
{
	struct job_options options = { .fleet = &on->fleet,
				       .op = on->op,
				       .common = on->common,
				       .detach = on->fleet.detach,
				       .reads = !on->fleet.detach && str_is_one_of(on->op->name, READERS),
				       .saved = job,
				       .secrets = &on->secrets,
				       .project = { .fleet = &on->fleet,
						    .quiet = on->common.quiet || on->common.json } };
	char dir[PATH_MAX], why[512] = "";
	int r, lock = -1;

	loop_block_signals();
	r = here_connect(&on->fleet, job->saved.job.submitter, &options.bus, why, sizeof(why), e);
	if (r == 0 && why[0])
		r = run_here(on, why, e);
	if (r == 0)
		r = client_secrets_read(&on->secrets, e);
	if (r == 0)
		r = client_table_open(&options.table, dir, sizeof(dir), e);
	if (r == 0)
		r = client_job_lock(dir, job->saved.job.id, &lock, e);
	if (r == 0 && on->plan)
		r = client_project_save(dir, job->saved.job.id, on->plan, e);
	options.project.dir = on->is_branch ? NULL : dir;
	if (r < 0)
		stay(on);
	else
		r = job_follow(&options, e);
	if (r >= 0)
		client_learn(options.table, dir, job->saved.job.id);
	client_job_unlock(dir, job->saved.job.id, lock);
	bus_close(options.bus);
	saved_close(options.table);
	return r;
}

/* What starts from a state of this machine can start nowhere else, and from nothing else. */
static int check_base(const struct on *on, struct aisbx_error *e)
{
	const char *other = on->fleet.project                       ? "--project"
			    : json_object_get(on->arguments, "box") ? "--box"
			    : on->fleet.or_here                     ? "--or-here"
								    : NULL;

	if (on->op != &op_run)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "'%s' takes no --base; 'run' does", on->op->name);
	if (!other)
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			    "--base and %s exclude each other: %s", other,
			    on->fleet.or_here ? "'aisbx run' on this machine begins a fork by 'aisbx fork'"
					      : "a box has a project already");
}

/* The node asks the same, once the project is on its way. */
static int leave(struct on *on, struct aisbx_error *e)
{
	const char *method;
	int r = 0;

	if (on->fleet.base)
		r = check_base(on, e);
	else if (on->op != &op_run && on->op != &op_try)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' takes no project along; 'run' and 'try' do", on->op->name);
	else if (json_object_get(on->arguments, "box"))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "--project and --box exclude each other: a box has a project already");
	if (r == 0)
		r = client_project_send(&on->fleet, on->arguments, on->common.quiet || on->common.json,
					&on->plan, e);
	if (r < 0)
		return r;
	r = allowed_check(on->op->name, on->arguments, NULL, &method,
			  e); /* settings of the box came to them */
	if (r < 0)
		stay(on);
	return r;
}

static int run_job(struct on *on, struct aisbx_error *e)
{
	scoped(saved_job_finish) struct saved_job job = { 0 };
	int r = make_job(on, &job.saved.job, e);

	if (r < 0)
		stay(on);
	return r == 0 ? submit(on, &job, e) : r;
}

static int run_branch(void *ctx, json_t *arguments, struct aisbx_error *e)
{
	struct on branch = *(const struct on *)ctx;

	branch.arguments = arguments;
	branch.common.json = branch.common.quiet = branch.is_branch = true;
	return run_job(&branch, e);
}

static int spread(struct on *on, struct aisbx_error *e)
{
	const struct spread_request q = { .fleet = &on->fleet,
					  .arguments = on->arguments,
					  .common = on->common,
					  .promote = on->promote,
					  .project = json_string_value(json_object_get(on->plan, "project")),
					  .ctx = on,
					  .run = run_branch };

	if (on->fleet.detach || on->fleet.or_here)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'try' on other machines takes no --%s: its branches are compared here, when "
			"all have ended",
			on->fleet.detach ? "detach" : "or-here");
	return client_spread(&q, e);
}

/* `aisbx mcp --on LABELS` is `aisbx fleet mcp --on LABELS`, and the same of rpc. */
static int serve(struct on *on, struct aisbx_error *e)
{
	const bool mcp = on->op == &op_mcp;
	char **rest = on->op_rest;
	int r = 0;

	if (on->fleet.detach || on->fleet.project || on->fleet.base || on->fleet.store || on->fleet.store_key)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' takes none of --detach, --project, --base, --store and --store-key",
				 on->op->name);
	if (r == 0)
		r = fleet_options_take(&on->fleet, on->op_rest,
				       mcp ? "help|" CLIENT_MCP_OPTIONS "|" CLIENT_RPC_OPTIONS
					   : "help|" CLIENT_RPC_OPTIONS,
				       false, &rest, e);
	if (r == 0 && on->fleet.help) {
		cli_help_op(on->op, false, stdout);
		return 0;
	}
	if (r == 0 && *rest)
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				 "'%s' takes no argument '%.60s'", on->op->name, *rest);
	if (r == 0)
		r = fleet_options_complete(&on->fleet, e);
	if (r < 0)
		return r;
	return mcp ? client_mcp(&on->fleet, rest, e) : client_rpc(&on->fleet, rest, e);
}

static bool serves(const struct on *on)
{
	return on->op == &op_mcp || on->op == &op_rpc;
}

int client_on(char **words, struct aisbx_error *e)
{
	scoped(finish) struct on on = { 0 };
	int r = parse_options(&on, words, e);

	if (r == 0 && serves(&on))
		return serve(&on, e);
	if (r == 0)
		r = parse(&on, e);

	if (r < 0)
		return r;
	if (on.common.help) {
		cli_help_op(on.op, false, stdout);
		return 0;
	}
	r = fleet_options_complete(&on.fleet, e);
	if (r == 0)
		r = client_secrets_check(&on.secrets, &on.fleet, e);
	if (r == 0 && (on.fleet.project || on.fleet.base))
		r = leave(&on, e);
	if (r < 0)
		return r;
	return spreads(&on) ? spread(&on, e) : run_job(&on, e);
}
