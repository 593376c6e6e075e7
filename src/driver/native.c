/* SPDX-License-Identifier: Apache-2.0 */
/* The native driver: walls made of kernel features, built by aisbx-jail. */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/program.h"
#include "base/scope.h"
#include "driver/clone.h"
#include "driver/driver.h"
#include "driver/trust.h"
#include "driver/violation.h"
#include "jail/build.h"
#include "policy/seccomp.h"
#include "policy/secret.h"
#include "sys/group.h"
#include "sys/sys.h"

/* Ids of a root's boxes outside: far above people, services, containers and subordinate ids. */
#define SHIFT_BASE  1879048192u
#define SHIFT_COUNT 65536u

static uint32_t id_shift(void)
{
	return sys_is_real_root() ? SHIFT_BASE : 0;
}

/* Walls are tried where they are built, and measured: only what else there is to do is asked before. */
static int probe(struct driver_here *ret, struct aisbx_error *e)
{
	(void)e;
	ret->needs_layers = !sys_tmpfs_keeps_xattrs();
	return 0;
}

static bool unknown_group(const char *project, char *ret, size_t cap)
{
	gid_t group = project ? sys_other_group(project) : 0;
	char name[96], line[96];

	if (!group || sys_may_map_group(group))
		return false;
	sys_group_words(group, name, line, sizeof(name));
	snprintf(ret, cap,
		 "files of the group %s cannot be changed in the box, only read; the line '%s' in "
		 "/etc/subgid allows it",
		 name, line);
	return true;
}

static struct jail_plan_order make_order(const struct run_spec *spec)
{
	struct jail_plan_order o = { .walls = WALL_ALL & ~spec->walls.without };

	if (sys_is_real_root()) {
		o.flags |= JAIL_PLAN_SHIFT;
		o.uid_host = o.gid_host = SHIFT_BASE;
		o.id_count = SHIFT_COUNT;
	} else {
		o.uid = o.uid_host = geteuid();
		o.gid = o.gid_host = getegid();
		o.id_count = 1;
		o.group = spec->walls.project ? sys_other_group(spec->walls.project) : 0;
		if (o.group && !sys_may_map_group(o.group))
			o.group = 0;
	}
	if (spec->io.tty)
		o.flags |= JAIL_PLAN_TTY;
	if (spec->profile.net != NET_NONE)
		o.flags |= JAIL_PLAN_LOOPBACK;
	return o;
}

#define SECONDS(ms) (((ms) + 999) / 1000)

/* What a profile leaves to the machine is decided here. */
static void settle_limits(const struct profile *p, uint64_t *limits)
{
	struct sysinfo machine;

	if (!limits[LIMIT_MEMORY] && p->memory_share && sysinfo(&machine) == 0)
		limits[LIMIT_MEMORY] = (uint64_t)machine.totalram * machine.mem_unit / 100 * p->memory_share;
}

/* GROUPED: bits of the limits that a control group holds; what it does not, rlimits hold as well
 * as they can. */
