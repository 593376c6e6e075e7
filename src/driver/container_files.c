/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A box that stands on an image gets names as containers do: files over those of the image, which go with the
 * run. Where the image has a link on the way, nothing is put.
 */
#include <fcntl.h>

#include "base/io.h"
#include "base/scope.h"
#include "driver/host_name.h"
#include "driver/layout.h"

#define COPY_MAX (64u << 10) /* of a file that is copied into the box */

/* Of the machine that is around it: what its programs are answered by (net/main.c). */
static void add_name_servers(struct layout *l, struct buf *ret)
{
	scoped(drop_fd) int fd = open("/etc/resolv.conf", O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	bool none = !(l->spec->walls.without & WALL_BIT(NET)) && !net_mode_has_rules(l->spec->profile.net);

	if (none || fd < 0 || io_read_all(fd, COPY_MAX, ret) < 0 || ret->len > COPY_MAX)
		ret->len = 0;
	if (!ret->len)
		buf_addf(ret, "# this box has no name server\n");
}

void container_files_add(struct layout *l)
{
	const int flags = JAIL_PLAN_WRITABLE | JAIL_PLAN_OPTIONAL;
	scoped(buf_finish) struct buf list = { 0 }, name = { 0 }, servers = { 0 };
	char host[HOST_NAME_ROOM];

	host_name_of(run_box_name(l->spec), host);
	buf_addf(&list, "127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\n127.0.1.1\t%s\n",
		 host);
	buf_addf(&name, "%s\n", host);
	add_name_servers(l, &servers);
	if (list.failed || name.failed || servers.failed) {
		l->b->strings.failed = true;
		return;
	}
	jail_plan_add_cover(l->b, flags, "/etc/hosts", list.data, list.len);
	jail_plan_add_cover(l->b, flags, "/etc/hostname", name.data, name.len);
	jail_plan_add_cover(l->b, flags, "/etc/resolv.conf", servers.data, servers.len);
}
