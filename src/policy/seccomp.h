/* SPDX-License-Identifier: Apache-2.0 */
/* The seccomp filter, compiled when aisbx was built, and the table it was compiled from. */
#ifndef POLICY_SECCOMP_H
#define POLICY_SECCOMP_H

#include <stddef.h>

struct sock_filter;

const struct sock_filter *seccomp_code(size_t *ret_count);
/* "?" when the number is not in the table. */
const char *seccomp_call_name(int nr);
/* Why a call is refused. */
const char *seccomp_call_reason(int nr);

#endif
