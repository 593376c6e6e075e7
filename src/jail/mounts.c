/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Executes the plan's operations on the root of the box. Every path inside the box is reached without
 * following symbolic links, so a link in a cloned tree cannot redirect a mount.
 */
#include "jail/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/error.h"
#include "base/scope.h"
#include "sys/sys.h"

#define INSIDE (RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
#define PLAIN  (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define HERE   AT_EMPTY_PATH

static int open_inside(const struct jail *j, const char *path, int flags)
{
	return sys_openat2(j->root, path[1] ? path + 1 : ".", (uint64_t)(flags | O_PATH | O_CLOEXEC), 0,
			   INSIDE);
}

static int step_into(int at, const char *name, mode_t mode)
{
	const uint64_t flags = O_PATH | O_DIRECTORY | O_CLOEXEC;
	int fd = sys_openat2(at, name, flags, 0, INSIDE), r;

	if (fd != -ENOENT)
		return fd;
	r = sys_mkdir(at, name, mode);
	return r < 0 ? r : sys_openat2(at, name, flags, 0, INSIDE);
}

/* Opens directory PATH of the box, making what is missing of it. */
static int ensure_dir(const struct jail *j, const char *path, mode_t mode)
{
	int fd = open_inside(j, path, O_DIRECTORY), up;
	char name[NAME_MAX + 1];

	if (fd != -ENOENT)
		return fd;
	for (fd = open_inside(j, "/", O_DIRECTORY); fd >= 0 && *path; close(up)) {
		size_t n = strcspn(++path, "/");

		memcpy(name, path, n); /* a clean path has no longer component */
		name[n] = '\0';
		path += n;
		up = fd;
		fd = step_into(up, name, *path ? 0755 : mode);
	}
	return fd;
}

/* Opens the directory that holds PATH; *RET_NAME is its last component. */
static int ensure_parent(const struct jail *j, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	char up[PATH_MAX];

	*ret_name = slash + 1;
	snprintf(up, sizeof(up), "%.*s", slash == path ? 1 : (int)(slash - path), path);
	return ensure_dir(j, up, 0755);
}

/* A mount point of the same kind as what shall be mounted there. */
static int ensure_target(const struct jail *j, const char *path, bool is_dir)
{
	scoped(drop_fd) int parent = -1;
	const char *name;
	int fd;

	if (is_dir)
		return ensure_dir(j, path, 0755);
	fd = open_inside(j, path, O_NOFOLLOW);
	if (fd != -ENOENT)
		return fd;
	parent = ensure_parent(j, path, &name);
	if (parent < 0)
		return parent;
	fd = sys_open(parent, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0644);
	if (fd >= 0)
		close(fd);
	return fd < 0 ? fd : open_inside(j, path, O_NOFOLLOW);
}

int jail_attach(const struct jail *j, int mount_fd, const char *path, bool is_dir)
{
	scoped(drop_fd) int target = ensure_target(j, path, is_dir);

	return target < 0 ? target : sys_move_mount(mount_fd, target, "", MOVE_MOUNT_T_EMPTY_PATH);
}

/* A box that stays may have made something else of the way to a place in its home. */
static bool is_obstructed(const struct jail_plan_op *op, int r)
{
	return (op->flags & JAIL_PLAN_OPTIONAL) && (r == -ELOOP || r == -ENOTDIR || r == -EEXIST);
}

/* Where a place of the box's own should be, an image has something else; it is not followed. */
static int fail_place(struct aisbx_error *e, int r, const char *what, const char *dst)
{
	aisbx_fail(e, AISBX_AREA_JAIL, -r, "%s '%s'", what, dst);
	return r == -ELOOP || r == -ENOTDIR
		       ? aisbx_hint(e,
				    "a link or a file is in its place or on the way to it, and such are not "
				    "followed")
		       : r;
}

static int op_dir(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = ensure_dir(j, dst, op->mode);

	return fd < 0 && !is_obstructed(op, fd)
		       ? aisbx_fail(e, AISBX_AREA_JAIL, -fd, "make directory '%s'", dst)
		       : 0;
}

