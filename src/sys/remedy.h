/* SPDX-License-Identifier: Apache-2.0 */
/* What a person can do about what a probe found missing. */
#ifndef SYS_REMEDY_H
#define SYS_REMEDY_H

#include "sys/probe.h"

/* The command, option or version that provides ability ID; heap, or NULL if memory ran out. */
char *remedy(const struct probe *p, enum probe_id id);

/* How to get a control group for boxes. */
const char *limits_remedy(const struct probe_facts *f);

#endif
