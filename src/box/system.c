/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the system of a box with the host's, and sums it up. Everything read from the box is hostile. */
#include "box/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "box/system_point.h"
#include "layer/copy.h"
#include "layer/view.h"
#include "policy/system_trap.h"

void box_system_finish(struct box_system *s)
{
	package_changes_finish(&s->packages);
	strlist_finish(&s->users);
	for (size_t i = 0; i < s->n_dirs; i++)
		free(s->dirs[i].path);
	free(s->dirs);
	for (size_t i = 0; i < s->n_trees; i++) {
		free(s->trees[i].host);
		change_list_finish(&s->trees[i].changes);
	}
	free(s->trees);
	*s = (struct box_system){ 0 };
}

bool box_system_counts(const struct change *c, const char *path)
{
	mode_t mode = c->new_mode ? c->new_mode : c->old_mode;

	return c->kind != CHANGE_NONE && c->kind != CHANGE_TOUCH && strcmp(c->path, ".") != 0 &&
	       !(S_ISDIR(mode) && (c->kind == CHANGE_CREATE || c->kind == CHANGE_DELETE)) &&
	       !system_is_noise(path + 1);
}

bool box_system_is_noise(const char *path, bool *ret_own)
{
	*ret_own = system_stays(path + 1) != NULL;
	return system_is_noise(path + 1);
}

static int count_in(struct box_system *s, const char *path)
{
	const char *end = strchr(path + 1, '/');
	size_t n = !strncmp(path, "/usr/local/", 11) ? 10 : end ? (size_t)(end - path) : strlen(path);
	struct box_system_dir *grown;

	for (size_t i = 0; i < s->n_dirs; i++)
		if (strlen(s->dirs[i].path) == n && !memcmp(s->dirs[i].path, path, n)) {
			s->dirs[i].files++;
			return 0;
		}
	grown = realloc(s->dirs, (s->n_dirs + 1) * sizeof(*grown));
	if (!grown)
		return -ENOMEM;
	s->dirs = grown;
	grown[s->n_dirs] = (struct box_system_dir){ strndup(path, n), 1 };
	return grown[s->n_dirs++].path ? 0 : -ENOMEM;
}

/* Packages of pip, by the directories that it makes; those of Debian's are known from dpkg. */
struct pip {
	struct package_list gone, here;
};

static void pip_finish(struct pip *p)
{
	package_list_finish(&p->gone);
	package_list_finish(&p->here);
}

static void look_for_pip(const struct change *c, const char *path, struct pip *pip)
{
	const char *name = strrchr(path, '/') + 1;

	if (!S_ISDIR(c->new_mode ? c->new_mode : c->old_mode) ||
	    !strncmp(path, "/usr/lib/python3/dist-packages/", 31))
		return;
	if (c->kind == CHANGE_CREATE)
		packages_add_pip(name, &pip->here);
	else if (c->kind == CHANGE_DELETE)
		packages_add_pip(name, &pip->gone);
}

static int count_tree(struct box_system *s, const struct box_system_tree *t, struct pip *pip)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < t->changes.n; i++) {
		const struct change *c = &t->changes.items[i];
		scoped(drop_mem) char *path = path_join(t->host, c->path);

		if (!path)
			return -ENOMEM;
		look_for_pip(c, path, pip);
		if (box_system_counts(c, path)) {
			s->files++;
			r = count_in(s, path);
		} else {
			s->noise += c->kind != CHANGE_TOUCH && !system_stays(path + 1) &&
				    !S_ISDIR(c->new_mode ? c->new_mode : c->old_mode);
		}
	}
	return r;
}

/* Whether the box has another version of PATH than the host; where then: its tree and the path in that. */
static bool has_changed(const struct box_system *s, const char *path, size_t *ret_tree, const char **ret_rel)
{
	for (size_t i = 0; i < s->n_trees; i++) {
		const char *rel = path_below(path, s->trees[i].host);

		for (size_t k = 0; rel && k < s->trees[i].changes.n; k++)
			if (!strcmp(s->trees[i].changes.items[k].path, rel)) {
				*ret_tree = i;
				*ret_rel = rel;
				return true;
			}
	}
	return false;
}

/* All of REL as V has it; nothing where it is no file. -EFBIG: too large. */
static int read_text(const struct view *v, const char *rel, struct buf *ret)
{
	scoped(view_close) struct open_view open_view = OPEN_VIEW_INIT;
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	scoped(drop_fd) int fd = -1;
	struct view_entry seen = { 0 };
	int r = view_open(v, &open_view, &ignored);

	if (r == 0)
		r = view_find(&open_view, rel, &seen);
	if (r < 0 || !seen.thing.exists || !S_ISREG(seen.thing.st.st_mode))
		return r;
	if ((size_t)seen.thing.st.st_size > PACKAGES_TEXT_MAX)
		return -EFBIG;
	fd = copy_open(seen.thing.at, seen.thing.name);
	if (fd < 0)
		return fd;
	r = io_read_all(fd, PACKAGES_TEXT_MAX, ret);
	return r < 0 ? r : ret->len > PACKAGES_TEXT_MAX ? -EFBIG : 0;
}

