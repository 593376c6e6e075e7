/* SPDX-License-Identifier: Apache-2.0 */
/* The native driver: walls made of kernel features, built by aisbx-jail. */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/utsname.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/program.h"
#include "base/scope.h"
#include "driver/clone.h"
#include "driver/driver.h"
#include "driver/native.h"
#include "driver/native_limits.h"
#include "driver/seccomp_file.h"
#include "driver/host_name.h"
#include "driver/layout.h"
#include "driver/trust.h"
#include "driver/violation.h"
#include "jail/build.h"
#include "policy/seccomp.h"
#include "policy/secret.h"
#include "run/ready_box.h"
#include "sys/group.h"
#include "sys/subids.h"
#include "sys/sys.h"

/* Ids of a root's boxes outside: far above people, services, containers and subordinate ids. */
#define SHIFT_BASE  1879048192u
#define SHIFT_COUNT 65536u

uint32_t native_id_shift(void)
{
	return sys_is_real_root() ? SHIFT_BASE : 0;
}

/* Walls are tried where they are built, and measured: only what else there is to do is asked before. */
int native_probe(struct driver_here *ret, struct aisbx_error *e)
{
	(void)e;
	ret->needs_layers = !sys_tmpfs_keeps_xattrs();
	return 0;
}

bool native_unknown_group(const char *project, char *ret, size_t cap)
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

/* The ids of an image that was unpacked for more than one. */
static void add_subordinates(const struct run_spec *spec, struct jail_plan_order *o)
{
	const struct run_image *image = spec->walls.image;

	if (!image || !image->sub_uid)
		return;
	o->flags |= JAIL_PLAN_SUB;
	o->sub_uid = image->sub_uid;
	o->sub_gid = image->sub_gid;
	o->id_count = SYS_SUBIDS_COUNT;
}

static struct jail_plan_order make_order(const struct run_spec *spec)
{
	struct jail_plan_order o = { .walls = WALL_ALL & ~spec->walls.without };

	if (!(o.walls & WALL_BIT(USERNS))) { /* see chroot.c: root as it is, without its rights */
		o.id_count = 1;
	} else if (sys_is_real_root()) {
		o.flags |= JAIL_PLAN_SHIFT;
		o.uid_host = o.gid_host = SHIFT_BASE;
		o.id_count = SHIFT_COUNT;
	} else {
		o.uid_host = geteuid();
		o.gid_host = getegid();
		o.uid = spec->walls.image ? 0 : o.uid_host; /* an image is made for its own root */
		o.gid = spec->walls.image ? 0 : o.gid_host;
		o.id_count = 1;
		o.group =
			spec->walls.project && !spec->walls.image ? sys_other_group(spec->walls.project) : 0;
		if (o.group && !sys_may_map_group(o.group))
			o.group = 0;
		add_subordinates(spec, &o);
	}
	if (spec->jail.runtime) { /* it runs as root of namespaces that give it no more than they have */
		o.flags |= JAIL_PLAN_RUNTIME | (spec->jail.runtime->guest ? JAIL_PLAN_GUEST : 0) |
			   (spec->walls.image ? JAIL_PLAN_IMAGE : 0);
		o.uid = o.gid = o.group = 0;
	}
	if (spec->io.tty)
		o.flags |= JAIL_PLAN_TTY;
	if (spec->profile.net != NET_NONE)
		o.flags |= JAIL_PLAN_LOOPBACK;
	return o;
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

/* Which box it is: last, so that nothing before it can say something else. */
static void tell_box(struct jail_plan_builder *b, const struct run_spec *spec)
{
	char text[sizeof(RUN_BOX_VARIABLE "=") + sizeof(spec->box.name)];

	snprintf(text, sizeof(text), RUN_BOX_VARIABLE "=%s", run_box_name(spec));
	jail_plan_add_env(b, text);
}

int driver_check_project(const char *project, struct aisbx_error *e)
{
	static const char *const not_files[] = { "/proc", "/sys", "/dev", "/run" };

	for (size_t i = 0; project && i < sizeof(not_files) / sizeof(*not_files); i++)
		if (path_is_within(project, not_files[i]))
			return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
					    "project '%s' is in %s, which no box shares with the machine; "
					    "change to another directory or give one with --project",
					    project, not_files[i]);
	return 0;
}

