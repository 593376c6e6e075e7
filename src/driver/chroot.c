/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver 'chroot', the last resort: for a machine whose kernel has no user namespaces, or whose
 * administrator forbids them. Its root is root of the machine, too, so nobody else can use it, and a defect
 * in any other wall is a way out. The jail builds these others as always; none may be missing that was not
 * given up by name. It is taken only from a person who writes its name.
 */
#include <errno.h>
#include <stdio.h>

#include "base/error.h"
#include "driver/driver.h"
#include "driver/layout.h"
#include "driver/native.h"
#include "sys/sys.h"

#define LACKING WALL_BIT(USERNS)

static int refuse(const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			    "the driver 'chroot' cannot %s; the driver 'native' can", what);
}

static int prepare(struct run_spec *spec, struct aisbx_error *e)
{
	if (!sys_is_real_root())
		return aisbx_refuse(
			e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
			"the driver 'chroot' is for root only: without a user namespace the kernel lets "
			"nobody else change the root directory");
	if (spec->walls.image) /* whose files on disk have ids that are not the box's */
		return refuse("run images", e);
	if (spec->profile.net > NET_LOOPBACK || spec->net.publish.n)
		return refuse("hold rules of the network or publish ports", e);
	if (spec->walls.without & WALL_BIT(CAPS))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
				    "with the driver 'chroot' the capabilities of a box are those of the "
				    "machine's root; leave out --without caps");
	return native_prepare(spec, e);
}

static int run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	uint32_t without = spec->walls.without;
	int r;

	spec->walls.without |= LACKING;
	r = native_run(spec, ret_result, e);
	spec->walls.without = without;
	return r;
}

/* Before every run, whoever asked for it. */
static bool weaker(char *ret, size_t cap)
{
	snprintf(ret, cap,
		 "WARNING: the driver 'chroot' has no wall 'userns': root in this box is root of this "
		 "machine, "
		 "can read every file of root's that it is shown, and a defect in one other wall is enough "
		 "to get "
		 "out; use it only where user namespaces cannot be had");
	return true;
}

const struct driver driver_chroot = {
	.name = "chroot",
	.can = DRIVER_HIDES | DRIVER_SHARES | DRIVER_SERVES | DRIVER_NAMED,
	.walls = WALL_ALL & ~LACKING,
	.gives_up = LACKING,
	.limits = DRIVER_LIMITS,
	.probe = native_probe,
	.prepare = prepare,
	.run = run,
	.freeze = run_freeze,
	.is_frozen = run_is_frozen,
	.usage = run_ask_status,
	.hidden_environment = tools_tell_hidden,
	.weaker = weaker,
};
