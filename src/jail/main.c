/* SPDX-License-Identifier: Apache-2.0 */
/*
 * aisbx-jail: reads a request and a sealed plan, builds the walls in order, becomes pid 1 of the box. Static,
 * single-threaded, libc only; parses no text; checks everything again.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <linux/sched.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/std_fds.h"
#include "jail/jail.h"
#include "jail/wire.h"
#include "sys/fault.h"
#include "sys/sys.h"

_Noreturn void jail_die(const struct jail *j, const char *step, const struct aisbx_error *e)
{
	struct jail_message m = { .word = JAIL_FAILED, .error = *e };

	snprintf(m.step, sizeof(m.step), "%s", step);
	sys_send(j->control, &m, sizeof(m), NULL, 0);
	_exit(125);
}

/* Inside, in this order. A wall that the plan does not ask for is skipped by its own step. */
static const struct jail_step steps[] = {
	{ "cgroup", jail_enter_groups },
	{ "ids", jail_enter_ids },
	{ "net", jail_network },
	{ "plan", jail_receive_plan }, /* what is above needs only the order */
	{ "uts", jail_host_name },
	{ "stage", jail_make_staging },
	{ "mounts", jail_mounts },
	{ "room", jail_bound_staging },
	{ "root", jail_pivot },
	{ "terminal", jail_terminal },
	{ "decoys", jail_decoys },
	{ "limits", jail_limits },
	{ "landlock", jail_landlock },
	{ "caps", jail_caps },
	{ "descriptors", jail_descriptors },
	{ "reach", jail_reach },
	{ "no-new-privs", jail_no_new_privs },
	{ "seccomp", jail_seccomp }, /* last of the walls: it forbids the steps above */
	{ "measure", jail_measure },
};

/* The same for a box with a runtime: first what is outside of its container, then what its pid 1 adds to it.
 */
static const struct jail_step runtime_steps[] = {
	{ "cgroup", jail_enter_groups }, { "ids", jail_enter_ids },       { "net", jail_network },
	{ "plan", jail_receive_plan },   { "stage", jail_make_staging },  { "mounts", jail_mounts },
	{ "room", jail_bound_staging },  { "runtime", jail_run_runtime },
};

/* And for one whose runtime has a kernel of its own: we stay outside. */
static const struct jail_step guest_steps[] = {
	{ "cgroup", jail_enter_groups }, { "ids", jail_enter_ids },         { "net", jail_network },
	{ "plan", jail_receive_plan },   { "uts", jail_host_name },         { "stage", jail_make_staging },
	{ "mounts", jail_mounts },       { "room", jail_bound_staging },    { "reach", jail_reach },
	{ "runtime", jail_start_guest }, { "measure", jail_measure_guest },
};

static const struct jail_step container_steps[] = {
	{ "handover", jail_receive_handover },
	{ "ids", jail_container_ids },
	{ "terminal", jail_terminal },
	{ "decoys", jail_decoys },
	{ "limits", jail_limits },
	{ "landlock", jail_landlock },
	{ "caps", jail_caps },
	{ "descriptors", jail_descriptors },
	{ "reach", jail_reach },
	{ "seccomp", jail_seccomp },
	{ "measure", jail_measure },
};

static void take(struct jail *j, const struct jail_step *step, size_t n)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	for (; n; n--, step++)
		if (step->run(j, &e) < 0)
			jail_die(j, step->name, &e);
}

#define TAKE(j, list) take(j, list, sizeof(list) / sizeof(*(list)))

static _Noreturn void inside(struct jail *j)
{
	fault_program("init");
	if (j->order.flags & JAIL_PLAN_GUEST) {
		TAKE(j, guest_steps);
		jail_init(j);
	}
	if (j->order.flags & JAIL_PLAN_RUNTIME)
		TAKE(j, runtime_steps); /* does not return */
	TAKE(j, steps);
	jail_init(j);
}

static _Noreturn void in_container(struct jail *j)
{
	fault_program("init");
	TAKE(j, container_steps);
	jail_init(j);
}

