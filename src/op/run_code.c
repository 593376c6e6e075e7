/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `run-code`: a program given as text, in a box of its own, with what it wrote and why it
 * failed. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/harvest.h"
#include "op/args.h"
#include "op/context.h"
#include "op/exception.h"
#include "op/path.h"
#include "box/running.h"
#include "op/scanned.h"
#include "secret/scrub.h"

/* A plan carries the program into the box, and has an end. */
#define MAX_CODE (4u << 20)
/* Where the program lies in the box, and where it starts: both on the box's own tmpfs. */
#define CODE_DIR "/tmp"
#define WORK     "work"
#define WORK_DIR CODE_DIR "/" WORK

static const char *const languages[] = { "python", "javascript", "shell", NULL };

static const struct language {
	const char *name, *interpreter, *file;
	const char *env; /* NULL, or a variable it runs with */
} table[] = {
	{ "python", "python3", "code.py", "MPLBACKEND=agg" }, /* charts go to files: there is no screen */
	{ "javascript", "node", "code.js", NULL },
	{ "shell", "bash", "code.sh", NULL },
};

struct code {
	const struct language *lang;
	struct buf text;
	char *path;            /* owned; in the box */
	int out_fd;            /* owned; where files are copied to; -1: nowhere */
	char *out;             /* owned; its path */
	bool traps;            /* copy them, too */
	struct redactor *hide; /* owned; the secrets of the box; NULL: it has none */
	bool from_stdin;       /* so the program has none */
	struct harvest files;
	struct aisbx_error harvest_error;
	json_t *scan; /* owned; what was found in it; NULL: nobody looked */
	char *denied; /* owned; why it does not run; NULL: it may */
};

static void code_finish(struct code *c)
{
	buf_finish(&c->text);
	free(c->path);
	free(c->out);
	drop_fd(&c->out_fd);
	harvest_finish(&c->files);
	json_decref(c->scan);
	free(c->denied);
	redactor_destroy(c->hide);
}

static const char *text_arg(const json_t *args, const char *name)
{
	return json_string_value(json_object_get(args, name));
}

static int read_all(int fd, const char *name, struct buf *ret, struct aisbx_error *e)
{
	char chunk[65536];
	ssize_t n;

	while ((n = read(fd, chunk, sizeof(chunk))) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return aisbx_fail(e, AISBX_AREA_USAGE, errno, "read the program from '%s'", name);
		buf_add(ret, chunk, (size_t)n);
		if (ret->len > MAX_CODE)
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
				"the program in '%s' is larger than %u MiB; put it into a project and use "
				"'aisbx run'",
				name, MAX_CODE >> 20);
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the program") : 0;
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

static int read_code(const struct op_context *ctx, const json_t *args, struct code *c, struct aisbx_error *e)
{
	const char *file = text_arg(args, "file"), *given = text_arg(args, "code");
	scoped(drop_mem) char *full = NULL;
	scoped(drop_fd) int fd = -1;

	if (file && given)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "give the program as a file or as --code, not both");
	if (asprintf(&c->path, CODE_DIR "/%s", name_for(c->lang, file)) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the program");
	if (given) {
		buf_add(&c->text, given, strlen(given));
		if (c->text.len > MAX_CODE)
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EFBIG,
					    "the program is larger than %u MiB", MAX_CODE >> 20);
		return c->text.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "read the program") : 0;
	}
	c->from_stdin = !file || !strcmp(file, "-");
	if (c->from_stdin && ctx->by.stdin_fd < 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is no program: give a FILE or --code");
	if (c->from_stdin)
		return read_all(ctx->by.stdin_fd, "-", &c->text, e);
	full = path_resolve(ctx->by.cwd, file);
	fd = full ? open(full, O_RDONLY | O_CLOEXEC | O_NOCTTY) : -1;
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, full ? errno : ENOMEM, "open the program '%s'", file);
	return read_all(fd, file, &c->text, e);
}

