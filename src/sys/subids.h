/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Subordinate ids: what /etc/subuid and /etc/subgid allow an ordinary user to be besides themselves. A box
 * with them has SYS_SUBIDS_COUNT ids: its root is the user, its other ids are subordinate ones. The setuid
 * programs of the package uidmap write the maps, and they refuse what the two files do not allow.
 */
#ifndef SYS_SUBIDS_H
#define SYS_SUBIDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define SYS_NEWUIDMAP    "/usr/bin/newuidmap"
#define SYS_SUBIDS_COUNT 65536u /* with the user's own: as many as images expect */
#define SYS_SUBIDS_TEXT  24     /* room for "UID:GID" */

/* The first subordinate ids; those after them follow without a gap. 0: there are none. */
struct sys_subids {
	uint32_t uid, gid;
};

/* A namespace of ids, seen from inside. */
enum sys_subids_view {
	SYS_SUBIDS_BOX,  /* as a box sees them: 0 is the user */
	SYS_SUBIDS_HOST, /* each id is what it is outside */
};

/*
 * Ours. False: there are none, or not enough, and then WHY (if there is room) says why, in words that a
 * sentence can end with, and what to do.
 */
bool sys_subids_find(struct sys_subids *ret, char *why, size_t cap);
/* "UID:GID", of the first ones. */
void sys_subids_text(const struct sys_subids *ids, char ret[SYS_SUBIDS_TEXT]);
bool sys_subids_parse(const char *text, struct sys_subids *ret);

/*
 * Gives process PID, which is in a new user namespace without maps, these ids. The caller is outside of it.
 * 0 or a negative errno: -EPERM when the programs refuse it.
 */
int sys_subids_map(pid_t pid, const struct sys_subids *ids, enum sys_subids_view view);
/* This process, which has one thread, goes into a new namespace with these ids and stays there. */
int sys_subids_enter(const struct sys_subids *ids, enum sys_subids_view view);
/*
 * A namespace with our subordinate ids, made once by a process when it is first asked for: a descriptor that
 * stays open, or a negative errno. -EOPNOTSUPP: there are no such ids.
 */
int sys_subids_namespace(void);

/* Of a line "NAME:FIRST:COUNT" for user NAME or UID: the first id, if it is a good range of ours; 0: not. */
uint32_t sys_subids_of_line(const char *line, const char *name, uint32_t uid, uint32_t own);

#endif
