/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How the jail learns what to do: an order, enough to make namespaces, and then the plan. The process
 * outside takes the plan from the supervisor and passes it on to pid 1; whoever acts on it checks it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/jail.h"
#include "jail/wire.h"
#include "sys/sys.h"

int jail_receive_order(struct jail *j, struct aisbx_error *e)
{
	struct jail_message m;
	int fds[SYS_MAX_FDS];

	if (sys_recv(j->control, &m, sizeof(m), fds, 0) != sizeof(m) || m.word != JAIL_ORDER)
		return aisbx_refuse(e, AISBX_AREA_PLAN, EPROTO,
				    "no order on descriptor %d; aisbx-jail is started by aisbx, not by hand", j->control);
	j->order = m.order;
	return plan_check_order(&j->order, e);
}

/* A plan that somebody could still change would be checked in vain. */
static int load(struct jail *j, struct aisbx_error *e)
{
	static struct plan plan;
	struct stat st;
	void *data;
	int r = sys_memfd_is_sealed(j->plan_fd);

	if (r <= 0)
		return aisbx_refuse(e, AISBX_AREA_PLAN, EPERM, "the plan is not sealed");
	r = sys_stat(j->plan_fd, "", &st, AT_EMPTY_PATH);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_PLAN, -r, "look at the plan");
	if (st.st_size <= 0 || st.st_size > PLAN_MAX_SIZE)
		return aisbx_refuse(e, AISBX_AREA_PLAN, EBADMSG, "malformed plan: size");
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, j->plan_fd, 0);
	if (data == MAP_FAILED)
		return aisbx_fail(e, AISBX_AREA_PLAN, errno, "map the plan");
	r = plan_decode(data, (size_t)st.st_size, &plan, e);
	if (r < 0)
		return r;
	if (memcmp(&plan.head->order, &j->order, sizeof(j->order)) != 0)
		return aisbx_refuse(e, AISBX_AREA_PLAN, EBADMSG, "malformed plan: it contradicts the order");
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
	return load(j, e);
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
		return aisbx_refuse(e, AISBX_AREA_PLAN, EPROTO, "no plan came from the supervisor");
	j->plan_fd = fds[0];
	r = sys_send(j->sync, "", 1, &j->plan_fd, 1);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "pass the plan to pid 1 of the box");
	return j->order.flags & PLAN_SHIFT ? load(j, e) : 0;
}