static void set_limits(struct jail_plan_builder *b, const uint64_t *limits, uint32_t grouped, bool secret)
{
	uint64_t pids = limits[LIMIT_PROCESSES], files = limits[LIMIT_FILES],
		 seconds = SECONDS(limits[LIMIT_CPU_TIME]);

	/* 1 is less than any dump, and unlike 0 it also keeps the kernel from handing one to a program. */
	jail_plan_set_rlimit(b, RLIMIT_CORE, secret, secret);
	jail_plan_set_rlimit(b, RLIMIT_MEMLOCK, 8u << 20, 8u << 20);
	jail_plan_set_rlimit(b, RLIMIT_MSGQUEUE, 1u << 20, 1u << 20);
	jail_plan_set_rlimit(b, RLIMIT_RTPRIO, 0, 0);
	jail_plan_set_rlimit(b, RLIMIT_NICE, 0, 0);
	/*
	 * Counted per user namespace since Linux 5.14, so it is the box's own number. A group counts all ids
	 * together, and tells whom it refused: then it shall be the first to refuse.
	 */
	pids += grouped & (1u << LIMIT_PROCESSES) ? 1 : 0;
	jail_plan_set_rlimit(b, RLIMIT_NPROC, pids, pids);
	jail_plan_set_rlimit(b, RLIMIT_NOFILE, files < 1024 ? files : 1024, files);
	if (limits[LIMIT_FILE_SIZE])
		jail_plan_set_rlimit(b, RLIMIT_FSIZE, limits[LIMIT_FILE_SIZE], limits[LIMIT_FILE_SIZE]);
	/*
	 * Of one process; of all together by who watches. The kernel counts this one in ticks: on a busy
	 * machine it sees a seventh more than there was (Linux 6.18), and nobody shall be stopped before the
	 * time.
	 */
	if (seconds)
		jail_plan_set_rlimit(b, RLIMIT_CPU, seconds + seconds / 4 + 1, seconds + seconds / 4 + 2);
	if (limits[LIMIT_MEMORY] && !(grouped & (1u << LIMIT_MEMORY)))
		jail_plan_set_rlimit(b, RLIMIT_DATA, limits[LIMIT_MEMORY] * 2,
				     limits[LIMIT_MEMORY] * 2); /* the net below who watches */
	b->head.disk_bytes = limits[LIMIT_DISK];
	b->head.disk_inodes = limits[LIMIT_INODES];
}

/* Whole processors can be had without a control group: the box is bound to so many of them. */
static int bind_processors(struct jail_plan_builder *b, const uint64_t *limits, uint32_t grouped,
			   struct aisbx_error *e)
{
	if (!limits[LIMIT_CPU] || grouped & (1u << LIMIT_CPU))
		return 0;
	if (limits[LIMIT_CPU] % 1000)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
				    "a fraction of a processor (--cpu %.3g) needs a control group, and you "
				    "have none here; give a whole number, or start a shell that has one: "
				    "systemd-run --user --scope -p Delegate=yes $SHELL",
				    (double)limits[LIMIT_CPU] / 1000);
	b->head.processors = (uint32_t)(limits[LIMIT_CPU] / 1000);
	return 0;
}

/* A limit can only be lowered by who is not root: what the person has already is the most there is. */
static void cap_limits(struct jail_plan_builder *b)
{
	for (int i = 0; i < JAIL_PLAN_RLIMITS; i++) {
		struct jail_plan_rlimit *l = &b->head.rlimits[i];
		struct rlimit have;

		if (!l->set || getrlimit((__rlimit_resource_t)i, &have) < 0)
			continue;
		if (have.rlim_max != RLIM_INFINITY && l->hard > have.rlim_max)
			l->hard = have.rlim_max;
		if (l->soft > l->hard)
			l->soft = l->hard;
	}
}

/* It is a secret that the box gets in another way. */
static bool is_dropped(const struct run_spec *spec, const char *name, size_t n)
{
	const struct strlist *sources = &spec->secrets.sources;

	for (size_t i = 0; i < sources->n; i++)
		if (strlen(sources->items[i]) == n && !strncmp(sources->items[i], name, n))
			return true;
	return false;
}

/* Of a box with a network of its own: the broker takes the proxy; its password is none of the box's business.
 */
static bool is_proxy(const struct run_spec *spec, const char *name, size_t n)
{
	static const char *const names[] = { "http_proxy", "https_proxy", "ftp_proxy", "all_proxy",
					     "no_proxy" };

	if (spec->walls.without & WALL_BIT(NET))
		return false;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strlen(names[i]) == n && !strncasecmp(names[i], name, n))
			return true;
	return false;
}

/* Without the newlines at its end, as a shell's $(cat FILE). */
static void add_secret_env(struct jail_plan_builder *b, const struct run_secret *s)
{
	scoped(buf_finish) struct buf text = { 0 };
	size_t n = s->len;

	while (n && s->value[n - 1] == '\n')
		n--;
	buf_addf(&text, "%s=", s->name);
	buf_add(&text, s->value, n);
	if (buf_str(&text))
		jail_plan_add_env(b, text.data);
	else
		b->strings.failed = true;
	if (text.data)
		explicit_bzero(text.data, text.cap);
}

