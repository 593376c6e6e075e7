/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one program in the box around this process, and tells the supervisor by a file what its output does
 * not. */
#include "helpers/wasm/run.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/io.h"
#include "base/path.h"
#include "base/scope.h"
#include "base/sha256.h"
#include "helpers/wasm/engine.h"
#include "helpers/wasm/language.h"
#include "helpers/wasm/memory.h"
#include "helpers/wasm/start.h"
#include "helpers/wasm/tree.h"
#include "helpers/wasm/warm.h"

#define MODULE_MOST (256u << 20)
/* As a shell says that a file cannot be executed. */
#define STATUS_NOT_STARTED 126
/* As a process that the kernel ends for want of memory. */
#define STATUS_NO_MEMORY 137
/* What is kept for the report before a program can take all there is. */
#define REPORT_ROOM 16384
/* Beside that of the program: what functions of the engine and of ours need. */
#define OWN_STACK (4u << 20)

/* What the driver says. */
struct options {
	const char *report;     /* file for report.h */
	const char *root, *cwd; /* where the tree of the program is; its directory in there */
	const char *code;       /* file of a compiled program; or */
	const char *module;     /* path in the tree of one that is not */
	const char *cache,
		*copy; /* directory of what was compiled before; where a module is put that is not there */
	const char
		*late; /* where in the tree its text is put that comes by standard input; NULL: it is there */
	const struct start_language *language;
	uint64_t fuel, memory; /* limits; 0: none */
	const char *dirs[START_MAX_DIRS];
	size_t n_dirs;
	char **argv; /* of the program */
};

struct work {
	struct options options;
	int report_fd;
	struct report report;
	struct warm warm; /* of a program whose text comes late */
	struct aisbx_error error;
};

/* What every box has, and is no business of a program that is the same everywhere. */
static bool is_of_box(const char *word)
{
	static const char *const names[] = { "HOME=", "PATH=",      "USER=",   "LOGNAME=",  "SHELL=",
					     "PWD=",  "OLDPWD=",    "LANG=",   "LC_",       "LANGUAGE=",
					     "TERM=", "AISBX_BOX=", "TMPDIR=", "HOSTNAME=", "SHLVL=" };

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (!strncmp(word, names[i], strlen(names[i])))
			return true;
	return false;
}

/* Those that somebody asked for, and one that programs look for; borrowed words in an owned list. */
static const char **choose_env(void)
{
	size_t n = 0, k = 0;
	const char **list;

	while (environ[n])
		n++;
	list = calloc(n + 2, sizeof(*list));
	for (size_t i = 0; list && i < n; i++)
		if (!is_of_box(environ[i]))
			list[k++] = environ[i];
	if (list)
		list[k] = "HOME=/tmp";
	return list;
}

static int read_number(const char *text, uint64_t *ret)
{
	char *end;

	errno = 0;
	*ret = strtoull(text, &end, 10);
	return *text >= '0' && *text <= '9' && !*end && !errno ? 0 : -EINVAL;
}

static int read_options(int argc, char **argv, struct options *o)
{
	int i = 0, r = 0;

	*o = (struct options){ .cwd = "/" };
	for (; r == 0 && i + 1 < argc && strcmp(argv[i], "--") != 0; i += 2) {
		const char *name = argv[i], *value = argv[i + 1];

		if (!strcmp(name, "--report"))
			o->report = value;
		else if (!strcmp(name, "--root"))
			o->root = value;
		else if (!strcmp(name, "--cwd"))
			o->cwd = value;
		else if (!strcmp(name, "--code"))
			o->code = value;
		else if (!strcmp(name, "--module"))
			o->module = value;
		else if (!strcmp(name, "--cache"))
			o->cache = value;
		else if (!strcmp(name, "--copy"))
			o->copy = value;
		else if (!strcmp(name, "--late"))
			o->late = value;
		else if (!strcmp(name, "--fuel"))
			r = read_number(value, &o->fuel);
		else if (!strcmp(name, "--memory"))
			r = read_number(value, &o->memory);
		else if (!strcmp(name, "--language"))
			r = (o->language = language_by_name(value)) ? 0 : -EINVAL;
		else if (!strcmp(name, "--dir") && o->n_dirs < START_MAX_DIRS - 1)
			o->dirs[o->n_dirs++] = value;
		else
			r = -EINVAL;
	}
	if (r < 0 || i + 1 >= argc || !o->report || !o->root || !o->code == !o->module)
		return -EINVAL;
	o->argv = argv + i + 1;
	return 0;
}

