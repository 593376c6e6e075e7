/* SPDX-License-Identifier: Apache-2.0 */
/* The profile of a run: found, and changed where its options ask for it. */
#include "box/spec_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/net_options.h"
#include "policy/seccomp.h"

/* Kept of each stream for a result when the caller does not say: what a program can still read
 * in one piece. */
#define CAPTURE_BYTES (4u << 20)

static int set_limits(const struct run_options *w, uint64_t *limits, struct aisbx_error *e)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < n_profile_limits; i++) {
		const struct profile_limit *l = &profile_limits[i];

		if (!(w->limited & (1u << l->limit)))
			continue;
		limits[l->limit] = w->limits[l->limit];
		r = profile_limit_check(l, limits[l->limit], e);
	}
	return r;
}

const char *run_profile_ref(const struct caller *by, const char *option, const char *of_box,
			    const char **ret_from)
{
	static const char variable[] = "AISBX_PROFILE=";

	*ret_from = option ? "option" : of_box ? "box" : "variable";
	for (size_t i = 0; !option && !of_box && by->env && by->env[i]; i++)
		if (!strncmp(by->env[i], variable, strlen(variable)) && by->env[i][strlen(variable)])
			return by->env[i] + strlen(variable);
	if (!option && !of_box)
		*ret_from = "default";
	return option ? option : of_box ? of_box : "dev";
}

int run_profile_options(const struct run_options *w, struct profile *p, struct aisbx_error *e)
{
	int r = net_options_read(&w->net, &p->net, NULL, e);

	if (r < 0)
		return r;
	if (w->seccomp && !seccomp_preset_by_name(w->seccomp, &p->seccomp))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "there is no seccomp preset '%s'", w->seccomp);
	if (p->seccomp && p->seccomp_file)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				    "the profile has the seccomp file '%s', which goes with --seccomp "
				    "default only; omit --seccomp",
				    p->seccomp_file);
	if (w->secret_files)
		p->plain_secret_files = !strcmp(w->secret_files, "plain");
	if (w->no_net)
		p->net = NET_NONE;
	if (w->no_caches)
		p->caches = false;
	if (w->tty && !w->tty_by_itself && !w->detach)
		p->limits[LIMIT_WALL_TIME] = 0; /* a person sits there */
	if (w->limited & (1u << LIMIT_MEMORY))
		p->memory_share = 0; /* also for 0: none */
	if (w->limited & (1u << LIMIT_FILES))
		p->files_at_once = true;
	return set_limits(w, p->limits, e);
}

/* A model may choose a profile, but none that allows more than what it would get otherwise. */
static int check_stricter(const struct caller *by, const struct run_options *w, const char *of_box,
			  const struct box_profile *chosen, struct aisbx_error *e)
{
	scoped(box_profile_finish) struct box_profile holds = { 0 };
	const char *from;
	int r;

	if (!w->stricter || !w->profile)
		return 0;
	r = box_profile_load(run_profile_ref(by, NULL, of_box, &from), by->cwd, w->lang, &holds, e);
	if (r < 0 || box_profile_is_within(chosen, &holds))
		return r;
	return aisbx_refuse(
		e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
		"the profile '%s' allows more than '%s', which holds here; only a person can choose it",
		chosen->ref, holds.ref);
}

int spec_profile(const struct caller *by, const struct run_options *w, const char *of_box,
		 struct run_spec *spec, struct aisbx_error *e)
{
	struct profile *p = &spec->profile;
	const char *from;
	int r;

	spec->origin = calloc(1, sizeof(*spec->origin));
	if (!spec->origin)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "load the profile");
	r = box_profile_load(run_profile_ref(by, w->profile, of_box, &from), by->cwd, w->lang, spec->origin,
			     e);
	if (r < 0)
		return r;
	r = check_stricter(by, w, of_box, spec->origin, e);
	if (r < 0)
		return r;
	*p = spec->origin->rules.profile;
	if (of_box || spec->box.exec)
		p->limits[LIMIT_LIFETIME] = 0; /* its own began when it was made */
	if (by->out_fds[0] < 0 && p->limits[LIMIT_OUTPUT] > CAPTURE_BYTES)
		p->limits[LIMIT_OUTPUT] = CAPTURE_BYTES;
	return run_profile_options(w, p, e);
}
