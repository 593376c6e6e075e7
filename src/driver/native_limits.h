/* SPDX-License-Identifier: Apache-2.0 */
/* Limits of a box of the native driver. Inside driver/ only. */
#ifndef DRIVER_NATIVE_LIMITS_H
#define DRIVER_NATIVE_LIMITS_H

#include "driver/driver.h"
#include "jail/build.h"

/* What holds a limit where no control group does. */
extern const char *const native_holders[LIMIT_COUNT];

/* What a profile leaves to the machine is decided here. */
void native_settle_limits(const struct profile *p, uint64_t *limits);
/*
 * Into the plan, as far as the kernel holds them. GROUPED: bits of the limits that a control group holds. If
 * the caller may have fewer processes itself, SPEC tells that from then on.
 */
int native_plan_limits(struct jail_plan_builder *b, struct run_spec *spec, uint32_t grouped,
		       struct aisbx_error *e);
/* What was measured in the box is what holds: the caller may have less than it asks for, and who joins has
 * the limits of the box. */
void native_tell_limits(struct run_spec *spec, const struct run_outcome *o);
/* Who holds each limit. GROUPED: those that METHOD, a control group, does. */
void native_name_holders(const struct run_spec *spec, struct driver_result *ret, uint32_t grouped,
			 const char *method);

#endif
