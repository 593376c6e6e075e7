/* SPDX-License-Identifier: Apache-2.0 */
/* From a seccomp file as Docker has it to the rules of libseccomp. */
#ifndef HELPERS_SECCOMP_TRANSLATE_H
#define HELPERS_SECCOMP_TRANSLATE_H

#include <stddef.h>

#include <seccomp.h>

#include "aisbx/error.h"

/* What was left out. */
struct translate_notes {
	unsigned int unknown; /* names that allow a call which libseccomp does not know */
	char first[64];       /* of them */
};

/* TEXT: LEN bytes of JSON. RET_FILTER is for seccomp_release. */
int translate(const char *text, size_t len, scmp_filter_ctx *ret_filter, struct translate_notes *ret_notes,
	      struct aisbx_error *e);

#endif
