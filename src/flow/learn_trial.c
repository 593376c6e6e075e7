/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command in throw-away boxes, and compares the results. None of these runs is in the history. */
#include "flow/learn_trial.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "net/control.h"

void trial_finish(struct trial *t)
{
	driver_result_finish(&t->first);
}

static bool same_text(const struct buf *a, const struct buf *b)
{
	return a->len == b->len && (!a->len || !memcmp(a->data, b->data, a->len));
}

static bool same_output(const struct run_outcome *a, const struct run_outcome *b, int which)
{
	return same_text(&a->output[which], &b->output[which]) && a->dropped[which] == b->dropped[which];
}

static bool had_refusal(const struct run_outcome *o, const struct run_refusal *like)
{
	for (size_t i = 0; i < o->n_refusals; i++)
		if (o->refusals[i].kind == like->kind && o->refusals[i].number == like->number &&
		    !memcmp(&o->refusals[i].to, &like->to, sizeof(like->to)))
			return true;
	return false;
}

static bool had_row(const struct run_outcome *o, const struct net_row *like)
{
	for (size_t i = 0; i < o->n_net; i++)
		if (o->net[i].act == like->act && o->net[i].verdict == like->verdict &&
		    o->net[i].port == like->port && !strcmp(o->net[i].name, like->name) &&
		    !memcmp(&o->net[i].to, &like->to, sizeof(like->to)))
			return true;
	return false;
}

/* Look-ups do not count: clients make some at random, and who needs the answer fails without it. */
static bool refused_more(const struct run_outcome *first, const struct run_outcome *o)
{
	for (size_t i = 0; i < o->n_net; i++)
		if (o->net[i].verdict == NET_REFUSED && o->net[i].act != NET_LOOKUP &&
		    !had_row(first, &o->net[i]))
			return true;
	return false;
}

static bool goes_alike(const struct trial *t, const struct run_outcome *o)
{
	const struct run_outcome *first = &t->first.outcome;

	if (o->end != first->end || o->status != first->status || o->limit != LIMIT_COUNT || !o->started)
		return false;
	for (size_t i = 0; i < o->n_refusals; i++)
		if (!had_refusal(first, &o->refusals[i]))
			return false;
	if (refused_more(first, o))
		return false;
	for (int i = 0; i < 2; i++)
		if (t->steady[i] && !same_output(o, first, i))
			return false;
	return true;
}

static void keep_larger(uint64_t *a, uint64_t b)
{
	if (b > *a)
		*a = b;
}

static void keep_peaks(struct trial *t, const struct run_outcome *o)
{
	keep_larger(&t->peak.cpu_us, o->usage.cpu_us);
	keep_larger(&t->peak.mem_peak, o->usage.mem_peak);
	keep_larger(&t->peak.pids_peak, o->usage.pids_peak);
	keep_larger(&t->peak.disk, o->usage.disk);
	keep_larger(&t->peak.inodes, o->usage.inodes);
	keep_larger(&t->wall_us, o->wall_us);
	for (int i = 0; i < 2; i++)
		keep_larger(&t->output, o->output[i].len + o->dropped[i]);
}

/* CASE NULL: as is wished. */
static int run_once(struct trial *t, const struct trial_case *c, struct profile *ret_profile,
		    struct driver_result *ret, struct aisbx_error *e)
{
	scoped(box_spec_finish) struct run_spec req = { 0 };
	int r = box_spec_fill(&t->by, t->run, &req, e);

	if (r == 0 && c && !c->as_asked) {
		const char *name = req.profile.name;

		req.profile = c->profile;
		req.profile.name = name;
		if (!net_mode_has_rules(req.profile.net))
			strlist_finish(&req.net.rules);
		for (size_t i = 0; c->pass && i < c->pass->n; i++)
			strlist_add(&req.command.set_env, c->pass->items[i]);
		if (req.command.set_env.failed)
			r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare a trial");
	}
	if (r == 0 && ret_profile)
		*ret_profile = req.profile;
	t->runs++;
	return r < 0 ? r : box_run(&req, ret, e);
}

/* A person who wants it to end. */
static int check_interrupted(const struct run_outcome *o, struct aisbx_error *e)
{
	return o->interrupted_by || o->end == RUN_INTERRUPTED
		       ? aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, EINTR,
				      "a signal ended the command; nothing was learned")
		       : 0;
}

static int check_first(const struct driver_result *r, struct aisbx_error *e)
{
	const struct run_outcome *o = &r->outcome;
	int err = check_interrupted(o, e);

	if (err < 0)
		return err;
	if (o->end == RUN_EXEC_FAILED)
		return aisbx_refuse(e, aisbx_kind_of(AISBX_AREA_RUN, o->status < 0 ? -o->status : o->status),
				    AISBX_AREA_RUN, o->status < 0 ? -o->status : o->status,
				    "the command cannot be executed: %s",
				    strerror(o->status < 0 ? -o->status : o->status));
	if (o->limit != LIMIT_COUNT)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_RUN, EDQUOT,
				    "the command reached its limit '%s' even with the starting profile "
				    "(--%s); start from another --profile",
				    limit_name(o->limit), limit_option(o->limit));
	return 0;
}

int trial_begin(struct trial *t, const struct caller *by, const struct run_options *run,
		struct profile *ret_profile, struct aisbx_error *e)
{
	scoped(driver_result_finish) struct driver_result second = { 0 };
	int r;

	t->by = *by;
	t->by.stdin_fd = -1; /* each has the same: none */
	t->by.out_fds[0] = t->by.out_fds[1] = -1;
	t->run = run;
	r = run_once(t, NULL, ret_profile, &t->first, e);
	if (r == 0)
		r = check_first(&t->first, e);
	if (r == 0)
		r = run_once(t, NULL, NULL, &second, e);
	if (r < 0)
		return r;
	for (int i = 0; i < 2; i++)
		t->steady[i] = same_output(&second.outcome, &t->first.outcome, i);
	if (!goes_alike(t, &second.outcome))
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_RUN, EAGAIN,
				    "the command ended differently the second time, under the same "
				    "conditions; learning needs a command that behaves the same every time");
	keep_peaks(t, &t->first.outcome);
	keep_peaks(t, &second.outcome);
	return 0;
}

int trial_run(struct trial *t, const struct trial_case *c, bool *ret_same, struct aisbx_error *e)
{
	scoped(driver_result_finish) struct driver_result now = { 0 };
	struct aisbx_error why = AISBX_ERROR_INIT;
	int r;

	*ret_same = false;
	t->over = LIMIT_COUNT;
	if (t->runs >= t->most)
		return 0;
	r = run_once(t, c, NULL, &now, &why);
	if (r < 0) { /* walls that cannot be built in so little room */
		bool limits = r == -ENOMEM || r == -ENOSPC || r == -EAGAIN || r == -EDQUOT || r == -EMFILE ||
			      r == -EPROTO;

		t->over = r == -ENOMEM   ? LIMIT_MEMORY
			  : r == -EAGAIN ? LIMIT_PROCESSES
			  : r == -EMFILE ? LIMIT_FILES
					 : LIMIT_COUNT;
		*e = limits ? *e : why;
		return limits ? 0 : r;
	}
	r = check_interrupted(&now.outcome, e);
	t->over = now.outcome.limit;
	*ret_same = r == 0 && goes_alike(t, &now.outcome);
	if (*ret_same)
		keep_peaks(t, &now.outcome);
	return r;
}
