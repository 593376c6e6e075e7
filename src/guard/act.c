/* SPDX-License-Identifier: Apache-2.0 */
/* What the guard does with a command: runs it behind the glass, or in a box that is checked afterwards. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/scope.h"
#include "box/here.h"
#include "box/execute.h"
#include "box/lifecycle.h"
#include "box/moved.h"
#include "flow/gate.h"
#include "guard/act.h"
#include "look/attempt.h"
#include "look/look.h"
#include "promote/judges.h"

const char *guard_shell(void)
{
	return access("/bin/bash", X_OK) == 0 ? "/bin/bash" : "/bin/sh";
}

/* The words for exec. A text is for the shell that knows most. */
static int to_words(const struct strlist *command, struct strlist *ret, struct aisbx_error *e)
{
	if (command->n == 0)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "the command is empty");
	if (command->n == 1) {
		strlist_add(ret, guard_shell());
		strlist_add(ret, "-c");
	}
	for (size_t i = 0; i < command->n; i++)
		strlist_add(ret, command->items[i]);
	return ret->failed ? aisbx_fail(e, AISBX_AREA_USAGE, ENOMEM, "make the command") : 0;
}

static int become(const struct guard_session *g, const struct strlist *words, struct guard_outcome *ret,
		  struct aisbx_error *e)
{
	int err;

	if (chdir(g->cwd) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "change to '%s'", g->cwd);
	fflush(NULL);
	execvpe(words->items[0], words->items, (char *const *)g->by->env);
	err = errno;
	ret->exit_status = err == ENOENT ? 127 : 126;
	return aisbx_fail(e, AISBX_AREA_RUN, err, "run '%.200s'", words->items[0]);
}

bool guard_has_glass(void)
{
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	return look_available(&ignored) == 0;
}

static struct look_attempt attempt_of(const struct guard_session *g, const struct strlist *words)
{
	return (struct look_attempt){ .argv = words->items,
				      .cwd = g->cwd,
				      .env = g->by->env,
				      .stdin_fd = g->by->stdin_fd,
				      .out_fds = { g->by->out_fds[0], g->by->out_fds[1] },
				      .timeout_ms = g->timeout_ms };
}

/* Takes O over. */
static void keep(const struct guard_session *g, struct look_outcome *o, struct guard_outcome *ret)
{
	ret->exit_status = look_status(o);
	ret->kept = g->by->out_fds[0] < 0;
	if (ret->kept)
		ret->look = *o;
	else
		look_outcome_finish(o);
}

/* With its output in the result, for who reads JSON. */
static int run_kept(struct guard_session *g, const struct strlist *words, bool as_it_is,
		    struct guard_outcome *ret, struct aisbx_error *e)
{
	struct look_attempt a = attempt_of(g, words);
	struct look_outcome o;
	int r;

	a.bare = as_it_is;
	r = look_attempt_run(&a, &o, e);
	if (r == 0)
		keep(g, &o, ret);
	return r;
}

int guard_act_run(struct guard_session *g, const struct strlist *command, bool as_it_is,
		  struct guard_outcome *ret, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	int status = 125, r = to_words(command, &words, e);

	if (r < 0)
		return r;
	if (g->by->out_fds[0] < 0)
		return run_kept(g, &words, as_it_is, ret, e);
	if (as_it_is)
		return become(g, &words, ret, e);
	r = look_become(g->by->env, g->cwd, words.items, &status, e);
	fprintf(stderr, "aisbx: %s\n", e->text);
	_exit(status);
	return r;
}

/* What was taken from a pipe comes first, then the rest of it: the box must read what the
 * attempt has read. */
static int feed_again(struct caller *by, const struct buf *input, struct aisbx_error *e)
{
	int ends[2], from = by->stdin_fd;
	char chunk[65536];
	ssize_t n;
	pid_t pid;

	if (pipe2(ends, O_CLOEXEC) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "pass on the input");
	pid = fork();
	if (pid < 0) {
		close(ends[0]);
		close(ends[1]);
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "pass on the input");
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
	by->stdin_fd = ends[0]; /* for as long as this process lives */
	return 0;
}

/* Of a file, where the attempt began to read it. */
static int rewind_input(struct guard_session *g, off_t at, const struct buf *input, struct aisbx_error *e)
{
	if (at >= 0)
		lseek(g->by->stdin_fd, at, SEEK_SET);
	return input->len ? feed_again(g->by, input, e) : 0;
}

int guard_act_try(struct guard_session *g, const struct strlist *command, struct guard_outcome *ret,
		  bool *ret_box, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist words = { 0 };
	off_t at = g->by->stdin_fd >= 0 ? lseek(g->by->stdin_fd, 0, SEEK_CUR) : -1;
	struct look_attempt a;
	struct look_outcome o;
	int r = to_words(command, &words, e);

	*ret_box = true;
	if (r < 0)
		return r;
	/* Who sits at a terminal may have started an editor, which needs one. */
	if (!guard_has_glass() ||
	    (g->by->out_fds[0] >= 0 && isatty(g->by->stdin_fd) && isatty(g->by->out_fds[0])))
		return 0;
	a = attempt_of(g, &words);
	a.watched = true;
	r = look_attempt_run(&a, &o, e);
	if (r < 0)
		return r;
	*ret_box = o.refused;
	if (!o.refused) {
		keep(g, &o, ret);
		return 0;
	}
	ret->wanted = strdup(o.what);
	r = rewind_input(g, at, &o.input, e);
	look_outcome_finish(&o);
	return r;
}

