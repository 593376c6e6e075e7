/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mounts of host directories with shifted ids. Only real root may make them, so the outer process does, in
 * the order of the plan's operations, and passes each to pid 1 inside.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

static int make_tree(const char *path, bool recursive, int userns_fd, struct aisbx_error *e)
{
	unsigned int deep = recursive ? AT_RECURSIVE : 0;
	scoped(drop_fd) int fd = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | deep);
	int r;

	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -fd, "get '%s'", path);
	r = sys_mount_setattr(fd, "", AT_EMPTY_PATH | deep, MOUNT_ATTR_IDMAP, 0, 0, userns_fd);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r,
				  "shift the ids of '%s' (its file system may not support it)", path);
	return take_fd(&fd);
}

/* Layers lie where only real root may look, and a mount is good only in its own namespace: so all of them as
 * one. */
/* Without return when pid 1 is gone: it has told the supervisor why, better than we could. */
static int send_one(const struct jail *j, const char *word, const int *fd)
{
	int r = sys_send(j->sync, word, 1, fd, fd ? 1 : 0);

	if (r == -EPIPE || r == -ECONNRESET)
		_exit(125);
	return r;
}

/* What was said about it is forgotten. */
static int send_missing(const struct jail *j, struct aisbx_error *e)
{
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return send_one(j, "-", NULL);
}

static int send_layers(const struct jail *j, struct aisbx_error *e)
{
	const char *path = jail_plan_string(j->plan, j->plan->head->layers);
	scoped(drop_fd) int fd = -1;
	int r;

	if (!*path)
		return 0;
	fd = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE);
	r = fd < 0 ? fd : send_one(j, "+", &fd);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "pass '%s' into the box", path) : 0;
}

/* A file system that cannot shift ids is no reason to fail for what the box can be without. */
static bool may_miss(const struct jail_plan_op *op, int r)
{
	return (op->flags & JAIL_PLAN_TRY) || (r == -ENOENT && (op->flags & JAIL_PLAN_OPTIONAL));
}

int jail_send_trees(const struct jail *j, int userns_fd, struct aisbx_error *e)
{
	const struct jail_plan *p = j->plan;

	if (send_layers(j, e) < 0)
		return e->code;
	for (uint32_t i = 0; i < p->head->n_ops; i++) {
		const struct jail_plan_op *op = &p->ops[i];
		scoped(drop_fd) int fd = -1;
		int r;

		if (!(op->flags & JAIL_PLAN_IDMAP) && op->kind != JAIL_PLAN_NODES &&
		    op->kind != JAIL_PLAN_DEVICE)
			continue;
		fd = op->kind == JAIL_PLAN_NODES    ? jail_make_nodes(e)
		     : op->kind == JAIL_PLAN_DEVICE ? jail_make_device(j, op, e)
						    : make_tree(jail_plan_string(p, op->src),
								op->kind == JAIL_PLAN_BIND, userns_fd, e);
		if (op->kind == JAIL_PLAN_NODES || op->kind == JAIL_PLAN_DEVICE ? fd == -EPERM
										: fd < 0 && may_miss(op, fd))
			r = send_missing(j, e);
		else if (fd < 0)
			return fd;
		else
			r = send_one(j, "+", &fd);
		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "pass '%s' into the box",
					  jail_plan_string(p, op->src));
	}
	return 0;
}

int jail_receive_tree(const struct jail *j, struct aisbx_error *e)
{
	int fds[SYS_MAX_FDS];
	char found;
	ssize_t n;

	n = sys_recv(j->sync, &found, 1, fds, 0);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, (int)-n, "receive a mount from the outer process");
	if (n == 0)
		_exit(125); /* the process outside failed and has reported it */
	if (found == '-')
		return -ENOENT;
	if (fds[0] < 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_JAIL, EPROTO,
				    "the outer process sent no mount");
	return fds[0];
}
