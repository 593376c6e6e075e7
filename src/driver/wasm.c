/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The driver 'wasm': the program is WebAssembly, and makes no system calls of its own. aisbx-wasm runs it in
 * a box of the native driver that shows hardly more than the program's own tree and has a filter for this one
 * purpose: so there are two walls, one by the engine and one by the kernel.
 */
#include "driver/wasm.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "driver/native.h"
#include "policy/seccomp.h"
#include "run/ready_box.h"
#include "wasm/cache.h"
#include "wasm/helper.h"
#include "wasm/language.h"
#include "wasm/place.h"

/* Threads of the engine, which reads files on them; the program itself has one. */
#define OWN_THREADS 24u
#define REPORT_MOST 65536u
#define PRESET      "wasm"
/* Where a program starts whose directory the box does not show. */
#define ELSEWHERE "/tmp"

/* What one run needs until its end. */
struct work {
	struct run_wasm wasm;
	char *program, *engine, *code, *compiled; /* owned */
	struct strlist words;                     /* owned; the command of the box */
	struct wasm_report report;                /* owned */
	struct run_spec *spec;                    /* borrowed */
	void (*leave)(void *ctx, int tmp_fd);     /* of who started the run */
	void *leave_ctx;                          /* borrowed */
};

static void work_finish(struct work *w)
{
	free(w->program);
	free(w->engine);
	free(w->code);
	free(w->compiled);
	strlist_finish(&w->words);
	wasm_report_finish(&w->report);
}

static int refuse(const char *what, struct aisbx_error *e)
{
	return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_RUN, EOPNOTSUPP,
			    "the driver 'wasm' cannot %s; the driver 'native' can", what);
}

static int prepare(struct run_spec *spec, struct aisbx_error *e)
{
	const struct {
		bool asked;
		const char *what;
	} rows[] = {
		{ spec->walls.image, "run images" },
		{ spec->profile.net > NET_LOOPBACK || spec->net.publish.n, "give a program a network" },
		{ spec->walls.without & WALL_BIT(NET), "give a program the network of the host" },
		{ run_wants_agent(spec), "pass on the ssh agent" },
		{ spec->box.exec, "start another command in a live box" },
	};
	unsigned int preset;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].asked)
			return refuse(rows[i].what, e);
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (spec->walls.mounts[i].device)
			return refuse("show a device", e);
	if (!seccomp_preset_by_name(PRESET, &preset)) /* never with another */
		return refuse("find its filter for system calls", e);
	spec->profile.seccomp = preset;
	if (spec->profile.limits[LIMIT_PROCESSES] && spec->profile.limits[LIMIT_PROCESSES] < OWN_THREADS)
		spec->profile.limits[LIMIT_PROCESSES] = spec->limits.held[LIMIT_PROCESSES] = OWN_THREADS;
	spec->profile.root_caps = 0; /* whoever the profile is for, the program is nobody */
	return native_prepare(spec, e);
}

static int probe(struct driver_here *ret, struct aisbx_error *e)
{
	scoped(drop_mem) char *program = NULL;
	scoped(drop_mem) char *engine = NULL;
	int r = native_probe(ret, e);

	return r < 0 ? r : wasm_helper_find(&program, &engine, e);
}

/* A path is a module; a word is a language that was added. */
static int find_program(struct work *w, const char *state, struct aisbx_error *e)
{
	const char *word = w->spec->command.argv.items[0];
	size_t n = strlen(word);
	const struct wasm_language *l;

	if (strchr(word, '/') || (n > 5 && !strcmp(word + n - 5, ".wasm"))) {
		w->compiled = state ? wasm_place_compiled(state) : NULL;
		strlist_add(&w->words, "--module");
		strlist_add(&w->words, word);
		if (w->compiled) {
			strlist_add(&w->words, "--cache");
			strlist_add(&w->words, WASM_MODULES);
		}
		strlist_add(&w->words, "--copy");
		strlist_add(&w->words, WASM_TMP "/" WASM_MODULE);
		return 0;
	}
	l = wasm_language_by_command(word);
	if (!l)
		return aisbx_refuse(
			e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, ENOENT,
			"'%s' is no WebAssembly: the driver 'wasm' runs modules, by their path "
			"(./prog.wasm), "
			"and python3 and node where these were added with 'aisbx lang add'; the driver "
			"'native' runs programs of this machine",
			word);
	strlist_add(&w->words, "--language");
	strlist_add(&w->words, l->language);
	strlist_add(&w->words, "--code");
	strlist_add(&w->words, WASM_CODE);
	return wasm_place_language(state ? state : "/nonexistent", l, &w->code, e);
}

static bool is_shown(const struct run_spec *spec, const char *path)
{
	if ((spec->walls.project && path_is_within(path, spec->walls.project)) ||
	    (spec->walls.fresh && path_is_within(path, spec->walls.fresh)) || path_is_within(path, ELSEWHERE))
		return true;
	for (size_t i = 0; i < spec->walls.n_mounts; i++)
		if (path_is_within(path, spec->walls.mounts[i].guest))
			return true;
	return false;
}

