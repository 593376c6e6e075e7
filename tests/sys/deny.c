/* SPDX-License-Identifier: Apache-2.0 */
/*
 * deny SYSCALL[:ARG=VALUE] ERRNO ... -- COMMAND: runs COMMAND on a kernel that seems to lack the calls.
 * With :ARG=VALUE only the calls whose argument number ARG (from 0) has that value fail.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif

#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int errno_by_name(const char *name)
{
	for (int err = 1; err < 134; err++) {
		const char *known = strerrorname_np(err);

		if (known && !strcmp(known, name))
			return err;
	}
	/* glibc calls 95 by its other name. */
	return !strcmp(name, "EOPNOTSUPP") ? EOPNOTSUPP : 0;
}

/* WHAT is cut at its colon. */
static int add(scmp_filter_ctx filter, char *what, const char *err_name)
{
	char *condition = strchr(what, ':');
	int err = errno_by_name(err_name), number;
	unsigned long long value;
	unsigned int arg;

	if (condition)
		*condition++ = '\0';
	number = seccomp_syscall_resolve_name(what);
	if (number == __NR_SCMP_ERROR || !err) {
		fprintf(stderr, "deny: unknown: %s %s\n", what, err_name);
		return -EINVAL;
	}
	if (!condition)
		return seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)err), number, 0);
	if (sscanf(condition, "%u=%llu", &arg, &value) != 2)
		return -EINVAL;
	return seccomp_rule_add(filter, SCMP_ACT_ERRNO((uint32_t)err), number, 1,
				SCMP_CMP(arg, SCMP_CMP_EQ, value));
}

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	int at = 1, r = filter ? 0 : -ENOMEM;

	for (; r == 0 && at + 1 < argc && strcmp(argv[at], "--") != 0; at += 2)
		r = add(filter, argv[at], argv[at + 1]);
	if (r == 0 && (at + 1 >= argc || strcmp(argv[at], "--") != 0)) {
		fprintf(stderr, "usage: deny SYSCALL[:ARG=VALUE] ERRNO ... -- COMMAND [ARGUMENT...]\n");
		return 99;
	}
	if (r == 0)
		r = seccomp_load(filter);
	if (r < 0) {
		fprintf(stderr, "deny: %s\n", strerror(-r));
		return 99;
	}
	seccomp_release(filter);
	execvp(argv[at + 1], argv + at + 1);
	fprintf(stderr, "deny: %s: %s\n", argv[at + 1], strerror(errno));
	return 99;
}
