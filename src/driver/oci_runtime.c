/* SPDX-License-Identifier: Apache-2.0 */
/* Finds OCI runtimes, and says what each is told. */
#include "driver/oci_runtime.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/private_dir.h"
#include "base/scope.h"
#include "jail/plan.h"

const struct oci_runtime oci_runtimes[] = {
	{ .row = "oci:runc", .name = "runc", .program = "runc" },
	{ .row = "oci:crun",
	  .name = "crun",
	  .program = "crun",
	  .words = { "--cgroup-manager=disabled" },
	  .remedy = "crun needs cgroup v2 alone: boot with 'systemd.unified_cgroup_hierarchy=1'; runc works "
		    "with "
		    "both" },
	{ .row = "oci:runsc",
	  .name = "runsc",
	  .program = "runsc",
	  .guest = true,
	  .words = { "--log", JAIL_GUEST_LOG, "--ignore-cgroups", "--network=none", "--overlay2=none",
		     "--file-access=shared", "--host-settings=ignore" } },
	{ .row = "oci:kata",
	  .name = "kata",
	  .program = "kata-runtime",
	  .unfit = "Kata Containers 2 and later runs only below containerd or CRI-O, not by a bundle" },
	{ .name = NULL },
};

void oci_found_finish(struct oci_found *f)
{
	close_fd(&f->fd);
}

/* Nobody else can have put another program there. */
static int check_program(const char *path, int fd, struct aisbx_error *e)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "inspect '%s'", path);
	if (!S_ISREG(st.st_mode) || !(st.st_mode & S_IXOTH))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EACCES,
				    "'%s' is no program that everybody may execute", path);
	if (!private_dir_trusts(st.st_uid))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
				    "runtime '%s' belongs to somebody else (user %u), who could change it",
				    path, st.st_uid);
	if (st.st_mode & (S_IWGRP | S_IWOTH))
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_RUN, EPERM,
				    "others can write to the runtime '%s'; run 'chmod go-w %s'", path, path);
	return 0;
}

/* -ENOENT leaves E unchanged. */
static int open_at(const char *path, const struct oci_runtime *r, struct oci_found *ret,
		   struct aisbx_error *e)
{
	scoped(drop_fd) int fd = open(path, O_PATH | O_CLOEXEC);
	int err;

	if (fd < 0 && (errno == ENOENT || errno == ENOTDIR || errno == EACCES))
		return -ENOENT;
	if (fd < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, errno, "open '%s'", path);
	err = check_program(path, fd, e);
	if (err < 0)
		return err;
	*ret = (struct oci_found){ .runtime = r, .fd = take_fd(&fd) };
	snprintf(ret->path, sizeof(ret->path), "%s", path);
	return 0;
}

/* Where systems have their programs. PATH is the person's, and may lead into a project. */
static int open_installed(const struct oci_runtime *r, struct oci_found *ret, struct aisbx_error *e)
{
	static const char *const dirs[] = { "/usr/local/sbin", "/usr/local/bin", "/usr/sbin",
					    "/usr/bin",        "/sbin",          "/bin" };
	int err = -ENOENT;

	for (size_t i = 0; err == -ENOENT && i < sizeof(dirs) / sizeof(*dirs); i++) {
		char path[64];

		snprintf(path, sizeof(path), "%s/%s", dirs[i], r->program);
		err = open_at(path, r, ret, e);
	}
	return err;
}

bool oci_is_installed(const struct oci_runtime *r, struct aisbx_error *e)
{
	scoped(oci_found_finish) struct oci_found found = { .fd = -1 };
	int err = open_installed(r, &found, e);

	return err != -ENOENT;
}

static int refuse_missing(const char *choice, struct aisbx_error *e)
{
	return aisbx_refuse(
		e, AISBX_KIND_NOT_FOUND, AISBX_AREA_RUN, ENOENT,
		*choice ? "the OCI runtime '%s' is not installed; 'aisbx doctor' lists those that are"
			: "no OCI runtime is installed%s: runc, crun or runsc is needed",
		choice);
}

const struct oci_runtime *oci_named(const char *choice)
{
	const char *file = *choice == '/' ? strrchr(choice, '/') + 1 : NULL;
	const struct oci_runtime *r = oci_runtimes;

	while (r->name && strcmp(file ? r->program : r->name, file ? file : choice) != 0)
		r++;
	return r->name ? r : NULL;
}

static int find_path(const char *path, struct oci_found *ret, struct aisbx_error *e)
{
	const struct oci_runtime *r = oci_named(path);
	int err;

	if (!r)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL,
				    "'%s' is none of the runtimes that are known by the name of their file: "
				    "runc, crun, runsc",
				    path);
	err = open_at(path, r, ret, e);
	return err == -ENOENT ? refuse_missing(path, e) : err;
}

static int check_fit(struct oci_found *f, struct aisbx_error *e)
{
	const char *unfit = f->runtime->unfit;

	if (!unfit)
		return 0;
	oci_found_finish(f);
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			    "the runtime '%s' cannot be used: %s", f->runtime->name, unfit);
}

int oci_find(const char *choice, struct oci_found *ret, struct aisbx_error *e)
{
	const struct oci_runtime *r = oci_runtimes;
	int err = -ENOENT;

	*ret = (struct oci_found){ .fd = -1 };
	if (*choice == '/') {
		err = find_path(choice, ret, e);
		return err < 0 ? err : check_fit(ret, e);
	}
	if (!*choice) {
		for (; err == -ENOENT && r->name; r++)
			err = r->unfit ? -ENOENT : open_installed(r, ret, e);
		return err == -ENOENT ? refuse_missing("", e) : err;
	}
	r = oci_named(choice);
	if (!r)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_RUN, EINVAL,
			"there is no OCI runtime '%.40s'; allowed are runc, crun, runsc and kata, or "
			"the absolute path of one",
			choice);
	err = open_installed(r, ret, e);
	if (err == -ENOENT)
		return refuse_missing(choice, e);
	return err < 0 ? err : check_fit(ret, e);
}

static void add_word(struct buf *b, const char *word)
{
	buf_add(b, word, strlen(word) + 1);
}

int oci_words(const struct oci_found *f, struct buf *ret, struct aisbx_error *e)
{
	const struct oci_runtime *r = f->runtime;

	add_word(ret, f->path);
	add_word(ret, "--root");
	add_word(ret, JAIL_RUNTIME_STATE);
	for (size_t i = 0; i < sizeof(r->words) / sizeof(*r->words) && r->words[i]; i++)
		add_word(ret, r->words[i]);
	add_word(ret, "run");
	if (!r->guest) {
		add_word(ret, "--detach");
		add_word(ret, "--preserve-fds");
		add_word(ret, JAIL_RUNTIME_FDS_ARG);
	}
	add_word(ret, "--bundle");
	add_word(ret, JAIL_RUNTIME_BUNDLE);
	add_word(ret, "aisbx");
	return ret->failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "start the runtime") : 0;
}
