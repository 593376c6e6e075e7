/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Secrets that never enter a box: it gets a placeholder, and the value is put into requests to one host on
 * their way out (net/tls_control.h).
 */
#ifndef BOX_INJECTED_H
#define BOX_INJECTED_H

#include "aisbx/error.h"
#include "base/str.h"
#include "box/caller.h"
#include "run/spec.h"
#include "secret/secret_spec.h"

/* Refuses an injected secret whose host cannot get one; others are fine. */
int box_injected_check(const struct secret_spec *s, struct aisbx_error *e);
/* Adds the rule that each injected one of SPECS needs to RET, in its one true form. */
int box_injected_rules(const struct strlist *specs, struct strlist *ret, struct aisbx_error *e);
/*
 * Fills SPEC's injected secrets and gives the box their placeholders, after the values were read and
 * everything else that the box gets is in SPEC: where a value of them is in that, the run is refused, and
 * variables of the caller that have it are not passed on. In a box that stays a placeholder is always the
 * same.
 */
int box_injected_fill(const struct caller *by, struct run_spec *spec, struct aisbx_error *e);
void box_injected_finish(struct run_net *net);

#endif
