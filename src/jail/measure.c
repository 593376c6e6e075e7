/* SPDX-License-Identifier: Apache-2.0 */
/* Verifies every wall with the kernel. The result lists only walls that were verified here. */
#include "jail/jail.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "jail/ns.h"
#include "sys/sys.h"

static void measure_namespaces(struct jail *j)
{
	for (size_t i = 0; i < jail_n_namespaces; i++) {
		struct stat st;
		enum wall w = jail_namespaces[i].wall;

		if (sys_stat(AT_FDCWD, jail_namespaces[i].link, &st, 0) == 0 && st.st_ino != j->outside[w])
			j->measured |= 1u << w;
	}
}

/* Value of "KEY:\t..." in /proc/self/status. */
static unsigned long long status_value(const char *status, const char *key, int base)
{
	const char *at = strstr(status, key);

	return at ? strtoull(at + strlen(key), NULL, base) : ~0ULL;
}

static int measure_status(struct jail *j, struct aisbx_error *e)
{
	static const char *const sets[] = { "\nCapInh:\t", "\nCapPrm:\t", "\nCapEff:\t", "\nCapBnd:\t",
					    "\nCapAmb:\t" };
	scoped(drop_fd) int fd = sys_open(AT_FDCWD, "/proc/self/status", O_RDONLY, 0);
	uint64_t any = 0;
	char text[4096];
	ssize_t n = fd < 0 ? fd : sys_read(fd, text, sizeof(text) - 1);

	if (n < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, (int)-n, "read /proc/self/status");
	text[n] = '\0';
	for (size_t i = 0; i < sizeof(sets) / sizeof(*sets); i++)
		any |= status_value(text, sets[i], 16);
	j->caps = status_value(text, "\nCapEff:\t", 16);
	if (!(any & ~j->plan->head->keep_caps))
		j->measured |= WALL_BIT(CAPS);
	if (status_value(text, "\nNoNewPrivs:\t", 10) == 1)
		j->measured |= WALL_BIT(NNP);
	/* A filter alone is not the wall: others keep a box on its processors, or set-user-id bits in it. */
	if (j->plan->head->n_filter && status_value(text, "\nSeccomp:\t", 10) == SECCOMP_MODE_FILTER)
		j->measured |= WALL_BIT(SECCOMP);
	return 0;
}

/*
 * A namespace id alone does not say that nothing is reachable: ask the routing table by connecting. Before
 * the filter, under which the supervisor is told of every connect, and he cannot hear of it yet.
 */
int jail_reach(struct jail *j, struct aisbx_error *e)
{
	struct sockaddr_in nowhere = { .sin_family = AF_INET, .sin_port = htons(9) };
	scoped(drop_fd) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	(void)e;
	inet_pton(AF_INET, "192.0.2.1",
		  &nowhere.sin_addr); /* TEST-NET-1; a datagram socket sends nothing here */
	j->unreachable = fd >= 0 && connect(fd, (struct sockaddr *)&nowhere, sizeof(nowhere)) < 0 &&
			 errno == ENETUNREACH;
	return 0;
}

static void measure_descriptors(struct jail *j)
{
	scoped(drop_fd) int dir = sys_open(AT_FDCWD, "/proc/self/fd", O_RDONLY | O_DIRECTORY, 0);
	_Alignas(struct sys_dirent) char room[4096];
	ssize_t n = -1;

	while (dir >= 0 && (n = sys_getdents(dir, room, sizeof(room))) > 0)
		for (ssize_t at = 0; at < n;) {
			const struct sys_dirent *entry = (const void *)(room + at);
			int fd = atoi(entry->d_name);

			if (fd > STDERR_FILENO && !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
				return;
			at += entry->d_reclen;
		}
	if (n == 0)
		j->measured |= WALL_BIT(FDS);
}

/* The pivot worked if "/" is not the host's and there is nothing above it. */
static void measure_root(struct jail *j)
{
	struct stat root, up;

	if (sys_stat(AT_FDCWD, "/", &root, 0) == 0 && sys_stat(AT_FDCWD, "/..", &up, 0) == 0 &&
	    root.st_dev == up.st_dev && root.st_ino == up.st_ino && root.st_dev != j->outside_root)
		j->measured |= WALL_BIT(ROOT);
}

int jail_require_walls(struct jail *j, struct aisbx_error *e)
{
	uint32_t missing = j->order.walls & ~j->measured;

	j->measured &= j->order.walls; /* one that was given up is not claimed, whatever is there by chance */
	for (enum wall w = 0; w < WALL_COUNT; w++)
		if (missing & (1u << w))
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPERM,
					    "the wall '%s' was built, but a check shows that it is not there",
					    wall_name(w));
	return 0;
}

int jail_measure(struct jail *j, struct aisbx_error *e)
{
	int r;

	measure_namespaces(j);
	r = measure_status(j, e);
	if (r < 0)
		return r;
	if (!j->unreachable)
		j->measured &= ~WALL_BIT(NET);
	measure_descriptors(j);
	measure_root(j);
	return jail_require_walls(j, e);
}
