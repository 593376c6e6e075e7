/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a box keeps of --net, adds to it or takes from it, and writes it back as a whole. */
#include "box/net_kept.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "box/box.h"
#include "box/image_rules.h"
#include "box/net_options.h"
#include "box/owner.h"
#include "policy/egress_presets.h"

/* Whether VALUE, one that the box has, is among WANTED, in whatever form. A part of a preset is not. */
static bool is_wanted(const char *value, const struct strlist *wanted)
{
	scoped(strlist_finish) struct strlist own = { 0 };
	struct aisbx_error ignored = AISBX_ERROR_INIT;

	if (strlist_has(wanted, value))
		return true;
	if (egress_expand(value, &own, &ignored) < 0 || own.n != 1)
		return false;
	for (size_t i = 0; i < wanted->n; i++) {
		scoped(strlist_finish) struct strlist other = { 0 };

		if (egress_expand(wanted->items[i], &other, &ignored) == 0 &&
		    strlist_has(&other, own.items[0]))
			return true;
	}
	return false;
}

/* A mode without rules ends where there is one. */
static bool stays(const char *value, const struct strlist *values, bool on)
{
	enum net_mode mode;

	if (net_mode_by_name(value, &mode))
		return !on || !values->n || net_mode_has_rules(mode);
	return !is_wanted(value, values);
}

static int change(const struct strlist *old, const struct strlist *values, bool on, struct strlist *ret,
		  bool *ret_changed, struct aisbx_error *e)
{
	for (size_t i = 0; i < old->n; i++)
		if (stays(old->items[i], values, on))
			strlist_add(ret, old->items[i]);
		else
			*ret_changed = true;
	for (size_t i = 0; on && i < values->n; i++) {
		strlist_add(ret, values->items[i]);
		*ret_changed = true;
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "change the rules of a box") : 0;
}

/* Not modes. */
static int expand(const struct strlist *values, struct strlist *ret, struct aisbx_error *e)
{
	enum net_mode mode;
	int r = 0;

	for (size_t i = 0; r == 0 && i < values->n; i++)
		if (!net_mode_by_name(values->items[i], &mode))
			r = egress_expand(values->items[i], ret, e);
	return r;
}

int net_kept_change(const char *key, const struct strlist *values, bool on, struct strlist *ret,
		    bool *ret_changed, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist old = { 0 }, now = { 0 };
	scoped(box_state_close) struct box_state state = { 0 };
	scoped(store_box_finish) struct store_box box = { 0 };
	int r = box_state_open(&state, e);

	*ret_changed = false;
	if (r == 0)
		r = box_find(&state, key, &box, e);
	if (r == 0)
		r = box_net_read(state.dir, box.id, &old, e);
	if (r == 0)
		r = change(&old, values, on, &now, ret_changed, e);
	if (r == 0)
		r = expand(&now, ret, e);
	if (r == 0 && on)
		r = image_rules_keep(&state, box.image, &now, e);
	if (r == 0 && *ret_changed)
		r = box_net_keep(state.dir, box.id, &now, e);
	return r;
}