static void set_environment(struct jail_plan_builder *b, const struct run_spec *spec)
{
	const struct strlist *set = &spec->command.set_env;

	for (const char *const *v = spec->command.env; v && *v; v++) {
		size_t n = strcspn(*v, "=");
		bool keep =
			spec->profile.env == ENV_MINIMAL ? minimal_env_name(*v, n) : !secret_env_name(*v, n);

		if (keep && (*v)[n] == '=' && n > 0 && !is_dropped(spec, *v, n) && !is_proxy(spec, *v, n))
			jail_plan_add_env(b, *v);
	}
	if (run_wants_agent(spec))
		jail_plan_add_env(b, "SSH_AUTH_SOCK=" RUN_AGENT_SOCKET);
	for (size_t i = 0; i < set->n; i++)
		jail_plan_add_env(b, set->items[i]);
	for (size_t i = 0; i < spec->secrets.n; i++)
		if (spec->secrets.items[i].as_env)
			add_secret_env(b, &spec->secrets.items[i]);
}

static int check_places(const struct run_spec *spec, struct aisbx_error *e)
{
	static const char *const not_files[] = { "/proc", "/sys", "/dev", "/run" };
	const char *project = spec->walls.project;

	for (size_t i = 0; project && i < sizeof(not_files) / sizeof(*not_files); i++)
		if (path_is_within(project, not_files[i]))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "project '%s' is in %s, which no box shares with the machine; "
					    "change to another directory or give one with --project",
					    project, not_files[i]);
	return 0;
}

/* What a command is, whatever box it runs in; and the two walls that a box must prove to be its own. */
static void set_command(const struct run_spec *spec, const struct strlist *argv, const char *cwd,
			uint64_t timeout_ms, struct jail_plan_builder *b)
{
	struct utsname uts;
	size_t n_code;

	b->head.timeout_ms = timeout_ms;
	b->head.keep_caps = b->head.order.flags & JAIL_PLAN_SHIFT ? spec->profile.root_caps : 0;
	if (spec->walls.without & WALL_BIT(CAPS))
		b->head.keep_caps = ~0ULL;
	if (!(spec->walls.without & WALL_BIT(SECCOMP))) {
		const struct sock_filter *code = seccomp_code(spec->profile.seccomp, &n_code);

		jail_plan_set_filter(b, code, n_code);
	}
	uname(&uts);
	b->head.hostname = jail_plan_add_string(b, uts.nodename);
	b->head.cwd = jail_plan_add_string(b, cwd);
	for (size_t i = 0; i < argv->n; i++)
		jail_plan_add_arg(b, argv->items[i]);
	set_environment(b, spec);
}

static void set_own_command(const struct run_spec *spec, struct jail_plan_builder *b)
{
	const uint64_t *limits = spec->profile.limits;

	set_command(spec, &spec->command.argv, spec->command.cwd, limits[limit_of_time(limits)], b);
}

static int make_plan(const struct run_spec *spec, uint32_t grouped, struct jail_plan_builder *b,
		     struct strlist *watched, struct aisbx_error *e)
{
	const uint64_t *limits = spec->limits.held;
	bool shift = b->head.order.flags & JAIL_PLAN_SHIFT;
	int r = bind_processors(b, limits, grouped, e);

	if (r < 0)
		return r;
	set_limits(b, limits, grouped, spec->secrets.n > 0);
	cap_limits(b);
	set_own_command(spec, b);
	if (spec->hooks.layers)
		b->head.layers = jail_plan_add_string(b, spec->hooks.layers_dir);
	return clone_plan(spec, shift, b, watched, e);
}

/* Everything about services that the supervisor needs; its descriptors are owned. */
struct service_list {
	struct run_service *items;
	size_t n;
};

static void service_list_finish(struct service_list *l)
{
	for (size_t i = 0; i < l->n; i++) {
		drop_fd(&l->items[i].plan_fd);
		drop_fd(&l->items[i].ready_plan_fd);
	}
	free(l->items);
}

/* A command beside the first: behind its walls, with its environment, in the project. It ends with the box,
 * or with the life of that. */
