/* SPDX-License-Identifier: Apache-2.0 */
/* Takes from a run what the policy of its image does not leave. */
#include "box/image_rules.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/net_options.h"
#include "image/settings.h"
#include "policy/seccomp.h"

static int unknown(const char *what, const char *name, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_POLICY, ENOTSUP,
			    "the policy of the image names the %s '%.64s', which this aisbx does not know, "
			    "so nothing can run in it",
			    what, name);
}

/* "CHOWN", "CAP_CHOWN", in any case. */
static bool find_cap(const char *name, uint64_t *caps)
{
	if (!strncasecmp(name, "cap_", 4))
		name += 4;
	for (unsigned int cap = 0; cap_name(cap); cap++)
		if (!strcasecmp(name, cap_name(cap))) {
			*caps |= 1ULL << cap;
			return true;
		}
	return false;
}

static int read_caps(const struct pseudo_policy *p, uint64_t *ret, struct aisbx_error *e)
{
	*ret = p->has_caps ? 0 : ~0ULL;
	for (size_t i = 0; i < p->caps.n; i++)
		if (!find_cap(p->caps.items[i], ret))
			return unknown("capability", p->caps.items[i], e);
	return 0;
}

static enum net_mode most_net(const struct pseudo_policy *p)
{
	return !p->net || !strcmp(p->net, "any") ? NET_ALLOW_ASK
	       : !strcmp(p->net, "loopback")     ? NET_LOOPBACK
						 : NET_NONE;
}

int image_rules_check(const struct pseudo_policy *p, struct aisbx_error *e)
{
	unsigned int preset;
	uint64_t caps;

	if (p->seccomp && !seccomp_preset_by_name(p->seccomp, &preset))
		return unknown("seccomp preset", p->seccomp, e);
	return read_caps(p, &caps, e);
}

/* Presets are not ordered, except that "default" allows more than any other. */
static int limit_seccomp(const struct pseudo_policy *policy, struct run_spec *spec, struct aisbx_error *e)
{
	struct profile *p = &spec->profile;
	unsigned int preset = 0;

	if (policy->seccomp && !seccomp_preset_by_name(policy->seccomp, &preset))
		return unknown("seccomp preset", policy->seccomp, e);
	if (!preset || p->seccomp == preset)
		return 0;
	if (p->seccomp_file)
		return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_POLICY, ENOTSUP,
				    "the policy of the image asks for the seccomp preset '%s', and the "
				    "profile has the seccomp file '%s'; a run can have one of them, so use "
				    "another profile",
				    policy->seccomp, p->seccomp_file);
	if (p->seccomp)
		return 0;
	p->seccomp = preset;
	if (spec->walls.image)
		spec->walls.image->preset = true;
	return 0;
}

int image_rules_limit(const struct pseudo_policy *policy, struct run_spec *spec, struct aisbx_error *e)
{
	struct profile *p = &spec->profile;
	enum net_mode most = most_net(policy);
	uint64_t caps;
	int r = read_caps(policy, &caps, e);

	if (r == 0)
		r = limit_seccomp(policy, spec, e);
	p->root_caps &= r == 0 ? caps : 0;
	if (p->net > most)
		p->net = most;
	return r;
}

int image_rules_net(const struct pseudo_policy *policy, enum net_mode mode, struct aisbx_error *e)
{
	enum net_mode most = most_net(policy);

	return mode <= most ? 0
			    : aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EACCES,
					   "the policy of the image leaves its boxes %s, and network '%s' "
					   "was asked for",
					   most == NET_NONE ? "no network" : "their own loopback only",
					   net_mode_name(mode));
}

void image_rules_seal(const struct pseudo_policy *policy, struct run_spec *spec)
{
	enum net_mode most = most_net(policy);

	spec->net.no_rules = !net_mode_has_rules(most);
	spec->net.no_ports = most == NET_NONE;
}

int image_rules_keep(struct box_state *s, const char *id, const struct strlist *values, struct aisbx_error *e)
{
	scoped(image_settings_finish) struct image_settings settings = { 0 };
	struct store_image row = { 0 };
	enum net_mode mode = NET_NONE;
	int r = 0;

	if (!id[0] || !values->n)
		return 0;
	r = store_image_find(s->store, id, &row, e);
	if (r == 0)
		r = image_settings_read(row.config, &settings, e);
	store_image_finish(&row);
	if (r == 0)
		r = net_options_read(values, &mode, NULL, e);
	return r < 0 ? r : image_rules_net(&settings.policy, mode, e);
}
