/* SPDX-License-Identifier: Apache-2.0 */
/* Requests to the kernel's routing socket, one at a time, each with its answer. */
#include "sys/link.h"

#include <errno.h>
#include <linux/if_addr.h>
#include <linux/if_link.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>

#include "base/scope.h"

/* Nothing but memory lies between the two ends: as large as a packet can be. */
#define LINK_MTU 65535
/* And eight of them may travel as one: attributes of Linux 6.3 and later, which an older one overlooks. */
#define LINK_BURST             (8 * 65535)
#define LINK_GSO_IPV4_MAX_SIZE 63

struct request {
	struct nlmsghdr head;
	char body[512];
};

static struct rtattr *tail(struct request *r)
{
	return (struct rtattr *)((char *)r + NLMSG_ALIGN(r->head.nlmsg_len));
}

static struct rtattr *put(struct request *r, uint16_t type, const void *data, size_t len)
{
	struct rtattr *a = tail(r);

	a->rta_type = type;
	a->rta_len = (uint16_t)RTA_LENGTH(len);
	if (len)
		memcpy(RTA_DATA(a), data, len);
	r->head.nlmsg_len = NLMSG_ALIGN(r->head.nlmsg_len) + RTA_ALIGN(a->rta_len);
	return a;
}

/* What was put since A lies in it. */
static void close_nest(struct request *r, struct rtattr *a)
{
	a->rta_len = (uint16_t)((char *)tail(r) - (char *)a);
}

static struct request begin(uint16_t type, uint16_t flags, const void *body, size_t len)
{
	struct request r = { .head = { .nlmsg_len = NLMSG_LENGTH(len),
				       .nlmsg_type = type,
				       .nlmsg_flags = (uint16_t)(NLM_F_REQUEST | NLM_F_ACK | flags) } };

	memcpy(NLMSG_DATA(&r.head), body, len);
	return r;
}

static int ask(const struct request *r)
{
	scoped(drop_fd) int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
	struct {
		struct nlmsghdr head;
		struct nlmsgerr error;
		char rest[1024];
	} answer;
	ssize_t n;

	if (fd < 0)
		return -errno;
	if (send(fd, r, r->head.nlmsg_len, 0) < 0)
		return -errno;
	n = recv(fd, &answer, sizeof(answer), 0);
	if (n < 0)
		return -errno;
	if ((size_t)n < NLMSG_LENGTH(sizeof(answer.error)) || answer.head.nlmsg_type != NLMSG_ERROR)
		return -EPROTO;
	return answer.error.error;
}

int sys_setns(int ns_fd, int kind)
{
	return setns(ns_fd, kind) < 0 ? -errno : 0;
}

static void put_sizes(struct request *r)
{
	const uint32_t mtu = LINK_MTU, burst = LINK_BURST;

	put(r, IFLA_MTU, &mtu, sizeof(mtu));
	put(r, IFLA_GSO_MAX_SIZE, &burst, sizeof(burst));
	put(r, LINK_GSO_IPV4_MAX_SIZE, &burst, sizeof(burst));
}

int link_make_pair(const char *name, const char *peer, int peer_ns)
{
	const struct ifinfomsg info = { .ifi_family = AF_UNSPEC };
	struct request r = begin(RTM_NEWLINK, NLM_F_CREATE | NLM_F_EXCL, &info, sizeof(info));
	uint32_t ns = (uint32_t)peer_ns;
	struct rtattr *link, *data, *other;

	put(&r, IFLA_IFNAME, name, strlen(name) + 1);
	put_sizes(&r);
	link = put(&r, IFLA_LINKINFO, NULL, 0);
	put(&r, IFLA_INFO_KIND, "veth", 4);
	data = put(&r, IFLA_INFO_DATA, NULL, 0);
	other = put(&r, VETH_INFO_PEER, NULL, 0);
	memcpy(tail(&r), &info, sizeof(info));
	r.head.nlmsg_len += NLMSG_ALIGN(sizeof(info));
	put(&r, IFLA_IFNAME, peer, strlen(peer) + 1);
	put_sizes(&r);
	put(&r, IFLA_NET_NS_FD, &ns, sizeof(ns));
	close_nest(&r, other);
	close_nest(&r, data);
	close_nest(&r, link);
	return ask(&r);
}

int link_up(const char *name)
{
	struct ifreq req = { .ifr_flags = IFF_UP | IFF_RUNNING };
	scoped(drop_fd) int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	strncpy(req.ifr_name, name, sizeof(req.ifr_name) - 1);
	return fd < 0 || ioctl(fd, SIOCSIFFLAGS, &req) < 0 ? -errno : 0;
}

static size_t size_of(int family)
{
	return family == AF_INET ? 4 : 16;
}

int link_add_address(const char *name, const struct link_address *a)
{
	const struct ifaddrmsg msg = { .ifa_family = (uint8_t)a->family,
				       .ifa_prefixlen = a->prefix,
				       .ifa_flags = a->family == AF_INET6 ? IFA_F_NODAD : 0,
				       .ifa_index = if_nametoindex(name) };
	struct request r = begin(RTM_NEWADDR, NLM_F_CREATE | NLM_F_EXCL, &msg, sizeof(msg));

	put(&r, IFA_LOCAL, a->bytes, size_of(a->family));
	put(&r, IFA_ADDRESS, a->bytes, size_of(a->family));
	return ask(&r);
}

static int add_route(int family, uint8_t type, uint8_t scope, const char *name, const uint8_t *gateway)
{
	const struct rtmsg msg = { .rtm_family = (uint8_t)family,
				   .rtm_table = RT_TABLE_MAIN,
				   .rtm_protocol = RTPROT_STATIC,
				   .rtm_scope = scope,
				   .rtm_type = type };
	struct request r = begin(RTM_NEWROUTE, NLM_F_CREATE | NLM_F_EXCL, &msg, sizeof(msg));
	uint32_t index = if_nametoindex(name);

	put(&r, RTA_OIF, &index, sizeof(index));
	if (gateway)
		put(&r, RTA_GATEWAY, gateway, size_of(family));
	return ask(&r);
}

int link_add_default(const char *name, const struct link_address *gateway)
{
	return add_route(gateway->family, RTN_UNICAST, RT_SCOPE_UNIVERSE, name, gateway->bytes);
}

int link_own_everything(int family)
{
	return add_route(family, RTN_LOCAL, RT_SCOPE_HOST, "lo", NULL);
}
