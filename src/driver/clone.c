/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lays out the box: the system from the host, fresh directories of its own, a home (home.c), the project as a
 * writable clone. This decides what to do; the jail does it.
 */
#include "driver/clone.h"
#include "driver/host_name.h"
#include "driver/layout.h"
#include "driver/trust.h"
#include "driver/wasm.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "layer/host.h"
#include "policy/secret.h"

#define COPY_MAX (64u << 10) /* of a file that is copied into the box */
#define COPY_ALL (1u << 20)  /* in the plan, then no more are */

static bool exists(const char *path)
{
	return access(path, F_OK) == 0;
}

static int add_writable(struct layout *l, int flags, const char *host, const char *path,
			struct aisbx_error *e)
{
	scoped(buf_finish) struct buf layers = { 0 };
	int r = l->spec->hooks.layers ? l->spec->hooks.layers(l->spec->hooks.box_ctx, path, host, &layers, e)
				      : 0;

	if (r == -ENOENT && (flags & JAIL_PLAN_OPTIONAL) &&
	    !exists(path)) { /* gone since the host was looked at */
		*e = (struct aisbx_error)AISBX_ERROR_INIT;
		return 0;
	}
	if (r < 0)
		return r;
	jail_plan_add_clone(l->b, JAIL_PLAN_WRITABLE | l->idmap | flags, host, path,
			    layers.data ? layers.data : "", layers.len);
	return layers.failed ? aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "layers of '%s'", path) : 0;
}

/*
 * A file that is mounted on a file, as /etc/resolv.conf in containers: the clone of the tree shows what lies
 * below it, and a file alone has no clone. A copy can be changed and replaced like everything else there; but
 * in layers that stay it would look like a change of the box's.
 */
static void add_mounted_file(struct layout *l, const char *path)
{
	scoped(drop_fd) int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	scoped(buf_finish) struct buf text = { 0 };
	struct stat st;

	if (l->whole && fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= COPY_MAX &&
	    io_read_all(fd, COPY_MAX, &text) == 0 && text.len <= COPY_MAX && l->b->strings.len < COPY_ALL)
		jail_plan_add_file(l->b, JAIL_PLAN_REPLACE, st.st_mode & 0777, path,
				   text.data ? text.data : "", text.len);
	else
		jail_plan_add_op(l->b, JAIL_PLAN_BIND, JAIL_PLAN_OPTIONAL | l->idmap, 0, path, path);
}

static int add_whole(struct layout *l, struct aisbx_error *e)
{
	int r = add_writable(l, 0, "/", "/", e);

	for (size_t i = 0; r == 0 && i < l->host.n_mounts; i++)
		r = add_writable(l, JAIL_PLAN_OPTIONAL, l->host.mounts[i], l->host.mounts[i], e);
	return r;
}

static int add_entries(struct layout *l, struct aisbx_error *e)
{
	int r;

	for (size_t i = 0; i < l->host.n_entries; i++) {
		const struct host_entry *entry = &l->host.entries[i];

		switch (entry->kind) {
		case HOST_CLONE:
		case HOST_EMPTY: /* what is put into one that stays empty outside stays in the box, too */
			if (entry->kind == HOST_EMPTY && !(l->writable && entry->bare)) {
				jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0755, NULL, entry->path);
			} else if (l->writable && l->spec->walls.project &&
				   !strcmp(entry->path, l->spec->walls.project)) {
				/* its clone comes later: two may not have the same layers */
				jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0755, NULL, entry->path);
			} else if (l->writable) {
				r = add_writable(l, JAIL_PLAN_OPTIONAL, entry->path, entry->path, e);
				if (r < 0)
					return r;
			} else {
				jail_plan_add_op(l->b, JAIL_PLAN_CLONE, JAIL_PLAN_OPTIONAL | l->idmap, 0,
						 entry->path, entry->path);
			}
			break;
		case HOST_LINK:
			jail_plan_add_op(l->b, JAIL_PLAN_LINK, 0, 0, entry->target, entry->path);
			break;
		case HOST_FILE:
			jail_plan_add_op(l->b, JAIL_PLAN_BIND, JAIL_PLAN_OPTIONAL | l->idmap, 0, entry->path,
					 entry->path);
			break;
		}
	}
	return 0;
}