static int make_side_plan(const struct run_spec *spec, const struct strlist *argv, const struct strlist *env,
			  int *ret_fd, struct aisbx_error *e)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { .head.order = make_order(spec) };
	const char *cwd = spec->walls.project ? spec->walls.project : spec->command.cwd;

	b.head.order.flags &= ~(uint32_t)JAIL_PLAN_TTY;
	set_command(spec, argv, cwd, spec->profile.limits[LIMIT_LIFETIME], &b);
	for (size_t i = 0; i < env->n; i++)
		jail_plan_add_env(&b, env->items[i]);
	return jail_plan_seal(&b, ret_fd, e);
}

static int make_service(const struct run_spec *spec, const struct service_spec *s, struct run_service *to,
			struct aisbx_error *e)
{
	static const enum run_ready ready[] = { [READY_STARTED] = RUN_READY_STARTED,
						[READY_PORT] = RUN_READY_PORT,
						[READY_FILE] = RUN_READY_COMMAND,
						[READY_COMMAND] = RUN_READY_COMMAND };
	static const enum run_restart restart[] = { [RESTART_NO] = RUN_RESTART_NO,
						    [RESTART_ON_FAILURE] = RUN_RESTART_ON_FAILURE,
						    [RESTART_ALWAYS] = RUN_RESTART_ALWAYS };
	int r;

	*to = (struct run_service){ .name = s->name,
				    .plan_fd = -1,
				    .after = s->after,
				    .n_after = s->n_after,
				    .ready = ready[s->ready],
				    .port = s->port,
				    .ready_plan_fd = -1,
				    .ready_text = s->ready_text,
				    .ready_ms = s->ready_ms,
				    .restart = restart[s->restart] };
	if (s->ready == READY_PORT && spec->profile.net == NET_NONE && !(spec->walls.without & WALL_BIT(NET)))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"service '%s' is ready when port %u is open, but the box has no loopback; give it "
			"one with --net loopback, or omit services with --no-services",
			s->name, s->port);
	r = make_side_plan(spec, &s->argv, &s->env, &to->plan_fd, e);
	if (r == 0 && s->ready_argv.n)
		r = make_side_plan(spec, &s->ready_argv, &s->env, &to->ready_plan_fd, e);
	return r < 0 ? aisbx_context(e, "service '%s'", s->name) : 0;
}

static int make_services(const struct run_spec *spec, struct service_list *ret, struct aisbx_error *e)
{
	_Static_assert(SERVICE_MAX <= RUN_MAX_SERVICES, "as many as a file may name");
	const struct service_specs *p = spec->command.services;
	int r = 0;

	if (!p || !p->n)
		return 0;
	ret->items = calloc(p->n, sizeof(*ret->items));
	if (!ret->items)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare the services");
	while (r == 0 && ret->n < p->n) {
		r = make_service(spec, &p->items[ret->n], &ret->items[ret->n], e);
		ret->n++;
	}
	return r;
}

/* Whether anything that a service writes is there after the box. */
static bool something_stays(const struct run_spec *spec)
{
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].writable)
			return true;
	return spec->hooks.layers != NULL;
}

