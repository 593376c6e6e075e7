/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the parts of this machine that can be cloned. Reads /, /proc/self/mountinfo and $HOME; changes
 * nothing.
 */
#include "layer/host.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/dir.h"
#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/str.h"
#include "sys/sys.h"

static const char *const special[] = { "/proc", "/sys",  "/dev",  "/run",
				       "/tmp",  "/home", "/root", "/lost+found" };

bool host_is_special(const char *path)
{
	for (size_t i = 0; i < sizeof(special) / sizeof(*special); i++)
		if (path_is_within(path, special[i]))
			return true;
	return false;
}

void host_view_finish(struct host_view *v)
{
	for (size_t i = 0; i < v->n_entries; i++) {
		free(v->entries[i].path);
		free(v->entries[i].target);
	}
	for (size_t i = 0; i < v->n_mounts; i++)
		free(v->mounts[i]);
	free(v->entries);
	free(v->mounts);
	free(v->home);
	strlist_finish(&v->files);
	strlist_finish(&v->covers);
	*v = (struct host_view){ 0 };
}

/* File systems that hold somebody's files; the rest is the kernel's or a program's own. */
static bool real_fs(const char *type)
{
	static const char types[] =
		"ext2|ext3|ext4|xfs|btrfs|f2fs|zfs|bcachefs|vfat|exfat|ntfs3|erofs|squashfs|nfs|nfs4|"
		"virtiofs|9p|fuseblk|overlay";

	return str_is_one_of(type, types);
}

/* mountinfo writes space, tab, newline and backslash as octal. */
static void unescape(char *s)
{
	char *out = s;

	for (; *s; s++) {
		if (s[0] == '\\' && s[1] >= '0' && s[1] <= '3' && s[2] && s[3]) {
			*out++ = (char)((s[1] - '0') * 64 + (s[2] - '0') * 8 + (s[3] - '0'));
			s += 3;
		} else {
			*out++ = *s;
		}
	}
	*out = '\0';
}

static int read_file(const char *path, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_CLOEXEC);
	int r = io_read_all(fd, SIZE_MAX, ret);

	return r < 0 ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "read %s", path) : 0;
}

struct mount_list {
	struct strlist all;   /* every mount point: an overlay cannot take a tree with one below, see kernel's
				 has_locked_children */
	struct strlist real;  /* those a person keeps files on */
	struct strlist files; /* files on files, as containers have for /etc/resolv.conf */
	struct strlist covers; /* something else on files */
};

static void mount_list_finish(struct mount_list *l)
{
	strlist_finish(&l->all);
	strlist_finish(&l->real);
	strlist_finish(&l->files);
	strlist_finish(&l->covers);
}

/* One line of mountinfo; false when it is none. */
static bool read_mount(const char *line, char point[PATH_MAX], char type[64])
{
	const char *dash = strstr(line, " - ");

	if (!dash || sscanf(line, "%*s %*s %*s %*s %4095s", point) != 1 || sscanf(dash, " - %63s", type) != 1)
		return false;
	unescape(point);
	return strcmp(point, "/") != 0 && path_is_clean(point);
}

int host_mounts_below(const char *dir, struct strlist *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char *save = NULL;
	int r = read_file("/proc/self/mountinfo", &text, e);

	if (r < 0)
		return r;
	for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char point[PATH_MAX], type[64];
		const char *below = read_mount(line, point, type) ? path_below(point, dir) : NULL;

		if (below && *below && !strlist_has(ret, below))
			strlist_add(ret, below);
	}
	return ret->failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "list mounts") : 0;
}

static void add_mount(struct mount_list *l, bool over, const char *point, const char *type)
{
	struct stat st;
	bool is_file = stat(point, &st) == 0 && !S_ISDIR(st.st_mode);
	struct strlist *into = real_fs(type) ? &l->real : NULL;

	if (!is_file || !over)
		strlist_add(&l->all, point);
	if (is_file)
		into = S_ISREG(st.st_mode) && (into || !strcmp(type, "tmpfs")) ? &l->files : &l->covers;
	if (into && !strlist_has(into, point))
		strlist_add(into, point);
}

static int read_mounts(bool over, struct mount_list *ret, struct aisbx_error *e)
{
	scoped(buf_finish) struct buf text = { 0 };
	char *save = NULL;
	int r = read_file("/proc/self/mountinfo", &text, e);

	if (r < 0)
		return r;
	for (char *line = strtok_r(text.data, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
		char point[PATH_MAX], type[64];

		if (!read_mount(line, point, type) || host_is_special(point))
			continue;
		add_mount(ret, over, point, type);
	}
	return ret->all.failed || ret->real.failed || ret->files.failed || ret->covers.failed
		       ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "list mounts")
		       : 0;
}

static int add_entry(struct host_view *v, enum host_entry_kind kind, const char *path, const char *target,
		     struct aisbx_error *e)
{
	struct host_entry *grown = v->entries;

	if ((v->n_entries & (v->n_entries - 1)) == 0) { /* powers of two: time to double */
		grown = realloc(v->entries, (v->n_entries ? v->n_entries * 2 : 1) * sizeof(*grown));
		if (!grown)
			return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "list '%s'", path);
		v->entries = grown;
	}
	grown[v->n_entries] = (struct host_entry){ .kind = kind,
						   .path = strdup(path),
						   .target = target ? strdup(target) : NULL };
	if (!grown[v->n_entries++].path)
		return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "list '%s'", path);
	return 0;
}