static int add_system(struct layout *l, struct aisbx_error *e)
{
	int r = l->whole ? add_whole(l, e) : add_entries(l, e);

	for (size_t i = 0; r == 0 && l->shift && i < l->host.files.n; i++)
		add_mounted_file(l, l->host.files.items[i]);
	for (size_t i = 0; r == 0 && l->shift && i < l->host.covers.n; i++)
		jail_plan_add_op(l->b, JAIL_PLAN_MASK, 0, 0, NULL, l->host.covers.items[i]);
	return r;
}

static void add_proc(struct layout *l)
{
	/* About the host, not the box. Files here belong to the real root, whom no box can be. */
	static const char *const masks[] = { "/proc/kcore",      "/proc/keys",          "/proc/key-users",
					     "/proc/timer_list", "/proc/latency_stats", "/proc/sched_debug",
					     "/proc/kmsg",       "/proc/scsi",          "/proc/acpi",
					     "/proc/asound",     "/proc/interrupts",    "/proc/bus",
					     "/proc/kallsyms" };
	struct stat st;

	jail_plan_add_op(l->b, JAIL_PLAN_PROC, 0, 0, NULL, "/proc");
	for (size_t i = 0; i < sizeof(masks) / sizeof(*masks); i++)
		if (stat(masks[i], &st) == 0 &&
		    (st.st_mode & S_IROTH)) /* the others refuse by their mode alone */
			jail_plan_add_op(l->b, JAIL_PLAN_MASK, 0, 0, NULL, masks[i]);
	jail_plan_add_op(l->b, JAIL_PLAN_LOCK, 0, 0, NULL, "/proc/sys");
}

static void add_dev(struct layout *l)
{
	static const char *const links[][2] = { { "/dev/fd", "/proc/self/fd" },
						{ "/dev/stdin", "/proc/self/fd/0" },
						{ "/dev/stdout", "/proc/self/fd/1" },
						{ "/dev/stderr", "/proc/self/fd/2" },
						{ "/dev/ptmx", "pts/ptmx" } };

	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0755, NULL, "/dev");
	jail_plan_add_op(l->b, JAIL_PLAN_NODES, 0, 0, NULL, "/dev");
	for (size_t i = 0; i < sizeof(links) / sizeof(*links); i++)
		jail_plan_add_op(l->b, JAIL_PLAN_LINK, 0, 0, links[i][1], links[i][0]);
	jail_plan_add_op(l->b, JAIL_PLAN_PTS, 0, 0, NULL, "/dev/pts");
	jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 01777, NULL, "/dev/shm");
}

/* No sysfs at all: what programs look up there is a handful of numbers, and the rest is attack surface. */
static void add_sys(struct layout *l)
{
	static const char *const files[] = { "/sys/devices/system/cpu/online",
					     "/sys/devices/system/cpu/possible" };

	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0755, NULL, "/sys");
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		scoped(drop_file) FILE *f = fopen(files[i], "re");
		char text[128];
		size_t n = f ? fread(text, 1, sizeof(text), f) : 0;

		if (n)
			jail_plan_add_file(l->b, 0, 0444, files[i], text, n);
	}
	if (l->whole)
		jail_plan_add_op(l->b, JAIL_PLAN_LOCK, 0, 0, NULL, "/sys");
}

void clone_add_secrets(const struct run_spec *spec, struct jail_plan_builder *b)
{
	/* The user of an image is not the box's root, who makes them; nobody else is in there. */
	const uint32_t mode = spec->walls.image && spec->walls.image->user ? 0444 : 0400;

	for (size_t i = 0; i < spec->secrets.n; i++) {
		const struct run_secret *s = &spec->secrets.items[i];
		scoped(drop_mem) char *path = s->as_file ? path_join(JAIL_PLAN_SECRETS, s->name) : NULL;

		if (path)
			jail_plan_add_file(b, 0, mode, path, s->value, s->len);
		b->strings.failed = b->strings.failed || (s->as_file && !path);
	}
	for (size_t i = 0; i < spec->net.n_injected; i++) {
		const struct run_injected *s = &spec->net.injected[i];
		scoped(drop_mem) char *path = path_join(JAIL_PLAN_SECRETS, s->name);

		if (s->as_file && path)
			jail_plan_add_file(b, 0, mode, path, s->placeholder, strlen(s->placeholder));
		b->strings.failed = b->strings.failed || !path;
	}
}