/* Where a box is compared with: this machine, or its image. */
struct compared {
	const struct box_system_point *system; /* borrowed; NULL: it stands on an image */
	const struct box_point *root;          /* borrowed; then this */
};

static void views_of(const struct compared *c, const char *tree, struct view *ret_before,
		     struct view *ret_now)
{
	size_t at = 0;

	if (c->root) {
		*ret_before = box_point_base(c->root);
		*ret_now = c->root->view;
		return;
	}
	while (strcmp(c->system->hosts.items[at], tree) != 0)
		at++;
	*ret_now = box_system_tree_view(c->system, at, box_system_tree_end(c->system, at));
	*ret_before = (struct view){ .host = ret_now->host };
}

/* Both versions of PATH; *RET_ANY: they differ. */
static int read_both(const struct compared *p, const struct box_system *s, const char *path, struct buf *a,
		     struct buf *b, bool *ret_any)
{
	const char *rel;
	size_t tree;
	struct view before, now;
	int r;

	*ret_any = has_changed(s, path, &tree, &rel);
	if (!*ret_any)
		return 0;
	views_of(p, s->trees[tree].host, &before, &now);
	r = read_text(&before, rel, a);
	return r < 0 ? r : read_text(&now, rel, b);
}

/* Where dpkg has its lists of files. */
struct dpkg_lists {
	struct open_view tree;
	const char *below; /* borrowed; where in that tree */
};

/* Whether the layers of the box mention NAME among them. */
static bool is_mentioned(struct dpkg_lists *lists, const char *name)
{
	const struct node *n = view_top(&lists->tree).node;
	scoped(drop_mem) char *parts = path_child(lists->below, name);
	char *save = NULL;

	for (char *part = parts ? strtok_r(parts, "/", &save) : NULL; part && n;
	     part = strtok_r(NULL, "/", &save))
		n = node_find(n, part);
	return parts && n;
}

/* dpkg writes the list of a package's files whenever it unpacks or removes it: without that it was not the
 * box. */
static bool is_of_box(void *ctx, const struct package_change *c)
{
	char name[2 * PACKAGE_WORD_MAX];

	if (c->manager != PACKAGE_DPKG || c->kind == PACKAGE_CHANGE_CONFIGURED)
		return true;
	snprintf(name, sizeof(name), "%s.list", c->name);
	if (is_mentioned(ctx, name))
		return true;
	snprintf(name, sizeof(name), "%s:%s.list", c->name, c->arch);
	return is_mentioned(ctx, name);
}

/* The tree is /var, or, where something is mounted there, one of several. */
static int leave_changes_of_host(const struct box_system_point *p, struct package_changes *packages)
{
	static const char info[] = "/var/lib/dpkg/info";
	struct dpkg_lists lists = { OPEN_VIEW_INIT, NULL };
	struct aisbx_error ignored = AISBX_ERROR_INIT;
	size_t best = 0;
	struct view v;
	int r;

	for (size_t at = 0; at < p->hosts.n; at = box_system_tree_end(p, at)) {
		const char *below = path_below(info, p->hosts.items[at]);

		if (below && (!lists.below || strlen(below) < strlen(lists.below))) {
			lists.below = below;
			best = at;
		}
	}
	if (!lists.below)
		return 0;
	v = box_system_tree_view(p, best, box_system_tree_end(p, best));
	r = view_open(&v, &lists.tree, &ignored);
	if (r == 0)
		package_changes_keep(packages, is_of_box, &lists);
	view_close(&lists.tree);
	return r;
}

static int compare_packages(const struct compared *p, struct box_system *s)
{
	static const struct {
		const char *path;
		enum package_manager manager;
		int (*read)(const char *text, size_t len, struct package_list *ret);
	} notes[] = { { "/var/lib/dpkg/status", PACKAGE_DPKG, packages_read_dpkg },
		      { "/lib/apk/db/installed", PACKAGE_APK, packages_read_apk },
		      { "/usr/lib/apk/db/installed", PACKAGE_APK, packages_read_apk } };
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(notes) / sizeof(*notes); i++) {
		scoped(package_list_finish) struct package_list before = { 0 }, now = { 0 };
		scoped(buf_finish) struct buf a = { 0 };
		scoped(buf_finish) struct buf b = { 0 };
		bool any;

		r = read_both(p, s, notes[i].path, &a, &b, &any);
		if (r == 0 && any)
			r = notes[i].read(a.data ? a.data : "", a.len, &before);
		if (r == 0 && any)
			r = notes[i].read(b.data ? b.data : "", b.len, &now);
		package_list_sort(&before);
		package_list_sort(&now);
		if (r == 0 && any)
			r = packages_compare(notes[i].manager, &before, &now, &s->packages);
	}
	return r;
}