static void add_wall(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

static void add_wall(struct buf *b, const char *fmt, ...)
{
	scoped(drop_mem) char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		b->failed = true;
	else
		buf_add(b, text, strlen(text) + 1);
	va_end(args);
}

/*
 * Everything of SPEC that makes a wall, as options a person would write. Two commands share a box only if
 * this is the same for both; so a field of a profile that is not here is one that each command has to itself.
 */
static void describe_walls(const struct run_spec *spec, struct buf *b)
{
	const struct profile *p = &spec->profile;

	add_wall(b, "--profile %s", p->name);
	add_wall(b, "system: %s",
		 p->system_writable ? "writable" : "read-only"); /* a file may have changed since */
	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (p->root_caps & (1ULL << cap))
			add_wall(b, "caps: %s", cap_name(cap));
	add_wall(b, "--net %s", net_mode_name(p->net));
	for (size_t i = 0; i < spec->net.rules.n; i++)
		add_wall(b, "--net %s", spec->net.rules.items[i]);
	for (size_t i = 0; i < spec->net.n_injected; i++)
		add_wall(b, "--secret %s,inject=%s", spec->net.injected[i].name, spec->net.injected[i].host);
	add_wall(b, "--seccomp %s", seccomp_preset_name(p->seccomp));
	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		if (limit_of_box(l))
			add_wall(b, "--%s %llu", limit_option(l), (unsigned long long)p->limits[l]);
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if (spec->walls.without & (1u << w))
			add_wall(b, "--without %s", wall_name(w));
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		add_wall(b, "--%s %s:%s", spec->walls.mounts[i].writable ? "rw" : "ro",
			 spec->walls.mounts[i].host, spec->walls.mounts[i].guest);
	for (size_t i = 0; i < spec->walls.hides.n; i++)
		add_wall(b, "--hide %s", spec->walls.hides.items[i]);
}

/* What holds a limit where no control group does. */
static const char *const holders[LIMIT_COUNT] = {
	[LIMIT_WALL_TIME] = "supervisor", [LIMIT_CPU_TIME] = "watch and rlimit",
	[LIMIT_CPU] = "affinity",         [LIMIT_MEMORY] = "watch and rlimit",
	[LIMIT_PROCESSES] = "rlimit",     [LIMIT_FILES] = "rlimit",
	[LIMIT_FILE_SIZE] = "rlimit",     [LIMIT_DISK] = "tmpfs",
	[LIMIT_INODES] = "tmpfs",         [LIMIT_OUTPUT] = "supervisor",
	[LIMIT_LIFETIME] = "supervisor",
};

/* Who holds each limit. GROUPED: those that METHOD, a control group, does. */
static void name_holders(const struct run_spec *spec, struct driver_result *ret, uint32_t grouped,
			 const char *method)
{
	for (enum limit l = 0; l < LIMIT_COUNT; l++) {
		ret->held_by[l] = grouped & (1u << l) ? method : holders[l];
		if (spec->limits.disk && (l == LIMIT_DISK || l == LIMIT_INODES))
			ret->held_by[l] = "watch"; /* what a box keeps lies on the disk, not in its tmpfs */
	}
}

/* The jail makes the namespaces while we draw up the plan: each takes as long as the other. */
static int start(struct run_spec *spec, struct strlist *watched, struct driver_result *ret,
		 struct aisbx_error *e)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { .head.order = make_order(spec) };
	scoped(drop_fd) int plan_fd = -1;
	scoped(buf_finish) struct buf roots = { 0 }, java_roots = { 0 };
	const char *method;
	uint32_t grouped;
	struct run *run;
	int r = run_begin(spec, &b.head.order, &run, e);

	if (r < 0)
		return r;
	grouped = run_held(run, &method);
	if (run_authority(run)) {
		trust_set_variables(spec);
		r = trust_collect(run_authority(run), &roots, e);
		spec->jail.roots = roots.data;
		spec->jail.roots_len = roots.len;
		trust_write_java(&roots, &java_roots);
		spec->jail.java_roots = java_roots.data;
		spec->jail.java_roots_len = java_roots.len;
	}
	spec->jail.agent = run_agent(run);
	if (r == 0)
		r = make_plan(spec, grouped, &b, watched, e);
	if (r == 0)
		r = jail_plan_seal(&b, &plan_fd, e);
	if (r < 0) {
		run_abandon(run);
		return r;
	}
	jail_plan_builder_finish(&b); /* sealed: what it was made of is not needed while the run goes on */
	name_holders(spec, ret, grouped, method);
	return run_supervise(run, plan_fd, &ret->outcome, e);
}

/* A command that joins brings limits of its own; those of the box are what they are, and known only if they
 * were compared. */
static void limit_joined(struct run_spec *spec, struct driver_result *ret)
{
	for (enum limit l = 0; l < LIMIT_COUNT; l++) {
		if (!limit_of_box(l))
			ret->held_by[l] = holders[l];
		else if (spec->walls.any)
			spec->limits.held[l] = 0;
	}
}

