/* SPDX-License-Identifier: Apache-2.0 */
/* Addresses of sockets as rules see them, and back. */
#include <string.h>

#include "net/broker.h"

/* An address of four bytes comes in the clothes of six where one socket serves both. */
static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

void address_from_socket(const struct sockaddr_storage *from, struct egress_address *ret, uint16_t *ret_port)
{
	const struct sockaddr_in *four = (const void *)from;
	const struct sockaddr_in6 *six = (const void *)from;

	*ret = (struct egress_address){ 0 };
	*ret_port = ntohs(from->ss_family == AF_INET ? four->sin_port : six->sin6_port);
	if (from->ss_family == AF_INET) {
		ret->family = 4;
		memcpy(ret->bytes, &four->sin_addr, 4);
	} else if (!memcmp(&six->sin6_addr, mapped, sizeof(mapped))) {
		ret->family = 4;
		memcpy(ret->bytes, six->sin6_addr.s6_addr + 12, 4);
	} else {
		ret->family = 6;
		memcpy(ret->bytes, &six->sin6_addr, 16);
	}
}

socklen_t address_to_socket(const struct egress_address *a, uint16_t port, struct sockaddr_storage *ret)
{
	struct sockaddr_in *four = (void *)ret;
	struct sockaddr_in6 *six = (void *)ret;

	memset(ret, 0, sizeof(*ret));
	if (a->family == 4) {
		four->sin_family = AF_INET;
		four->sin_port = htons(port);
		memcpy(&four->sin_addr, a->bytes, 4);
		return sizeof(*four);
	}
	six->sin6_family = AF_INET6;
	six->sin6_port = htons(port);
	memcpy(&six->sin6_addr, a->bytes, 16);
	return sizeof(*six);
}

static const uint8_t *told_four(struct cmsghdr *c)
{
	struct in_pktinfo *told = (void *)CMSG_DATA(c);

	told->ipi_spec_dst = told->ipi_addr;
	told->ipi_ifindex = 0;
	return (const uint8_t *)&told->ipi_addr;
}

static const uint8_t *told_six(struct cmsghdr *c)
{
	struct in6_pktinfo *told = (void *)CMSG_DATA(c);

	told->ipi6_ifindex = 0;
	return told->ipi6_addr.s6_addr;
}

bool address_of_datagram(struct msghdr *m, struct egress_address *ret)
{
	for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
		struct sockaddr_storage at = { 0 };
		uint16_t port;

		if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_PKTINFO) {
			at.ss_family = AF_INET6;
			memcpy(&((struct sockaddr_in6 *)&at)->sin6_addr, told_six(c), 16);
		} else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_PKTINFO) {
			at.ss_family = AF_INET;
			memcpy(&((struct sockaddr_in *)&at)->sin_addr, told_four(c), 4);
		} else {
			continue;
		}
		address_from_socket(&at, ret, &port);
		return true;
	}
	return false;
}

void address_limit_buffers(int fd, int received, int sent)
{
	setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &received, sizeof(received));
	setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &sent, sizeof(sent));
}