/* A user of an image, if there are ids for it. Pid 1 may become it, and who did cannot go back. */
static void set_user(const struct run_spec *spec, struct jail_plan_builder *b)
{
	const struct run_image *image = spec->walls.image;
	struct jail_plan_user *u = &b->head.user;

	if (!image || !image->user || !jail_plan_many_ids(&b->head.order))
		return;
	b->head.keep_caps |= (1ULL << CAP_SETUID) | (1ULL << CAP_SETGID);
	if (spec->box.purpose) /* aisbx's own program sees to files of all users */
		return;
	*u = (struct jail_plan_user){ .set = 1, .uid = image->uid, .gid = image->gid };
	u->n_groups = image->n_groups;
	memcpy(u->groups, image->groups, sizeof(u->groups));
}

/* What a command is, whatever box it runs in; and the two walls that a box must prove to be its own. */
static void set_command(const struct run_spec *spec, const struct strlist *argv, const char *cwd,
			uint64_t timeout_ms, struct jail_plan_builder *b)
{
	char host[HOST_NAME_ROOM];
	size_t n_code;

	b->head.timeout_ms = timeout_ms;
	b->head.keep_caps = jail_plan_many_ids(&b->head.order) ? spec->profile.root_caps : 0;
	if (spec->walls.without & WALL_BIT(CAPS))
		b->head.keep_caps = ~0ULL;
	set_user(spec, b);
	if (!(spec->walls.without & WALL_BIT(SECCOMP))) {
		const struct sock_filter *code = seccomp_code(spec->profile.seccomp, &n_code);

		jail_plan_set_filter(b, code, n_code);
		jail_plan_add_filter(b, spec->jail.filter, spec->jail.n_filter);
	}
	host_name_of(run_box_name(spec), host);
	b->head.hostname = jail_plan_add_string(b, host);
	b->head.cwd = jail_plan_add_string(b, cwd);
	for (size_t i = 0; i < argv->n; i++)
		jail_plan_add_arg(b, argv->items[i]);
	set_environment(b, spec);
	tell_box(b, spec);
}

static void set_own_command(const struct run_spec *spec, struct jail_plan_builder *b)
{
	const uint64_t *limits = spec->profile.limits;
	uint64_t timeout_ms = limits[limit_of_time(limits)];

	/* To pid 1 the time begins when it starts the command; the supervisor has the true deadline. */
	if (timeout_ms && spec->box.ready)
		timeout_ms += READY_BOX_MS;
	set_command(spec, &spec->command.argv, spec->command.cwd, timeout_ms, b);
}

static int make_plan(struct run_spec *spec, uint32_t grouped, struct jail_plan_builder *b,
		     struct strlist *watched, struct aisbx_error *e)
{
	bool shift = b->head.order.flags & JAIL_PLAN_SHIFT;
	int r = native_plan_limits(b, spec, grouped, e);

	if (r < 0)
		return r;
	set_own_command(spec, b);
	if (spec->hooks.layers)
		b->head.layers = jail_plan_add_string(b, spec->hooks.layers_dir);
	r = clone_plan(spec, shift, b, watched, e);
	return r == 0 && spec->jail.runtime ? oci_complete_plan(spec, b, e) : r;
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
	tell_box(&b, spec);
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
		if (spec->walls.mounts[i].writable && !spec->walls.mounts[i].device)
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
	if (spec->jail.runtime)
		add_wall(b, "--driver oci");
	if (spec->jail.wasm)
		add_wall(b, "--driver wasm");
	add_wall(b, "system: %s",
		 p->system_writable ? "writable" : "read-only"); /* a file may have changed since */
	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (p->root_caps & (1ULL << cap))
			add_wall(b, "caps: %s", cap_name(cap));
	if (spec->walls.image)
		add_wall(b, "--image %s", spec->walls.image->id);
	if (!p->caches)
		add_wall(b, "--no-caches");
	add_wall(b, "--net %s", net_mode_name(p->net));
	for (size_t i = 0; i < spec->net.rules.n; i++)
		add_wall(b, "--net %s", spec->net.rules.items[i]);
	for (size_t i = 0; i < spec->net.n_injected; i++)
		add_wall(b, "--secret %s,inject=%s", spec->net.injected[i].name, spec->net.injected[i].host);
	add_wall(b, "--seccomp %s", seccomp_preset_name(p->seccomp));
	if (p->seccomp_file)
		add_wall(b, "seccomp: %s", p->seccomp_file);
	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		if (l == LIMIT_MEMORY && p->memory_share)
			add_wall(b, "--mem %u%%", p->memory_share);
		else if (limit_of_box(l))
			add_wall(b, "--%s %llu", limit_option(l), (unsigned long long)p->limits[l]);
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if (spec->walls.without & (1u << w))
			add_wall(b, "--without %s", wall_name(w));
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		add_wall(b, "--%s %s:%s",
			 spec->walls.mounts[i].device     ? "device"
			 : spec->walls.mounts[i].writable ? "rw"
							  : "ro",
			 spec->walls.mounts[i].host, spec->walls.mounts[i].guest);
	for (size_t i = 0; i < spec->walls.hides.n; i++)
		add_wall(b, "--hide %s", spec->walls.hides.items[i]);
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
	return a->data && b->data && a->len == b->len && !memcmp(a->data, b->data, a->len);
}