/* For who joins, or wants to: the walls as options. */
static int tell_walls(struct run_spec *spec, struct buf *walls, struct aisbx_error *e)
{
	describe_walls(spec, walls);
	spec->jail.walls = walls->data;
	spec->jail.walls_len = walls->len;
	return walls->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "describe the walls") : 0;
}

/* What the supervisor has to know of the walls, whoever built them. */
static void fill_jail(struct run_spec *spec)
{
	spec->jail = (struct run_jail){ .fd = -1, .told = seccomp_call_told, .own = seccomp_call_own };
}

static int conclude(struct run_spec *spec, const struct strlist *watched, struct driver_result *result,
		    struct driver_result *ret_result, struct aisbx_error *e)
{
	int r;

	memcpy(result->limits, spec->limits.held, sizeof(result->limits));
	r = violations_describe(result, spec, watched, e);
	if (r == 0)
		*ret_result = *result;
	return r;
}

static int prepare(struct run_spec *spec, struct aisbx_error *e)
{
	if (spec->walls.without & WALL_BIT(NET) && (spec->profile.net > NET_LOOPBACK || spec->net.publish.n))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"without the wall 'net' the box uses the network of the host, and no rule or "
			"published port of its own holds; leave out --without net, or --net and --publish");
	settle_limits(&spec->profile, spec->limits.held);
	return check_places(spec, e);
}

static int run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist watched = { 0 };
	scoped(buf_finish) struct buf walls = { 0 };
	scoped(service_list_finish) struct service_list services = { 0 };
	scoped(drop_fd) int jail_fd = -1;
	struct driver_result result = { 0 };
	int r;

	fill_jail(spec);
	r = spec->io.live || spec->io.shown ? tell_walls(spec, &walls, e) : 0;
	if (r == 0)
		r = make_services(spec, &services, e);
	if (r == 0)
		r = program_open("aisbx-jail", &jail_fd, e);
	spec->jail.fd = jail_fd;
	spec->jail.services = services.items;
	spec->jail.n_services = services.n;
	spec->jail.services_save = something_stays(spec);
	if (r == 0)
		r = start(spec, &watched, &result, e);
	if (r == 0)
		r = conclude(spec, &watched, &result, ret_result, e);
	spec->jail = (struct run_jail){ .fd = -1 };
	return r;
}

/* The same for a box whose walls stand. */
static int join(struct run_spec *spec, int live_fd, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { .head.order = make_order(spec) };
	scoped(strlist_finish) struct strlist watched = { 0 };
	scoped(buf_finish) struct buf walls = { 0 };
	scoped(drop_fd) int plan_fd = -1;
	struct driver_result result = { 0 };
	int r;

	if (spec->net.publish.n)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the box is live, so this run joins it and cannot publish ports; 'aisbx ports BOX "
			"--publish %s' can",
			spec->net.publish.items[0]);
	fill_jail(spec);
	limit_joined(spec, &result);
	r = spec->walls.any ? 0 : tell_walls(spec, &walls, e);
	set_own_command(spec, &b);
	clone_add_secrets(spec, &b);
	if (r == 0)
		r = jail_plan_seal(&b, &plan_fd, e);
	if (r == 0)
		r = run_join(spec, &b.head.order, live_fd, plan_fd, &result.outcome, e);
	if (r == 0)
		r = conclude(spec, &watched, &result, ret_result, e);
	spec->jail = (struct run_jail){ .fd = -1 };
	return r;
}

const struct driver driver_native = {
	.name = "native",
	.can = DRIVER_SNAPSHOTS | DRIVER_HIDES | DRIVER_SHARES | DRIVER_SERVES,
	.walls = WALL_ALL,
	.limits = (1u << LIMIT_COUNT) - 1,
	.probe = probe,
	.prepare = prepare,
	.run = run,
	.join = join,
	.freeze = run_freeze,
	.is_frozen = run_is_frozen,
	.usage = run_ask_status,
	.sweep = cgroup_sweep,
	.is_left = cgroup_is_left,
	.id_shift = id_shift,
	.unknown_group = unknown_group,
};
