/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a command until it is known how little it can do with, and writes that as a profile. */
#include "flow/learn.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "policy/seccomp.h"
#include "policy/secret.h"

/* Runs there may be; a command that takes minutes is not learned from in hours. */
#define MOST_RUNS 80u
/* Of them for finding out which variables are needed. */
#define ENV_RUNS 30u
/* A trial that takes so much longer than the first has lost its way. */
#define TRIAL_FACTOR 10u
#define TRIAL_MS     5000u
/* How often a profile that did not suffice is given more. */
#define ATTEMPTS 4
#define MIB      (1ull << 20)

struct learning {
	struct trial *t;       /* borrowed */
	struct trial_case now; /* the least that is known to do */
	struct strlist pass;
	struct learned *found; /* borrowed */
};

static void learning_finish(struct learning *l)
{
	strlist_finish(&l->pass);
}

void learn_result_finish(struct learn_result *r)
{
	trial_finish(&r->trial);
	learned_finish(&r->found);
}

static uint64_t round_up(uint64_t n, uint64_t to)
{
	return (n + to - 1) / to * to;
}

/* Takes CASE if the command goes as before with it. */
static int adopt(struct learning *l, const struct trial_case *c, bool *ret_done, struct aisbx_error *e)
{
	int r = trial_run(l->t, c, ret_done, e);

	if (*ret_done)
		l->now = *c;
	return r;
}

/* What has been found so far; each of these can have done by luck, where peaks are looked for from time to
 * time. */
static const enum limit found_limits[] = { LIMIT_MEMORY, LIMIT_PROCESSES, LIMIT_DISK, LIMIT_INODES,
					   LIMIT_FILES };

static void give_more_of(struct learning *l, enum limit limit)
{
	uint64_t *value = &l->now.profile.limits[limit];

	if (!*value) /* it has none */
		return;
	*value += *value / 4 ? *value / 4 : 1;
	if (limit == LIMIT_MEMORY || limit == LIMIT_DISK)
		*value = round_up(*value, MIB);
}

static bool is_found_limit(enum limit limit)
{
	for (size_t i = 0; i < sizeof(found_limits) / sizeof(*found_limits); i++)
		if (found_limits[i] == limit)
			return true;
	return false;
}

/*
 * From FIRST on, each time twice as much, until it does; what it had before is the most it gets. When it was
 * stopped by another limit, that one had done by luck: it is given more, and this one is tried again as it
 * is.
 */
static int find_limit(struct learning *l, enum limit limit, uint64_t first, struct aisbx_error *e)
{
	uint64_t most = l->now.profile.limits[limit], value = first;
	bool done = false;
	int r = 0;

	while (r == 0 && !done && (!most || value < most) && l->t->runs < l->t->most) {
		struct trial_case c = l->now;

		c.profile.limits[limit] = value;
		r = adopt(l, &c, &done, e);
		if (!done && l->t->over != limit && is_found_limit(l->t->over))
			give_more_of(l, l->t->over);
		else
			value *= 2;
	}
	return r;
}

/* The least that does, between what does not and what does. */
static int narrow_limit(struct learning *l, enum limit limit, uint64_t least, struct aisbx_error *e)
{
	uint64_t low = least - 1;
	int r = 0;

	while (r == 0 && l->now.profile.limits[limit] - low > 1 && l->t->runs < l->t->most) {
		struct trial_case c = l->now;
		uint64_t middle = low + (l->now.profile.limits[limit] - low) / 2;
		bool done;

		c.profile.limits[limit] = middle;
		r = adopt(l, &c, &done, e);
		low = done ? low : middle;
	}
	return r;
}

static int learn_processes(struct learning *l, struct aisbx_error *e)
{
	uint64_t peak = l->t->peak.pids_peak, most = l->now.profile.limits[LIMIT_PROCESSES];
	int r = find_limit(l, LIMIT_PROCESSES, peak > 2 ? peak : 2, e);

	/* Looking from time to time misses some: then the number is one that was doubled, and there is a
	 * lesser. */
	if (r == 0 && l->now.profile.limits[LIMIT_PROCESSES] != peak &&
	    l->now.profile.limits[LIMIT_PROCESSES] < most)
		r = narrow_limit(l, LIMIT_PROCESSES, peak > 2 ? peak : 2, e);
	return r;
}

static int learn_limits(struct learning *l, struct aisbx_error *e)
{
	int r = find_limit(l, LIMIT_MEMORY,
			   round_up(l->t->peak.mem_peak + l->t->peak.mem_peak / 4 + MIB * 3, MIB), e);

	if (r == 0)
		r = learn_processes(l, e);
	if (r == 0)
		r = find_limit(l, LIMIT_DISK, round_up(l->t->peak.disk + l->t->peak.disk / 4 + 1, MIB), e);
	if (r == 0)
		r = find_limit(l, LIMIT_INODES,
			       round_up(l->t->peak.inodes + l->t->peak.inodes / 4 > 128
						? l->t->peak.inodes + l->t->peak.inodes / 4
						: 128,
					16),
			       e);
	if (r == 0)
		r = find_limit(l, LIMIT_FILES, 16, e);
	return r;
}