static int op_file(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int parent = -1;
	scoped(drop_fd) int fd = -1;
	const char *name;
	int r = parent = ensure_parent(j, dst, &name);

	if (r >= 0 && (op->flags & JAIL_PLAN_REPLACE)) {
		r = sys_unlink(parent, name, 0);
		r = r == -ENOENT ? 0 : r;
	}
	if (r >= 0)
		r = fd = sys_open(parent, name, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, op->mode);
	if (r == -EEXIST) /* the real thing is shown there; it stays */
		return 0;
	if (r >= 0)
		r = sys_write_all(fd, j->plan->strings + op->data, op->data_len);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "write '%s'", dst) : 0;
}

static int op_link(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int parent = -1;
	const char *name;
	int r = parent = ensure_parent(j, dst, &name);

	if (r >= 0)
		r = sys_symlink(jail_plan_string(j->plan, op->src), parent, name);
	return r < 0 && r != -EEXIST ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "make link '%s'", dst) : 0;
}

/* A tree must be attached somewhere of this namespace before overlayfs takes it as a layer. */
static int attach_tree(struct jail *j, int fd, struct aisbx_error *e)
{
	char name[16];
	int r;

	jail_staging_name(j, 't', name, sizeof(name));
	r = sys_mkdir(j->staging, name, 0700);
	if (r == 0)
		r = sys_move_mount(fd, j->staging, name, 0);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "attach a tree of the host") : 0;
}

int jail_take_tree(struct jail *j, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = jail_receive_tree(j, e);
	int r = fd < 0 ? fd : attach_tree(j, fd, e);

	return r < 0 ? r : take_fd(&fd);
}

/* The root of a merged tree shows the upper's owner and mode, so they must be the lower's. */
static int make_upper(struct jail *j, int lower, char *ret_upper, char *ret_work, size_t cap)
{
	struct stat st;
	int r = sys_stat(lower, "", &st, AT_EMPTY_PATH);

	jail_staging_name(j, 'u', ret_upper, cap);
	jail_staging_name(j, 'w', ret_work, cap);
	if (r == 0)
		r = sys_mkdir(j->staging, ret_upper, 0755);
	if (r == 0)
		r = sys_mkdir(j->staging, ret_work, 0700);
	if (r == 0 && fchmodat(j->staging, ret_upper, st.st_mode & 07777, 0) < 0)
		r = -errno;
	/* An owner without an id in the box cannot be given; then it is the box's own, as for a new file. */
	if (r == 0 && fchownat(j->staging, ret_upper, st.st_uid, st.st_gid, 0) < 0 && errno != EPERM &&
	    errno != EINVAL)
		r = -errno;
	return r;
}

static int set_fd(int fs, const char *key, int fd)
{
	char value[32];

	snprintf(value, sizeof(value), "/proc/self/fd/%d", fd);
	return sys_fsconfig_string(fs, key, value);
}

static int open_layer(const struct jail *j, const char *path)
{
	return sys_openat2(j->layers, path + 1, O_PATH | O_DIRECTORY | O_CLOEXEC, 0, INSIDE);
}

/* Layers on disk: the one for changes, its work directory, then frozen ones, newest first. */
static int add_layers(const struct jail *j, int fs, const struct jail_plan_op *op, struct aisbx_error *e)
{
	static const char *const keys[] = { "upperdir", "workdir", "lowerdir+" };
	const char *at = j->plan->strings + op->data, *end = at + op->data_len;

	for (int i = 0; at < end; at += strlen(at) + 1, i += i < 2) {
		scoped(drop_fd) int fd = open_layer(j, at);
		int r = fd < 0 ? fd : set_fd(fs, keys[i], fd);

		if (r < 0)
			return aisbx_fail(e, AISBX_AREA_JAIL, -r, "use layer '%s'", at);
	}
	return 0;
}