static int open_out(const struct op_context *ctx, const char *dir, struct code *c, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = dir ? path_resolve(ctx->by.cwd, dir) : NULL;

	if (!dir)
		return 0;
	if (full && mkdir(full, 0777) < 0 && errno != EEXIST)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "make the directory '%s' of --out", dir);
	c->out_fd = full ? open(full, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (c->out_fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, full ? errno : ENOMEM,
				  "open the directory '%s' of --out", dir);
	c->out = take_mem(&full);
	return 0;
}

/* The arguments `run` would take for the same: those of the box are called alike. */
static json_t *run_args(const json_t *args, const struct code *c)
{
	static const char *const own[] = { "lang", "file",   "code",    "out",         "yes",
					   "args", "policy", "context", "end-context", "idle" };
	json_t *j = json_copy((json_t *)args), *command = json_pack("[s, s]", c->lang->interpreter, c->path);

	for (size_t i = 0; i < sizeof(own) / sizeof(*own); i++)
		json_object_del(j, own[i]);
	json_array_extend(command, json_object_get(args, "args"));
	json_object_set_new(j, "command", command);
	json_object_set_new(j, "no-services", json_true());
	if (!json_object_get(j, "profile"))
		json_object_set_new(j, "profile", json_string(c->lang->name));
	return j;
}

/* The policy that judges the program: as asked for, as the profile says, or the one that is built in. */
static const char *policy_name(const json_t *args, const struct run_spec *req)
{
	const struct profile_rules *rules = &req->origin->rules;
	const char *name = text_arg(args, "policy");

	for (size_t i = 0; !name && i < rules->n_values; i++)
		if (profile_value_is(rules, i, "scan"))
			name = rules->values[i].setting->value;
	return name ? name : "default";
}

/* What the policy says to a program of that risk, if it means that the program does not run. */
static int judge(const struct scan_report *report, const char *policy, bool yes, struct code *c,
		 struct aisbx_error *e)
{
	const struct scan_finding *worst = NULL;
	bool ask = report->action == ACTION_ASK;

	if (report->action != ACTION_REFUSE && !(ask && !yes))
		return 0;
	for (size_t i = 0; i < report->n_findings && !worst; i++)
		if (report->findings[i].rule->severity == report->risk)
			worst = &report->findings[i];
	if (asprintf(&c->denied, "the scan by policy '%s' finds the program of %s risk: line %u: %s; %s",
		     policy, scan_severity_name(report->risk), worst ? worst->line : 0,
		     worst ? worst->rule->why : "see the findings",
		     ask ? "who has read it can run it with --yes" : "the policy refuses that") < 0) {
		c->denied = NULL;
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "judge the program");
	}
	return 0;
}

static int scan_it(const struct op_context *ctx, const json_t *args, const struct run_spec *req,
		   struct code *c, struct aisbx_error *e)
{
	const char *name = policy_name(args, req);
	scoped(scan_policy_finish) struct scan_policy policy = { 0 };
	struct scan_report report = { 0 };
	int r;

	if (!strcmp(name, "none"))
		return 0;
	r = op_scan_policy(ctx, name, &policy, e);
	if (r == 0)
		r = scan_code(c->lang->name, c->text.data ? c->text.data : "", c->text.len, &policy, &report,
			      e);
	if (r < 0)
		return aisbx_hint(e, "--policy none runs a program that nobody looked at");
	c->scan = op_scan_json(&report);
	r = judge(&report, name, json_is_true(json_object_get(args, "yes")), c, e);
	scan_report_finish(&report);
	return r;
}

/* Everybody in the box is gone. */
static void harvest(void *ctx, int tmp_fd)
{
	struct code *c = ctx;

	harvest_collect(tmp_fd, WORK, &(struct harvest_to){ c->out_fd, c->out, c->traps }, c->hide, &c->files,
			&c->harvest_error);
}

