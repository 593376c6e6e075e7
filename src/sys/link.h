/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces, addresses and routes of the namespace that the caller is in. Negative errno on failure.
 */
#ifndef SYS_LINK_H
#define SYS_LINK_H

#include <stdbool.h>
#include <stdint.h>

/* An address of FAMILY (AF_INET, AF_INET6) and how many of its bits name the network. */
struct link_address {
	int family;
	uint8_t bytes[16];
	uint8_t prefix;
};

int sys_setns(int ns_fd, int kind);
/* A pair of interfaces: NAME here, PEER in the namespace PEER_NS. */
int link_make_pair(const char *name, const char *peer, int peer_ns);
int link_up(const char *name);
int link_add_address(const char *name, const struct link_address *a);
/* Everything goes through NAME, to GATEWAY. */
int link_add_default(const char *name, const struct link_address *gateway);
/* Every address of FAMILY that has no better route is one of this namespace's own. */
int link_own_everything(int family);

#endif
