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

static int run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	scoped(oci_found_finish) struct oci_found found = { .fd = -1 };
	scoped(buf_finish) struct buf words = { 0 };
	struct run_runtime runtime;
	struct oci_ask ask = { .fd = -1 };
	bool known;
	char version[OCI_VERSION_ROOM];
	int r = refuse_subordinates(spec, e);

	if (r == 0)
		r = oci_find(choice_of(spec), &found, e);
	if (r == 0)
		r = oci_words(&found, &words, e);
	if (r < 0)
		return r;
	runtime = (struct run_runtime){ .fd = found.fd, .words = words.data, .words_len = words.len };
	known = oci_version_recall(spec->box.state_dir, &found, version);
	if (!known)
		oci_ask(&found, &ask);
	spec->jail.runtime = &runtime;
	r = native_run(spec, ret_result, e);
	if (!known) {
		oci_hear(&ask, found.runtime, version);
		oci_version_keep(spec->box.state_dir, &found, version);
	}
	if (r < 0 && found.runtime->remedy && strstr(e->text, "wall 'runtime'"))
		return aisbx_hint(e, "%s", found.runtime->remedy);
	if (r == 0)
		snprintf(ret_result->runtime, sizeof(ret_result->runtime), "%s", version);
	return r;
}

/* The walls stand, whichever runtime built them. */
static int join(struct run_spec *spec, int live_fd, struct driver_result *ret_result, struct aisbx_error *e)
{
	static const struct run_runtime any = { .fd = -1 };

	spec->jail.runtime = &any;
	return native_join(spec, live_fd, ret_result, e);
}

const struct driver driver_oci = {
	.name = "oci",
	.can = DRIVER_SNAPSHOTS | DRIVER_HIDES | DRIVER_SHARES | DRIVER_SERVES | DRIVER_RUNTIMES,
	.walls = WALL_ALL,
	.limits = (1u << LIMIT_COUNT) - 1,
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