/* An upper layer on the staging tmpfs: the changes go when the run goes. */
static int add_staging_layer(struct jail *j, int fs, int lower)
{
	char upper[16], work[16], value[64];
	int r = make_upper(j, lower, upper, work, sizeof(upper));

	if (r >= 0) {
		snprintf(value, sizeof(value), "/proc/self/fd/%d/%s", j->staging, upper);
		r = sys_fsconfig_string(fs, "upperdir", value);
	}
	if (r >= 0) {
		snprintf(value, sizeof(value), "/proc/self/fd/%d/%s", j->staging, work);
		r = sys_fsconfig_string(fs, "workdir", value);
	}
	return r;
}

static int overlay(struct jail *j, int fs, const struct jail_plan_op *op, int lower, struct aisbx_error *e)
{
	bool writable = op->flags & JAIL_PLAN_WRITABLE;
	char note[SYS_FS_NOTE_MAX] = "", value[64];
	int r = sys_fsconfig_string(fs, "source", "aisbx");

	if (op->data_len) {
		r = r < 0 ? r : set_fd(fs, "lowerdir+", lower); /* since Linux 6.8 */
	} else {
		/* Without an upper overlayfs wants two lowers. */
		snprintf(value, sizeof(value),
			 writable ? "/proc/self/fd/%d" : "/proc/self/fd/%d:/proc/self/fd/%d", lower,
			 j->empty);
		r = r < 0 ? r : sys_fsconfig_string(fs, "lowerdir", value);
		if (r >= 0 && writable)
			r = add_staging_layer(j, fs, lower);
	}
	/* Never follow redirects or metadata-only copies: a forged xattr in a lower must mean nothing. */
	if (r >= 0)
		r = sys_fsconfig_flag(fs, "userxattr");
	/* No sync at every copy-up; layer/unsynced.c sees to it when the run is over. */
	if (r >= 0 && op->data_len)
		r = sys_fsconfig_flag(fs, "volatile");
	if (r >= 0)
		r = sys_fsconfig_string(fs, "redirect_dir", "nofollow");
	if (r >= 0)
		r = sys_fsconfig_string(fs, "metacopy", "off");
	if (r >= 0)
		r = sys_fsconfig_create(fs);
	if (r >= 0)
		r = sys_fsmount(fs, PLAIN | (writable ? 0 : MOUNT_ATTR_RDONLY));
	if (r >= 0)
		return r;
	sys_fs_note(fs, note, sizeof(note));
	aisbx_fail(e, AISBX_AREA_JAIL, -r, "mount an overlay");
	return note[0] ? aisbx_hint(e, "kernel: %s", note) : r;
}

/* Descriptors as names relative to /proc/self/fd: so the longest chain fits into the one page that mount(2)
 * takes. */
static int join_layers(const int *fds, size_t n, char *ret_options, size_t cap)
{
	size_t at = (size_t)snprintf(
		ret_options, cap,
		"userxattr,volatile,redirect_dir=nofollow,metacopy=off,upperdir=%d,workdir=%d,lowerdir=",
		fds[0], fds[1]);

	for (size_t i = 2; i < n && at < cap; i++)
		at += (size_t)snprintf(ret_options + at, cap - at, i + 1 < n ? "%d:" : "%d", fds[i]);
	return at < cap ? 0 : -E2BIG;
}

static int mount_joined(struct jail *j, const char *options)
{
	char name[16], target[64];
	int r;

	jail_staging_name(j, 'o', name, sizeof(name));
	snprintf(target, sizeof(target), "%d/%s", j->staging, name);
	r = sys_mkdir(j->staging, name, 0700);
	if (r == 0 && chdir("/proc/self/fd") < 0)
		r = -errno;
	if (r == 0)
		r = sys_mount("aisbx", target, "overlay", MS_NOSUID | MS_NODEV, options);
	return r < 0 ? r : sys_open(j->staging, name, O_PATH | O_DIRECTORY, 0);
}

/*
 * The same for a clone with layers on disk where the kernel knows no "lowerdir+" (before Linux 6.8): all
 * lowers in one string. Before 6.5 paths are looked up only when it mounts, so the layers stay open until
 * then.
 */
