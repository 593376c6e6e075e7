/* SPDX-License-Identifier: Apache-2.0 */
/* A box while it is laid out: shared by the files that decide its parts. */
#ifndef DRIVER_LAYOUT_H
#define DRIVER_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "aisbx/error.h"
#include "base/str.h"
#include "jail/build.h"
#include "layer/host.h"
#include "run/spec.h"

struct layout {
	const struct run_spec *spec;
	struct jail_plan_builder *b;
	struct host_view host;
	struct strlist *watched;
	bool shift;
	bool writable; /* the system can be changed */
	bool whole;    /* then, for a box that goes with its run: "/" itself is one writable clone */
	int idmap;     /* JAIL_PLAN_IDMAP or 0 */
};

/* A path that the person shows on purpose is not hidden, watched or shown a second time. */
bool layout_is_shown(const struct layout *l, const char *path);
/* "/" is no project: it is the system, and that has its own rules. */
bool layout_has_project(const struct layout *l);
bool layout_in_project(const struct layout *l, const char *path);
/* A box has something of its own at PATH: in the home, in /tmp and the like. */
bool layout_is_replaced(const struct layout *l, const char *path);
/* Hides PATH, or what it leads to. */
void layout_hide(struct layout *l, const char *path);

/* /etc/hosts, /etc/hostname and /etc/resolv.conf of a box that stands on an image. */
void container_files_add(struct layout *l);

/* Something of the host that a box has in its own home, or in another directory of its own. */
struct shown {
	char *host, *guest; /* owned; clean; host is real */
	bool is_dir;
	bool is_cache; /* the box can change it, for itself */
};

struct shown_list {
	struct shown *items; /* owned */
	size_t n;
	bool failed;
};

void shown_list_finish(struct shown_list *l);
/* Unless something that is in the list already shows it at the same place. */
void shown_list_add(struct shown_list *l, const struct shown *s);

/* Directories of PATH in the home, the toolchains they belong to, and environments that are active. */
void tools_find(const struct layout *l, struct shown_list *ret);
/* A sentence for a person about an active environment that no box of SPEC can show; false: none. */
bool tools_tell_hidden(const struct run_spec *spec, char *ret, size_t cap);

/* What package managers and compilers have in the home (policy/cache.h). */
int caches_find(const struct layout *l, struct shown_list *ret, struct aisbx_error *e);

/* A home of the box's own in the place of the person's, or, if that is in the project, covers for its
 * secrets. */
int home_add(struct layout *l, struct aisbx_error *e);

#endif