/* The program sees the system and a directory of its own; where it was called from is not its business. */
static void settle(struct run_spec *req, struct code *c, const struct run_file *file)
{
	req->walls.project = NULL;
	req->command.cwd = WORK_DIR;
	req->walls.fresh = WORK_DIR;
	req->walls.files = file;
	req->walls.n_files = 1;
	req->hooks.leave = harvest;
	req->hooks.leave_ctx = c;
	if (c->from_stdin)
		req->io.stdin_fd = -1;
	if (c->lang->env)
		strlist_add(&req->command.set_env, c->lang->env);
}

static const char *why_not(const struct harvest_file *f)
{
	if (f->secret)
		return "its name or content holds a secret that the box was given";
	return f->error == EFBIG ? "larger than what is copied" : strerror(f->error);
}

/* Of a trap with what to do about it; a new reference. */
static json_t *error_json(const struct harvest_file *f)
{
	if (f->trap && !f->secret)
		return json_sprintf("a trap, so it was not copied without --yes: %s", f->trap->why);
	return f->error ? json_string(why_not(f)) : json_null();
}

static json_t *files_json(const struct code *c)
{
	json_t *list = json_array();

	for (size_t i = 0; i < c->files.n; i++) {
		const struct harvest_file *f = &c->files.files[i];
		json_t *j = json_object();

		op_set_name(j, "path", f->path);
		json_object_set_new(j, "size", json_integer((json_int_t)f->size));
		json_object_set_new(j, "media", f->media ? json_string(f->media) : json_null());
		json_object_set_new(j, "error", error_json(f));
		json_array_append_new(list, j);
	}
	return list;
}

static void add_to_result(const struct code *c, json_t *result)
{
	const char *status = text_arg(result, "status"), *said = text_arg(result, "stderr");
	bool failed = status && !strcmp(status, "failed");

	json_object_set_new(result, "language", json_string(c->lang->name));
	json_object_set_new(result, "scan", c->scan ? json_incref(c->scan) : json_null());
	json_object_set_new(result, "files", files_json(c));
	json_object_set_new(result, "files_not_listed",
			    json_integer((json_int_t)c->files.not_listed + (json_int_t)c->files.unread));
	json_object_set_new(result, "exception",
			    failed && said ? op_exception(c->lang->name, c->path, said) : json_null());
	if (c->harvest_error.code)
		json_object_set_new(result, "files_error", json_string(c->harvest_error.text));
	if (json_integer_value(json_object_get(result, "exit_status")) == 127 && status &&
	    !strcmp(status, "error"))
		json_object_set_new(
			result, "error",
			json_sprintf("there is no '%s' in the box to run %s with; install it, or put its "
				     "directory on PATH",
				     c->lang->interpreter, c->lang->name));
}

static int run_it(struct op_context *ctx, const json_t *args, struct code *c, json_t **ret_result,
		  struct aisbx_error *e)
{
	scoped(box_spec_finish) struct run_spec req = { 0 };
	scoped(running_finish) struct running how = RUNNING_INIT;
	const struct run_file file = {
		.guest = c->path, .mode = 0444, .data = c->text.data, .len = c->text.len
	};
	json_t *as_run = run_args(args, c);
	scoped(run_report_finish) struct run_report report = { 0 };
	int r = running_begin(&ctx->by, &how, &req, false, e);

	if (r == 0)
		r = op_run_request(ctx, as_run, &req, e);
	if (r == 0)
		r = scan_it(ctx, args, &req, c, e);
	if (r == 0 && c->denied) {
		ctx->exit_status = 125;
		*ret_result = json_pack("{s:s, s:n, s:i, s:s}", "status", "denied", "exit_code",
					"exit_status", ctx->exit_status, "error", c->denied);
	} else if (r == 0) {
		settle(&req, c, &file);
		r = box_spec_hide(&req, &c->hide, e);
		if (r == 0)
			r = run_here(&ctx->by, &req, &how, &report, e);
		ctx->exit_status = report.exit_status;
		*ret_result = json_incref(report.said);
	}
	if (r == 0)
		add_to_result(c, *ret_result);
	if (r == 0 && c->hide)
		scrub_json(*ret_result, scrub_secrets, c->hide);
	json_decref(as_run);
	return r;
}

