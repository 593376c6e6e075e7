/* SPDX-License-Identifier: Apache-2.0 */
/* Reads, scans and runs a program, and gathers what it left. */
#include "box/code.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/running.h"
#include "box/code_boot.h"
#include "box/code_choice.h"
#include "box/made.h"
#include "box/scan.h"
#include "box/scan_module.h"
#include "run/ready_box.h"

/* A plan carries the program into the box, and has an end. */
#define MAX_CODE (4u << 20)
/* Where the program lies in the box, and where it starts: both on the box's own tmpfs. */
#define CODE_DIR "/tmp"
#define WORK     "work"
#define WORK_DIR CODE_DIR "/" WORK

const char *const code_languages[] = { "python", "javascript", "shell", NULL };

static const struct language {
	const char *name, *interpreter, *file;
	const char *env; /* NULL, or a variable it runs with */
} table[] = {
	{ "python", "python3", "code.py", "MPLBACKEND=agg" }, /* charts go to files: there is no screen */
	{ "javascript", "node", "code.js", NULL },
	{ "shell", "bash", "code.sh", NULL },
};

/* On its way. */
struct code {
	const struct language *lang;
	struct buf text;          /* owned */
	struct buf boot;          /* owned; what runs it; empty: the interpreter by itself */
	struct run_file files[2]; /* both; borrowed */
	int out_fd;               /* owned; where files are copied to; -1: nowhere */
	char *out;                /* owned; its path */
	bool traps;               /* copy them, too */
	bool from_stdin;          /* so the program has none */
	struct code_result *ret;  /* borrowed */
};

static void code_finish(struct code *c)
{
	buf_finish(&c->text);
	buf_finish(&c->boot);
	free(c->out);
	drop_fd(&c->out_fd);
}

void code_request_finish(struct code_request *r)
{
	run_options_finish(&r->options);
}

void code_result_finish(struct code_result *r)
{
	free(r->path);
	free(r->denied);
	if (r->is_scanned)
		scan_report_finish(&r->scan);
	scan_policy_finish(&r->policy);
	run_report_finish(&r->report);
	outputs_finish(&r->files);
	context_result_finish(&r->told);
	json_decref(r->results);
	redactor_destroy(r->hide);
}

static const struct language *language_of(const char *name)
{
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return table; /* whoever calls has checked the name */
}

static int read_all(int fd, const char *name, struct buf *ret, struct aisbx_error *e)
{
	int r = io_read_all(fd, MAX_CODE, ret);

	if (r < 0)
		return aisbx_fail(e, r == -ENOMEM ? AISBX_AREA_RUN : AISBX_AREA_USAGE, -r,
				  "read the program from '%s'", name);
	return ret->len <= MAX_CODE ? 0
				    : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
						   "the program in '%s' is larger than %u MiB; put it in a "
						   "project and use 'aisbx run'",
						   name, MAX_CODE >> 20);
}

/* The name people know, so that a traceback has it; but only if it is a harmless one. */
static const char *name_for(const struct language *lang, const char *file)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+";
	const char *slash = file ? strrchr(file, '/') : NULL, *name = slash ? slash + 1 : file;

	if (!name || !*name || *name == '.' || *name == '-' || strlen(name) > 64 ||
	    name[strspn(name, plain)] || !strcmp(name, WORK))
		return lang->file;
	return name;
}

static int read_code(const struct caller *by, const struct code_request *req, struct code *c,
		     struct aisbx_error *e)
{
	const char *file = req->file, *given = req->text;
	scoped(drop_mem) char *full = NULL;
	scoped(drop_fd) int fd = -1;

	if (file && given)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give the program as a file or as --code, not both");
	if (asprintf(&c->ret->path, CODE_DIR "/%s", name_for(c->lang, file)) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the program");
	if (given) {
		buf_add(&c->text, given, strlen(given));
		if (c->text.len > MAX_CODE)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
					    "the program is larger than %u MiB", MAX_CODE >> 20);
		return c->text.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the program") : 0;
	}
	c->from_stdin = !file || !strcmp(file, "-");
	if (c->from_stdin && by->stdin_fd < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "no program given: give a FILE or --code");
	if (c->from_stdin)
		return read_all(by->stdin_fd, "-", &c->text, e);
	full = path_resolve(by->cwd, file);
	fd = full ? open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, full ? errno : ENOMEM, "open the program '%s'", file);
	return read_all(fd, file, &c->text, e);
}

static int open_out(const struct caller *by, const char *dir, struct code *c, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = dir ? path_resolve(by->cwd, dir) : NULL;

	if (!dir)
		return 0;
	if (full && mkdir(full, 0777) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "make the directory '%s' for --out", dir);
	c->out_fd = full ? open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (c->out_fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, full ? errno : ENOMEM,
				  "open the directory '%s' for --out", dir);
	c->out = take_mem(&full);
	return 0;
}