static int learn_net(struct learning *l, struct aisbx_error *e)
{
	static const enum net_mode less[] = { NET_NONE, NET_LOOPBACK };
	const enum net_mode now = l->now.profile.net;
	bool done = false;
	int r = 0;

	for (size_t i = 0; r == 0 && !done && i < sizeof(less) / sizeof(*less) && less[i] < now; i++) {
		struct trial_case c = l->now;

		c.profile.net = less[i];
		r = adopt(l, &c, &done, e);
	}
	return r;
}

/* Only a box of root has either. */
static int learn_system(struct learning *l, struct aisbx_error *e)
{
	struct trial_case c = l->now;
	bool done;
	int r;

	c.profile.system_writable = false;
	c.profile.root_caps = 0;
	r = adopt(l, &c, &done, e);
	if (r < 0 || done)
		return r;
	for (unsigned int cap = 0; r == 0 && cap_name(cap); cap++) {
		c = l->now;
		c.profile.root_caps &= ~(1ULL << cap);
		if (c.profile.root_caps != l->now.profile.root_caps)
			r = adopt(l, &c, &done, e);
	}
	return r;
}

/* Drops those of PASS from LOW to HIGH that are not needed; what is dropped is "". */
static int drop_variables(struct learning *l, struct strlist *pass, size_t low, size_t high,
			  unsigned int until, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist less = { 0 };
	struct trial_case c = l->now;
	size_t middle = low + (high - low) / 2;
	bool done = false;
	int r;

	if (low == high || l->t->runs >= until)
		return 0;
	for (size_t i = 0; i < pass->n; i++)
		if (*pass->items[i] && (i < low || i >= high))
			strlist_add(&less, pass->items[i]);
	c.pass = &less;
	r = trial_run(l->t, &c, &done, e);
	for (size_t i = low; done && i < high; i++)
		*pass->items[i] = '\0';
	if (r < 0 || done || high - low == 1)
		return r;
	r = drop_variables(l, pass, low, middle, until, e);
	return r < 0 ? r : drop_variables(l, pass, middle, high, until, e);
}

static int learn_variables(struct learning *l, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist all = { 0 };
	struct trial_case c = l->now;
	bool done = false;
	int r;

	c.profile.env = ENV_MINIMAL;
	r = adopt(l, &c, &done, e);
	if (r < 0 || done)
		return r;
	for (const char *const *v = l->t->by.env; v && *v; v++) {
		size_t n = strcspn(*v, "=");

		if (!minimal_env_name(*v, n) && !secret_env_name(*v, n) && (*v)[n])
			strlist_add(&all, *v);
	}
	c.pass = &all;
	r = trial_run(l->t, &c, &done, e);
	if (r < 0 || !done) /* it must be one of those that only the other mode has */
		return r;
	l->now.profile.env = ENV_MINIMAL;
	r = drop_variables(l, &all, 0, all.n, l->t->runs + ENV_RUNS, e);
	for (size_t i = 0; i < all.n; i++)
		if (*all.items[i])
			strlist_add(&l->pass, all.items[i]);
	l->now.pass = &l->pass;
	return r;
}

/* The presets from the smallest on. */
static int learn_calls(struct learning *l, struct aisbx_error *e)
{
	unsigned int order[32], n = 0;
	bool done = false;
	int r = 0;

	if (l->now.profile.seccomp_file) /* what it forbids goes with the preset 'default' only */
		return 0;
	for (; seccomp_preset_names[n] && n < sizeof(order) / sizeof(*order); n++) {
		unsigned int at = n;

		for (; at && seccomp_preset_calls(order[at - 1]) > seccomp_preset_calls(n); at--)
			order[at] = order[at - 1];
		order[at] = n;
	}
	for (unsigned int i = 0; r == 0 && !done && i < n && order[i] != l->now.profile.seccomp; i++) {
		struct trial_case c = l->now;

		c.profile.seccomp = order[i];
		r = adopt(l, &c, &done, e);
	}
	return r;
}

/* What time it takes is the machine's as much as the command's: there must be room. FACTOR: how much. */
static void settle_times(struct learning *l, unsigned int factor)
{
	uint64_t *limits = l->now.profile.limits, wall_ms = l->t->wall_us / 1000 + 1,
		 cpu_ms = l->t->peak.cpu_us / 1000 + 1;

	limits[LIMIT_WALL_TIME] = round_up(wall_ms * factor, 1000);
	limits[LIMIT_CPU_TIME] = round_up(cpu_ms * factor, 1000);
	limits[LIMIT_CPU] = round_up(cpu_ms * 1000 / wall_ms, 1000);
	limits[LIMIT_OUTPUT] = round_up(l->t->output + l->t->output / 4 + 1, 4096);
	limits[LIMIT_FILE_SIZE] = limits[LIMIT_DISK];
}

