/* SPDX-License-Identifier: Apache-2.0 */
/* What the guard does with a command: lets it run behind the glass, or in a box that is looked at afterwards.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "look/attempt.h"
#include "look/look.h"
#include "op/gate.h"
#include "op/guard.h"
#include "op/look.h"

const char *op_guard_shell(void)
{
	return access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

/* The words for exec. A text is for the shell that knows most. */
static int to_words(const json_t *command, struct strlist *ret, struct aisbx_error *e)
{
	if (json_array_size(command) == 1) {
		strlist_add(ret, op_guard_shell());
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

bool op_guard_has_glass(void)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return look_available(&ignored) == 0;
}

static struct look_attempt attempt_of(const struct op_guard *g, const struct strlist *words)
{
	return (struct look_attempt){ .argv = words->items,
				      .cwd = g->cwd,
				      .env = g->ctx->env,
				      .stdin_fd = g->ctx->stdin_fd,
				      .out_fds = { g->ctx->out_fds[0], g->ctx->out_fds[1] },
				      .timeout_ms = g->timeout_ms };
}

static void keep(struct op_guard *g, const struct look_outcome *o, json_t *result)
{
	g->ctx->exit_status = op_look_status(o);
	if (g->ctx->out_fds[0] < 0)
		op_look_json(o, result);
}

/* With its output in the result, for who reads JSON. */
static int run_kept(struct op_guard *g, const struct strlist *words, bool as_it_is, json_t *result,
		    struct aisbx_error *e)
{
	struct look_attempt a = attempt_of(g, words);
	struct look_outcome o;
	int r;

	a.bare = as_it_is;
	r = look_attempt_run(&a, &o, e);
	if (r < 0)
		return r;
	keep(g, &o, result);
	look_outcome_finish(&o);
	return 0;
}

int op_guard_run(struct op_guard *g, const json_t *command, bool as_it_is, json_t *result,
		 struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	int status = 125, r = to_words(command, &words, e);

	if (r < 0)
		return r;
	if (g->ctx->out_fds[0] < 0)
		return run_kept(g, &words, as_it_is, result, e);
	if (as_it_is)
		return become(g, &words, e);
	r = op_look_become(g->ctx, g->cwd, words.items, &status, e);
	fprintf(stderr, "aisbx: %s\n", e->text);
	_exit(status);
	return r;
}

/* What was taken from a pipe comes first, then the rest of it: the box must read what the attempt has read.
 */
static int feed_again(struct op_context *ctx, const struct buf *input, struct aisbx_error *e)
{
	int ends[2], from = ctx->stdin_fd;
	char chunk[65536];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "pass the input on");
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "pass the input on");
	}
	if (pid == 0) {
		bool fine;

		close(ends[0]);
		fine = write(ends[1], input->data, input->len) == (ssize_t)input->len;
		while (fine && (n = read(from, chunk, sizeof(chunk))) > 0)
			fine = write(ends[1], chunk, (size_t)n) == n;
		_exit(0);
	}
	close(ends[1]);
	ctx->stdin_fd = ends[0]; /* for as long as this process lives */
	return 0;
}

/* Of a file, where the attempt began to read it. */
static int rewind_input(struct op_guard *g, off_t at, const struct buf *input, struct aisbx_error *e)
{
	if (at >= 0)
		lseek(g->ctx->stdin_fd, at, SEEK_SET);
	return input->len ? feed_again(g->ctx, input, e) : 0;
}

