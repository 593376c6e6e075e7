/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a notified system call means for an attempt behind the glass. Paths and flags are read from the
 * caller's memory, which another thread can change meanwhile: this is advice only. Landlock and the filter
 * work whatever it says.
 */
#ifndef LOOK_NOTICE_H
#define LOOK_NOTICE_H

#include <stdbool.h>
#include <stddef.h>

struct seccomp_notif;

enum look_notice_act {
	NOTICE_GO_ON,  /* allow the call; Landlock refuses it, or it is harmless */
	NOTICE_SAY_NO, /* answer `error` */
	NOTICE_END,    /* this command needs a box */
};

struct look_notice {
	enum look_notice_act act;
	int error; /* an errno */
	/* was refused; most programs work without it, so a box is needed only if the command fails */
	bool matters;
	char what[320]; /* for people, after "it tried": "to write 'x'" */
};

/* HOME: NULL, or where programs keep dispensable files. */
void look_notice_read(const struct seccomp_notif *n, const char *home, struct look_notice *ret);

#endif
