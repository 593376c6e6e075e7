/* SPDX-License-Identifier: Apache-2.0 */
/* Files that a box has removed and keeps open: they use space, and no directory shows them. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/scope.h"
#include "run/disk.h"
#include "sys/sys.h"

/* Nobody has so many that are not meant to keep us busy. */
#define MAX_NAMELESS 1024

struct found {
	struct {
		dev_t dev;
		ino_t ino;
	} files[MAX_NAMELESS];
	size_t n;
	struct statfs disk;
};

static DIR *list(int at, const char *name)
{
	int fd = sys_open(at, name, O_RDONLY | O_DIRECTORY, 0);
	DIR *d = fd < 0 ? NULL : fdopendir(fd);

	if (!d)
		drop_fd(&fd);
	return d;
}

/* Only the overlays that write to the disk have its numbers; those that write to the box's tmpfs have that
 * one's. */
static bool lies_on_disk(int fds, const char *name, const struct statfs *disk)
{
	scoped(drop_fd) int fd = sys_open(fds, name, O_PATH, 0);
	struct statfs fs;

	return fd >= 0 && fstatfs(fd, &fs) == 0 && fs.f_type == OVERLAYFS_SUPER_MAGIC &&
	       fs.f_blocks == disk->f_blocks && fs.f_bsize == disk->f_bsize;
}

static bool is_new(struct found *f, const struct stat *st)
{
	for (size_t i = 0; i < f->n; i++)
		if (f->files[i].dev == st->st_dev && f->files[i].ino == st->st_ino)
			return false;
	if (f->n == MAX_NAMELESS)
		return false;
	f->files[f->n].dev = st->st_dev;
	f->files[f->n++].ino = st->st_ino;
	return true;
}

static void add_process(int proc, const char *pid, struct found *f, struct run_space *sum)
{
	char path[32];
	const struct dirent *entry;
	struct stat st;

	snprintf(path, sizeof(path), "%.20s/fd", pid);
	scoped(drop_dir) DIR *fds = list(proc, path);
	while (fds && (entry = readdir(fds))) {
		if (entry->d_name[0] == '.' || sys_stat(dirfd(fds), entry->d_name, &st, 0) < 0)
			continue;
		if (!S_ISREG(st.st_mode) || st.st_nlink || !lies_on_disk(dirfd(fds), entry->d_name, &f->disk))
			continue;
		if (!is_new(f, &st))
			continue;
		sum->bytes += (uint64_t)st.st_blocks * 512;
		sum->inodes++;
	}
}

void disk_add_deleted(int proc, int dir, struct run_space *sum)
{
	scoped(drop_dir) DIR *pids = proc < 0 ? NULL : list(proc, ".");
	scoped(drop_mem) struct found *f = calloc(1, sizeof(*f));
	const struct dirent *entry;

	if (!pids || !f || fstatfs(dir, &f->disk) < 0)
		return;
	while ((entry = readdir(pids)))
		if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
			add_process(proc, entry->d_name, f, sum);
}
