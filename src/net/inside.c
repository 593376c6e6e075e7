/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the gateway, then opens sockets on request until the other half is gone. */
#include "net/inside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "net/broker.h"
#include "net/wall.h"
#include "sys/link.h"
#include "sys/sys.h"

#define BACKLOG 4096

static const struct link_address box_addresses[] = {
	{ AF_INET, INSIDE_BOX, 29 },
	{ AF_INET6, { 0xfd, 0xa1, 0x5b, [15] = 2 }, 64 },
};
static const struct link_address gateway_addresses[] = {
	{ AF_INET, INSIDE_GATEWAY, 29 },
	{ AF_INET6, { 0xfd, 0xa1, 0x5b, [15] = 1 }, 64 },
};

struct inside {
	int socket;
	int box, gateway; /* namespaces; gateway is -1 if there is none */
};

/* A kernel without IPv6 has one family less to get out by. */
static bool is_absent(const struct link_address *a, int err)
{
	return a->family == AF_INET6 && (err == -EOPNOTSUPP || err == -EAFNOSUPPORT || err == -EACCES);
}

static int make_box_side(int gateway_ns)
{
	int r = link_make_pair("eth0", "box", gateway_ns);

	for (size_t i = 0; r == 0 && i < 2; i++) {
		r = link_add_address("eth0", &box_addresses[i]);
		if (r == 0 && i == 0)
			r = link_up("eth0");
		if (r == 0)
			r = link_add_default("eth0", &gateway_addresses[i]);
		r = is_absent(&box_addresses[i], r) ? 0 : r;
	}
	return r;
}

static int make_gateway_side(void)
{
	int r = link_up("lo");

	if (r == 0)
		r = link_up("box");
	for (size_t i = 0; r == 0 && i < 2; i++) {
		r = link_add_address("box", &gateway_addresses[i]);
		if (r == 0)
			r = link_own_everything(gateway_addresses[i].family);
		r = is_absent(&gateway_addresses[i], r) ? 0 : r;
	}
	return r;
}

/* Both sides are set up from the gateway outwards: nothing of the box can answer before all is there. */
static int make_gateway(struct inside *in, struct aisbx_error *e)
{
	int r = sys_unshare(CLONE_NEWNET);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "create the network namespace of the gateway");
	in->gateway = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (in->gateway < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open the network namespace of the gateway");
	r = sys_setns(in->box, CLONE_NEWNET);
	if (r == 0)
		r = make_box_side(in->gateway);
	if (r < 0) {
		aisbx_fail(e, AISBX_AREA_RUN, -r, "give the box a network interface");
		return r == -EOPNOTSUPP
			       ? aisbx_hint(
					 e,
					 "the kernel has no virtual ethernet; 'sudo modprobe veth' loads it")
			       : r;
	}
	r = sys_setns(in->gateway, CLONE_NEWNET);
	if (r == 0)
		r = make_gateway_side();
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "set up the gateway of the box") : 0;
}

static int enter(struct inside *in, int userns, bool gateway, struct aisbx_error *e)
{
	int r = sys_setns(userns, CLONE_NEWUSER);

	if (r == 0)
		r = sys_setns(in->box, CLONE_NEWNET);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "enter the namespaces of the box");
	r = link_up("lo"); /* a box without network has not even that */
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "bring up the box's loopback");
	return gateway ? make_gateway(in, e) : 0;
}

/* For every address of both families, where the kernel has both. */
static int bound(int type, const struct egress_address *a, uint16_t port)
{
	static const int on = 1, off = 0;
	struct sockaddr_storage to = { 0 };
	socklen_t len = address_to_socket(a, port, &to);
	scoped(drop_fd) int fd = socket(to.ss_family, type | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd < 0)
		return -errno;
	if (to.ss_family == AF_INET6 && setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &off, sizeof(off)) < 0)
		return -errno;
	if (type == SOCK_STREAM)
		address_limit_buffers(fd, 256 << 10, 512 << 10); /* those that it accepts have them from it */
	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
	    bind(fd, (struct sockaddr *)&to, len) < 0 || (type == SOCK_STREAM && listen(fd, BACKLOG) < 0))
		return -errno;
	/* Which address was meant is what it is all about. */
	if (type == SOCK_DGRAM &&
	    (to.ss_family == AF_INET6 ? setsockopt(fd, IPPROTO_IPV6, IPV6_RECVPKTINFO, &on, sizeof(on))
				      : setsockopt(fd, IPPROTO_IP, IP_PKTINFO, &on, sizeof(on))) < 0)
		return -errno;
	return take_fd(&fd);
}

