/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failing the Nth system call on purpose. Compiled in only with `-Dfault=true`; then
 * AISBX_FAULT=PROGRAM:N:ERRNO fails call N of that program, and PROGRAM:N:KILL kills it there.
 */
#ifndef SYS_FAULT_H
#define SYS_FAULT_H

#ifdef AISBX_FAULT_BUILD
/* From here on this process counts its calls as NAME, from 1. */
void fault_program(const char *name);
/* The errno call number N shall fail with, or 0. */
int fault_next(const char *call);
#else
static inline void fault_program(const char *name)
{
	(void)name;
}

static inline int fault_next(const char *call)
{
	(void)call;
	return 0;
}
#endif

#endif
