/* SPDX-License-Identifier: Apache-2.0 */
/* The seccomp presets, compiled into aisbx, and the table they were compiled from. */
#ifndef POLICY_SECCOMP_H
#define POLICY_SECCOMP_H

#include <stdbool.h>
#include <stddef.h>

struct sock_filter;

/* A preset is its index here. 0 is "default", which allows more than all others; NULL after the last. */
extern const char *const seccomp_preset_names[];

/* False when there is none of that name. */
bool seccomp_preset_by_name(const char *name, unsigned int *ret_preset);
const char *seccomp_preset_name(unsigned int preset);

const struct sock_filter *seccomp_code(unsigned int preset, size_t *ret_count);
/* "?" when the number is not in the table. */
const char *seccomp_call_name(int nr);
/* Why a call is refused. */
const char *seccomp_call_reason(unsigned int preset, int nr);
/* Whether the preset refuses what "default" allows, at least with some arguments. */
bool seccomp_preset_is_why(unsigned int preset, int nr);
/* The call is only reported, and allowed. */
bool seccomp_call_told(unsigned int preset, int nr);
/* The call is allowed if it names a thread of the caller's own process. */
bool seccomp_call_own(unsigned int preset, int nr);
/* How many calls a preset allows, at least with some arguments. */
unsigned int seccomp_preset_calls(unsigned int preset);

#endif