/* Adds what GATES say of RET's box. */
static int judge_by(struct guard_session *g, const struct project_checks *gates, struct guard_outcome *ret,
		    bool *ret_passed, struct aisbx_error *e)
{
	scoped(run_facts_finish) struct run_facts ran =
		ret->run.ran ? run_facts_of(&ret->run.report) : (struct run_facts){ 0 };
	const struct run_facts_list runs = { &ran, 1, false };
	const struct gate_subject subject = { .box = ret->box, .runs = ret->run.ran ? &runs : NULL };
	scoped(gate_verdict_finish) struct gate_verdict v = { 0 };
	int r = gate_judge(g->by, &g->project, gates, &subject, &v, e);

	for (size_t i = 0; r == 0 && i < v.n; i++)
		json_array_append_new(ret->gates, gate_ruling_json(&v.rulings[i]));
	*ret_passed = *ret_passed && v.passed;
	ret->gates_cpu_ms += v.cpu_ms;
	return r;
}

/* All gates hold; what they said is in RET. */
static int judge_gates(struct guard_session *g, const struct project_checks *only, struct guard_outcome *ret,
		       bool *ret_passed, struct aisbx_error *e)
{
	const struct project_checks *lists[] = { &g->personal.guard.gates, &g->project.guard.gates, only };
	int r = 0;

	*ret_passed = true;
	ret->gates = json_array();
	for (size_t i = 0; r == 0 && i < sizeof(lists) / sizeof(*lists); i++)
		if (lists[i] && lists[i]->n)
			r = judge_by(g, lists[i], ret, ret_passed, e);
	return r;
}

/* What its box changed; RET_ANY: there is something to promote, or to look at. */
static int count_changes(const struct guard_session *g, struct guard_outcome *ret, bool *ret_any,
			 struct aisbx_error *e)
{
	scoped(change_list_finish) struct change_list changes = { 0 };
	scoped(lookup_finish) struct lookup p = LOOKUP_INIT;
	struct box_ignored left = { 0 };
	int64_t pinned = 0;
	int r = lookup_open(ret->box, false, &p, e);

	if (r == 0)
		r = box_pinned_ms(&p.state, &p.box, &pinned, e);
	if (r == 0 && !pinned) /* a copy is where it was */
		r = box_moved_require(&p.box, g->by->cwd, e);
	if (r == 0)
		r = box_diff(&p.state, &p.box, p.snapshot, NULL, "", &changes, &left, e);
	if (r < 0)
		return r;
	ret->compared = true;
	*ret_any = changes.gits.n || left.files;
	for (size_t i = 0; i < changes.n; i++) {
		ret->changes[changes.items[i].kind]++;
		*ret_any = *ret_any || changes.items[i].kind != CHANGE_TOUCH;
	}
	return 0;
}

static int remove_box(const char *box, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist keys = { 0 }, removed = { 0 };

	strlist_add(&keys, box);
	return keys.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "remove a box")
			   : box_remove(&keys, &removed, e);
}

/* Without "yes": traps, conflicts and secrets stop it, and then it is shown. */
static int promote(struct guard_session *g, struct guard_outcome *ret, struct aisbx_error *e)
{
	const struct promote_request req = { .box = ret->box, .drift.off = true };
	scoped(promote_report_finish) struct promote_report done = { 0 };
	int r = promote_apply(g->by, &req, &done, e);

	if (r < 0)
		return r;
	ret->promotion = g->callbacks->promotion_json(&done);
	if (done.promotion.id[0] && !(ret->promoted = strdup(done.promotion.id)))
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "promote");
	return 0;
}

/* Where a mistake in a file took away what must hold, nothing is promoted by itself: it is shown. */
static bool gates_are_known(const struct guard_session *g)
{
	return !g->problem && !((g->personal.broken | g->project.broken) & JUDGES_NEED);
}

int guard_act_settle(struct guard_session *g, const struct guard_may *may, struct guard_outcome *ret,
		     struct aisbx_error *e)
{
	bool passed = false, any = false;
	int r = count_changes(g, ret, &any, e);

	if (r < 0)
		return r;
	if (!any) {
		ret->box_gone = true;
		return remove_box(ret->box, e);
	}
	if (may->promote && gates_are_known(g) && !ret->run.report.exit_status)
		r = judge_gates(g, may->gates, ret, &passed, e);
	if (r == 0 && passed)
		r = promote(g, ret, e);
	if (r == 0 && ret->promoted)
		return remove_box(ret->box, e);
	ret->next = r == 0;
	return r;
}

/* A command that failed and was refused the network, in words: programs tell it in a hundred ways, or not at
 * all. */
