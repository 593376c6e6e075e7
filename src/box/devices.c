/* SPDX-License-Identifier: Apache-2.0 */
/* From names to devices: directories are opened up, each device is judged by what it is, not by its name. */
#include "box/devices.h"

#include <dirent.h>
#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/dir.h"
#include "base/error.h"
#include "base/path.h"
#include "base/scope.h"
#include "policy/device.h"

static bool is_key(const struct run_spec *spec, size_t i)
{
	return profile_value_is(&spec->origin->rules, i, "devices");
}

bool box_has_devices(const struct run_spec *spec, const struct run_options *w)
{
	bool any = w->device.n || w->gpu;

	for (size_t i = 0; i < spec->origin->rules.n_values && !any; i++)
		any = is_key(spec, i);
	return any;
}

/* What /proc/devices calls a major number of character devices. */
static void find_driver(unsigned int major, char *ret, size_t cap)
{
	scoped(drop_file) FILE *f = fopen("/proc/devices", "re");
	char line[128], name[64];
	unsigned int number;

	ret[0] = '\0';
	while (f && fgets(line, sizeof(line), f) && strncmp(line, "Block", 5) != 0)
		if (sscanf(line, "%u %63s", &number, name) == 2 && number == major) {
			snprintf(ret, cap, "%s", name);
			return;
		}
}

/* One asked for by an option must work; one of a profile, or found in a directory, is left out if it cannot.
 */
struct wish {
	struct run_spec *spec;
	bool must;
	size_t n; /* added so far */
};

static int add_one(struct wish *w, const char *path, struct aisbx_error *e)
{
	struct run_spec *spec = w->spec;
	struct run_mount *m = &spec->walls.own_mounts[spec->walls.n_mounts];
	const char *why;
	struct stat st;
	char driver[64];

	if (lstat(path, &st) < 0)
		return w->must ? aisbx_fail(e, AISBX_AREA_USAGE, errno, "show the device '%s'", path) : 0;
	find_driver(major(st.st_rdev), driver, sizeof(driver));
	why = device_refusal(st.st_mode, major(st.st_rdev), minor(st.st_rdev), driver);
	if (why)
		return w->must ? aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_USAGE, EPERM,
					      "no box gets the device '%s': %s", path, why)
			       : 0;
	if (access(path, R_OK | W_OK) < 0)
		return w->must ? aisbx_fail(e, AISBX_AREA_USAGE, errno,
					    "show the device '%s', which you may not open yourself", path)
			       : 0;
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].device && !strcmp(spec->walls.mounts[i].guest, path))
			return 0;
	if (++w->n > BOX_DEVICES_MAX)
		return aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, E2BIG,
				    "a box has at most %d devices", BOX_DEVICES_MAX);
	strlist_add(&spec->kept, path);
	if (spec->kept.failed)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "device '%s'", path);
	m->host = m->guest = spec->kept.items[spec->kept.n - 1];
	m->device = st.st_rdev;
	spec->walls.n_mounts++;
	return 0;
}

static int add_dir(struct wish *w, const char *path, struct aisbx_error *e)
{
	scoped(drop_dir) DIR *dir = opendir(path);
	const bool must = w->must;
	size_t before = w->spec->walls.n_mounts;
	struct dirent *entry;
	int r = 0;

	if (!dir)
		return must ? aisbx_fail(e, AISBX_AREA_USAGE, errno, "list '%s'", path) : 0;
	w->must = false;
	while (r == 0 && (entry = dir_next(dir, &r))) {
		scoped(drop_mem) char *child = path_join(path, entry->d_name);

		r = child ? add_one(w, child, e) : -ENOMEM;
	}
	w->must = must;
	if (r < 0)
		return e->code ? r : aisbx_fail(e, AISBX_AREA_USAGE, -r, "list '%s'", path);
	return must && w->spec->walls.n_mounts == before
		       ? aisbx_refuse(e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENODEV,
				      "there is no device in '%s' that a box gets and you may open", path)
		       : 0;
}

/* A name without links: what is shown is what was judged. */
static int add_path(struct wish *w, const char *cwd, const char *given, struct aisbx_error *e)
{
	scoped(drop_mem) char *full = path_resolve(cwd ? cwd : "/", given);
	scoped(drop_mem) char *real = full ? realpath(full, NULL) : NULL;
	struct stat st;

	if (!full)
		return aisbx_fail(e, AISBX_AREA_BOX, ENOMEM, "device '%s'", given);
	if (!real || stat(real, &st) < 0)
		return w->must ? aisbx_fail(e, AISBX_AREA_USAGE, errno, "show the device '%s'", given) : 0;
	if (!path_is_within(real, "/dev") || !strcmp(real, "/dev"))
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL,
			"'%s' is no device in /dev; name each device, or a directory such as /dev/dri",
			given);
	return S_ISDIR(st.st_mode) ? add_dir(w, real, e) : add_one(w, real, e);
}

static int add_gpu(struct wish *w, bool must, struct aisbx_error *e)
{
	size_t before = w->spec->walls.n_mounts;
	int r = 0;

	w->must = false;
	for (const char *const *p = device_gpu_patterns; r == 0 && *p; p++) {
		char pattern[PATH_MAX];
		glob_t found;

		snprintf(pattern, sizeof(pattern), "/dev/%s", *p);
		if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
			continue;
		for (size_t i = 0; r == 0 && i < found.gl_pathc; i++)
			r = add_one(w, found.gl_pathv[i], e);
		globfree(&found);
	}
	if (r == 0 && must && w->spec->walls.n_mounts == before)
		r = aisbx_refuse(
			e, AISBX_KIND_NOT_FOUND, AISBX_AREA_USAGE, ENODEV,
			"--gpu: this machine has no device of a graphics processor that you may open "
			"(/dev/dri, /dev/nvidia*, /dev/kfd)");
	return r;
}

int box_devices_add(struct run_spec *spec, const char *cwd, const struct run_options *w,
		    struct aisbx_error *e)
{
	struct wish wish = { .spec = spec };
	int r = 0;

	for (size_t i = 0; r == 0 && i < spec->origin->rules.n_values; i++) {
		const char *value = spec->origin->rules.values[i].setting->value;

		if (!is_key(spec, i))
			continue;
		wish.must = false;
		r = strcmp(value, "gpu") ? add_path(&wish, "/", value, e) : add_gpu(&wish, false, e);
	}
	for (size_t i = 0; r == 0 && i < w->device.n; i++) {
		wish.must = true;
		r = add_path(&wish, cwd, w->device.items[i], e);
	}
	return r == 0 && w->gpu ? add_gpu(&wish, true, e) : r;
}