static int overlay_joined(struct jail *j, const struct jail_plan_op *op, int lower, struct aisbx_error *e)
{
	const char *at = j->plan->strings + op->data, *end = at + op->data_len;
	int fds[JAIL_PLAN_MAX_LAYERS + 1] = { -1, -1 }, r = 0; /* the decoder has counted: two at least */
	char options[4096];
	size_t n = 0;

	for (; r == 0 && at < end; at += strlen(at) + 1, n++) {
		fds[n] = open_layer(j, at);
		if (fds[n] < 0) {
			r = aisbx_fail(e, AISBX_AREA_JAIL, -fds[n], "use layer '%s'", at);
			break;
		}
	}
	if (r == 0) {
		fds[n] = lower;
		r = join_layers(fds, n + 1, options, sizeof(options));
		r = r < 0 ? r : mount_joined(j, options);
		if (r < 0)
			aisbx_fail(e, AISBX_AREA_JAIL, -r, "mount an overlay by a list of its layers");
	}
	while (n)
		close(fds[--n]);
	return r;
}

/*
 * By the way this kernel knows. From 6.5 on it says at once that it does not know "lowerdir+"; older ones
 * only when they mount, and in their log, so those are not asked.
 */
static int overlay_layers(struct jail *j, int fs, const struct jail_plan_op *op, int lower,
			  struct aisbx_error *e)
{
	int r = sys_kernel_is_before(6, 5) ? -EINVAL : add_layers(j, fs, op, e);

	if (r == 0)
		r = overlay(j, fs, op, lower, e);
	if (r != -EINVAL)
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return overlay_joined(j, op, lower, e);
}

/* What a mount that failed late has left in the work directory, and the next one takes for a sign that the
 * machine stopped. */
static void drop_marker(const struct jail *j, const struct jail_plan_op *op)
{
	const char *upper = j->plan->strings + op->data;
	scoped(drop_fd) int work =
		open_layer(j, upper + strlen(upper) + 1); /* the decoder has counted: there are two */

	sys_unlink(work, "work/incompat/volatile/dirty", 0);
	sys_unlink(work, "work/incompat/volatile", AT_REMOVEDIR);
}

/*
 * Overlayfs takes no lower layer from inside another, which is so when the boxes are kept below what is
 * cloned: root's state below /var, a project around it. Seen through an overlay of its own the tree is
 * another file system, and layers are not inside it.
 */
static int overlay_apart(struct jail *j, const struct jail_plan_op *op, int lower, struct aisbx_error *e)
{
	const struct jail_plan_op plain = { .kind = JAIL_PLAN_CLONE };
	scoped(drop_fd) int inner = sys_fsopen("overlay");
	scoped(drop_fd) int outer = sys_fsopen("overlay");
	scoped(drop_fd) int tree = -1;
	int r;

	if (inner < 0 || outer < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, inner < 0 ? -inner : -outer, "open overlayfs");
	drop_marker(j, op);
	tree = overlay(j, inner, &plain, lower, e);
	r = tree < 0 ? tree : attach_tree(j, tree, e);
	if (r == 0)
		r = overlay_layers(j, outer, op, tree, e);
	return r < 0 ? aisbx_hint(e, "the boxes are stored inside the cloned directory; set XDG_STATE_HOME "
				     "to another place")
		     : r;
}

/* The tree of the host, or of the box, that a clone shows. */
static int open_lower(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	if (op->flags & JAIL_PLAN_HERE)
		return open_inside(j, dst, O_DIRECTORY);
	return op->flags & JAIL_PLAN_IDMAP
		       ? jail_take_tree(j, e)
		       : sys_open(AT_FDCWD, jail_plan_string(j->plan, op->src), O_PATH | O_DIRECTORY, 0);
}

