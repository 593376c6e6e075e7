/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a call that the supervisor hears of means for an attempt behind the glass. Paths and flags are read
 * from the caller's memory, which another thread can change meanwhile: this is advice only. Landlock and the
 * filter hold whatever it says.
 */
#ifndef LOOK_NOTICE_H
#define LOOK_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

struct seccomp_notif;

enum look_notice_act {
	NOTICE_GO_ON,  /* let the call be made; Landlock refuses it, or it is harmless */
	NOTICE_SAY_NO, /* answer `error` */
	NOTICE_END,    /* this command needs a box */
};

struct look_notice {
	enum look_notice_act act;
	int error;    /* an errno */
	bool matters; /* was refused; programs mostly get by without, so only a failed command needs a box for
			 it */
	char what[320]; /* for people, after "it wanted": "to write 'x'" */
};

/* HOME: NULL, or where programs keep what they can do without. */
void look_notice_read(const struct seccomp_notif *n, const char *home, struct look_notice *ret);

#endif