/* The policy that judges the program: as asked for, as the profile says, or the one that is built in. */
static const char *policy_name(const char *name, const struct run_spec *req)
{
	const struct profile_rules *rules = &req->origin->rules;

	for (size_t i = 0; !name && i < rules->n_values; i++)
		if (profile_value_is(rules, i, "scan"))
			name = rules->values[i].setting->value;
	return name ? name : "default";
}

/* What the policy says to a program of that risk, if it means that the program does not run. */
static int judge(const struct scan_report *report, const char *policy, bool yes, struct code_result *ret,
		 struct aisbx_error *e)
{
	const struct scan_finding *worst = NULL;
	bool ask = report->action == ACTION_ASK;

	if (report->action != ACTION_REFUSE && !(ask && !yes))
		return 0;
	for (size_t i = 0; i < report->n_findings && !worst; i++)
		if (report->findings[i].rule->severity == report->risk)
			worst = &report->findings[i];
	if (asprintf(&ret->denied, "the scan with policy '%s' rates the program as %s risk: line %u: %s; %s",
		     policy, scan_severity_name(report->risk), worst ? worst->line : 0,
		     worst ? worst->rule->why : "see the findings",
		     ask ? "read it, then run it with --yes" : "the policy refuses it") < 0) {
		ret->denied = NULL;
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "scan the program");
	}
	return 0;
}

static int scan_it(const struct caller *by, const struct code_request *how, const struct run_spec *req,
		   struct code *c, struct aisbx_error *e)
{
	const char *name = policy_name(how->policy, req);
	const struct scan_text text = { c->lang->name, c->text.data ? c->text.data : "", c->text.len };
	const bool makes_ready = by->ready && by->ready->make; /* there is no program yet */
	const bool none = makes_ready || !strcmp(name, "none"),
		   is_auto = how->driver && !strcmp(how->driver, "auto");
	scoped(facts_finish) struct facts facts = { 0 };
	struct code_result *ret = c->ret;
	int r = none ? 0 : box_scan_policy(by, name, &ret->policy, e);

	if (r == 0 && (!none || is_auto) && !makes_ready)
		r = scan_facts(&text, 1, &facts, e);
	if (r == 0 && !none)
		r = scan_modules(by, &text, &ret->policy, &facts, e);
	if (r == 0 && !none)
		r = scan_judge(&text, &facts, &ret->policy, &ret->scan, e);
	if (r < 0)
		return aisbx_hint(e, is_auto ? "--policy none and a --driver run the program without a scan"
					     : "--policy none runs the program without a scan");
	ret->is_scanned = !none;
	r = code_choose(how->driver, c->lang->name, req, none && !is_auto ? NULL : &facts, &ret->choice, e);
	if (r < 0 || none)
		return r;
	return judge(&ret->scan, name, how->yes, ret, e);
}

/* Everybody in the box is gone. */
static void outputs(void *ctx, int tmp_fd)
{
	struct code *c = ctx;

	outputs_collect(tmp_fd, WORK, &(struct outputs_to){ c->out_fd, c->out, c->traps }, c->ret->hide,
			&c->ret->files, &c->ret->files_error);
	c->ret->results = code_boot_results(tmp_fd);
}

/* The program sees the system and a directory of its own; where it was called from is not its business. */
static void settle(struct run_spec *req, struct code *c)
{
	req->walls.project = NULL;
	req->command.cwd = WORK_DIR;
	req->walls.fresh = WORK_DIR;
	req->walls.files = c->files;
	req->walls.n_files = c->files[1].len ? 2 : 1;
	req->hooks.leave = outputs;
	req->hooks.leave_ctx = c;
	if (c->from_stdin)
		req->io.stdin_fd = -1;
	if (c->lang->env)
		strlist_add(&req->command.set_env, c->lang->env);
}

/* The command in front of the arguments of the program; profile and services as programs have them. */
static int complete(struct run_options *w, const struct code *c, struct aisbx_error *e)
{
	struct strlist command = { 0 };

	strlist_add(&command, c->lang->interpreter);
	strlist_add(&command, c->ret->path);
	for (size_t i = 0; i < w->command.n; i++)
		strlist_add(&command, w->command.items[i]);
	command.failed |= w->command.failed;
	strlist_finish(&w->command);
	w->command = command;
	w->no_services = true;
	w->lang = c->lang->name;
	if (!w->profile)
		w->profile = c->lang->name;
	return command.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the command") : 0;
}

/* An interpreter of the system runs the program by way of ours, which tells values; other drivers bring their
 * own, which takes one file. */
