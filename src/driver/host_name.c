/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a host name of a box's name, and the list of hosts that has it. */
#include "driver/host_name.h"

#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/scope.h"

/* A longer list is left as it is. */
#define LIST_MAX 65536

static bool is_plain(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

void host_name_of(const char *name, char ret[HOST_NAME_ROOM])
{
	size_t n = 0;

	for (; *name && n < HOST_NAME_ROOM - 1; name++) {
		bool between = n && is_plain(ret[n - 1]);

		if (is_plain(*name))
			ret[n++] = *name;
		else if (between && *name == '.')
			ret[n++] = '.';
		else if (n && ret[n - 1] != '.')
			ret[n++] = '-';
	}
	while (n && !is_plain(ret[n - 1]))
		n--;
	if (!n)
		n = strlen(strcpy(ret, "box"));
	ret[n] = '\0';
}

void host_name_list(const char *host, struct buf *ret)
{
	scoped(drop_fd) int fd = open("/etc/hosts", O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	char part[4096];
	struct stat st;
	ssize_t n;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || st.st_size > LIST_MAX)
		return;
	while ((n = read(fd, part, sizeof(part))) > 0)
		buf_add(ret, part, (size_t)n);
	buf_addf(ret, "%s127.0.1.1\t%s\n", ret->len && ret->data[ret->len - 1] != '\n' ? "\n" : "", host);
}