/* For who reads what it wrote, not the result. */
static int pass_on(const struct op_context *ctx, const json_t *result, struct aisbx_error *e)
{
	const char *out = text_arg(result, "stdout"), *err = text_arg(result, "stderr"),
		   *value = text_arg(result, "text");
	const char *trace = text_arg(json_object_get(result, "exception"), "traceback");
	int n = 0;

	if (ctx->by.out_fds[0] >= 0 && out)
		n = dprintf(ctx->by.out_fds[0], "%s%s%s", out, value ? value : "", value ? "\n" : "");
	if (n >= 0 && ctx->by.out_fds[1] >= 0 && err)
		n = dprintf(ctx->by.out_fds[1], "%s%s", err, trace ? trace : "");
	return n < 0 && errno != EPIPE ? aisbx_fail(e, AISBX_AREA_RUN, errno,
						    "write what the code wrote, the rest of which is lost")
				       : 0;
}

/* In an interpreter that stays: looked at first, as any program, and without the box's secrets in what it
 * says. */
static int run_in_context(struct op_context *ctx, const json_t *args, struct code *c, json_t **ret_result,
			  struct aisbx_error *e)
{
	struct context context = { .box = text_arg(args, "box"),
				   .name = text_arg(args, "context"),
				   .lang = c->lang->name,
				   .interpreter = c->lang->interpreter,
				   .env = c->lang->env,
				   .idle_ms = 1800000 };
	scoped(box_spec_finish) struct run_spec req = { 0 };
	json_t *as_run = json_pack("{s:s, s:[s]}", "box", context.box, "command", "true");
	int r = op_run_request(ctx, as_run, &req, e);

	context.has_timeout = value_ms(json_object_get(args, "timeout"), &context.timeout_ms);
	value_ms(json_object_get(args, "idle"), &context.idle_ms);
	json_decref(as_run);
	if (r == 0 && json_is_true(json_object_get(args, "end-context")))
		return op_context_end(ctx, &context, ret_result, e);
	if (r == 0)
		r = read_code(ctx, args, c, e);
	if (r == 0)
		r = scan_it(ctx, args, &req, c, e);
	if (r == 0)
		r = box_spec_hide(&req, &c->hide, e);
	if (r == 0 && c->denied) {
		ctx->exit_status = 125;
		*ret_result = json_pack("{s:s, s:n, s:i, s:s}", "status", "denied", "exit_code",
					"exit_status", 125, "error", c->denied);
	} else if (r == 0) {
		r = op_context_run(ctx, &context, c->text.data ? c->text.data : "", c->text.len, ret_result,
				   e);
	}
	if (r == 0)
		json_object_set_new(*ret_result, "scan", c->scan ? json_incref(c->scan) : json_null());
	if (r == 0 && c->hide)
		scrub_json(*ret_result, scrub_secrets, c->hide);
	return r == 0 ? pass_on(ctx, *ret_result, e) : r;
}

static int check_context(const json_t *args, struct aisbx_error *e)
{
	static const char *const others[] = { "out", "profile", "ro", "env", "secret", "net", "args" };
	const char *name = text_arg(args, "context");

	if (!name || !text_arg(args, "box"))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"--box, --context, --end-context and --idle are for an interpreter that stays: "
			"give --box and --context");
	if (!op_context_is_name(name))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%.60s' is no name for a context; take up to 48 letters, digits, - and _", name);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (json_object_get(args, others[i]))
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"--%s is for a box of its own; with --context the box is what it is",
				others[i]);
	return 0;
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	scoped(code_finish) struct code c = { .out_fd = -1, .harvest_error = AISBX_ERROR_INIT };
	const char *lang = text_arg(args, "lang");
	int r;

	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (!strcmp(table[i].name, lang))
			c.lang = &table[i];
	if (text_arg(args, "box") || text_arg(args, "context") || json_object_get(args, "end-context") ||
	    json_object_get(args, "idle")) {
		r = check_context(args, e);
		if (r == 0)
			r = run_in_context(ctx, args, &c, ret_result, e);
		if (r < 0)
			ctx->exit_status = 125;
		return r;
	}
	c.traps = json_is_true(json_object_get(args, "yes"));
	r = read_code(ctx, args, &c, e);
	if (r == 0)
		r = open_out(ctx, text_arg(args, "out"), &c, e);
	if (r == 0)
		r = run_it(ctx, args, &c, ret_result, e);
	if (r < 0)
		ctx->exit_status = 125;
	return r;
}