static int compare_users(const struct compared *p, struct box_system *s)
{
	scoped(buf_finish) struct buf a = { 0 };
	scoped(buf_finish) struct buf b = { 0 };
	bool any;
	int r = read_both(p, s, "/etc/passwd", &a, &b, &any);

	return r < 0 || !any
		       ? r
		       : packages_new_users(buf_str(&a) ? a.data : "", buf_str(&b) ? b.data : "", &s->users);
}

static int compare_trees(const struct box_system_point *p, struct box_system *s, struct aisbx_error *e)
{
	int r = 0;

	s->trees = calloc(p->hosts.n ? p->hosts.n : 1, sizeof(*s->trees));
	if (!s->trees)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the system");
	for (size_t at = 0, end; r == 0 && at < p->hosts.n; at = end) {
		struct box_system_tree *t = &s->trees[s->n_trees++];
		struct view box, host = { 0 };

		end = box_system_tree_end(p, at);
		box = box_system_tree_view(p, at, end);
		host.host = box.host;
		t->host = strdup(box.host);
		r = t->host ? change_list_read(&host, &box, &t->changes, e)
			    : aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "compare the system");
	}
	return r;
}

/* The trees of RET as what they are. */
static int sum_up(const struct compared *p, struct box_system *ret)
{
	scoped(pip_finish) struct pip pip = { 0 };
	int r = 0;

	for (size_t i = 0; r == 0 && i < ret->n_trees; i++)
		r = count_tree(ret, &ret->trees[i], &pip);
	if (r == 0)
		r = compare_packages(p, ret);
	if (r == 0 && ret->packages.n && p->system) /* an image does not change */
		r = leave_changes_of_host(p->system, &ret->packages);
	package_list_sort(&pip.gone);
	package_list_sort(&pip.here);
	if (r == 0)
		r = packages_compare(PACKAGE_PIP, &pip.gone, &pip.here, &ret->packages);
	return r < 0 ? r : compare_users(p, ret);
}

static int failed(int r, const struct store_box *b, struct aisbx_error *e)
{
	return r < 0 ? aisbx_fail(e, AISBX_AREA_BOX, -r, "compare the system of '%s'", b->name) : 0;
}

int box_system_compare(struct box_state *s, const struct store_box *b, const char *snapshot,
		       struct box_system *ret, struct aisbx_error *e)
{
	scoped(box_system_point_finish) struct box_system_point p = { 0 };
	const struct compared compared = { .system = &p };
	int r = box_system_point_read(s, b, snapshot, &p, e);

	if (r < 0 || !p.hosts.n)
		return r;
	r = compare_trees(&p, ret, e);
	return r < 0 ? r : failed(sum_up(&compared, ret), b, e);
}

int box_system_compare_image(struct box_state *s, const struct store_box *b, const char *snapshot,
			     struct box_system *ret, struct aisbx_error *e)
{
	scoped(box_point_finish) struct box_point p = { 0 };
	const struct compared compared = { .root = &p };
	struct view base;
	int r = box_point_read_root(s, b, snapshot, &p, e);

	if (r < 0)
		return r;
	ret->trees = calloc(1, sizeof(*ret->trees));
	if (!ret->trees || !(ret->trees[0].host = strdup("/"))) {
		ret->n_trees = ret->trees != NULL;
		return failed(-ENOMEM, b, e);
	}
	ret->n_trees = 1;
	base = box_point_base(&p);
	r = change_list_read(&base, &p.view, &ret->trees[0].changes, e);
	return r < 0 ? r : failed(sum_up(&compared, ret), b, e);
}

/* Of one manager, in one line. */
static void add_command(const struct package_changes *packages, enum package_manager m, bool removes,
			const char *command, const char *equals, struct strlist *ret)
{
	scoped(buf_finish) struct buf line = { 0 };

	for (size_t i = 0; i < packages->n; i++) {
		const struct package_change *c = &packages->items[i];

		if (c->manager != m || (c->kind == PACKAGE_CHANGE_REMOVED) != removes)
			continue;
		buf_addf(&line, "%s %s", line.len ? "" : command, c->name);
		if (!removes)
			buf_addf(&line, "%s%s", equals, c->version);
	}
	if (line.failed)
		ret->failed = true;
	else if (line.len && buf_str(&line))
		strlist_add(ret, line.data);
}

void box_system_commands(const struct package_changes *packages, struct strlist *ret)
{
	add_command(packages, PACKAGE_DPKG, false, "apt-get install", "=", ret);
	add_command(packages, PACKAGE_DPKG, true, "apt-get remove", "=", ret);
	add_command(packages, PACKAGE_APK, false, "apk add", "=", ret);
	add_command(packages, PACKAGE_APK, true, "apk del", "=", ret);
	add_command(packages, PACKAGE_PIP, false, "pip install", "==", ret);
	add_command(packages, PACKAGE_PIP, true, "pip uninstall", "==", ret);
}