static bool is_empty(int dir_fd, const char *name)
{
	scoped(drop_fd) int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	_Alignas(struct sys_dirent) char room[512];
	ssize_t n;

	if (fd < 0)
		return errno == EACCES; /* what we may not list, the box may not either; else the clone shall
					   say why */
	n = sys_getdents(fd, room, sizeof(room));
	if (n < 0)
		return false;
	for (ssize_t at = 0; at < n;) {
		const struct sys_dirent *entry = (const void *)(room + at);

		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			return false;
		at += entry->d_reclen;
	}
	return true;
}

static int list_dir(const char *path, const struct mount_list *mounts, struct host_view *v,
		    struct aisbx_error *e);

static int add_dir(int parent_fd, const char *name, const char *path, const struct mount_list *mounts,
		   struct host_view *v, struct aisbx_error *e)
{
	bool is_mount = strlist_has(&mounts->all, path);
	bool below = false, empty;
	int r;

	for (size_t i = 0; i < mounts->all.n && !below; i++)
		below = strcmp(mounts->all.items[i], path) != 0 && path_is_within(mounts->all.items[i], path);
	if (is_mount && !strlist_has(&mounts->real, path))
		return add_entry(v, HOST_EMPTY, path, NULL, e);
	if (below)
		return list_dir(path, mounts, v, e);
	empty = is_empty(parent_fd, name);
	r = add_entry(v, empty ? HOST_EMPTY : HOST_CLONE, path, NULL, e);
	if (r == 0 && v->entries)
		v->entries[v->n_entries - 1].bare =
			empty && !is_mount && faccessat(parent_fd, name, W_OK, 0) == 0;
	return r;
}

static int add_any(int dir_fd, const struct dirent *entry, const char *path, const struct mount_list *mounts,
		   struct host_view *v, struct aisbx_error *e)
{
	unsigned char type = entry->d_type;
	char target[PATH_MAX];
	struct stat st;
	ssize_t n;

	/* Of a mount point the directory knows what is below. */
	if ((type == DT_UNKNOWN || strlist_has(&mounts->all, path)) &&
	    fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW) == 0)
		type = (unsigned char)IFTODT(st.st_mode);
	if (type == DT_DIR)
		return add_dir(dir_fd, entry->d_name, path, mounts, v, e);
	if (type == DT_LNK) {
		n = readlinkat(dir_fd, entry->d_name, target, sizeof(target) - 1);
		if (n <= 0)
			return 0;
		target[n] = '\0';
		return add_entry(v, HOST_LINK, path, target, e);
	}
	/* Sockets, pipes and devices are ways out of the box, not files. */
	return type == DT_REG ? add_entry(v, HOST_FILE, path, NULL, e) : 0;
}

static int list_dir(const char *path, const struct mount_list *mounts, struct host_view *v,
		    struct aisbx_error *e)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return errno == EACCES ? add_entry(v, HOST_EMPTY, path, NULL, e)
				       : aisbx_fail(e, AISBX_AREA_LAYER, errno, "list '%s'", path);
	while (r == 0 && (entry = dir_next(dir, &r))) {
		scoped(drop_mem) char *child = path_join(path, entry->d_name);

		if (!child)
			return aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "list '%s'", path);
		if (host_is_special(child))
			continue;
		if (!strcmp(path, "/") && entry->d_type == DT_REG)
			continue; /* a swap file, a kernel image: nothing a program looks for */
		r = add_any(dirfd(dir), entry, child, mounts, v, e);
	}
	return r < 0 && !e->code ? aisbx_fail(e, AISBX_AREA_LAYER, -r, "list '%s'", path) : r;
}

char *host_home(void)
{
	static const char *const system_dirs[] = { "/usr", "/etc",  "/bin", "/sbin",
						   "/lib", "/proc", "/sys", "/dev" };
	const char *home = getenv("HOME");
	char *real = home && home[0] == '/' ? realpath(home, NULL) : NULL;

	for (size_t i = 0; real && i < sizeof(system_dirs) / sizeof(*system_dirs); i++)
		if (!strcmp(real, "/") || path_is_within(real, system_dirs[i])) {
			free(real);
			real = NULL;
		}
	return real;
}

int host_view_read(bool whole, bool over, struct host_view *ret_view, struct aisbx_error *e)
{
	scoped(mount_list_finish) struct mount_list mounts = { 0 };
	struct host_view v = { 0 };
	int r = read_mounts(over, &mounts, e);

	if (r == 0 && !whole)
		r = list_dir("/", &mounts, &v, e);
	if (r < 0) {
		host_view_finish(&v);
		return r;
	}
	v.mounts = mounts.real.items;
	v.n_mounts = mounts.real.n;
	mounts.real = (struct strlist){ 0 };
	v.files = mounts.files;
	v.covers = mounts.covers;
	mounts.files = mounts.covers = (struct strlist){ 0 };
	v.home = host_home();
	*ret_view = v;
	return 0;
}