/* As containers have it: what a command writes there goes with the run. */
static void add_host_name(struct layout *l)
{
	scoped(buf_finish) struct buf list = { 0 };
	char host[HOST_NAME_ROOM];

	if (l->spec->walls.without & WALL_BIT(UTS))
		return;
	host_name_of(run_box_name(l->spec), host);
	host_name_list(host, &list);
	if (list.len)
		jail_plan_add_cover(l->b, l->writable ? JAIL_PLAN_WRITABLE : 0, "/etc/hosts", list.data,
				    list.len);
	l->b->strings.failed = l->b->strings.failed || list.failed;
}

static void add_own_places(struct layout *l)
{
	const char *git = l->spec->walls.image ? l->spec->walls.image->git : NULL;

	add_proc(l);
	add_dev(l);
	add_sys(l);
	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0755, NULL, "/run");
	jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 01777, NULL, "/run/lock");
	if (secrets_given(&l->spec->secrets))
		jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0,
				 l->spec->walls.image && l->spec->walls.image->user ? 0755 : 0700, NULL,
				 JAIL_PLAN_SECRETS);
	clone_add_secrets(l->spec, l->b);
	if (l->spec->jail.roots || l->spec->jail.agent || git)
		jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0755, NULL, "/run/aisbx");
	if (l->spec->jail.agent) /* who it belongs to is right already */
		jail_plan_add_op(l->b, JAIL_PLAN_BIND, 0, 0, l->spec->jail.agent, RUN_AGENT_SOCKET);
	if (l->spec->jail.roots) {
		jail_plan_add_file(l->b, 0, 0444, TRUST_FILE, l->spec->jail.roots, l->spec->jail.roots_len);
		jail_plan_add_file(l->b, 0, 0444, TRUST_JAVA, l->spec->jail.java_roots,
				   l->spec->jail.java_roots_len);
	}
	if (git)
		jail_plan_add_file(l->b, 0, 0444, RUN_GIT_FILE, git, strlen(git));
	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 01777, NULL, "/tmp");
	if (l->spec->walls.image) { /* all else is the image's */
		container_files_add(l);
		return;
	}
	if (exists("/var/tmp"))
		jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 01777, NULL, "/var/tmp");
	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0755, NULL, "/home");
	add_host_name(l);
	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0700, NULL, "/root");
}

bool layout_is_shown(const struct layout *l, const char *path)
{
	for (size_t i = 0; i < l->spec->walls.n_mounts; i++)
		if (path_is_within(path, l->spec->walls.mounts[i].guest))
			return true;
	return false;
}

bool layout_has_project(const struct layout *l)
{
	return l->spec->walls.project && strcmp(l->spec->walls.project, "/") != 0;
}

bool layout_in_project(const struct layout *l, const char *path)
{
	return layout_has_project(l) && path_is_within(path, l->spec->walls.project);
}

bool layout_is_replaced(const struct layout *l, const char *path)
{
	return path_is_within(path, l->host.home) || host_is_special(path) ||
	       path_is_within(path, "/var/tmp");
}

void layout_hide(struct layout *l, const char *path)
{
	/* Where a link leads is what must be covered; then the link leads to the cover. */
	scoped(drop_mem) char *real = realpath(path, NULL);
	struct stat st;

	if (!real || layout_is_shown(l, path) || layout_is_shown(l, real) || stat(real, &st) < 0)
		return;
	if (layout_has_project(l) &&
	    path_is_within(l->spec->walls.project, real)) /* a link upwards: not a secret but everything */
		return;
	path = real;
	if (S_ISDIR(st.st_mode) || l->watched->n == JAIL_PLAN_MAX_WATCHED) {
		jail_plan_add_op(l->b, JAIL_PLAN_MASK, 0, 0, NULL, path);
	} else {
		jail_plan_add_op(l->b, JAIL_PLAN_MASK, JAIL_PLAN_WATCH, 0, NULL, path);
		strlist_add(l->watched, path);
	}
}