static int make_clone(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	const char *src = jail_plan_string(j->plan, op->src);
	scoped(drop_fd) int fs = sys_fsopen("overlay");
	scoped(drop_fd) int lower = -1;
	scoped(drop_fd) int fd = -1;
	int r;

	if (fs < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -fs, "open overlayfs");
	lower = open_lower(j, op, dst, e);
	if (lower == -ENOENT && (op->flags & JAIL_PLAN_OPTIONAL))
		return 0;
	if (lower < 0)
		return op->flags & JAIL_PLAN_IDMAP ? lower
						   : aisbx_fail(e, AISBX_AREA_JAIL, -lower, "open '%s'", src);
	fd = op->data_len ? overlay_layers(j, fs, op, lower, e) : overlay(j, fs, op, lower, e);
	if (fd == -ELOOP && op->data_len) {
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		fd = overlay_apart(j, op, lower, e);
	}
	if (fd < 0)
		return aisbx_context(e, "clone '%s'", src);
	if (!strcmp(dst, "/")) {
		r = sys_move_mount(fd, j->staging, "root", 0);
		if (r == 0) {
			close_fd(&j->root);
			j->root = take_fd(&fd);
		}
	} else {
		r = jail_attach(j, fd, dst, true);
	}
	return r < 0 && !is_obstructed(op, r)
		       ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "attach the clone of '%s'", src)
		       : 0;
}

static int op_clone(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	int r = make_clone(j, op, dst, e);

	if (r == 0 || !(op->flags & JAIL_PLAN_TRY))
		return r;
	*e = (struct aisbx_error)AISBX_ERROR_INIT;
	return 0;
}

static int op_bind(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	const char *src = jail_plan_string(j->plan, op->src);
	uint64_t attrs = MOUNT_ATTR_NOSUID | (op->flags & JAIL_PLAN_WRITABLE ? 0 : MOUNT_ATTR_RDONLY);
	scoped(drop_fd) int fd = -1;
	struct stat st;
	int r;

	fd = op->flags & JAIL_PLAN_IDMAP ? jail_receive_tree(j, e)
					 : sys_open_tree(AT_FDCWD, src, OPEN_TREE_CLONE | AT_RECURSIVE);
	if (fd == -ENOENT && (op->flags & JAIL_PLAN_OPTIONAL))
		return 0;
	if (fd < 0)
		return op->flags & JAIL_PLAN_IDMAP ? fd
						   : aisbx_fail(e, AISBX_AREA_JAIL, -fd, "get '%s'", src);
	r = sys_stat(fd, "", &st, AT_EMPTY_PATH);
	j->shared |= r == 0 && (op->flags & JAIL_PLAN_WRITABLE) && !S_ISCHR(st.st_mode);
	if (r == 0)
		r = sys_mount_setattr(fd, "", HERE | AT_RECURSIVE,
				      attrs | (S_ISCHR(st.st_mode) ? 0 : MOUNT_ATTR_NODEV), 0, 0, -1);
	if (r == 0)
		r = jail_attach(j, fd, dst, S_ISDIR(st.st_mode));
	return r < 0 && !is_obstructed(op, r)
		       ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "bind '%s' to '%s'", src, dst)
		       : 0;
}

/* Mounts NAME of the staging tmpfs at DST. */
static int show_staging(struct jail *j, const char *name, const char *dst, bool is_dir, uint64_t attrs)
{
	scoped(drop_fd) int fd = sys_open_tree(j->staging, name, OPEN_TREE_CLONE);
	int r = fd;

	if (r >= 0 && attrs)
		r = sys_mount_setattr(fd, "", HERE, attrs, 0, 0, -1);
	return r < 0 ? r : jail_attach(j, fd, dst, is_dir);
}

/* Already fresh and private: a plain directory of the skeleton will do, and saves a mount. */
static bool on_staging(const struct jail *j, const char *dst)
{
	scoped(drop_fd) int parent = -1;
	scoped(drop_fd) int there = open_inside(j, dst, O_NOFOLLOW);
	struct stat here, staging;
	const char *name;

	if (there != -ENOENT) /* a clone of the host's may be mounted there, which is to be covered */
		return false;
	parent = ensure_parent(j, dst, &name);
	return parent >= 0 && sys_stat(parent, "", &here, AT_EMPTY_PATH) == 0 &&
	       sys_stat(j->staging, "", &staging, AT_EMPTY_PATH) == 0 && here.st_dev == staging.st_dev;
}