static int find_out(struct learning *l, struct aisbx_error *e)
{
	static int (*const steps[])(struct learning *, struct aisbx_error *) = { learn_net, learn_system,
										 learn_variables, learn_calls,
										 learn_limits };
	int r = 0;

	l->now.profile.limits[LIMIT_WALL_TIME] = l->t->wall_us / 1000 * TRIAL_FACTOR + TRIAL_MS;
	for (size_t i = 0; r == 0 && i < sizeof(steps) / sizeof(*steps); i++)
		r = steps[i](l, e);
	settle_times(l, 4);
	return r;
}

/* The written text itself, as a file that only we have, is what the last run has for a profile. */
static int prove(struct learning *l, bool *ret_same, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = memfd_create("profile", MFD_CLOEXEC);
	const struct buf *text = &l->found->text;
	struct run_options as_learned = *l->t->run;
	struct trial last = *l->t;
	struct trial_case none = { .as_asked = true };
	char path[32];
	int r;

	if (fd < 0 || fchmod(fd, 0600) < 0 || write(fd, text->data, text->len) != (ssize_t)text->len)
		return aisbx_fail(e, AISBX_AREA_POLICY, errno, "write the profile for the last run");
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	as_learned.profile = path;
	memset(&as_learned.net, 0, sizeof(as_learned.net));
	as_learned.ro = as_learned.rw = as_learned.hide = as_learned.env =
		(struct strlist){ 0 }; /* are in it */
	last.run = &as_learned;
	last.most = last.runs + 1;
	r = trial_run(&last, &none, ret_same, e);
	l->t->runs = last.runs;
	l->t->over = last.over;
	return r < 0 ? aisbx_context(e, "the profile that was learned") : 0;
}

/* Of what the last run was stopped by; when that is not known, of all. */
static void give_more(struct learning *l, unsigned int factor)
{
	if (is_found_limit(l->t->over))
		give_more_of(l, l->t->over);
	for (size_t i = 0; l->t->over == LIMIT_COUNT && i < sizeof(found_limits) / sizeof(*found_limits); i++)
		give_more_of(l, found_limits[i]);
	settle_times(l, factor);
}

static int write_and_prove(struct learning *l, const char *name, struct aisbx_error *e)
{
	bool same = false;
	int r = 0;

	for (int i = 0; r == 0 && !same && i < ATTEMPTS; i++) {
		if (i)
			give_more(l, 4u << i);
		learned_finish(l->found);
		r = learned_write(l->t, &l->now, name, l->found, e);
		if (r == 0)
			r = prove(l, &same, e);
	}
	if (r == 0 && !same)
		return aisbx_refuse(e, AISBX_KIND_BUSY, AISBX_AREA_POLICY, EAGAIN,
				    "the command behaves differently from run to run: what was sufficient "
				    "before was not sufficient for the last run");
	return r;
}

/* Asked before an hour is spent. */
static int check_free(const struct caller *by, const char *file, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(by->cwd, file);

	if (full && faccessat(AT_FDCWD, full, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return aisbx_refuse(e, AISBX_KIND_EXISTS, AISBX_AREA_USAGE, EEXIST,
				    "'%s' exists already; give another file", file);
	return 0;
}

static int write_out(const struct caller *by, const char *file, const struct buf *text, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(by->cwd, file);
	scoped(drop_fd) int fd =
		full ? open(full, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644) : -1;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, full ? errno : ENOMEM, "write the profile to '%s'",
				  file);
	if (write(fd, text->data, text->len) != (ssize_t)text->len || fsync(fd) < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, errno, "write the profile to '%s'", file);
	return 0;
}

int learn_run(const struct caller *by, const struct learn_request *req, struct learn_result *ret,
	      struct aisbx_error *e)
{
	scoped(learning_finish) struct learning l = { .t = &ret->trial, .found = &ret->found };
	struct run_options run = *req->run;
	int r = req->output ? check_free(by, req->output, e) : 0;

	if (!run.profile)
		run.profile = "dev";
	run.no_services = true;
	ret->trial.most = MOST_RUNS;
	if (r == 0)
		r = trial_begin(&ret->trial, by, &run, &l.now.profile, e);
	if (r == 0)
		r = find_out(&l, e);
	if (r == 0)
		r = write_and_prove(&l, req->name, e);
	if (r == 0 && req->output)
		r = write_out(by, req->output, &ret->found.text, e);
	ret->trial.run = NULL; /* goes with this call */
	return r;
}