int op_guard_try(struct op_guard *g, const json_t *command, json_t *result, bool *ret_box,
		 struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	off_t at = g->ctx->stdin_fd >= 0 ? lseek(g->ctx->stdin_fd, 0, SEEK_CUR) : -1;
	struct look_attempt a;
	struct look_outcome o;
	int r = to_words(command, &words, e);

	*ret_box = true;
	if (r < 0)
		return r;
	/* Who sits at a terminal may have started an editor, which needs one. */
	if (!op_guard_has_glass() ||
	    (g->ctx->out_fds[0] >= 0 && isatty(g->ctx->stdin_fd) && isatty(g->ctx->out_fds[0])))
		return 0;
	a = attempt_of(g, &words);
	a.watched = true;
	r = look_attempt_run(&a, &o, e);
	if (r < 0)
		return r;
	*ret_box = o.refused;
	if (o.refused) {
		json_object_set_new(result, "wanted", json_string(o.what));
		r = rewind_input(g, at, &o.input, e);
	} else {
		keep(g, &o, result);
	}
	look_outcome_finish(&o);
	return r;
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
	scoped(strlist_finish) struct strlist words = { 0 };
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
	return json_array_size(json_object_get(diff, "changes")) +
			       json_array_size(json_object_get(diff, "repositories")) >
		       0 ||
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
	const struct project_checks none = { 0 }, *lists[] = { &g->personal.guard.gates,
							       &g->project.guard.gates, only ? only : &none };
	json_t *runs = run ? json_pack("[O]", run) : NULL, *all = json_array();
	double cpu_ms = 0;
	struct gate_subject subject = { .box = box, .runs = runs };
	int r = 0;

	*ret_passed = true;
	for (size_t i = 0; r == 0 && i < sizeof(lists) / sizeof(*lists); i++) {
		json_t *said = NULL;

		if (!lists[i]->n)
			continue;
		r = op_gate_judge(g->ctx, &g->project, lists[i], &subject, &said, e);
		if (r == 0) {
			*ret_passed &= json_is_true(json_object_get(said, "passed"));
			json_array_extend(all, json_object_get(said, "checks"));
			cpu_ms += json_number_value(json_object_get(said, "cpu_ms"));
		}
		json_decref(said);
	}
	json_decref(runs);
	json_object_set_new(result, "gates", all);
	json_object_set_new(result, "gates_cpu_ms", json_real(cpu_ms));
	return r;
}

/* Without "yes": traps, conflicts and secrets stop it, and then it is shown. */
static int promote(struct op_guard *g, const char *box, json_t *result, struct aisbx_error *e)
{
	json_t *done = NULL;
	bool applied;
	int r = call(g, &op_promote, json_pack("{s:s, s:s}", "box", box, "drift", "off"), &done, e);

	if (r < 0)
		return r;
	applied = json_is_true(json_object_get(done, "applied"));
	json_object_set_new(result, "promoted", json_boolean(applied));
	if (applied)
		json_object_set_new(result, "undo",
				    json_sprintf("aisbx undo %s",
						 json_string_value(json_object_get(done, "promotion"))));
	json_object_set_new(result, "promotion", done);
	return applied ? drop(g, box, e) : 0;
}

int op_guard_settle(struct op_guard *g, const char *box, const struct op_guard_may *may, json_t *result,
		    struct aisbx_error *e)
{
	const json_t *run = json_object_get(result, "run");
	bool went_well = !json_integer_value(json_object_get(run, "exit_status")), passed = false;
	json_t *diff = NULL;
	int r = call(g, &op_diff, json_pack("{s:s, s:s}", "box", box, "drift", "off"), &diff, e);

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

/* A command that failed and was refused the network, in words: programs tell it in a hundred ways, or not at
 * all. */
static void add_want(const json_t *run, json_t *result)
{
	static const char *const words[] = { "connection refused",
					     "network is unreachable",
					     "could not resolve",
					     "name resolution",
					     "econnrefused",
					     "enetunreach",
					     "eai_again",
					     "name or service not known",
					     "cannot connect to the docker daemon" };
	const char *said = json_string_value(json_object_get(run, "stderr")), *wanted = NULL;
	const json_t *v;
	size_t i;

	if (!json_integer_value(json_object_get(run, "exit_status")))
		return;
	if (json_object_get(result, "wanted") &&
	    !strncmp(json_string_value(json_object_get(result, "wanted")), "a socket", 8))
		wanted = "a socket";
	json_array_foreach(json_object_get(run, "violations"), i, v)
	{
		const char *kind = json_string_value(json_object_get(v, "kind")),
			   *what = json_string_value(json_object_get(v, "what"));

		if (kind && what && (!strcmp(kind, "net") || strstr(what, "socket")))
			wanted = what;
	}
	for (i = 0; !wanted && said && i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(said, words[i]))
			wanted = words[i];
	if (wanted)
		json_object_set_new(result, "failed_for",
				    json_sprintf("it failed, maybe for want of the network: a box has a "
						 "loopback of its own, and reaches no other "
						 "machine and no service of this one (%s)",
						 wanted));
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
	add_want(run, result);
	r = op_guard_settle(g, name, may, result, e);
	g->ctx->exit_status = status; /* the command's own, whatever was done since */
	return r;
}