static int op_scratch(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	char name[16];
	int r;

	if (on_staging(j, dst))
		return op_dir(j, op, dst, e);
	jail_staging_name(j, 's', name, sizeof(name));
	r = sys_mkdir(j->staging, name, 0700);
	if (r == 0 && fchmodat(j->staging, name, op->mode, 0) < 0) /* mkdir drops the sticky bit */
		r = -errno;
	if (r == 0)
		r = show_staging(j, name, dst, true, 0);
	return r < 0 ? fail_place(e, r, "make a fresh", dst) : 0;
}

/* A new mount of a kernel file system; FS_MAGIC proves by descriptor that it is what it should be. */
static int op_kernel_fs(struct jail *j, const char *fs_name, const char *dst, long magic,
			const char *const options[][2], struct aisbx_error *e)
{
	scoped(drop_fd) int fs = sys_fsopen(fs_name);
	scoped(drop_fd) int fd = -1;
	struct statfs sf;
	int r = fs;

	for (size_t i = 0; r >= 0 && options && options[i][0]; i++)
		r = sys_fsconfig_string(fs, options[i][0], options[i][1]);
	if (r >= 0)
		r = sys_fsconfig_create(fs);
	if (r >= 0)
		r = fd = sys_fsmount(fs, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC |
						 (magic == PROC_SUPER_MAGIC ? MOUNT_ATTR_NODEV : 0));
	if (r >= 0 && fstatfs(fd, &sf) < 0)
		r = -errno;
	if (r >= 0 && (long)sf.f_type != magic)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_JAIL, EPROTO,
				    "what was mounted at '%s' is not %s", dst, fs_name);
	if (r >= 0)
		r = jail_attach(j, fd, dst, true);
	if (r == -EPERM)
		return aisbx_refuse(
			e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_JAIL, EPERM,
			"mount %s at '%s': Operation not permitted; inside a container whose /proc is masked "
			"the kernel refuses a new one: start that container with an unmasked /proc",
			fs_name, dst);
	return r < 0 ? fail_place(e, r, fs_name[0] == 'p' ? "mount proc at" : "mount devpts at", dst) : 0;
}

static int op_proc(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	int r = op_kernel_fs(j, "proc", dst, PROC_SUPER_MAGIC, NULL, e);

	(void)op;
	return r < 0 ? r : jail_bound_watches(j, j->root, e); /* now: later it is read-only */
}

static int op_pts(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	static const char *const options[][2] = { { "ptmxmode", "0666" },
						  { "mode", "0620" },
						  { NULL, NULL } };

	(void)op;
	return op_kernel_fs(j, "devpts", dst, DEVPTS_SUPER_MAGIC, options, e);
}

static int op_mask(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open_inside(j, dst, O_NOFOLLOW);
	scoped(drop_fd) int made = -1;
	char name[16] = "empty";
	struct stat st;
	int r = fd;

	if (r == -ENOENT || r == -ENOTDIR || is_obstructed(op, r))
		return 0;
	if (r >= 0)
		r = sys_stat(fd, "", &st, AT_EMPTY_PATH);
	if (r >= 0 && !S_ISDIR(st.st_mode)) {
		jail_staging_name(j, 'm', name, sizeof(name));
		r = made = sys_open(j->staging, name, O_CREAT | O_EXCL | O_WRONLY,
				    op->data_len                  ? 0644
				    : op->flags & JAIL_PLAN_WATCH ? 0444
								  : 0);
		if (r >= 0 && op->data_len)
			r = sys_write_all(made, j->plan->strings + op->data, op->data_len);
	}
	if (r >= 0)
		r = show_staging(j, name, dst, S_ISDIR(st.st_mode),
				 (op->flags & JAIL_PLAN_WRITABLE ? 0 : MOUNT_ATTR_RDONLY) | PLAIN |
					 MOUNT_ATTR_NOEXEC);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "hide '%s'", dst) : 0;
}

