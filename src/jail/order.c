/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the jail gets its instructions: a request, enough to make namespaces, and then the plan. The outer
 * process receives the plan from the supervisor and passes it to pid 1; both check what they use.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/filter.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "jail/jail.h"
#include "jail/wire.h"
#include "sys/sys.h"

int jail_receive_order(struct jail *j, struct aisbx_error *e)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(j->control, &m, sizeof(m), fds, 0);

	if (n == 0)
		_exit(125); /* the supervisor gave up */
	if (n != sizeof(m) || m.word != JAIL_ORDER)
		return aisbx_refuse(
			e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EPROTO,
			"there is no request on descriptor %d; aisbx-jail is started by aisbx, not by hand",
			j->control);
	j->order = m.order;
	j->group = m.value == 1 ? fds[0] : -1;
	for (int i = 0; i < JAIL_MAX_DOORS; i++)
		j->doors[i] = fds[i + (m.value == 1)];
	return jail_plan_check_order(&j->order, e);
}

/* A plan that somebody could still change would be checked in vain. */
static int load(struct jail *j, struct jail_plan *ret_plan, struct aisbx_error *e)
{
	struct stat st;
	void *data;
	int r = sys_memfd_is_sealed(j->plan_fd);

	if (r <= 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EPERM, "the plan is not sealed");
	r = sys_stat(j->plan_fd, "", &st, AT_EMPTY_PATH);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_PLAN, -r, "inspect the plan");
	if (st.st_size <= 0 || st.st_size > JAIL_PLAN_MAX_SIZE)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EBADMSG, "malformed plan: size");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, j->plan_fd, 0);
	if (data == MAP_FAILED)
		return aisbx_fail(e, AISBX_AREA_PLAN, errno, "map the plan");
	return jail_plan_decode(data, (size_t)st.st_size, ret_plan, e);
}

int jail_load_plan(struct jail *j, struct aisbx_error *e)
{
	static struct jail_plan plan;
	int r = load(j, &plan, e);

	if (r < 0)
		return r;
	if (memcmp(&plan.head->order, &j->order, sizeof(j->order)) != 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EBADMSG,
				    "malformed plan: it contradicts the request");
	j->plan = &plan;
	return 0;
}

/* A file right in the place for secrets, and nothing else. */
static bool is_secret(const struct jail_plan *p, const struct jail_plan_op *op)
{
	const char *name = path_below(jail_plan_string(p, op->dst), JAIL_PLAN_SECRETS);

	return op->kind == JAIL_PLAN_FILE && !op->flags && name && *name && !strchr(name, '/');
}

/* A plan for a box whose walls stand: it must agree with them, and cannot add to them. */
int jail_receive_joined(struct jail *j, struct aisbx_error *e)
{
	static const struct jail_plan_rlimit none[JAIL_PLAN_RLIMITS];
	static struct jail_plan plan;
	struct jail_plan_order order;
	int r = load(j, &plan, e);

	if (r < 0)
		return r;
	order = plan.head->order;
	order.flags = (order.flags & ~(uint32_t)JAIL_PLAN_TTY) |
		      (j->order.flags & JAIL_PLAN_TTY); /* a terminal is no wall */
	if (j->nested) { /* nor is who built them; ids are those of the container */
		order.flags |= JAIL_PLAN_RUNTIME;
		order.uid = j->order.uid;
		order.gid = j->order.gid;
		order.group = j->order.group;
	}
	if (memcmp(&order, &j->order, sizeof(order)) != 0 ||
	    plan.head->keep_caps != j->plan->head->keep_caps ||
	    plan.head->n_filter != j->plan->head->n_filter || plan.head->n_more != j->plan->head->n_more ||
	    memcmp(plan.filter, j->plan->filter, plan.head->n_filter * sizeof(*plan.filter)) != 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EPERM,
				    "the walls of the box are different from those of the command");
	for (uint32_t i = 0; i < plan.head->n_ops; i++)
		if (!is_secret(&plan, &plan.ops[i]))
			return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EBADMSG,
					    "malformed plan: more than a command and its secrets");
	if (plan.head->n_rules || memcmp(plan.head->rlimits, none, sizeof(none)) != 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EBADMSG,
				    "malformed plan: more than a command");
	j->order = plan.head->order;
	j->plan = &plan;
	return 0;
}

int jail_receive_plan(struct jail *j, struct aisbx_error *e)
{
	int fds[SYS_MAX_FDS];
	char word;
	ssize_t n;

	n = sys_recv(j->sync, &word, 1, fds, 0);
	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_PLAN, (int)-n, "receive the plan");
	if (n == 0 || fds[0] < 0)
		_exit(125); /* the process outside has no plan and, if that is an error, has reported it */
	j->plan_fd = fds[0];
	j->runtime = fds[1];
	return jail_load_plan(j, e);
}

int jail_pass_plan(struct jail *j, struct aisbx_error *e)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];
	ssize_t n = sys_recv(j->control, &m, sizeof(m), fds, 0);
	int r;

	if (n == 0)
		_exit(125); /* the supervisor gave up */
	if (n != sizeof(m) || m.word != JAIL_PLAN || fds[0] < 0)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_PLAN, EPROTO,
				    "the supervisor sent no plan");
	j->plan_fd = fds[0];
	j->runtime = fds[1];
	r = sys_send(j->sync, "", 1, fds, j->runtime < 0 ? 1 : 2);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "pass the plan to pid 1 of the box");
	return j->order.flags & JAIL_PLAN_SHIFT ? jail_load_plan(j, e) : 0;
}
