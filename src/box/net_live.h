/* SPDX-License-Identifier: Apache-2.0 */
/* The network of a box, changed and asked for also while it runs: its rules, its published ports. */
#ifndef BOX_NET_LIVE_H
#define BOX_NET_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "aisbx/error.h"
#include "base/str.h"

/* A port of the box, and where it is on the host's loopback. */
struct net_port {
	uint16_t host, box;
};

struct net_live {
	struct strlist rules;   /* owned; all that it has now, each in its one true form */
	struct strlist changed; /* owned; those that were added, or taken away */
	struct net_port *ports; /* owned; all that are published */
	size_t n_ports;
};

void net_live_finish(struct net_live *n);

/*
 * KEY: name or id of a box, or id of a live run. Adds RULES (ON), or takes them away: in the box if it is
 * live, and in what a box that stays gives to its runs. All are read before the first is passed on. Without
 * rules it only tells those that there are.
 */
int net_live_rules(const char *key, const struct strlist *rules, bool on, struct net_live *ret,
		   struct aisbx_error *e);
/* Publishes ports, each as net_publish_read takes it, and tells all that there are. */
int net_live_ports(const char *key, const struct strlist *publish, struct net_live *ret,
		   struct aisbx_error *e);

/*
 * "8080" is port 8080 of the box at port 8080 of the host's loopback, "8080:80" port 80 of the box there,
 * "0:80" port 80 at any that is free.
 */
int net_publish_read(const char *text, struct net_port *ret, struct aisbx_error *e);

#endif