static int op_lock(struct jail *j, const struct jail_plan_op *op, const char *dst, struct aisbx_error *e)
{
	scoped(drop_fd) int at = open_inside(j, dst, O_NOFOLLOW);
	scoped(drop_fd) int fd = -1;
	int r = at;

	if (r == -ENOENT && (op->flags & JAIL_PLAN_OPTIONAL))
		return 0;
	if (r >= 0)
		r = fd = sys_open_tree(at, "", OPEN_TREE_CLONE | AT_EMPTY_PATH | AT_RECURSIVE);
	if (r >= 0)
		r = sys_mount_setattr(fd, "", HERE | AT_RECURSIVE, MOUNT_ATTR_RDONLY, 0, 0, -1);
	if (r >= 0)
		r = sys_move_mount(fd, at, "", MOVE_MOUNT_T_EMPTY_PATH);
	return r < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -r, "make '%s' read-only", dst) : 0;
}

static int (*const ops[JAIL_PLAN_OP_KINDS])(struct jail *, const struct jail_plan_op *, const char *,
					    struct aisbx_error *) = {
	[JAIL_PLAN_DIR] = op_dir,
	[JAIL_PLAN_FILE] = op_file,
	[JAIL_PLAN_LINK] = op_link,
	[JAIL_PLAN_CLONE] = op_clone,
	[JAIL_PLAN_BIND] = op_bind,
	[JAIL_PLAN_SCRATCH] = op_scratch,
	[JAIL_PLAN_PROC] = op_proc,
	[JAIL_PLAN_PTS] = op_pts,
	[JAIL_PLAN_MASK] = op_mask,
	[JAIL_PLAN_LOCK] = op_lock,
	[JAIL_PLAN_NODES] = jail_show_nodes,
	[JAIL_PLAN_DEVICE] = jail_show_device,
};

static int open_layers(struct jail *j, struct aisbx_error *e)
{
	const char *path = jail_plan_string(j->plan, j->plan->head->layers);

	if (!*path)
		return 0;
	if (j->order.flags & JAIL_PLAN_SHIFT)
		return j->layers = jail_take_tree(j, e);
	j->layers = sys_open(AT_FDCWD, path, O_PATH | O_DIRECTORY, 0);
	return j->layers < 0 ? aisbx_fail(e, AISBX_AREA_JAIL, -j->layers, "open '%s'", path) : 0;
}

/* A container's /proc needs its process ids, so the runtime mounts it, with what is hidden in it. */
static bool is_for_runtime(const struct jail *j, const char *dst)
{
	return (j->order.flags & JAIL_PLAN_RUNTIME) && !strncmp(dst, "/proc", 5) &&
	       (dst[5] == '\0' || dst[5] == '/');
}

/* Where it shall mount: no runtime is trusted to see a link there. */
static int leave_to_runtime(struct jail *j, const struct jail_plan_op *op, const char *dst,
			    struct aisbx_error *e)
{
	scoped(drop_fd) int fd = -1;

	if (op->kind != JAIL_PLAN_PROC)
		return 0;
	fd = ensure_target(j, dst, true);
	return fd < 0 ? fail_place(e, fd, "mount proc at", dst) : 0;
}

int jail_mounts(struct jail *j, struct aisbx_error *e)
{
	const struct jail_plan *p = j->plan;
	int r = open_layers(j, e);

	if (r < 0)
		return r;
	umask(0);
	j->root = sys_open_tree(j->staging, "root", OPEN_TREE_CLONE);
	r = j->root < 0 ? j->root : sys_move_mount(j->root, j->staging, "root", 0);
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_JAIL, -r, "prepare the root of the box");
	for (uint32_t i = 0; i < p->head->n_ops; i++) {
		const struct jail_plan_op *op = &p->ops[i];
		const char *dst = jail_plan_string(p, op->dst);

		r = is_for_runtime(j, dst) ? leave_to_runtime(j, op, dst, e) : ops[op->kind](j, op, dst, e);
		if (r < 0)
			return r;
	}
	umask(022);
	return 0;
}
