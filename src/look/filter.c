/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Serves the generated table of policies/seccomp/look.rules, in two variants: with a supervisor that waits,
 * and without.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdlib.h>
#include <string.h>

#include "look/look.h"
#include "look_filter.h"

/* What is refused is told to who listens; without anybody the kernel would answer ENOSYS. What is watched is
 * told as well. */
static unsigned int reading(unsigned int action, enum look_hears who)
{
	if (action == SECCOMP_RET_USER_NOTIF)
		return who != LOOK_NOBODY ? SECCOMP_RET_USER_NOTIF : SECCOMP_RET_ERRNO | EPERM;
	return action == SECCOMP_RET_LOG ? SECCOMP_RET_USER_NOTIF : action;
}

struct sock_filter *look_filter(enum look_hears who, unsigned short *ret_count)
{
	bool watched = who == LOOK_WRITES;
	const struct sock_filter *from = watched ? seccomp_filter_look : seccomp_filter_look_quiet;
	size_t n = watched ? sizeof(seccomp_filter_look) : sizeof(seccomp_filter_look_quiet);
	struct sock_filter *code = malloc(n);

	if (!code)
		return NULL;
	memcpy(code, from, n);
	*ret_count = (unsigned short)(n / sizeof(*code));
	for (unsigned short i = 0; i < *ret_count; i++)
		if (code[i].code == (BPF_RET | BPF_K))
			code[i].k = reading(code[i].k, who);
	return code;
}

const char *look_call_name(int nr)
{
	for (size_t i = 0; i < sizeof(seccomp_rules) / sizeof(*seccomp_rules); i++)
		if (seccomp_rules[i].nr == nr)
			return seccomp_rules[i].name;
	return "?";
}