/* A box that stays has been given its /etc/NAME by an earlier run, and may have changed it since. */
static bool has_own(const struct layout *l, const char *name)
{
	scoped(buf_finish) struct buf paths = { 0 };
	struct aisbx_error ignored;
	bool found = false;

	if (!l->spec->hooks.layers ||
	    l->spec->hooks.layers(l->spec->hooks.box_ctx, "/etc", "/etc", &paths, &ignored) < 0)
		return false;
	for (size_t at = 0; at < paths.len && !found; at += strlen(paths.data + at) + 1) {
		scoped(drop_mem) char *path = NULL;

		found = asprintf(&path, "%s%s/%s", l->spec->hooks.layers_dir, paths.data + at, name) > 0 &&
			exists(path);
	}
	return found;
}

/* Where the box's root is as good as root to files of the host: what root alone may read there. */
static void hide_system_secrets(struct layout *l)
{
	if (!l->shift)
		return;
	for (const char *const *p = secret_system_paths; *p; p++)
		layout_hide(l, *p);
	for (const char *const *name = secret_login_names; *name; name++) {
		scoped(drop_mem) char *path = path_join("/etc", *name);
		scoped(drop_file) FILE *f = path ? fopen(path, "re") : NULL;
		scoped(buf_finish) struct buf text = { 0 };
		char line[1024];

		if (path && !l->writable)
			layout_hide(l, path);
		if (!path || !l->writable || has_own(l, *name))
			continue;
		/* Package scripts rename a new one over it, so it is replaced, not covered:
		 * names, no hashes. */
		while (f && fgets(line, sizeof(line), f))
			buf_addf(&text, "%.*s:*:::::::\n", (int)strcspn(line, ":\n"), line);
		if (f && buf_str(&text))
			jail_plan_add_file(l->b, JAIL_PLAN_REPLACE, 0640, path, text.data, text.len);
	}
}

/* The kernel would say no more than "Invalid argument". */
static int check_mounts(const struct layout *l, struct aisbx_error *e)
{
	scoped(strlist_finish) struct strlist mounts = { 0 };
	int r = host_mounts_below(l->spec->walls.project, &mounts, e);

	if (r < 0 || !mounts.n)
		return r;
	return aisbx_refuse(
		e, AISBX_KIND_INTERNAL, AISBX_AREA_RUN, EXDEV,
		"another file system is mounted at '%s/%s', and an ordinary user cannot have a box over a "
		"project that contains a mount; unmount it, or use a directory without one",
		l->spec->walls.project, mounts.items[0]);
}

static int add_project(struct layout *l, struct aisbx_error *e)
{
	const struct run_spec *spec = l->spec;
	int r = layout_has_project(l) && !l->shift && !spec->walls.project_copy ? check_mounts(l, e) : 0;

	return r == 0 && layout_has_project(l)
		       ? add_writable(l, 0,
				      spec->walls.project_copy ? spec->walls.project_copy
							       : spec->walls.project,
				      spec->walls.project, e)
		       : r;
}

