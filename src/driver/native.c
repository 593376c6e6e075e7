/* SPDX-License-Identifier: Apache-2.0 */
/* The native driver: walls of the kernel's own, built by aisbx-jail. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "driver/clone.h"
#include "driver/driver.h"
#include "driver/program.h"
#include "jail/build.h"
#include "policy/seccomp.h"
#include "policy/secret.h"
#include "sys/sys.h"

/* Ids of a root's boxes outside: far above people, services, containers and subordinate ids. */
#define SHIFT_BASE  1879048192u
#define SHIFT_COUNT 65536u

uint32_t driver_id_shift(void)
{
	return sys_is_real_root() ? SHIFT_BASE : 0;
}

static struct plan_order make_order(const struct driver_spec *spec)
{
	struct plan_order o = { .walls = WALL_ALL & ~spec->without };

	if (sys_is_real_root()) {
		o.flags |= PLAN_SHIFT;
		o.uid_host = o.gid_host = SHIFT_BASE;
		o.id_count = SHIFT_COUNT;
	} else {
		o.uid = o.uid_host = geteuid();
		o.gid = o.gid_host = getegid();
		o.id_count = 1;
	}
	if (spec->tty)
		o.flags |= PLAN_TTY;
	if (spec->profile.net == NET_LOOPBACK)
		o.flags |= PLAN_LOOPBACK;
	return o;
}

static void set_limits(struct plan_builder *b, const struct profile *p)
{
	plan_set_rlimit(b, RLIMIT_CORE, 0, 0);
	plan_set_rlimit(b, RLIMIT_MEMLOCK, 8u << 20, 8u << 20);
	plan_set_rlimit(b, RLIMIT_MSGQUEUE, 1u << 20, 1u << 20);
	plan_set_rlimit(b, RLIMIT_RTPRIO, 0, 0);
	plan_set_rlimit(b, RLIMIT_NICE, 0, 0);
	/* Counted per user namespace since Linux 5.14, so it is the box's own number. */
	plan_set_rlimit(b, RLIMIT_NPROC, p->pids, p->pids);
	plan_set_rlimit(b, RLIMIT_NOFILE, p->files < 1024 ? p->files : 1024, p->files);
	b->head.disk_bytes = p->disk_bytes;
	b->head.disk_inodes = p->disk_inodes;
	b->head.timeout_ms = p->timeout_ms;
}

/* A limit can only be lowered by who is not root: what the person has already is the most there is. */
static void cap_limits(struct plan_builder *b)
{
	for (int i = 0; i < PLAN_RLIMITS; i++) {
		struct plan_rlimit *l = &b->head.rlimits[i];
		struct rlimit have;

		if (!l->set || getrlimit((__rlimit_resource_t)i, &have) < 0)
			continue;
		if (have.rlim_max != RLIM_INFINITY && l->hard > have.rlim_max)
			l->hard = have.rlim_max;
		if (l->soft > l->hard)
			l->soft = l->hard;
	}
}

static void set_environment(struct plan_builder *b, const struct driver_spec *spec)
{
	for (size_t i = 0; spec->env && spec->env[i]; i++) {
		size_t n = strcspn(spec->env[i], "=");
		bool keep = spec->profile.env == ENV_MINIMAL ? minimal_env_name(spec->env[i], n)
							     : !secret_env_name(spec->env[i], n);

		if (keep && spec->env[i][n] == '=' && n > 0)
			plan_add_env(b, spec->env[i]);
	}
	for (size_t i = 0; spec->set_env && i < spec->set_env->n; i++)
		plan_add_env(b, spec->set_env->items[i]);
}

static int check_places(const struct driver_spec *spec, struct aisbx_error *e)
{
	static const char *const not_files[] = { "/proc", "/sys", "/dev", "/run" };
	const char *project = spec->project;

	for (size_t i = 0; project && i < sizeof(not_files) / sizeof(*not_files); i++)
		if (path_is_within(project, not_files[i]))
			return aisbx_refuse(e, AISBX_AREA_USAGE, EINVAL,
					    "project '%s' lies in %s, which no box shares with the machine; "
					    "change to another directory or name one with --project",
					    project, not_files[i]);
	return 0;
}

static int make_plan(const struct driver_spec *spec, struct plan_builder *b, struct strlist *watched,
		     struct aisbx_error *e)
{
	bool shift = b->head.order.flags & PLAN_SHIFT;
	struct utsname uts;
	size_t n_code;