/* The output is counted outside of the box. */
static bool same_limits(const uint64_t a[LIMIT_COUNT], const uint64_t b[LIMIT_COUNT])
{
	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		if (l != LIMIT_OUTPUT && a[l] != b[l])
			return false;
	return true;
}

/*
 * In the box that stands, if it is to the last byte the one that would be made now. -ESTALE, and E as it was:
 * it is not, and is gone.
 */
static int use_ready(struct run_spec *spec, struct strlist *watched, struct driver_result *ret,
		     struct aisbx_error *e)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { .head.order = make_order(spec) };
	scoped(buf_finish) struct buf plan = { 0 };
	struct ready_box *ready = spec->box.ready;
	const char *method;
	uint32_t grouped = run_held(ready->run, &method);
	int r = make_plan(spec, grouped, &b, watched, e);

	if (r == 0)
		r = jail_plan_encode(&b, &plan, e);
	if (r < 0 || memcmp(&b.head.order, &ready->order, sizeof(ready->order)) != 0 ||
	    !same_limits(spec->limits.held, ready->held) || !same_bytes(&plan, &ready->plan)) {
		ready_box_drop(ready);
		strlist_finish(watched);
		return r < 0 ? r : -ESTALE;
	}
	native_name_holders(spec, ret, grouped, method);
	r = ready_box_use(ready->run, spec, &ret->outcome, e);
	ready->run = NULL;
	ready_box_drop(ready);
	if (r == -ESTALE && !e->code)
		strlist_finish(watched);
	return r;
}

/* RUN has begun, and is freed after an error. */
static int make_ready(struct run_spec *spec, struct run *run, const struct jail_plan_order *order,
		      int plan_fd, struct aisbx_error *e)
{
	struct ready_box *ready = spec->box.ready;
	int r = ready_box_make(run, plan_fd, e);

	if (r < 0)
		return r;
	ready->order = *order;
	memcpy(ready->held, spec->limits.held, sizeof(ready->held));
	ready->run = run;
	return aisbx_refuse(e, AISBX_KIND_CANCELLED, AISBX_AREA_RUN, ECANCELED, "the box is ready");
}

/* The jail makes the namespaces while we draw up the plan: each takes as long as the other. */
static int start(struct run_spec *spec, struct strlist *watched, struct driver_result *ret,
		 struct aisbx_error *e)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { .head.order = make_order(spec) };
	scoped(drop_fd) int plan_fd = -1;
	scoped(buf_finish) struct buf roots = { 0 }, java_roots = { 0 };
	const char *method;
	const struct jail_plan_order order = b.head.order;
	const bool makes_ready = spec->box.ready && spec->box.ready->make;
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
	if (r == 0 && makes_ready)
		r = jail_plan_encode(&b, &spec->box.ready->plan, e);
	if (r == 0)
		r = jail_plan_seal(&b, &plan_fd, e);
	if (r < 0) {
		run_abandon(run);
		return r;
	}
	jail_plan_builder_finish(&b); /* sealed: what it was made of is not needed while the run goes on */
	if (makes_ready)
		return make_ready(spec, run, &order, plan_fd, e);
	native_name_holders(spec, ret, grouped, method);
	return run_supervise(run, plan_fd, &ret->outcome, e);
}

/* A command that joins brings limits of its own; those of the box are what they are, and known only if they
 * were compared. */
