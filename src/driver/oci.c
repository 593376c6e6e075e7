/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver 'oci': an OCI runtime builds the inner walls. The jail makes outer namespaces and the tree of
 * the box in them, as for the native driver, so layers, limits, network, streams and what is known of a live
 * box are the same; the runtime makes the container, and pid 1 of that is our own again, which measures the
 * walls from inside before a command starts.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "driver/driver.h"
#include "driver/host_name.h"
#include "driver/layout.h"
#include "driver/native.h"
#include "driver/oci_bundle.h"
#include "driver/oci_runtime.h"
#include "run/run.h"

/* What stands behind "oci:". */
static const char *choice_of(const struct run_spec *spec)
{
	const char *name = spec->box.driver ? spec->box.driver : spec->profile.driver;
	const char *colon = name ? strchr(name, ':') : NULL;

	return colon ? colon + 1 : "";
}

/* What the plan would hide in /proc is for the runtime to hide. */
static void collect_proc(const struct jail_plan_builder *b, struct oci_bundle *c)
{
	const struct jail_plan_op *ops = (const void *)b->ops.data;

	for (size_t i = 0; !b->strings.failed && i < b->ops.len / sizeof(*ops); i++) {
		const char *dst = b->strings.data + ops[i].dst;

		if (strncmp(dst, "/proc/", 6) != 0)
			continue;
		if (ops[i].kind == JAIL_PLAN_MASK)
			strlist_add(&c->masked, dst);
		else if (ops[i].kind == JAIL_PLAN_LOCK)
			strlist_add(&c->locked, dst);
	}
}

/* The bit is taken from who can change files of the host itself, as in the jail. */
static uint64_t caps_of(const struct run_spec *spec, const struct jail_plan_builder *b)
{
	uint64_t caps = b->head.keep_caps;

	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].writable && !spec->walls.mounts[i].device)
			caps &= ~(1ULL << CAP_SETFCAP);
	/* Whoever maps the id 0 of around it into a namespace of its own must have it, and loses it by that.
	 */
	return b->head.order.flags & JAIL_PLAN_SHIFT ? caps : caps | 1ULL << CAP_SETFCAP;
}

int oci_complete_plan(const struct run_spec *spec, struct jail_plan_builder *b, struct aisbx_error *e)
{
	scoped(oci_bundle_finish) struct oci_bundle c = { .walls = b->head.order.walls };
	scoped(buf_finish) struct buf text = { 0 };
	char host[HOST_NAME_ROOM];
	int r;

	host_name_of(run_box_name(spec), host);
	c.host = host;
	c.caps = caps_of(spec, b);
	collect_proc(b, &c);
	if (spec->jail.runtime->guest) {
		c.guest = b;
		c.caps = b->head.order.flags & JAIL_PLAN_SHIFT ? spec->profile.root_caps : 0;
	}
	r = c.masked.failed || c.locked.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write config.json")
					       : oci_bundle_write(&c, &text, e);
	if (r == 0)
		jail_plan_set_runtime(b, spec->jail.runtime->words, spec->jail.runtime->words_len, text.data,
				      text.len);
	return r;
}

static int probe(struct driver_here *ret, struct aisbx_error *e)
{
	return native_probe(ret, e);
}

static int prepare(struct run_spec *spec, struct aisbx_error *e)
{
	return native_prepare(spec, e);
}

/* A runtime gets one id from an ordinary user; files of the others would be nobody's. */
static int refuse_subordinates(const struct run_spec *spec, struct aisbx_error *e)
{
	if (!spec->walls.image || !spec->walls.image->sub_uid)
		return 0;
	return aisbx_refuse(
		e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_BOX, EOPNOTSUPP,
		"driver 'oci' has no subordinate ids; use --driver native, or a box with --ids one");
}

/* Walls between a command and the host's kernel, which a command in another kernel never calls. */
#define GUEST_WITHOUT (WALL_BIT(LANDLOCK) | WALL_BIT(CAPS) | WALL_BIT(FDS) | WALL_BIT(SECCOMP))
/* What that kernel needs of memory, and of processes and threads, beside what the command has. */
#define GUEST_MEMORY (128u << 20)
#define GUEST_OTHERS 96u