/* One by one, as WASI wants them; of a file the directory, which has nothing else. */
static void add_dirs(struct work *w)
{
	const struct run_spec *spec = w->spec;

	if (spec->walls.project) {
		strlist_add(&w->words, "--dir");
		strlist_add(&w->words, spec->walls.project);
	}
	for (size_t i = 0; i < spec->walls.n_mounts; i++) {
		const struct run_mount *m = &spec->walls.mounts[i];
		struct stat st;
		scoped(drop_mem) char *copy = strdup(m->guest);
		bool is_dir = stat(m->host, &st) == 0 && S_ISDIR(st.st_mode);

		strlist_add(&w->words, "--dir");
		strlist_add(&w->words, is_dir || !copy ? m->guest : dirname(copy));
	}
	strlist_add(&w->words, "--dir");
	strlist_add(&w->words, ELSEWHERE);
}

/* A program that comes by its input, so that all else is done before: only where it is given as one file, has
 * no input of its own and needs nothing that stays. */
static const struct run_file *late_file(const struct run_spec *spec)
{
	const bool is_plain = spec->io.stdin_fd < 0 && !spec->io.keep_input && !spec->io.tty &&
			      !spec->walls.project && !spec->walls.n_mounts && !spec->secrets.n &&
			      !spec->hooks.layers && spec->walls.n_files == 1;

	return is_plain && path_is_within(spec->walls.files->guest, WASM_TMP) ? spec->walls.files : NULL;
}

static int make_words(struct work *w, const struct run_file *late, struct aisbx_error *e)
{
	const struct run_spec *spec = w->spec;
	static const char *const first[] = { WASM_PROGRAM, "run",    "--report", WASM_TMP "/" WASM_REPORT,
					     "--root",     WASM_ROOT };
	int r;

	for (size_t i = 0; i < sizeof(first) / sizeof(*first); i++)
		strlist_add(&w->words, first[i]);
	strlist_add(&w->words, "--cwd");
	strlist_add(&w->words,
		    spec->command.cwd && is_shown(spec, spec->command.cwd) ? spec->command.cwd : ELSEWHERE);
	if (spec->limits.held[LIMIT_FUEL]) {
		strlist_add(&w->words, "--fuel");
		strlist_addf(&w->words, "%llu", (unsigned long long)spec->limits.held[LIMIT_FUEL]);
	}
	if (spec->limits.held[LIMIT_MEMORY]) {
		strlist_add(&w->words, "--memory");
		strlist_addf(&w->words, "%llu", (unsigned long long)spec->limits.held[LIMIT_MEMORY]);
	}
	if (late) {
		strlist_add(&w->words, "--late");
		strlist_add(&w->words, late->guest);
	}
	r = find_program(w, spec->box.state_dir, e);
	if (r < 0)
		return r;
	add_dirs(w);
	strlist_add(&w->words, "--");
	for (size_t i = 0; i < spec->command.argv.n; i++)
		strlist_add(&w->words, spec->command.argv.items[i]);
	r = wasm_helper_find(&w->program, &w->engine, e);
	w->wasm = (struct run_wasm){
		.program = w->program, .engine = w->engine, .code = w->code, .compiled = w->compiled
	};
	return r == 0 && w->words.failed ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "make the command") : r;
}

/* Everybody in the box is gone: what was told is read, and the tree is the program's /tmp to whoever asked
 * for it. */