static void limit_joined(struct run_spec *spec, struct driver_result *ret)
{
	for (enum limit l = 0; l < LIMIT_COUNT; l++) {
		if (!limit_of_box(l) || l == LIMIT_FILES || l == LIMIT_FILE_SIZE)
			ret->held_by[l] = native_holders[l];
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

/* What the supervisor has to know of the walls, whoever built them. CODE: of the profile's seccomp file, if
 * there is one; it must outlive the run. */
static int fill_jail(struct run_spec *spec, struct buf *code, struct aisbx_error *e)
{
	int r;

	spec->jail = (struct run_jail){ .fd = -1,
					.runtime = spec->jail.runtime,
					.wasm = spec->jail.wasm,
					.told = seccomp_call_told,
					.own = seccomp_call_own };
	if (!spec->profile.seccomp_file || spec->walls.without & WALL_BIT(SECCOMP))
		return 0;
	r = seccomp_file_read(spec->profile.seccomp_file, code, e);
	spec->jail.filter = (const void *)code->data;
	spec->jail.n_filter = code->len / sizeof(*spec->jail.filter);
	return r;
}

static int conclude(struct run_spec *spec, const struct strlist *watched, struct driver_result *result,
		    struct driver_result *ret_result, struct aisbx_error *e)
{
	int r;

	if (result->outcome.files) /* else the walls were never up */
		native_tell_limits(spec, &result->outcome);
	memcpy(result->limits, spec->limits.held, sizeof(result->limits));
	r = violations_describe(result, spec, watched, e);
	if (r == 0)
		*ret_result = *result;
	return r;
}

int native_prepare(struct run_spec *spec, struct aisbx_error *e)
{
	if (spec->walls.without & WALL_BIT(NET) && (spec->profile.net > NET_LOOPBACK || spec->net.publish.n))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"without the wall 'net' the box uses the network of the host, and no rule or "
			"published port of its own holds; leave out --without net, or --net and --publish");
	native_settle_limits(&spec->profile, spec->limits.held);
	return driver_check_project(spec->walls.project, e);
}

int native_run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist watched = { 0 };
	scoped(buf_finish) struct buf walls = { 0 }, code = { 0 };
	scoped(service_list_finish) struct service_list services = { 0 };
	scoped(drop_fd) int jail_fd = -1;
	struct driver_result result = { 0 };
	int r;

	r = fill_jail(spec, &code, e);
	if (r == 0 && (spec->io.live || spec->io.shown))
		r = tell_walls(spec, &walls, e);
	if (r == 0)
		r = make_services(spec, &services, e);
	if (r == 0)
		r = program_open("aisbx-jail", &jail_fd, e);
	spec->jail.fd = jail_fd;
	spec->jail.services = services.items;
	spec->jail.n_services = services.n;
	spec->jail.services_save = something_stays(spec);
	if (r == 0 && spec->box.ready && spec->box.ready->run)
		r = use_ready(spec, &watched, &result, e);
	else if (r == 0)
		r = start(spec, &watched, &result, e);
	if (r == 0)
		r = conclude(spec, &watched, &result, ret_result, e);
	spec->jail = (struct run_jail){ .fd = -1 };
	return r;
}

/* The same for a box whose walls stand. */
int native_join(struct run_spec *spec, int live_fd, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(jail_plan_builder_finish) struct jail_plan_builder b = { .head.order = make_order(spec) };
	scoped(strlist_finish) struct strlist watched = { 0 };
	scoped(buf_finish) struct buf walls = { 0 }, code = { 0 };
	scoped(drop_fd) int plan_fd = -1;
	struct driver_result result = { 0 };
	int r;

	if (spec->net.publish.n)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"the box is live, so this run joins it and cannot publish ports; 'aisbx ports BOX "
			"--publish %s' can",
			spec->net.publish.items[0]);
	r = fill_jail(spec, &code, e);
	limit_joined(spec, &result);
	if (r == 0 && !spec->walls.any)
		r = tell_walls(spec, &walls, e);
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
	.limits = DRIVER_LIMITS,
	.probe = native_probe,
	.prepare = native_prepare,
	.run = native_run,
	.join = native_join,
	.freeze = run_freeze,
	.is_frozen = run_is_frozen,
	.usage = run_ask_status,
	.sweep = cgroup_sweep,
	.is_left = cgroup_is_left,
	.id_shift = native_id_shift,
	.unknown_group = native_unknown_group,
	.hidden_environment = tools_tell_hidden,
};
