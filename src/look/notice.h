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

/* What a process has in its memory; false: it cannot be read. */
bool look_read_memory(int pid, unsigned long long at, void *ret, size_t n);
/*
 * The whole path that a call names: PATH is its place in memory, 0 or an empty text: the descriptor DIR
 * itself. Heap or NULL.
 */
char *look_find_path(const struct seccomp_notif *n, int dir, unsigned long long path);

/* HOME: NULL, or where programs keep dispensable files. */
void look_notice_read(const struct seccomp_notif *n, const char *home, struct look_notice *ret);

#endif
