/* SPDX-License-Identifier: Apache-2.0 */
/* The network of a run: mode, rules and published ports, of its profile, its box, its options and its image.
 */
#include "box/spec_parts.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/image_rules.h"
#include "box/injected.h"
#include "box/net_live.h"
#include "box/net_options.h"
#include "box/owner.h"

/* Whether a person has said a mode. */
static bool names_mode(const struct strlist *values)
{
	enum net_mode ignored;

	for (size_t i = 0; i < values->n; i++)
		if (net_mode_by_name(values->items[i], &ignored))
			return true;
	return false;
}

/* Secrets that are injected need a network, unless somebody said that there is none. */
static int turn_on(const struct run_options *w, const struct strlist *of_box, enum net_mode *mode,
		   struct aisbx_error *e)
{
	if (net_mode_has_rules(*mode))
		return 0;
	if (!w->no_net && !names_mode(of_box) && !names_mode(&w->net)) {
		*mode = NET_ALLOW;
		return 0;
	}
	for (size_t i = 0; i < w->secret.n; i++)
		if (strstr(w->secret.items[i], ",inject="))
			return aisbx_refuse(
				e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
				"--secret with 'inject' needs a network, and --net %s leaves none",
				net_mode_name(*mode));
	return 0;
}

/* Of the box, then of the options; --no-net and modes without rules leave none. */
int spec_net(const struct caller *by, const struct run_options *w, const struct pseudo_policy *policy,
	     struct run_spec *spec, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist of_box = { 0 }, rules = { 0 }, injected = { 0 };
	scoped(drop_mem) char *dir = spec->box.id[0] && !spec->box.exec ? box_state_dir(e) : NULL;
	enum net_mode *mode = &spec->profile.net;
	int r;

	*mode = spec->origin->rules.profile.net;
	r = image_rules_limit(policy, spec, e);
	if (r == 0 && spec->box.id[0] && !spec->box.exec)
		r = dir ? box_net_read(dir, spec->box.id, &of_box, e) : e->code;
	if (r == 0)
		r = net_options_read(&of_box, mode, &rules, e);
	if (r == 0)
		r = net_options_read(&w->net, mode, &rules, e);
	if (w->no_net)
		*mode = NET_NONE;
	if (r == 0)
		r = box_injected_rules(&spec->secrets.specs, &injected, e);
	if (r == 0 && injected.n)
		r = turn_on(w, &of_box, mode, e);
	if (r == 0)
		r = image_rules_net(policy, *mode, e);
	if (r == 0)
		r = net_options_fill(by, &rules, spec, e);
	for (size_t i = 0; r == 0 && i < injected.n && net_mode_has_rules(*mode); i++)
		r = net_options_need(spec, injected.items[i], e);
	return r;
}

/* The box of another run has its network; who wants more ports of it asks for them. */
int spec_publish(struct run_spec *spec, const struct run_options *w, const struct pseudo_policy *policy,
		 struct aisbx_error *e)
{
	image_rules_seal(policy, spec);
	if (w->publish.n && spec->net.no_ports)
		return image_rules_net(policy, NET_LOOPBACK, e);
	for (size_t i = 0; i < w->publish.n; i++) {
		struct net_port p;
		int r = net_publish_read(w->publish.items[i], &p, e);

		if (r < 0)
			return r;
		strlist_addf(&spec->net.publish, "%u:%u", p.host, p.box);
	}
	return spec->net.publish.failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "publish ports") : 0;
}
