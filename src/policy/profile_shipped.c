/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the shipped profiles, which were compiled in from profiles/. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "policy/profile.h"
#include "profile_tables.h"

const size_t n_profile_shipped = sizeof(profile_shipped) / sizeof(*profile_shipped);

const struct profile_layer *profile_shipped_by_name(const char *name)
{
	for (size_t i = 0; i < n_profile_shipped; i++)
		if (!strcmp(profile_shipped[i].name, name))
			return &profile_shipped[i];
	return NULL;
}

int profile_shipped_rules(const char *name, struct profile_rules *ret_rules, struct aisbx_error *e)
{
	const struct profile_layer *chain[PROFILE_MAX_CHAIN], *l = profile_shipped_by_name(name);
	size_t n = 0;

	if (!l)
		return aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_POLICY, ENOENT,
				    "there is no shipped profile '%s'", name);
	for (; l && n < PROFILE_MAX_CHAIN;
	     l = profile_base_of(l) ? profile_shipped_by_name(profile_base_of(l)) : NULL)
		chain[n++] = l;
	return profile_fold(chain, n, NULL, ret_rules, e);
}
