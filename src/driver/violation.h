/* SPDX-License-Identifier: Apache-2.0 */
/* What a run was refused, as text. Inside driver/ only. */
#ifndef DRIVER_VIOLATION_H
#define DRIVER_VIOLATION_H

#include "driver/driver.h"
#include "policy/egress.h"

/* Fills in the violations of RESULT, which is finished after an error. WATCHED: paths of
 * the decoys. */
int violations_describe(struct driver_result *result, const struct run_spec *spec,
			const struct strlist *watched, struct aisbx_error *e);

/* What else a driver found, after that. -ENOMEM. */
int violation_add_limit(struct driver_result *result, const struct run_spec *spec, enum limit l);
/* A function that a WebAssembly program wants of its host. */
int violation_add_import(struct driver_result *result, const char *module, const char *name);

/*
 * violation_net.c. Appends what the broker refused to ALL, which has room for one more than
 * RUN_MAX_NET_REFUSALS; adds the others to RET_MORE. N counts also one that is half made after -ENOMEM.
 */
int violations_of_net(const struct run_outcome *o, struct violation *all, size_t *n, uint64_t *ret_more);
/* The smallest rule for an address, heap; "": none should be given. */
int violation_address_rule(const struct egress_address *a, uint16_t port, bool udp, char **ret);

#endif