static int add_wishes(struct layout *l, struct aisbx_error *e)
{
	const struct run_spec *spec = l->spec;

	for (size_t i = 0; i < spec->walls.n_mounts; i++) {
		const struct run_mount *m = &spec->walls.mounts[i];
		struct stat st;

		if (m->device) {
			const struct jail_plan_device numbers = { major(m->device), minor(m->device) };

			jail_plan_add_device(l->b, m->host, m->guest, &numbers);
			continue;
		}
		if (stat(m->host, &st) < 0) {
			aisbx_fail(e, AISBX_AREA_USAGE, errno, "--%s %s", m->writable ? "rw" : "ro", m->host);
			return aisbx_hint(e, "what stands before ':' is a path of this machine");
		}
		jail_plan_add_op(l->b, S_ISDIR(st.st_mode) && !m->writable ? JAIL_PLAN_CLONE : JAIL_PLAN_BIND,
				 (m->writable ? JAIL_PLAN_WRITABLE : 0) |
					 (S_ISCHR(st.st_mode) ? 0 : l->idmap),
				 0, m->host, m->guest);
	}
	if (spec->walls.fresh)
		jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0755, NULL, spec->walls.fresh);
	for (size_t i = 0; i < spec->walls.n_files; i++)
		jail_plan_add_file(l->b, 0, spec->walls.files[i].mode, spec->walls.files[i].guest,
				   spec->walls.files[i].data, spec->walls.files[i].len);
	for (size_t i = 0; i < spec->walls.hides.n; i++) {
		scoped(drop_mem) char *real =
			spec->walls.image ? NULL : realpath(spec->walls.hides.items[i], NULL);

		jail_plan_add_op(l->b, JAIL_PLAN_MASK, 0, 0, NULL, real ? real : spec->walls.hides.items[i]);
	}
	return 0;
}

static void add_rules(struct layout *l)
{
	static const char *const writable[] = { "/tmp", "/var/tmp", "/run", "/home", "/root", "/dev/shm" };
	static const char *const devices[] = { "/dev", "/proc" };

	if (l->writable) { /* every directory is the box's own to change; the topology of mounts is not */
		jail_plan_add_rule(l->b, JAIL_PLAN_RULE_WRITE, "/");
		return;
	}
	jail_plan_add_rule(l->b, JAIL_PLAN_RULE_READ, "/");
	for (size_t i = 0; i < sizeof(devices) / sizeof(*devices); i++)
		jail_plan_add_rule(l->b, JAIL_PLAN_RULE_DEVICE, devices[i]);
	for (size_t i = 0; i < sizeof(writable) / sizeof(*writable); i++)
		jail_plan_add_rule(l->b, JAIL_PLAN_RULE_WRITE, writable[i]);
	if (l->host.home)
		jail_plan_add_rule(l->b, JAIL_PLAN_RULE_WRITE, l->host.home);
	if (layout_has_project(l))
		jail_plan_add_rule(l->b, JAIL_PLAN_RULE_WRITE, l->spec->walls.project);
	for (size_t i = 0; i < l->spec->walls.n_mounts; i++)
		if (l->spec->walls.mounts[i].writable && !l->spec->walls.mounts[i].device)
			jail_plan_add_rule(l->b, JAIL_PLAN_RULE_WRITE, l->spec->walls.mounts[i].guest);
}

/*
 * In the place of the machine: "/" is one clone of nothing with the layers of the image and of the box. Of
 * the host it shows what a person asks for, and nothing else.
 */
static int plan_image(struct layout *l, struct aisbx_error *e)
{
	const struct run_image *image = l->spec->walls.image;
	int r;

	if (!l->spec->hooks.layers)
		return aisbx_refuse(e, AISBX_KIND_INTERNAL, AISBX_AREA_LAYER, EINVAL,
				    "an image without its layers");
	l->whole = true;
	l->writable = l->spec->profile.system_writable; /* in a box of anybody: nothing of it is the host's */
	r = add_writable(l, 0, image->ground, "/", e);
	if (r < 0)
		return r;
	if (image->run)
		jail_plan_move(l->b, "/run", image->run);
	if (image->tmp)
		jail_plan_move(l->b, "/tmp", image->tmp);
	add_own_places(l);
	if (strcmp(image->cwd, "/") != 0)
		jail_plan_add_op(l->b, JAIL_PLAN_DIR, JAIL_PLAN_OPTIONAL, 0755, NULL, image->cwd);
	r = add_project(l, e);
	if (r == 0)
		r = add_wishes(l, e);
	add_rules(l);
	return r;
}

