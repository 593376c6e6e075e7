/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes config.json. Some things are not in it on purpose, because pid 1 of the container, which is ours,
 * does them when the runtime is gone: rlimits and Landlock would be in the way of the runtime itself, and the
 * filter for system calls is the same compiled one as everywhere, with a listener that says what it refuses.
 * Limits of the whole box are those of the control group that it is in already.
 */
#include "driver/oci_bundle.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "jail/plan.h"
#include "policy/profile.h"

void oci_bundle_finish(struct oci_bundle *c)
{
	strlist_finish(&c->masked);
	strlist_finish(&c->locked);
}

static json_t *cap_list(uint64_t caps)
{
	json_t *list = json_array();

	for (unsigned int cap = 0; cap_name(cap); cap++) {
		char text[48];
		int n = snprintf(text, sizeof(text), "CAP_%s", cap_name(cap));

		for (int i = 0; i < n && i < (int)sizeof(text) - 1; i++)
			text[i] = (char)toupper((unsigned char)text[i]);
		if (caps & (1ULL << cap))
			json_array_append_new(list, json_string(text));
	}
	return list;
}

/* Strings of a plan, by their offsets. */
static json_t *strings(const struct jail_plan_builder *b, const struct buf *offsets)
{
	json_t *list = json_array();

	for (size_t i = 0; i < offsets->len / sizeof(uint32_t); i++) {
		uint32_t at;

		memcpy(&at, offsets->data + i * sizeof(at), sizeof(at));
		/* Bytes that are no UTF-8 cannot be told in JSON: the caller refuses. */
		if (json_array_append_new(list, json_string(b->strings.data + at)) < 0) {
			json_decref(list);
			return NULL;
		}
	}
	return list;
}

/* Those that a kernel which is not the host's can hold. */
static json_t *rlimits(const struct jail_plan_builder *b)
{
	static const struct {
		int resource;
		const char *name;
	} rows[] = { { RLIMIT_NOFILE, "RLIMIT_NOFILE" },
		     { RLIMIT_FSIZE, "RLIMIT_FSIZE" },
		     { RLIMIT_CORE, "RLIMIT_CORE" },
		     { RLIMIT_CPU, "RLIMIT_CPU" } };
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct jail_plan_rlimit *l = &b->head.rlimits[rows[i].resource];

		if (l->set)
			json_array_append_new(list,
					      json_pack("{s:s, s:I, s:I}", "type", rows[i].name, "hard",
							(json_int_t)l->hard, "soft", (json_int_t)l->soft));
	}
	return list;
}

/* The command itself. */
static json_t *guest_process(const struct oci_bundle *c)
{
	const struct jail_plan_builder *b = c->guest;
	const struct jail_plan_user *u = &b->head.user;
	json_t *args = strings(b, &b->args), *env = strings(b, &b->env), *groups = json_array();

	for (uint32_t i = 0; u->set && i < u->n_groups; i++)
		json_array_append_new(groups, json_integer(u->groups[i]));
	return json_pack("{s:b, s:{s:I, s:I, s:o}, s:o, s:o, s:s, s:b, s:o, s:{s:o, s:o, s:o, s:[], s:[]}}",
			 "terminal", 0, "user", "uid", (json_int_t)(u->set ? u->uid : 0), "gid",
			 (json_int_t)(u->set ? u->gid : 0), "additionalGids", groups, "args", args, "env",
			 env, "cwd", b->strings.data + b->head.cwd, "noNewPrivileges", 1, "rlimits",
			 rlimits(b), "capabilities", "bounding", cap_list(c->caps), "effective",
			 cap_list(c->caps), "permitted", cap_list(c->caps), "inheritable", "ambient");
}

static json_t *process(const struct oci_bundle *c)
{
	if (c->guest)
		return guest_process(c);
	return json_pack("{s:b, s:{s:i, s:i}, s:[s, s], s:[s], s:s, s:b, s:{s:o, s:o, s:o, s:[], s:[]}}",
			 "terminal", 0, "user", "uid", 0, "gid", 0, "args", JAIL_RUNTIME_INIT,
			 JAIL_RUNTIME_WORD, "env", "PATH=/usr/bin:/bin", "cwd", "/", "noNewPrivileges",
			 (c->walls & WALL_BIT(NNP)) != 0, "capabilities", "bounding", cap_list(c->caps),
			 "effective", cap_list(c->caps), "permitted", cap_list(c->caps), "inheritable",
			 "ambient");
}

/*
 * The others are made around the container: of users, so that the runtime needs no right of the host's root;
 * of the network, for the broker; of control groups.
 */
static json_t *namespaces(const struct oci_bundle *c)
{
	static const struct {
		uint32_t wall;
		const char *type;
	} rows[] = { { WALL_BIT(PID), "pid" },
		     { WALL_BIT(MOUNT), "mount" },
		     { WALL_BIT(IPC), "ipc" },
		     { WALL_BIT(UTS), "uts" } };
	json_t *list = json_array();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (c->walls & rows[i].wall)
			json_array_append_new(list, json_pack("{s:s}", "type", rows[i].type));
	if (c->guest)
		json_array_append_new(list, json_pack("{s:s}", "type", "network"));
	return list;
}

/* All but /proc is there already. /dev is named so that the runtime leaves it as it is. */
static json_t *mounts(void)
{
	return json_pack("[{s:s, s:s, s:s, s:[s, s, s]}, {s:s, s:s, s:s, s:[s]}]", "destination", "/proc",
			 "type", "proc", "source", "proc", "options", "nosuid", "noexec", "nodev",
			 "destination", "/dev", "type", "bind", "source", JAIL_RUNTIME_ROOT "/dev", "options",
			 "rbind");
}

/* That kernel has a /tmp of its own unless it is named; its /dev, /proc and /sys are its own. */
static json_t *guest_mounts(void)
{
	return json_pack("[{s:s, s:s, s:s}, {s:s, s:s, s:s, s:[s]}]", "destination", "/proc", "type", "proc",
			 "source", "proc", "destination", "/tmp", "type", "bind", "source",
			 JAIL_RUNTIME_ROOT "/tmp", "options", "rbind");
}

static json_t *hooks(void)
{
	return json_pack("{s:[{s:s, s:[s, s]}]}", "createRuntime", "path",
			 JAIL_RUNTIME_BUNDLE "/" JAIL_GUEST_HOOK, "args", "aisbx-jail", JAIL_GUEST_HOOK);
}

int oci_bundle_write(const struct oci_bundle *c, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *text = NULL;
	json_t *linux_part =
		json_pack("{s:o, s:o, s:o}", "namespaces", namespaces(c), "maskedPaths",
			  value_list_json(&c->masked), "readonlyPaths", value_list_json(&c->locked));
	json_t *all;

	all = json_pack("{s:s, s:o, s:{s:s, s:b}, s:o, s:o}", "ociVersion", "1.0.2", "process", process(c),
			"root", "path", JAIL_RUNTIME_ROOT, "readonly", 0, "mounts",
			c->guest ? guest_mounts() : mounts(), "linux", linux_part);
	if (all && (c->walls & WALL_BIT(UTS)))
		json_object_set_new(all, "hostname", json_string(c->host));
	if (all && c->guest)
		json_object_set_new(all, "hooks", hooks());
	text = all ? json_dumps(all, JSON_COMPACT) : NULL;
	json_decref(all);
	if (!text && c->guest)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EILSEQ,
			"a word of the command or a variable is not UTF-8, and cannot be given to this "
			"runtime");
	if (!text)
		return aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the runtime's config.json");
	buf_add(ret, text, strlen(text));
	return ret->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the runtime's config.json") : 0;
}
