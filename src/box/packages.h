/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which packages a system has, read from the files in which package managers note it, and how two systems
 * differ. The text may be a box's: names and versions with other characters than packages have are not taken,
 * and there are limits. Makes no system calls.
 */
#ifndef BOX_PACKAGES_H
#define BOX_PACKAGES_H

#include <stdbool.h>
#include <stddef.h>

#define PACKAGES_TEXT_MAX ((size_t)64 << 20) /* bytes of such a file that are read */
#define PACKAGES_MAX      100000             /* packages of one system */
#define PACKAGE_WORD_MAX  127                /* bytes of a name or version */

enum package_manager { PACKAGE_DPKG, PACKAGE_APK, PACKAGE_PIP };
const char *package_manager_name(enum package_manager m);

enum package_state {
	PACKAGE_ABSENT,
	PACKAGE_UNPACKED, /* its files are there, its scripts did not run to their end */
	PACKAGE_INSTALLED,
};

struct package {
	char *name, *version; /* owned */
	char arch[16];        /* "": of all, or not known */
	enum package_state state;
};

struct package_list {
	struct package *items; /* owned; sorted by name */
	size_t n, skipped;     /* SKIPPED: entries that no package manager writes */
};

void package_list_finish(struct package_list *l);

/* Adds the packages of a text of LEN bytes. -E2BIG: there are more than PACKAGES_MAX. Negative errno. */
int packages_read_dpkg(const char *text, size_t len, struct package_list *ret);
int packages_read_apk(const char *text, size_t len, struct package_list *ret);
/* By the name of a directory such as "requests-2.31.0.dist-info"; false: it is none. */
bool packages_add_pip(const char *dir_name, struct package_list *ret);
/* After the last was added: for packages_compare. */
void package_list_sort(struct package_list *l);

#define PACKAGE_CHANGES(X)          \
	X(INSTALLED, "installed")   \
	X(REMOVED, "removed")       \
	X(UPGRADED, "upgraded")     \
	X(DOWNGRADED, "downgraded") \
	X(CONFIGURED, "configured") \
	X(UNPACKED, "unpacked")

enum package_change_kind {
#define X(id, name) PACKAGE_CHANGE_##id,
	PACKAGE_CHANGES(X)
#undef X
		PACKAGE_CHANGE_COUNT
};

const char *package_change_name(enum package_change_kind kind);

struct package_change {
	enum package_change_kind kind;
	enum package_manager manager;
	char *name;               /* owned */
	char *version, *previous; /* owned; NULL: none */
	char arch[16];            /* as in struct package */
};

struct package_changes {
	struct package_change *items; /* owned */
	size_t n;
};

void package_changes_finish(struct package_changes *c);
/*
 * Takes out what WANTED refuses: the host may have got or lost packages, too, since the box looked at it
 * last.
 */
void package_changes_keep(struct package_changes *c,
			  bool (*wanted)(void *ctx, const struct package_change *c), void *ctx);
/* Adds what differs from A to B; both are sorted. Negative errno. */
int packages_compare(enum package_manager m, const struct package_list *a, const struct package_list *b,
		     struct package_changes *ret);

/* Which version is the later one, by the rule of Debian: < 0, 0, > 0. */
int package_version_compare(const char *a, const char *b);

/*
 * Adds to RET (each a heap text) the names of users in B, of the shape of /etc/passwd, that are not in A. At
 * most 1000. Negative errno.
 */
struct strlist;
int packages_new_users(const char *a, const char *b, struct strlist *ret);

#endif
