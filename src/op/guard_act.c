/* SPDX-License-Identifier: Apache-2.0 */
/* What the guard does with a command: lets it run as it is, or in a box that is looked at afterwards. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "base/time.h"
#include "op/gate.h"
#include "op/guard.h"

#define MAX_OUTPUT  ((size_t)1 << 20)  /* of each stream that is kept for a result */
#define MAX_WRITTEN ((rlim_t)64 << 20) /* who writes more is ended: it would all be in memory */

/* The words for exec. A text is for the shell that knows most. */
static int to_words(const json_t *command, struct strlist *ret, struct aisbx_error *e)
{
	if (json_array_size(command) == 1) {
		strlist_add(ret, access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh");
		strlist_add(ret, "-c");
	}
	for (size_t i = 0; i < json_array_size(command); i++)
		strlist_add(ret, json_string_value(json_array_get(command, i)));
	return ret->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "make the command") : 0;
}

static int become(const struct op_guard *g, const struct strlist *words, struct aisbx_error *e)
{
	int err;

	if (chdir(g->cwd) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "go to '%s'", g->cwd);
	fflush(NULL);
	execvpe(words->items[0], words->items, (char *const *)g->ctx->env);
	err = errno;
	g->ctx->exit_status = err == ENOENT ? 127 : 126;
	return aisbx_fail(e, AISBX_AREA_RUN, err, "run '%.200s'", words->items[0]);
}

static void keep(json_t *result, const char *name, int fd)
{
	scoped(drop_mem) char *text = malloc(MAX_OUTPUT);
	scoped(buf_finish) struct buf clean = {0};
	ssize_t n = text ? pread(fd, text, MAX_OUTPUT, 0) : 0;

	buf_add_utf8(&clean, text ? text : "", n > 0 ? (size_t)n : 0);
	json_object_set_new(result, name, json_stringn(buf_str(&clean) ? clean.data : "", clean.len));
}

/* It is killed when its time is over. */
static void await(pid_t pid, uint64_t timeout_ms, int *ret_status)
{
	scoped(drop_fd) int fd = timeout_ms ? (int)syscall(SYS_pidfd_open, pid, 0) : -1;
	uint64_t until = time_ms() + timeout_ms;

	while (fd >= 0 && time_ms() < until) {
		struct pollfd p = {.fd = fd, .events = POLLIN};
		uint64_t left = until - time_ms();

		if (poll(&p, 1, left < INT_MAX ? (int)left : INT_MAX) > 0)
			break;
	}
	if (timeout_ms && time_ms() >= until)
		kill(-pid, SIGKILL); /* its group: it may have started others */
	while (waitpid(pid, ret_status, 0) < 0 && errno == EINTR)
		;
}

/* With its output in the result, for who reads JSON. */
static int run_kept(struct op_guard *g, const struct strlist *words, json_t *result, struct aisbx_error *e)
{
	scoped(drop_fd) int out = memfd_create("aisbx-out", MFD_CLOEXEC);
	scoped(drop_fd) int err = memfd_create("aisbx-err", MFD_CLOEXEC);
	int status = 0;
	pid_t pid;

	if (out < 0 || err < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "keep the output of '%.200s'", words->items[0]);
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start '%.200s'", words->items[0]);
	if (pid > 0 && g->timeout_ms)
		setpgid(pid, pid);
	if (pid == 0) {
		const struct rlimit written = {.rlim_cur = MAX_WRITTEN, .rlim_max = MAX_WRITTEN};
		int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
		sigset_t none;

		sigemptyset(&none); /* those that we hold are not held for it */
		sigprocmask(SIG_SETMASK, &none, NULL);
		if (g->timeout_ms)
			setpgid(0, 0);
		dup2(g->ctx->stdin_fd >= 0 ? g->ctx->stdin_fd : null, STDIN_FILENO);
		dup2(out, STDOUT_FILENO);
		dup2(err, STDERR_FILENO);
		setrlimit(RLIMIT_FSIZE, &written);
		become(g, words, e);
		_exit(g->ctx->exit_status ? g->ctx->exit_status : 126);
	}
	await(pid, g->timeout_ms, &status);
	g->ctx->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	json_object_set_new(result, "exit_status", json_integer(g->ctx->exit_status));
	keep(result, "stdout", out);
	keep(result, "stderr", err);
	return 0;
}

int op_guard_run(struct op_guard *g, const json_t *command, json_t *result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = {0};
	int r = to_words(command, &words, e);

	if (r < 0)
		return r;
	return g->ctx->out_fds[0] < 0 ? run_kept(g, &words, result, e) : become(g, &words, e);
}

/* Another operation, with a box's name and what else there is. Takes ARGS over. */
static int call(struct op_guard *g, const struct op *op, json_t *args, json_t **ret, struct aisbx_error *e)
{
	int r = args ? op_call(op, g->ctx, args, ret, e)
		     : aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "call %s", op->name);

	json_decref(args);
	return r;
}

static int make_box(struct op_guard *g, json_t **ret, struct aisbx_error *e)
{
	json_t *args = json_pack("{s:s}", "project", g->cwd);

	if (args && g->profile)
		json_object_set_new(args, "profile", json_string(g->profile));
	return call(g, &op_create, args, ret, e);
}