/* What a command in a kernel of its own cannot have: nothing is started. */
static int check_guest(const struct run_spec *spec, const struct oci_runtime *r, struct aisbx_error *e)
{
	const struct {
		bool asked;
		const char *what;
	} rows[] = {
		{ spec->io.tty, "give the command a terminal (-t)" },
		{ spec->command.services && spec->command.services->n, "run services beside the command" },
		{ spec->profile.net > NET_LOOPBACK,
		  "hold rules of the network; give --net loopback or none" },
		{ spec->net.publish.n, "publish ports" },
		{ spec->walls.without & WALL_BIT(NET), "use the network of the host" },
		{ run_wants_agent(spec), "pass on the ssh agent" },
		{ spec->profile.seccomp_file, "apply the profile's seccomp file" },
		{ spec->limits.held[LIMIT_MEMORY] && spec->limits.held[LIMIT_MEMORY] < GUEST_MEMORY,
		  "hold a limit on memory below 128m" },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].asked)
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
					    "the driver 'oci' with %s cannot %s", r->name, rows[i].what);
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].device)
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
					    "the driver 'oci' with %s cannot show the device '%s'", r->name,
					    spec->walls.mounts[i].guest);
	return 0;
}

static int run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(oci_found_finish) struct oci_found found = { .fd = -1 };
	scoped(buf_finish) struct buf words = { 0 };
	struct run_runtime runtime;
	struct oci_ask ask = { .fd = -1 };
	bool known;
	char version[OCI_VERSION_ROOM];
	uint32_t without = spec->walls.without;
	int r = refuse_subordinates(spec, e);

	if (r == 0)
		r = oci_find(choice_of(spec), &found, e);
	if (r == 0 && found.runtime->guest)
		r = check_guest(spec, found.runtime, e);
	if (r == 0)
		r = oci_words(&found, &words, e);
	if (r < 0)
		return r;
	runtime = (struct run_runtime){
		.fd = found.fd, .words = words.data, .words_len = words.len, .others = 1
	};
	if (found.runtime->guest) {
		runtime.guest = true;
		runtime.others = GUEST_OTHERS;
		spec->walls.without |= GUEST_WITHOUT;
	}
	known = oci_version_recall(spec->box.state_dir, &found, version);
	if (!known)
		oci_ask(&found, &ask);
	spec->jail.runtime = &runtime;
	r = native_run(spec, ret_result, e);
	spec->walls.without = without;
	if (!known) {
		oci_hear(&ask, found.runtime, version);
		oci_version_keep(spec->box.state_dir, &found, version);
	}
	if (r < 0 && found.runtime->remedy && strstr(e->text, "wall 'runtime'"))
		return aisbx_hint(e, "%s", found.runtime->remedy);
	if (r == 0 && found.runtime->guest && ret_result->outcome.started)
		ret_result->own_wall = "gvisor";
	if (r == 0)
		snprintf(ret_result->runtime, sizeof(ret_result->runtime), "%s", version);
	return r;
}

/* The walls stand, whichever runtime built them. */
static int join(struct run_spec *spec, int live_fd, struct driver_result *ret_result, struct aisbx_error *e)
{
	static const struct run_runtime any = { .fd = -1 };
	const struct oci_runtime *named = oci_named(choice_of(spec));

	if (named && named->guest)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			"the box has a kernel of its own, of %s, in which no other command can be "
			"started from outside; start it from the first one, or wait for its end",
			named->name);
	spec->jail.runtime = &any;
	return native_join(spec, live_fd, ret_result, e);
}

const struct driver driver_oci = {
	.name = "oci",
	.can = DRIVER_SNAPSHOTS | DRIVER_HIDES | DRIVER_SHARES | DRIVER_SERVES | DRIVER_RUNTIMES,
	.walls = WALL_ALL,
	.limits = DRIVER_LIMITS,
	.probe = probe,
	.prepare = prepare,
	.run = run,
	.join = join,
	.freeze = run_freeze,
	.is_frozen = run_is_frozen,
	.usage = run_ask_status,
	.id_shift = native_id_shift,
	.hidden_environment = tools_tell_hidden,
};