/* The module as the program's own tree has it, through no link that leaves it. */
static int read_module(const struct options *o, struct buf *ret, struct aisbx_error *e)
{
	scoped(drop_fd) int root = open(o->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	scoped(drop_mem) char *path = path_resolve(o->cwd, o->module);
	scoped(drop_fd) int fd = root < 0 ? -errno
				 : !path  ? -ENOMEM
					  : tree_open(root, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	int r = fd < 0 ? fd : io_read_all(fd, MODULE_MOST, ret);

	if (r < 0)
		return aisbx_fail(e, AISBX_AREA_USAGE, -r, "read the module '%s'", o->module);
	return ret->len <= MODULE_MOST
		       ? 0
		       : aisbx_refuse(e, AISBX_KIND_LIMIT, AISBX_AREA_USAGE, EFBIG,
				      "the module '%s' is larger than %u MiB", o->module, MODULE_MOST >> 20);
}

static void copy_module(const struct options *o, const struct buf *module)
{
	scoped(drop_fd) int fd =
		o->copy ? open(o->copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600) : -1;

	if (fd >= 0 && io_write_all(fd, module->data, module->len) < 0)
		unlinkat(AT_FDCWD, o->copy, 0); /* there is no room: it is compiled again next time */
}

/* As it was compiled before, outside of any box; or now, and for this time. */
static int load_module(const struct options *o, wasm_engine_t *engine, struct program *ret,
		       struct aisbx_error *e)
{
	scoped(buf_finish) struct buf module = { 0 };
	scoped(drop_mem) char *path = NULL;
	struct sha256 sum;
	uint8_t hash[SHA256_BYTES];
	char hex[2 * SHA256_BYTES + 1];
	int r = read_module(o, &module, e);

	if (r < 0)
		return r;
	sha256_init(&sum);
	sha256_add(&sum, module.data, module.len);
	sha256_end(&sum, hash);
	io_hex(hash, sizeof(hash), hex);
	if (o->cache && asprintf(&path, "%s/%s", o->cache, hex) > 0 && access(path, R_OK) == 0) {
		struct aisbx_error ignored = AISBX_ERROR_INIT;

		/* Of another engine or processor it is refused, and compiled as if it were not there. */
		if (program_load(engine, path, program_is_component(module.data, module.len), ret,
				 &ignored) == 0)
			return 0;
	}
	r = program_compile(engine, module.data, module.len, ret, e);
	if (r == 0)
		copy_module(o, &module);
	return r < 0 ? aisbx_context(e, "the module '%s'", o->module) : 0;
}

static int load_language(const struct options *o, wasm_engine_t *engine, struct program *ret,
			 struct aisbx_error *e)
{
	int r = program_load(engine, o->code, false, ret, e);

	return r < 0 ? aisbx_context(e,
				     "this language has to be added again, with 'aisbx lang add': it belongs "
				     "to one version of aisbx and one kind of processor")
		     : 0;
}

static char *below_root(const struct options *o, const char *path)
{
	char *joined = NULL;

	return asprintf(&joined, "%s%s", o->root, path) < 0 ? NULL : joined;
}

/* Before the program begins: who uses up all descriptors, files or blocks would else hide how it ended. */
static void open_report(struct work *w)
{
	w->report_fd = open(w->options.report, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (w->report_fd >= 0)
		fallocate(w->report_fd, FALLOC_FL_KEEP_SIZE, 0, REPORT_ROOM);
}

static void write_report(const struct work *w, const struct buf *text)
{
	/* Where it cannot be written nothing is told; the program ran all the same. Its room stays: a disk
	 * that is full is one at the end, too. */
	if (w->report_fd >= 0 && io_write_all(w->report_fd, text->data ? text->data : "", text->len) < 0)
		unlinkat(AT_FDCWD, w->options.report, 0);
}

/* The program may end at the moment when it is found to have too much memory: who is second waits for the end
 * of the process. */
static void be_the_one_to_end(void)
{
	static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;

	pthread_mutex_lock(&one);
}

static void end_for_memory(void *ctx, uint64_t used)
{
	const struct work *w = ctx;
	scoped(buf_finish) struct buf text = { 0 };

	be_the_one_to_end();
	buf_addf(&text, "limit memory %llu\n", (unsigned long long)used);
	write_report(w, &text);
	_exit(STATUS_NO_MEMORY);
}

static void watch_memory(struct work *w)
{
	if (w->options.memory)
		memory_watch(w->options.memory, end_for_memory, w);
}

/* Of a program whose text is not there yet: all its steps are made with an empty one, so that they are quick.
 */
static void rehearse(struct work *w, wasm_engine_t *engine, const struct program *program,
		     const struct start *s)
{
	struct start trial = *s;
	scoped(drop_mem) char *path = below_root(&w->options, w->options.late);
	scoped(drop_fd) int fd =
		path ? open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444) : -1;

	if (fd < 0)
		return;
	trial.ready = NULL;
	warm_try(engine, program, &trial, &w->warm);
	unlinkat(AT_FDCWD, path, 0); /* the filter has no unlink */
}

/* All is ready but the text of the program: that is all of standard input, which it finds at its end then. */
static int await_text(struct started *p, void *ctx, struct aisbx_error *e)
{
	struct work *w = ctx;
	const struct options *o = &w->options;
	scoped(buf_finish) struct buf text = { 0 };
	scoped(drop_fd) int fd = -1;
	scoped(drop_mem) char *path = below_root(o, o->late);
	int r;

	warm_memory(&w->warm, p);
	memory_watch_pause(true);
	watch_memory(w);
	r = path ? io_read_all(STDIN_FILENO, MODULE_MOST, &text) : -ENOMEM;
	memory_watch_pause(false);
	if (r == 0) {
		fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0444);
		r = fd < 0 ? -errno : io_write_all(fd, text.data ? text.data : "", text.len);
	}
	return r < 0 ? aisbx_fail(e, AISBX_AREA_RUN, -r, "write the program to '%s'", o->late) : 0;
}

/* A program of a language sees its whole tree, others the directories in it one by one. */
static int run_it(struct work *w, struct aisbx_error *e)
{
	const struct options *o = &w->options;
	scoped(drop_mem) const char **env = choose_env();
	wasm_engine_t *engine = engine_create(false);
	struct program program = { 0 };
	struct start s = { .argv = (const char *const *)o->argv,
			   .env = env,
			   .fuel = o->fuel,
			   .language = o->language,
			   .root = o->root,
			   .cwd = o->cwd,
			   .ready = o->late ? await_text : NULL,
			   .ready_ctx = w };
	int r = engine && env ? 0 : aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "set up the engine");

	if (r == 0 && o->language)
		s.dirs[s.n_dirs++] = (struct start_dir){ .host = o->root, .guest = "/", .is_writable = true };
	for (size_t i = 0; r == 0 && !o->language && i <= o->n_dirs; i++) {
		const char *guest = i < o->n_dirs ? o->dirs[i] : o->cwd;
		char *host = below_root(o, guest); /* needed until the end */

		if (!host)
			r = aisbx_fail(e, AISBX_AREA_RUN, ENOMEM, "prepare the program");
		s.dirs[s.n_dirs++] = (struct start_dir){ .host = host,
							 .guest = i < o->n_dirs ? guest : ".",
							 .is_writable = true };
	}
	if (r == 0)
		r = o->code ? load_language(o, engine, &program, e) : load_module(o, engine, &program, e);
	if (r == 0 && o->late)
		rehearse(w, engine, &program, &s);
	return r == 0 ? start_run(engine, &program, &s, &w->report, e) : r;
}