static const char *const net_names[] = { "none", "loopback", NULL };

static const struct op_param params[] = {
	{ "lang", 'l', OP_CHOICE, OP_REQUIRED, "LANG", "python, javascript or shell", languages },
	{ "code", 0, OP_STRING, OP_MODEL, "TEXT", "the program itself" },
	{ "box", 'b', OP_STRING, OP_MODEL, "BOX", "with --context: where the interpreter lives" },
	{ "context", 0, OP_STRING, OP_MODEL, "NAME",
	  "in an interpreter that stays in the box and remembers what earlier programs defined; the first "
	  "starts it" },
	{ "end-context", 0, OP_FLAG, 0, NULL, "end that interpreter; there is no program then" },
	{ "idle", 0, OP_DURATION, 0, "TIME",
	  "at its start: it ends when it has had nothing to do for so long; default: 30min, 0: with its "
	  "box" },
	{ "out", 'o', OP_STRING, 0, "DIR",
	  "copy the files that the program left in its directory to this one; nothing is overwritten, and "
	  "traps stay behind" },
	{ "policy", 0, OP_STRING, 0, "POLICY",
	  "scan the program by this policy first; default: what the profile says; none: do not" },
	{ "yes", 'y', OP_FLAG, 0, NULL,
	  "run it where the policy says to ask, and with --out copy traps, too" },
	{ "profile", 'p', OP_STRING, 0, "PROFILE", "what the box may do; default: that of the language" },
	{ "ro", 0, OP_LIST, 0, "HOST[:GUEST]", "show a file or directory, read-only" },
	{ "env", 'e', OP_LIST, 0, "NAME[=VALUE]", "set a variable, or pass the caller's on" },
	SECRET_PARAM,
	{ "net", 0, OP_CHOICE, 0, "MODE", "none, or loopback: the box's own", net_names },
	{ "timeout", 0, OP_DURATION, OP_MODEL, "TIME", "end the program after this long; 0: never" },
	{ "cpu", 0, OP_CORES, 0, "N", "processors at any time, such as 2 or 0.5; 0: all" },
	{ "cpu-time", 0, OP_DURATION, 0, "TIME", "processor time of all processes together" },
	{ "mem", 'm', OP_SIZE, 0, "SIZE", "memory of all processes together" },
	{ "disk", 0, OP_SIZE, 0, "SIZE", "bytes the program may write" },
	{ "inodes", 0, OP_NUMBER, 0, "N", "files, directories and links it may make" },
	{ "file-size", 0, OP_SIZE, 0, "SIZE", "bytes of one file" },
	{ "pids", 0, OP_NUMBER, 0, "N", "processes and threads at once" },
	{ "files", 0, OP_NUMBER, 0, "N", "open files per process" },
	{ "output", 0, OP_SIZE, 0, "SIZE", "bytes let through of each output stream" },
	{ "file", 0, OP_STRING, OP_POSITIONAL, "FILE",
	  "the program; - (default): from standard input, of which then nothing is left for the program" },
	{ "args", 0, OP_COMMAND, OP_POSITIONAL | OP_MODEL, "ARG", "arguments of the program" },
	{ .name = NULL },
};