	set_limits(b, &spec->profile);
	cap_limits(b);
	b->head.keep_caps = shift ? spec->profile.root_caps : 0;
	if (spec->without & WALL_BIT(CAPS))
		b->head.keep_caps = ~0ULL;
	if (!(spec->without & WALL_BIT(SECCOMP))) {
		const struct sock_filter *code = seccomp_code(&n_code);

		plan_set_filter(b, code, n_code);
	}
	uname(&uts);
	b->head.hostname = plan_add_string(b, uts.nodename);
	b->head.cwd = plan_add_string(b, spec->cwd);
	if (spec->layers)
		b->head.layers = plan_add_string(b, spec->layers_dir);
	for (size_t i = 0; spec->argv[i]; i++)
		plan_add_arg(b, spec->argv[i]);
	set_environment(b, spec);
	return clone_plan(spec, shift, b, watched, e);
}

static int describe_trip(const struct run_trip *t, const struct strlist *watched, struct violation *ret)
{
	struct violation v = { .count = t->count };
	int r;

	if (t->comm[0] && asprintf(&v.by, "%s", t->comm) < 0)
		v.by = NULL;
	if (t->kind == RUN_TRIP_SYSCALL) {
		v.kind = "syscall";
		r = asprintf(&v.what, "%s", seccomp_call_name(t->number));
		r = r < 0 ? r : asprintf(&v.rule, "seccomp=default: %s", seccomp_call_reason(t->number));
		r = r < 0 ? r : asprintf(&v.allow_with, "--without seccomp");
	} else {
		const char *path = (size_t)t->number <= watched->n ? watched->items[t->number - 1] : "?";

		v.kind = "decoy";
		r = asprintf(&v.what, "open %s", path);
		r = r < 0 ? r : asprintf(&v.rule, "secrets=hidden");
		r = r < 0 ? r : asprintf(&v.allow_with, "--ro %s", path);
	}
	*ret = v;
	return r < 0 ? -ENOMEM : 0;
}

/* Only calls of another architecture are killed, and by that nobody is told of them. */
static bool killed_by_filter(const struct run_outcome *o)
{
	return o->end == RUN_EXITED && WIFSIGNALED(o->status) && WTERMSIG(o->status) == SIGSYS;
}

static int describe_kill(struct violation *ret)
{
	struct violation v = { .kind = "syscall", .count = 1 };
	int r = asprintf(&v.what, "a system call of another architecture (int 0x80, x32)");

	r = r < 0 ? r : asprintf(&v.rule, "seccomp=default: its numbers mean other calls than those the filter judges");
	r = r < 0 ? r : asprintf(&v.allow_with, "--without seccomp");
	*ret = v;
	return r < 0 ? -ENOMEM : 0;
}

/* The jail makes the namespaces while we draw up the plan: each takes as long as the other. */
static int start(const struct driver_spec *spec, const struct run_request *req, struct strlist *watched,
		 struct run_outcome *ret_outcome, struct aisbx_error *e)
{
	scoped(plan_builder_finish) struct plan_builder b = { .head.order = make_order(spec) };
	scoped(drop_fd) int plan_fd = -1;
	struct run *run;
	int r = run_begin(req, &b.head.order, &run, e);

	if (r < 0)
		return r;
	r = make_plan(spec, &b, watched, e);
	if (r == 0)
		r = plan_seal(&b, &plan_fd, e);
	if (r < 0) {
		run_abandon(run);
		return r;
	}
	return run_supervise(run, plan_fd, ret_outcome, e);
}

static int native_run(const struct driver_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist watched = { 0 };
	scoped(drop_fd) int jail_fd = -1;
	struct driver_result result = { 0 };
	struct run_request req = { .tty = spec->tty,
				   .stdin_fd = spec->stdin_fd,
				   .out_fds = { spec->out_fds[0], spec->out_fds[1] },
				   .timeout_ms = spec->profile.timeout_ms,
				   .output_bytes = spec->profile.output_bytes };
	int r = check_places(spec, e);

	if (r == 0)
		r = program_open("aisbx-jail", &jail_fd, e);
	req.jail_fd = jail_fd;
	if (r == 0)
		r = start(spec, &req, &watched, &result.outcome, e);
	if (r < 0)
		return r;
	result.missing = result.outcome.started ? WALL_ALL & ~result.outcome.walls : 0;
	result.violations = calloc(result.outcome.n_trips + 2, sizeof(*result.violations));
	for (size_t i = 0; result.violations && i < result.outcome.n_trips; i++) {
		r = describe_trip(&result.outcome.trips[i], &watched, &result.violations[result.n_violations++]);
		if (r < 0)
			break;
	}
	if (result.violations && r == 0 && killed_by_filter(&result.outcome))
		r = describe_kill(&result.violations[result.n_violations++]);
	if (!result.violations || r < 0) {
		driver_result_finish(&result);
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "describe the violations");
	}
	*ret_result = result;
	return 0;
}

const struct driver driver_native = { .name = "native", .run = native_run };
