/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the generated table of policies/seccomp/default.rules. */
#include "policy/seccomp.h"

#include <linux/filter.h>
#include <stdbool.h>

#include "seccomp_filters.h"

const struct sock_filter *seccomp_code(size_t *ret_count)
{
	*ret_count = SECCOMP_FILTER_COUNT;
	return seccomp_filter;
}

static const struct syscall_rule *find(int nr)
{
	for (size_t i = 0; i < sizeof(seccomp_rules) / sizeof(*seccomp_rules); i++)
		if (seccomp_rules[i].nr == nr)
			return &seccomp_rules[i];
	return NULL;
}

const char *seccomp_call_name(int nr)
{
	const struct syscall_rule *rule = find(nr);

	return rule ? rule->name : "?";
}

const char *seccomp_call_reason(int nr)
{
	const struct syscall_rule *rule = find(nr);

	return rule ? rule->reason : "not on the allowlist";
}