static int run_in(struct op_guard *g, const char *box, const json_t *command, const json_t *limits,
		  json_t **ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = {0};
	json_t *args = limits ? json_copy((json_t *)limits) : json_object(), *list = json_array();
	int r = to_words(command, &words, e);

	for (size_t i = 0; i < words.n; i++)
		json_array_append_new(list, json_string(words.items[i]));
	json_object_set_new(args, "box", json_string(box));
	json_object_set_new(args, "command", list);
	if (r < 0) {
		json_decref(args);
		return r;
	}
	return call(g, &op_run, args, ret, e);
}

static bool has_changes(const json_t *diff)
{
	return json_array_size(json_object_get(diff, "changes")) + json_array_size(json_object_get(diff, "repositories")) > 0 ||
	       json_integer_value(json_object_get(json_object_get(diff, "ignored"), "files")) > 0;
}

/* What a person can do now. */
static void add_next(json_t *result, const char *box)
{
	json_object_set_new(result, "next",
			    json_pack("[o, o, o]", json_sprintf("aisbx diff --patch %s", box),
				      json_sprintf("aisbx promote %s", box),
				      json_sprintf("aisbx rm %s", box)));
}

static int drop(struct op_guard *g, const char *box, struct aisbx_error *e)
{
	json_t *gone = NULL;
	int r = call(g, &op_rm, json_pack("{s:[s]}", "boxes", box), &gone, e);

	json_decref(gone);
	return r;
}

/* All gates hold; what they said is in RESULT. */
static int judge_gates(struct op_guard *g, const char *box, const struct project_checks *only,
		       const json_t *run, json_t *result, bool *ret_passed, struct aisbx_error *e)
{
	const struct project_checks *lists[] = {only ? only : &g->personal.guard.gates,
						&g->project.guard.gates};
	json_t *runs = json_pack("[O]", run), *all = json_array();
	struct gate_subject subject = {.box = box, .runs = runs};
	int r = 0;

	*ret_passed = true;
	for (size_t i = 0; r == 0 && i < 2; i++) {
		json_t *said = NULL;

		if (!lists[i]->n)
			continue;
		r = op_gate_judge(g->ctx, &g->project, lists[i], &subject, &said, e);
		if (r == 0) {
			*ret_passed &= json_is_true(json_object_get(said, "passed"));
			json_array_extend(all, json_object_get(said, "checks"));
		}
		json_decref(said);
	}
	json_decref(runs);
	json_object_set_new(result, "gates", all);
	return r;
}

/* Without "yes": traps, conflicts and secrets stop it, and then it is shown. */
static int promote(struct op_guard *g, const char *box, json_t *result, struct aisbx_error *e)
{
	json_t *done = NULL;
	bool applied;
	int r = call(g, &op_promote, json_pack("{s:s}", "box", box), &done, e);

	if (r < 0)
		return r;
	applied = json_is_true(json_object_get(done, "applied"));
	json_object_set_new(result, "promoted", json_boolean(applied));
	if (applied)
		json_object_set_new(
		    result, "undo",
		    json_sprintf("aisbx undo %s", json_string_value(json_object_get(done, "promotion"))));
	json_object_set_new(result, "promotion", done);
	return applied ? drop(g, box, e) : 0;
}

/* What has become of the project in there, and whether it may come out. */
static int look(struct op_guard *g, const char *box, const struct op_guard_may *may, json_t *result,
		struct aisbx_error *e)
{
	const json_t *run = json_object_get(result, "run");
	bool went_well = !json_integer_value(json_object_get(run, "exit_status")), passed = false;
	json_t *diff = NULL;
	int r = call(g, &op_diff, json_pack("{s:s}", "box", box), &diff, e);

	if (r < 0)
		return r;
	json_object_set(result, "changes", json_object_get(diff, "summary"));
	if (!has_changes(diff)) {
		json_decref(diff);
		json_object_set_new(result, "box", json_null());
		return drop(g, box, e);
	}
	json_decref(diff);
	if (may->promote && went_well)
		r = judge_gates(g, box, may->gates, run, result, &passed, e);
	if (r == 0 && passed)
		r = promote(g, box, result, e);
	if (r == 0 && !json_is_true(json_object_get(result, "promoted")))
		add_next(result, box);
	return r;
}

int op_guard_box(struct op_guard *g, const json_t *command, const struct op_guard_may *may, json_t *result,
		 struct aisbx_error *e)
{
	scoped(drop_mem) char *name = NULL;
	json_t *box = NULL, *run = NULL;
	int status, r = make_box(g, &box, e);

	if (r < 0)
		return r;
	name = strdup(json_string_value(json_object_get(box, "name")));
	json_decref(box);
	if (!name)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a box");
	json_object_set_new(result, "box", json_string(name));
	json_object_set_new(result, "promoted", json_false());
	r = run_in(g, name, command, may->limits, &run, e);
	if (r < 0) {
		struct aisbx_error ignored = AISBX_ERROR_INIT;

		drop(g, name, &ignored);
		return r;
	}
	json_object_set_new(result, "run", run);
	status = g->ctx->exit_status;
	r = look(g, name, may, result, e);
	g->ctx->exit_status = status; /* the command's own, whatever was done since */
	return r;
}