static void *run_thread(void *arg)
{
	struct work *w = arg;

	if (run_it(w, &w->error) < 0) {
		w->report.status = STATUS_NOT_STARTED;
		report_error(&w->report, w->error.text);
	}
	return NULL;
}

int run_main(int argc, char **argv)
{
	struct work w = { .error = AISBX_ERROR_INIT };
	pthread_attr_t attr;
	pthread_t thread;
	int err;

	if (read_options(argc, argv, &w.options) < 0) {
		fprintf(stderr, "aisbx-wasm is started by aisbx; use 'aisbx run --driver wasm'\n");
		return STATUS_NOT_STARTED;
	}
	open_report(&w);
	if (!w.options.late) /* else when there is something to look at */
		watch_memory(&w);
	/* How deep a program can go must not depend on `ulimit -s`. */
	err = pthread_attr_init(&attr);
	if (!err)
		err = pthread_attr_setstacksize(&attr, ENGINE_STACK + OWN_STACK);
	if (!err)
		err = pthread_create(&thread, &attr, run_thread, &w);
	if (err) {
		fprintf(stderr, "aisbx: no thread for the program: %s\n", strerror(err));
		return STATUS_NOT_STARTED;
	}
	pthread_join(thread, NULL);
	be_the_one_to_end();
	write_report(&w, &w.report.text);
	_exit(w.report.status); /* at once: all output was written as it came */
}