/* The loader and the libraries of this machine, which the program that runs WebAssembly needs. */
static void add_libraries(struct layout *l)
{
	for (size_t i = 0; i < l->host.n_entries; i++) {
		const struct host_entry *entry = &l->host.entries[i];

		if (strcmp(entry->path, "/usr") != 0 && strncmp(entry->path, "/lib", 4) != 0)
			continue;
		if (entry->kind == HOST_LINK)
			jail_plan_add_op(l->b, JAIL_PLAN_LINK, 0, 0, entry->target, entry->path);
		else if (entry->kind == HOST_CLONE)
			jail_plan_add_op(l->b, JAIL_PLAN_CLONE, l->idmap, 0, entry->path, entry->path);
	}
}

static void add_wasm(struct layout *l, const struct run_wasm *w)
{
	const struct {
		const char *host, *guest;
	} shown[] = { { w->program, WASM_PROGRAM },
		      { w->engine, WASM_ENGINE },
		      { w->code, WASM_CODE },
		      { w->compiled, WASM_MODULES } };

	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 0755, NULL, "/run");
	jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0755, NULL, WASM_PLACE);
	for (size_t i = 0; i < sizeof(shown) / sizeof(*shown); i++)
		if (shown[i].host)
			jail_plan_add_op(l->b, JAIL_PLAN_BIND, l->idmap, 0, shown[i].host, shown[i].guest);
	jail_plan_add_op(l->b, JAIL_PLAN_SCRATCH, 0, 01777, NULL, "/tmp");
	jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0755, NULL, WASM_ROOT);
}

/*
 * For a WebAssembly program: what it sees is a tree of its own, and nothing of the host is in it but the
 * project and what a person shows. Around that tree is what the program that runs it needs.
 */
static int plan_wasm(struct layout *l, struct aisbx_error *e)
{
	int r = host_view_read(false, l->shift, &l->host, e);

	if (r < 0)
		return r;
	add_libraries(l);
	add_proc(l);
	add_dev(l);
	add_wasm(l, l->spec->jail.wasm);
	jail_plan_add_rule(l->b, JAIL_PLAN_RULE_READ, "/");
	jail_plan_add_rule(l->b, JAIL_PLAN_RULE_DEVICE, "/dev");
	jail_plan_add_rule(l->b, JAIL_PLAN_RULE_WRITE, "/tmp");
	jail_plan_move(l->b, "", WASM_ROOT); /* from here on it is the program's */
	jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 01777, NULL, "/tmp");
	if (secrets_given(&l->spec->secrets))
		jail_plan_add_op(l->b, JAIL_PLAN_DIR, 0, 0700, NULL, JAIL_PLAN_SECRETS);
	clone_add_secrets(l->spec, l->b);
	r = add_project(l, e);
	if (r == 0 && l->host.home && layout_in_project(l, l->host.home))
		r = home_add(l, e);
	if (r == 0)
		r = add_wishes(l, e);
	host_view_finish(&l->host);
	return r;
}

int clone_plan(const struct run_spec *spec, bool shift, struct jail_plan_builder *b,
	       struct strlist *ret_watched, struct aisbx_error *e)
{
	struct layout l = { .spec = spec, .b = b, .shift = shift, .watched = ret_watched };
	int r;

	l.idmap = shift ? JAIL_PLAN_IDMAP : 0;
	if (spec->jail.wasm)
		return plan_wasm(&l, e);
	if (spec->walls.image)
		return plan_image(&l, e);
	l.writable = shift && spec->profile.system_writable;
	/* Layers that stay lie somewhere below "/", and overlayfs takes no layer from inside another. */
	l.whole = l.writable && !spec->hooks.layers;
	r = host_view_read(l.whole, shift, &l.host, e);
	if (r < 0)
		return r;
	r = add_system(&l, e);
	add_own_places(&l);
	hide_system_secrets(&l);
	if (r == 0 && l.host.home && !layout_in_project(&l, l.host.home))
		r = home_add(&l, e);
	r = r < 0 ? r : add_project(&l, e);
	if (r == 0 && l.host.home && layout_in_project(&l, l.host.home))
		r = home_add(&l, e);
	r = r < 0 ? r : add_wishes(&l, e);
	add_rules(&l);
	host_view_finish(&l.host);
	if (r == 0 && ret_watched->failed)
		r = aisbx_fail(e, AISBX_AREA_LAYER, ENOMEM, "plan the clone");
	return r;
}
