/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a box as its supervisor hands them to the broker. */
#ifndef NET_RULES_H
#define NET_RULES_H

#include "policy/egress.h"

struct rule_set {
	struct egress_rule *rules, *ends; /* owned; ends: those whose connections are aisbx-tls's */
	size_t n, n_ends;
};

void rule_set_finish(struct rule_set *s);
/* All of a sealed memfd, or an error: a list that was cut off would allow something else. */
int rule_set_read(int fd, struct rule_set *ret, struct aisbx_error *e);
/* LEN bytes: texts, each with its NUL; behind "ends " one of ends. */
int rule_set_parse(const char *text, size_t len, struct rule_set *ret, struct aisbx_error *e);

#endif
