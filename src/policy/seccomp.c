/* SPDX-License-Identifier: Apache-2.0 */
/* Serves the generated tables of policies/seccomp. */
#include "policy/seccomp.h"

#include <linux/filter.h>
#include <string.h>

#include "seccomp_filters.h"

const char *const seccomp_preset_names[] = { "default", "python", "javascript", "shell", "go",
					     "rust",    "java",   "c",          "wasm",  NULL };
_Static_assert(sizeof(seccomp_preset_names) / sizeof(*seccomp_preset_names) == SECCOMP_PRESETS + 1,
	       "as many as were compiled");

bool seccomp_preset_by_name(const char *name, unsigned int *ret_preset)
{
	for (unsigned int i = 0; i < SECCOMP_PRESETS; i++)
		if (!strcmp(seccomp_presets[i].name, name)) {
			*ret_preset = i;
			return true;
		}
	return false;
}

const char *seccomp_preset_name(unsigned int preset)
{
	return seccomp_presets[preset].name;
}

const struct sock_filter *seccomp_code(unsigned int preset, size_t *ret_count)
{
	*ret_count = seccomp_presets[preset].count;
	return seccomp_presets[preset].code;
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

/* Whether default.rules would let a program make the call, with some arguments at least. */
static bool allowed_by_default(const struct syscall_rule *rule)
{
	return rule->verdict == SYSCALL_ALLOW || rule->verdict == SYSCALL_TELL ||
	       rule->verdict == SYSCALL_OWN || rule->exceptions;
}

bool seccomp_preset_is_why(unsigned int preset, int nr)
{
	const struct syscall_rule *rule = find(nr);

	return rule && allowed_by_default(rule) && !(rule->chosen & (1u << preset));
}

const char *seccomp_call_reason(unsigned int preset, int nr)
{
	const struct syscall_rule *rule = find(nr);

	if (seccomp_preset_is_why(preset, nr))
		return "not needed for building, testing and running programs of this kind";
	return rule ? rule->reason : "not on the allowlist";
}

bool seccomp_call_told(unsigned int preset, int nr)
{
	const struct syscall_rule *rule = find(nr);

	return rule && rule->verdict == SYSCALL_TELL && rule->chosen & (1u << preset);
}

bool seccomp_call_own(unsigned int preset, int nr)
{
	const struct syscall_rule *rule = find(nr);

	return rule && rule->verdict == SYSCALL_OWN && rule->chosen & (1u << preset);
}

unsigned int seccomp_preset_calls(unsigned int preset)
{
	unsigned int n = 0;

	for (size_t i = 0; i < sizeof(seccomp_rules) / sizeof(*seccomp_rules); i++)
		n += allowed_by_default(&seccomp_rules[i]) && seccomp_rules[i].chosen & (1u << preset);
	return n;
}