static const struct op_field result[] = {
	{ "run", "string", "id of this run; what is not listed here is as in the result of run",
	  .model = true },
	{ "status", "string", "ok, failed, limit, denied (by the scan: nothing ran), interrupted or error",
	  .model = true },
	{ "exit_code", "integer|null", "of the interpreter", .model = true },
	{ "exit_status", "integer", "what aisbx run-code exits with" },
	{ "stdout", "string", "what the program wrote", .model = true },
	{ "stderr", "string", "as stdout", .model = true },
	{ "language", "string", "as given" },
	{ "scan", "object|null", "what the scan found before it ran; null: nobody looked" },
	SCAN_FIELDS("scan."),
	{ "exception", "object|null",
	  "of a program that failed, where its stderr tells and is part of the result", .model = true },
	{ "exception.name", "string|null", "such as ValueError; null for a shell", .model = true },
	{ "exception.message", "string|null", "what it says", .model = true },
	{ "exception.line", "integer|null", "of the program", .model = true },
	{ "exception.traceback", "string|null", "with --context: the whole of it" },
	{ "box", "string", "with --context: as given" },
	{ "context", "string", "with --context: as given" },
	{ "context_new", "boolean",
	  "with --context: the interpreter was started for this, so it remembers nothing from before",
	  .model = true },
	{ "context_ended", "boolean",
	  "with --context: there is no interpreter any more, and what it remembered is gone" },
	{ "text", "string|null",
	  "with --context: the value of the last expression, as the language writes it", .model = true },
	{ "charts", "array", "with --context: figures of matplotlib that were open, as base64 of PNG" },
	{ "files", "array", "regular files that the program left in its directory, by path", .model = true },
	PATH_FIELDS("files[].", "below the directory"),
	{ "files[].size", "integer", "bytes", .model = true },
	{ "files[].media", "string|null",
	  "type of a picture or document, by its first bytes: image/png, image/svg+xml, ..." },
	{ "files[].error", "string|null", "with --out: why it was not copied" },
	{ "files_not_listed", "integer",
	  "links and the like, files past the thousandth, directories that could not be read" },
	{ "files_error", "string", "only there when the files could not be listed: why" },
	{ "violations", "array", "as in the result of run" },
	{ "limit", "object|null", "as in the result of run", .model = true },
	{ "error", "string|null", "why the program could not be started", .model = true },
	{ NULL, NULL, NULL },
};

const struct op op_run_code = {
	.name = "run-code",
	.group = GROUP_RUN,
	.view = VIEW_RUN,
	.method = "run.code",
	.tool = "sandbox_run_code",
	.brief = "Run a program given as text in a throwaway sandbox with an empty directory: for "
		 "calculations and experiments that "
		 "need no project files. It is scanned first, and not run if that finds it dangerous. "
		 "Returns its output, the "
		 "exception if it failed, and the names of files it left.",
	.summary = "Run a program given as text, in a box of its own",
	.about =
		"Scans a program in Python, JavaScript or shell, then runs it in a fresh clone of this "
		"machine with the\n"
		"profile of its language: no network, small limits, a read-only system. What the policy of "
		"the scan\n"
		"refuses does not run (exit status 125); where it says to ask, --yes is the answer. The "
		"program is a\n"
		"file on the box's own tmpfs and never on a disk of the host; it starts in an empty "
		"directory. What it\n"
		"leaves there is listed, and copied out with --out; then everything is thrown away. The "
		"directory it\n"
		"is called from is not shown to it. A file that some tool of yours would obey unasked where "
		"it is put, such as an\n"
		"editor's task or a hook of git, is not copied without --yes; the others are.\n\n"
		"With FILE or --code the program can read standard input. Exit status as of 'aisbx run'.\n\n"
		"With --box and --context it runs in an interpreter that stays in that box: names, imports "
		"and the directory are as\n"
		"the programs before left them. It ends with the box, by --end-context, or when it has been "
		"idle. A program that\n"
		"takes longer than --timeout is interrupted; if it does not leave off, the interpreter ends.",
	.example = "echo 'print(6 * 7)' | aisbx run-code --lang python\n"
		   "aisbx run-code --lang javascript --json --out charts report.js -- 2024\n"
		   "aisbx run-code --lang shell --code 'ls -l /'\n"
		   "aisbx run-code --lang python --box try1 --context main --code 'x = 6 * 7'",
	.grant = GRANT_RUN,
	.params = params,
	.result = result,
	.run = run,
};