static void leave(void *ctx, int tmp_fd)
{
	struct work *w = ctx;
	scoped(drop_fd) int told =
		openat(tmp_fd, WASM_REPORT, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	scoped(drop_fd) int module =
		openat(tmp_fd, WASM_MODULE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	scoped(drop_fd) int tree =
		openat(tmp_fd, WASM_TREE WASM_TMP, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	scoped(buf_finish) struct buf text = { 0 };

	if (told >= 0 && io_read_all(told, REPORT_MOST, &text) == 0 && text.len <= REPORT_MOST)
		wasm_report_read(text.data, text.len, &w->report);
	if (module >= 0 && w->spec->box.state_dir && w->compiled)
		wasm_cache_add(w->spec->box.state_dir, module);
	if (w->leave && tree >= 0)
		w->leave(w->leave_ctx, tree);
}

static int run_it(struct work *w, struct driver_result *ret_result, struct aisbx_error *e)
{
	struct run_spec *spec = w->spec;
	struct strlist argv = spec->command.argv;
	const char *cwd = spec->command.cwd;
	int r;

	spec->command.argv = w->words;
	spec->command.cwd = "/";
	spec->jail.wasm = &w->wasm;
	spec->hooks.leave = leave;
	spec->hooks.leave_ctx = w;
	r = native_run(spec, ret_result, e);
	spec->command.argv = argv;
	spec->command.cwd = cwd;
	spec->hooks.leave = w->leave;
	spec->hooks.leave_ctx = w->leave_ctx;
	return r;
}

/* What of the host is in the box by its path alone, as it is now. */
static void identify_files(const struct work *w, struct ready_box *ret)
{
	const char *const paths[READY_BOX_FILES] = { w->program, w->engine, w->code };

	memset(ret->files, 0, sizeof(ret->files));
	for (size_t i = 0; i < READY_BOX_FILES; i++) {
		struct stat st;

		if (!paths[i] || stat(paths[i], &st) < 0)
			continue;
		ret->files[i].device = st.st_dev;
		ret->files[i].inode = st.st_ino;
		ret->files[i].changed = st.st_ctim;
	}
}

static bool same_files(const struct work *w, const struct ready_box *ready)
{
	struct ready_box now;

	identify_files(w, &now);
	return !memcmp(now.files, ready->files, sizeof(now.files));
}

static void hear_nothing(void *ctx)
{
	(void)ctx;
}

/* For a program that has not come yet. */
static int make_ahead(struct work *w, struct aisbx_error *e)
{
	struct run_spec *spec = w->spec;
	struct driver_result nothing = { 0 };
	const struct run_io io = spec->io;
	const struct run_hooks hooks = spec->hooks;
	int r;

	identify_files(w, spec->box.ready);
	w->leave = NULL;
	spec->walls.n_files = 0;
	spec->io.keep_input = true;
	spec->io.shown = false;
	spec->hooks.started = hear_nothing; /* with it that the program of the command runs is heard at all */
	r = run_it(w, &nothing, e);
	spec->walls.n_files = 1;
	spec->io = io;
	spec->hooks = hooks;
	return r;
}

/* In the box that was made ahead. -ESTALE, and E as it was: it is none for this program, and is gone. */
static int use_ahead(struct work *w, const struct run_file *late, struct driver_result *ret_result,
		     struct aisbx_error *e)
{
	struct run_spec *spec = w->spec;
	scoped(drop_fd) int fd = memfd_create("program", MFD_CLOEXEC);
	int r = fd < 0 ? -errno : io_write_all(fd, late->data ? late->data : "", late->len);

	if (!same_files(w, spec->box.ready)) {
		ready_box_drop(spec->box.ready);
		return -ESTALE;
	}
	if (r == 0 && lseek(fd, 0, SEEK_SET) < 0)
		r = -errno;
	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_RUN, -r, "hold the program");
	spec->walls.n_files = 0;
	spec->io.stdin_fd = fd;
	r = run_it(w, ret_result, e);
	spec->walls.n_files = 1;
	spec->io.stdin_fd = -1;
	return r;
}

/* LATE: NULL, or the program comes by the input of the command. */
static int run_program(struct run_spec *spec, const struct run_file *late, struct driver_result *ret_result,
		       struct aisbx_error *e)
{
	scoped(work_finish) struct work w = { .spec = spec,
					      .leave = spec->hooks.leave,
					      .leave_ctx = spec->hooks.leave_ctx };
	int r = make_words(&w, late, e);

	if (r == 0)
		r = !late                   ? run_it(&w, ret_result, e)
		    : spec->box.ready->make ? make_ahead(&w, e)
					    : use_ahead(&w, late, ret_result, e);
	if (r < 0)
		return r;
	ret_result->held_by[LIMIT_FUEL] = "engine";
	if (ret_result->outcome.started)
		ret_result->own_wall = "webassembly";
	return wasm_report_apply(&w.report, spec, ret_result) < 0
		       ? aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "write the result")
		       : 0;
}

static int run(struct run_spec *spec, struct driver_result *ret_result, struct aisbx_error *e)
{
	struct ready_box *ready = spec->box.ready;
	const struct run_file *late = ready ? late_file(spec) : NULL;
	int r = -ESTALE;

	if (ready && ready->make && !late)
		return refuse("make a box for such a program ahead", e);
	if (late && (ready->make || ready->run))
		r = run_program(spec, late, ret_result, e);
	if (r != -ESTALE || e->code)
		return r;
	if (ready)
		ready_box_drop(ready);
	spec->box.ready = NULL;
	return run_program(spec, NULL, ret_result, e);
}

const struct driver driver_wasm = {
	.name = "wasm",
	.can = DRIVER_SNAPSHOTS | DRIVER_HIDES | DRIVER_SHARES | DRIVER_AHEAD,
	.walls = WALL_ALL,
	.limits = DRIVER_LIMITS | 1u << LIMIT_FUEL,
	.probe = probe,
	.prepare = prepare,
	.run = run,
	.freeze = run_freeze,
	.is_frozen = run_is_frozen,
	.usage = run_ask_status,
	.id_shift = native_id_shift,
	.unknown_group = native_unknown_group,
};