/* With shifted ids the maps and the mounts of the host need the real root, who is still out here. */
static int serve_inside(struct jail *j, pid_t pid, struct aisbx_error *e)
{
	char proc[32];
	scoped(drop_fd) int proc_fd = -1;
	scoped(drop_fd) int userns_fd = -1;
	int r;

	snprintf(proc, sizeof(proc), "/proc/%d", (int)pid);
	proc_fd = sys_open(AT_FDCWD, proc, O_PATH | O_DIRECTORY, 0);
	if (proc_fd < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -proc_fd, "open %s", proc);
	r = jail_write_maps(j, proc_fd, e);
	if (r < 0)
		return r;
	userns_fd = sys_open(proc_fd, "ns/user", O_RDONLY, 0);
	if (userns_fd < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -userns_fd, "open the user namespace of the box");
	r = sys_send(j->sync, "", 1, NULL, 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "wake pid 1 of the box");
	r = jail_pass_plan(j, e);
	return r < 0 ? r : jail_send_trees(j, userns_fd, e);
}

/* The errno alone does not tell a person why the kernel refuses; these are the known reasons. */
static int explain_clone(struct aisbx_error *e, int err)
{
	aisbx_fail(e, AISBX_AREA_JAIL, err, "create the namespaces of the box");
	if (err == EPERM || err == EACCES)
		aisbx_hint(e, "user namespaces are disabled or restricted here");
	else if (err == ENOSPC || err == EUSERS)
		aisbx_hint(e, "a limit in /proc/sys/user/max_*_namespaces is 0 or used up");
	else if (err == EINVAL)
		aisbx_hint(e, "this kernel lacks one of the namespaces");
	return aisbx_hint(e, "'aisbx doctor' shows which wall is missing and how to fix it");
}

/* A runtime makes these for its container. */
static uint32_t outer_walls(const struct jail_plan_order *o)
{
	return (o->flags & (JAIL_PLAN_RUNTIME | JAIL_PLAN_GUEST)) == JAIL_PLAN_RUNTIME
		       ? o->walls & ~(WALL_BIT(IPC) | WALL_BIT(UTS))
		       : o->walls;
}

static int go_inside(struct jail *j, struct aisbx_error *e)
{
	/* CLONE_PARENT: pid 1 is the supervisor's child, and this process can go. */
	struct sys_clone how = { .flags = CLONE_PARENT | jail_namespace_flags(outer_walls(&j->order)),
				 .cgroup = j->group };
	struct jail_message m = { .word = JAIL_BORN };
	int pair[2], r;
	pid_t pid;

	r = sys_socketpair(SOCK_SEQPACKET, pair);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "create a socket pair");
	pid = sys_clone_process(&how);
	if (pid < 0)
		return explain_clone(e, -pid);
	if (pid == 0) {
		close(pair[0]);
		j->sync = pair[1];
		inside(j);
	}
	close(pair[1]);
	j->sync = pair[0];
	m.value = pid;
	r = sys_send(j->control, &m, sizeof(m), NULL, 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "send a message to the supervisor");
	if (j->order.flags & JAIL_PLAN_SHIFT)
		return serve_inside(j, pid, e);
	if (j->order.flags & JAIL_PLAN_SUB)
		r = jail_map_subordinates(j, pid, e);
	else
		r = j->order.group ? jail_map_groups(j, pid, e) : 0;
	return r < 0 ? r : jail_pass_plan(j, e);
}

int main(int argc, char **argv)
{
	struct jail j = {
		.control = JAIL_CONTROL_FD,
		.plan_fd = -1,
		.sync = -1,
		.staging = -1,
		.root = -1,
		.layers = -1,
		.empty = -1,
		.notify = -1,
		.tty_master = -1,
		.tty_slave = -1,
		.runtime = -1,
		.again = -1,
		.go = -1,
		.outer_user = -1,
		.group = -1,
		.doors = { -1, -1, -1, -1 },
	};
	struct aisbx_error e = AISBX_ERROR_INIT;
	sigset_t all;

	std_fds_hold();
	fault_program("jail");
	sigfillset(&all); /* pid 1 reads its signals from a descriptor; the command gets a clean mask */
	sigprocmask(SIG_SETMASK, &all, NULL);
	signal(SIGPIPE, SIG_DFL); /* the supervisor ignores it; the command must not inherit that */
	if (argc == 2 && !strcmp(argv[1], JAIL_GUEST_HOOK))
		jail_hook();
	if (argc == 2 && !strcmp(argv[1], JAIL_RUNTIME_WORD)) {
		jail_take_name(argv);
		in_container(&j);
	}
	if (jail_receive_order(&j, &e) < 0) {
		dprintf(STDERR_FILENO, "aisbx-jail: %s\n", e.text);
		jail_die(&j, "order", &e);
	}
	if (jail_copy_itself(&j, &e) < 0 || jail_remember_namespaces(&j, &e) < 0 || go_inside(&j, &e) < 0)
		jail_die(&j, "namespaces", &e);
	_exit(0);
}