static void add_want(struct guard_outcome *ret)
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
	const char *wanted = ret->run.refused, *said = ret->run.report.output[1];

	if (!ret->run.report.exit_status)
		return;
	if (!wanted && ret->wanted && !strncmp(ret->wanted, "a socket", 8))
		wanted = "a socket";
	for (size_t i = 0; !wanted && said && i < sizeof(words) / sizeof(*words); i++)
		if (strcasestr(said, words[i]))
			wanted = words[i];
	if (wanted && asprintf(&ret->failed_for,
			       "it failed, maybe for lack of network: a box has a loopback of its own, and "
			       "reaches no other machine and no service of this one (%s)",
			       wanted) < 0)
		ret->failed_for = NULL;
}

static int make_box(const struct guard_session *g, char **ret, struct aisbx_error *e)
{
	const char *from;
	scoped(drop_mem) char *project = g->exact ? strdup(g->cwd) : box_here(g->cwd, g->by->env);
	const struct box_create_request req = { .project = project,
						.profile = run_profile_ref(g->by, g->profile, NULL, &from),
						.net = g->net };
	scoped(box_created_finish) struct box_created made = { 0 };
	int r = project ? box_create(g->by->cwd, &req, &made, e)
			: aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a box");

	if (r == 0 && !(*ret = strdup(made.box.name)))
		r = aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "make a box");
	return r;
}

static int run_in_box(const struct guard_session *g, const char *box, const struct strlist *command,
		      const struct guard_limits *limits, struct guard_run *ret, struct aisbx_error *e)
{
	scoped(run_options_finish) struct run_options options = {
		.box = box, .cwd = g->cwd, .replayable = true, .warn_group = true
	};
	int r = to_words(command, &options.command, e);

	if (limits->time_ms)
		run_options_limit(&options, LIMIT_WALL_TIME, limits->time_ms);
	if (limits->cpu_ms)
		run_options_limit(&options, LIMIT_CPU_TIME, limits->cpu_ms);
	if (r == 0)
		r = run_execute(g->by, &options, &ret->report, e);
	ret->ran = r == 0;
	if (r == 0)
		ret->refused = run_refused_net(&ret->report);
	return r;
}

int guard_act_box(struct guard_session *g, const struct strlist *command, const struct guard_may *may,
		  struct guard_outcome *ret, struct aisbx_error *e)
{
	int r = make_box(g, &ret->box, e);

	if (r < 0)
		return r;
	r = run_in_box(g, ret->box, command, &may->limits, &ret->run, e);
	if (r < 0) {
		struct aisbx_error ignored = AISBX_ERROR_INIT;

		remove_box(ret->box, &ignored);
		return r;
	}
	ret->exit_status = ret->run.report.exit_status;
	add_want(ret);
	return guard_act_settle(g, may, ret, e);
}

static int refuse(const struct guard_verdict *v, struct guard_outcome *ret, struct aisbx_error *e)
{
	const char *why = "of a rule";

	for (size_t i = 0; i < v->n_reasons; i++)
		if (v->reasons[i].act == v->act)
			why = v->reasons[i].why;
	ret->exit_status = 125;
	return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
			    "the guard refused to run this%s: %.300s",
			    v->act == GUARD_ASK ? " without a person's consent at a terminal" : "", why);
}

/* What began behind the glass, or should have, goes on in a box. */
static int go_on(struct guard_session *g, const struct strlist *command, const struct guard_may *may,
		 struct guard_outcome *ret, struct aisbx_error *e)
{
	ret->act = GUARD_BOX;
	g->callbacks->tell(g->callbacks_ctx, ret);
	return guard_act_box(g, command, may, ret, e);
}

int guard_act(struct guard_session *g, const struct guard_verdict *v, const struct strlist *command,
	      struct guard_outcome *ret, struct aisbx_error *e)
{
	/* The project's word alone lets nothing in: a model can write it. Its gates count either way. */
	const struct guard_may may = { .promote = g->personal.guard.promote == GUARD_PROMOTE };
	bool needs_box = false;
	int r;

	*ret = (struct guard_outcome){ .act = v->act, .exit_status = -1 };
	switch (v->act) {
	case GUARD_RUN:
		return v->as_it_is || guard_has_glass() ? guard_act_run(g, command, v->as_it_is, ret, e)
							: go_on(g, command, &may, ret, e);
	case GUARD_LOOK:
		r = guard_act_try(g, command, ret, &needs_box, e);
		if (r == 0 && needs_box)
			return go_on(g, command, &may, ret, e);
		if (r == 0) {
			ret->act = GUARD_RUN;
			ret->looked = true;
		}
		return r;
	case GUARD_BOX:
		return guard_act_box(g, command, &may, ret, e);
	case GUARD_ASK:
		if (g->by->out_fds[0] >= 0 && !g->by->owner && g->callbacks->ask(g->callbacks_ctx))
			return guard_act_run(g, command, true, ret, e);
		return refuse(v, ret, e);
	case GUARD_REFUSE:
	case GUARD_ACT_COUNT:
	default:
		return refuse(v, ret, e);
	}
}