static int boot(struct run_spec *req, struct code *c, struct aisbx_error *e)
{
	const char *driver = c->ret->choice.driver ? c->ret->choice.driver
			     : req->box.driver     ? req->box.driver
						   : req->profile.driver;
	struct strlist argv = { 0 };

	c->files[0] = (struct run_file){
		.guest = c->ret->path, .mode = 0444, .data = c->text.data, .len = c->text.len
	};
	if ((driver && !strcmp(driver, "wasm")) || !code_boot_text(c->lang->name, &c->boot))
		return 0;
	strlist_add(&argv, req->command.argv.items[0]);
	strlist_add(&argv, CODE_BOOT_PATH);
	for (size_t i = 1; i < req->command.argv.n; i++)
		strlist_add(&argv, req->command.argv.items[i]);
	strlist_finish(&req->command.argv);
	req->command.argv = argv;
	c->files[1] = (struct run_file){
		.guest = CODE_BOOT_PATH, .mode = 0444, .data = c->boot.data, .len = c->boot.len
	};
	return argv.failed || c->boot.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the command") : 0;
}

static int run_it(const struct caller *by, struct code_request *how, struct code *c, struct aisbx_error *e)
{
	struct code_result *ret = c->ret;
	scoped(box_spec_finish) struct run_spec req = { 0 };
	scoped(running_finish) struct running running = RUNNING_INIT;
	int r = complete(&how->options, c, e);

	if (r == 0)
		r = running_begin(by, &running, &req, false, e);
	if (r == 0)
		r = box_spec_fill(by, &how->options, &req, e);
	if (r == 0)
		r = scan_it(by, how, &req, c, e);
	if (r == 0 && !ret->denied)
		r = boot(&req, c, e);
	if (r < 0 || ret->denied)
		return r;
	settle(&req, c);
	req.box.ready = by->ready;
	if (ret->choice.driver)
		req.box.driver = ret->choice.driver;
	r = box_spec_hide(&req, &ret->hide, e);
	return r < 0 ? r : run_here(by, &req, &running, &ret->report, e);
}

int code_run(const struct caller *by, struct code_request *req, struct code_result *ret,
	     struct aisbx_error *e)
{
	scoped(code_finish) struct code c = {
		.lang = language_of(req->lang), .out_fd = -1, .traps = req->yes, .ret = ret
	};
	int r = read_code(by, req, &c, e);

	ret->interpreter = c.lang->interpreter;
	if (r == 0)
		r = open_out(by, req->out, &c, e);
	if (r == 0)
		r = run_it(by, req, &c, e);
	ret->exit_status = r < 0 || ret->denied ? 125 : ret->report.exit_status;
	return r;
}

/* What came of it, with the files that it made. */
static int run_there(const struct caller *by, const struct context *context, struct code *c,
		     struct aisbx_error *e)
{
	const struct timespec since = box_made_clock();
	struct code_result *ret = c->ret;
	int r = context_run(by, context, c->text.data ? c->text.data : "", c->text.len, &ret->told, e);

	if (r < 0)
		return r;
	ret->results = code_results_clean(ret->told.said);
	box_made_since(context->box, &since, ret->hide, &ret->files, &ret->files_error);
	return 0;
}

/* Looked at first, as any program. */
int code_run_in_context(const struct caller *by, const struct code_request *how, struct code_result *ret,
			struct aisbx_error *e)
{
	scoped(code_finish) struct code c = { .lang = language_of(how->lang), .out_fd = -1, .ret = ret };
	scoped(strlist_finish) struct strlist variables = { 0 };
	const struct context context = { .box = how->options.box,
					 .name = how->context,
					 .lang = c.lang->name,
					 .interpreter = c.lang->interpreter,
					 .env = c.lang->env,
					 .variables = &variables,
					 .has_timeout = how->has_timeout,
					 .timeout_ms = how->timeout_ms,
					 .idle_ms = how->idle_ms };
	scoped(box_spec_finish) struct run_spec req = { 0 };
	scoped(run_options_finish) struct run_options options = { .box = how->options.box };
	int r;

	ret->exit_status = 125;
	strlist_add(&options.command, "true");
	r = options.command.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the command")
				   : box_spec_fill(by, &options, &req, e);
	if (r == 0 && how->end_context) {
		ret->told.ended = context_end(by, &context);
		ret->exit_status = 0;
		return 0;
	}
	if (r == 0)
		r = context_variables(by, &how->options.env, &variables, e);
	if (r == 0)
		r = read_code(by, how, &c, e);
	if (r == 0)
		r = scan_it(by, how, &req, &c, e);
	if (r == 0)
		r = box_spec_hide(&req, &ret->hide, e);
	if (r < 0 || ret->denied)
		return r;
	r = run_there(by, &context, &c, e);
	ret->exit_status = r < 0 ? 125 : ret->told.exit_status;
	return r;
}