static int open_any(int type, uint16_t port)
{
	const struct egress_address any6 = { .family = 6 }, any4 = { .family = 4 };
	int fd = bound(type, &any6, port);

	return fd == -EAFNOSUPPORT ? bound(type, &any4, port) : fd;
}

static int open_in_box(const struct inside *in, const struct inside_question *q)
{
	int r = sys_setns(in->box, CLONE_NEWNET), fd;

	if (r < 0)
		return r;
	if (q->word == INSIDE_CONNECT) {
		fd = socket(q->address.family == 4 ? AF_INET : AF_INET6,
			    SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		fd = fd < 0 ? -errno : fd;
	} else {
		fd = bound(q->word == INSIDE_BOX_TCP ? SOCK_STREAM : SOCK_DGRAM, &q->address, q->port);
	}
	r = in->gateway < 0 ? 0 : sys_setns(in->gateway, CLONE_NEWNET);
	if (r < 0)
		_exit(125); /* never open anything in the wrong place */
	return fd;
}

static int open_one(const struct inside *in, const struct inside_question *q)
{
	switch ((enum inside_word)q->word) {
	case INSIDE_TCP:
	case INSIDE_UDP:
		if (in->gateway >= 0 && q->address.family)
			return bound(q->word == INSIDE_TCP ? SOCK_STREAM : SOCK_DGRAM, &q->address, q->port);
		return in->gateway < 0 ? -ENETDOWN
				       : open_any(q->word == INSIDE_TCP ? SOCK_STREAM : SOCK_DGRAM, q->port);
	case INSIDE_BOX_TCP:
	case INSIDE_BOX_UDP:
	case INSIDE_CONNECT:
		return open_in_box(in, q);
	}
	return -EINVAL;
}

static _Noreturn void serve(const struct inside *in)
{
	struct inside_question q;
	int fds[SYS_MAX_FDS];

	while (sys_recv(in->socket, &q, sizeof(q), fds, 0) == sizeof(q)) {
		int fd = open_one(in, &q);
		int32_t err = fd < 0 ? fd : 0;

		if (sys_send(in->socket, &err, sizeof(err), &fd, fd >= 0) < 0)
			_exit(125);
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

/* To change namespaces and to take ports below 1024, in the box's user namespace only. */
#define KEPT_CAPS ((1ULL << CAP_SYS_ADMIN) | (1ULL << CAP_NET_BIND_SERVICE))

static _Noreturn void be_inside(struct inside *in, int userns, bool gateway)
{
	struct aisbx_error e = AISBX_ERROR_INIT;
	int r;

	prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0);
	r = enter(in, userns, gateway, &e);
	if (r == 0) {
		r = sys_capset(KEPT_CAPS, KEPT_CAPS, 0);
		if (r == 0)
			r = wall_inside();
		if (r < 0)
			aisbx_fail(&e, AISBX_AREA_RUN, -r, "confine the inside half of the broker");
	}
	if (sys_send(in->socket, &e, sizeof(e), NULL, 0) < 0 || r < 0)
		_exit(125);
	serve(in);
}

int inside_start(int userns, int netns, bool gateway, int *ret_fd, struct aisbx_error *e)
{
	struct inside in = { .box = netns, .gateway = -1 };
	int pair[2], fds[SYS_MAX_FDS], r = sys_socketpair(SOCK_SEQPACKET, pair);
	pid_t pid;

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "create a socket pair");
	pid = fork();
	if (pid == 0) {
		in.socket = pair[1];
		close(pair[0]);
		close(NET_CONTROL_FD); /* else its end would not be seen */
		be_inside(&in, userns, gateway);
	}
	close(pair[1]);
	if (pid < 0) {
		close(pair[0]);
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "start the inside half of the broker");
	}
	if (sys_recv(pair[0], e, sizeof(*e), fds, 0) != sizeof(*e)) {
		close(pair[0]);
		return aisbx_fail(e, AISBX_AREA_RUN, EPROTO, "start the inside half of the broker");
	}
	if (e->code < 0) {
		close(pair[0]);
		return e->code;
	}
	*ret_fd = pair[0];
	return 0;
}

int inside_ask(int fd, const struct inside_question *q)
{
	int fds[SYS_MAX_FDS];
	int32_t err;

	if (sys_send(fd, q, sizeof(*q), NULL, 0) < 0 ||
	    sys_recv(fd, &err, sizeof(err), fds, 0) != sizeof(err))
		return -EPIPE;
	return err < 0 ? err : fds[0] >= 0 ? fds[0] : -EPROTO;
}
