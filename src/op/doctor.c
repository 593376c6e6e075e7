/* SPDX-License-Identifier: Apache-2.0 */
/* The operation `doctor`: what this machine can do, and how to get the rest. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "base/value.h"
#include "box/doctor.h"
#include "flow/rego.h"
#include "op/op.h"

static json_t *checks_json(const struct doctor *d)
{
	json_t *list = json_array();

	for (size_t i = 0; i < d->n; i++) {
		const struct doctor_check *c = &d->checks[i];

		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s?, s:b}", "name", c->name, "status",
						      c->status, "detail", c->detail, "fix", c->fix,
						      "refuses", c->refuses));
	}
	return list;
}

static json_t *number_or_null(long n)
{
	return n < 0 ? json_null() : json_integer(n);
}

static json_t *words(const char *list)
{
	json_t *array = json_array();

	while (*list) {
		size_t n = strcspn(list, ",");

		json_array_append_new(array, json_stringn(list, n));
		list += n + (list[n] == ',');
	}
	return array;
}

static json_t *facts(const struct probe_facts *f)
{
	return json_pack("{s:s?, s:b, s:o, s:o, s:o, s:s, s:o, s:o}", "container",
			 f->container[0] ? f->container : NULL, "first_userns", f->first_userns,
			 "max_user_namespaces", number_or_null(f->max_userns),
			 "apparmor_restrict_unprivileged_userns", number_or_null(f->apparmor_userns),
			 "unprivileged_userns_clone", number_or_null(f->userns_clone), "cgroup", f->cgroup,
			 "cgroup_delegated", words(f->delegated), "subuid", words(f->subuid));
}

static json_t *leaks_json(const struct leaks *l)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I, s:I, s:I, s:o, s:o}", "processes",
			 (json_int_t)l->processes, "mounts", (json_int_t)l->mounts, "cgroups",
			 (json_int_t)l->cgroups, "namespaces", (json_int_t)l->namespaces, "files",
			 (json_int_t)l->files, "live_boxes", (json_int_t)l->live_boxes, "dead_runs",
			 (json_int_t)l->dead_runs, "kernel_net_namespaces", number_or_null(l->kernel_nets),
			 "found", value_list_json(&l->found));
}

static int run(struct op_context *ctx, const json_t *args, json_t **ret_result, struct aisbx_error *e)
{
	const bool wants_leaks = op_flag(args, "leaks");
	scoped(doctor_finish) struct doctor d = { 0 };
	const struct probe_facts *f = &d.probe.facts;
	int r = doctor_look(&ctx->by, wants_leaks ? REGO_SCRATCH_DIR : NULL, &d, e);

	if (r < 0)
		return r;
	*ret_result = json_pack("{s:s, s:s, s:s, s:I, s:s, s:b, s:s?, s:o, s:o}", "kernel", f->kernel, "arch",
				f->arch, "user", f->user, "uid", (json_int_t)f->uid, "mode", d.mode,
				"run_will_start", d.starts, "level",
				!d.starts ? NULL
				: d.full  ? "full"
					  : "reduced",
				"checks", checks_json(&d), "facts", facts(f));
	if (!*ret_result)
		return aisbx_fail(e, AISBX_AREA_SYS, ENOMEM, "write the result");
	if (wants_leaks)
		json_object_set_new(*ret_result, "leaks", leaks_json(&d.leaks));
	ctx->exit_status = d.starts && d.leaks.clean ? 0 : 1;
	return 0;
}

static const struct op_param params[] = {
	{ "leaks", 0, OP_FLAG, 0, NULL, "also count what earlier runs left behind" },
	{ .name = NULL },
};

static const struct op_field result_fields[] = {
	{ "kernel", "string", "release of the running kernel" },
	{ "arch", "string", "architecture of the machine" },
	{ "user", "string", "the user running aisbx" },
	{ "uid", "integer", "effective user id" },
	{ "mode", "string",
	  "root: boxes have shifted ids; user: own id only; nested: inside a user namespace" },
	{ "run_will_start", "boolean", "a box was started as a test, and it worked" },
	{ "level", "string|null", "isolation of that box: full, or null if it did not start" },
	{ "checks", "array", "every wall, what is needed to build walls, and last the box that was started" },
	{ "checks[].name", "string", "name of the wall or ability; walls are named as in --without" },
	{ "checks[].status", "string", "ok, missing, or limited: works, but a newer kernel can do more" },
	{ "checks[].detail", "string", "what was tried, with what result" },
	{ "checks[].fix", "string|null", "how to fix it: a command, an option, a version" },
	{ "checks[].refuses", "boolean", "'aisbx run' does not start without it" },
	{ "facts", "object", "what was read, not tried" },
	{ "facts.container", "string|null",
	  "docker, podman or another container that this runs in, if it can be detected" },
	{ "facts.first_userns", "boolean", "not inside another user namespace" },
	{ "facts.max_user_namespaces", "integer|null", "the kernel's limit" },
	{ "facts.apparmor_restrict_unprivileged_userns", "integer|null", "Ubuntu's switch" },
	{ "facts.unprivileged_userns_clone", "integer|null", "Debian's switch" },
	{ "facts.cgroup", "string", "v2, v1, hybrid or none" },
	{ "facts.cgroup_delegated", "array", "controllers that this user may use" },
	{ "facts.subuid", "array", "subordinate ids of this user, START:COUNT" },
	{ "leaks", "object",
	  "only with --leaks: what runs left behind; root counts those of all users, others their own" },
	{ "leaks.processes", "integer", "aisbx-jail processes without a supervisor" },
	{ "leaks.mounts", "integer", "mounts of aisbx in this mount namespace" },
	{ "leaks.cgroups", "integer", "empty cgroups of boxes whose supervisor is gone" },
	{ "leaks.namespaces", "integer", "network namespaces held by these processes" },
	{ "leaks.files", "integer", "layers of killed runs, and directories of killed policy checks" },
	{ "leaks.live_boxes", "integer", "boxes running now; not a leak" },
	{ "leaks.dead_runs", "integer",
	  "runs whose supervisor was killed and that are not in the history yet; not a leak" },
	{ "leaks.kernel_net_namespaces", "integer|null",
	  "network namespaces of the whole machine; null unless root" },
	{ "leaks.found", "array", "descriptions of the leaks; the first 32" },
	{ NULL, NULL, NULL },
};

const struct op op_doctor = {
	.name = "doctor",
	.group = GROUP_SYSTEM,
	.view = VIEW_DOCTOR,
	.first = true,
	.method = "doctor",
	.summary = "Show what this machine supports and how to fix what is missing",
	.about = "Tries every wall of a box separately, then starts a box. For each it shows the result,\n"
		 "how to fix it if it is missing, and whether 'aisbx run' refuses to start because of it.\n"
		 "The exit status is 0 if a run can start, 1 if it cannot.\n\n"
		 "With --leaks it also counts processes, mounts, cgroups, namespaces and files that\n"
		 "earlier runs left behind; the exit status is 1 if there are any. Boxes that are\n"
		 "starting, running or ending are not leaks.",
	.example = "aisbx doctor\n"
		   "aisbx doctor --leaks --json",
	.grant = GRANT_READ, /* it runs `true`, never what a caller says */
	.params = params,
	.result = result_fields,
	.run = run,
};
