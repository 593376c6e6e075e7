/* SPDX-License-Identifier: Apache-2.0 */
/*
 * For tests: an image from directories, without a registry or an unpacker. add-image NAME CONFIG DIRECTORY...
 * makes a layer of each directory, oldest first; their files are taken as they are, owners are shifted as
 * boxes of root have them. CONFIG is the JSON of the image.
 */
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "box/image.h"
#include "driver/driver.h"

#define MAX_LAYERS 512

static int shift_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)kind, (void)at;
	return lchown(path, st->st_uid + driver_id_shift(), st->st_gid + driver_id_shift()) == 0 &&
			       !S_ISLNK(st->st_mode)
		       ? chmod(path, st->st_mode & 07777) /* which chown has cleared */
		       : 0;
}

static int copy(const char *from, const char *up)
{
	int status = 0;
	pid_t pid = fork();

	if (pid == 0) {
		char source[4200];

		snprintf(source, sizeof(source), "%s/.", from);
		execlp("cp", "cp", "-a", source, up, NULL);
		_exit(127);
	}
	if (pid < 0 || waitpid(pid, &status, 0) != pid || status != 0)
		return -1;
	return driver_id_shift() ? nftw(up, shift_one, 64, FTW_PHYS) : 0;
}

static int fail(const char *what)
{
	fprintf(stderr, "add-image: %s\n", what);
	return 1;
}

int main(int argc, char **argv)
{
	static struct box_image_layer layers[MAX_LAYERS];
	static char ids[MAX_LAYERS][STORE_ID_MAX], chains[MAX_LAYERS][96];
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct box_state state = { 0 };
	struct store_image made = { 0 };
	struct box_image_new new = { .source = "a test", .manifest = "{}", .layers = layers };
	char digest[96];
	int lock;

	if (argc < 3 || argc > MAX_LAYERS)
		return fail("NAME CONFIG DIRECTORY...");
	umask(022);
	if (box_state_open(&state, &e) < 0)
		return fail(e.text);
	for (int i = 3; i < argc; i++, new.n_layers++) {
		size_t n = new.n_layers;
		char up[4200];

		if (box_reserve_layer(&state, ids[n], &lock, &e) < 0)
			return fail(e.text);
		snprintf(up, sizeof(up), "%s/%s/root", state.layers, ids[n]);
		mkdir(up, 0711);
		strcat(up, "/up");
		if (mkdir(up, 0755) < 0 || copy(argv[i], up) < 0)
			return fail("copy the directory");
		snprintf(chains[n], sizeof(chains[n]), "sha256:%s", ids[n] + 2);
		layers[n] = (struct box_image_layer){ .chain = chains[n], .layer = ids[n] };
	}
	snprintf(digest, sizeof(digest), "sha256:%016llx%048d",
		 (unsigned long long)box_now_ms() * 1000003u + (unsigned)getpid(), 0);
	new.digest = digest;
	new.config = argv[2];
	new.name = argv[1];
	if (box_image_add(&state, &new, &made, &e) < 0)
		return fail(e.text);
	printf("%s\n", made.id);
	store_image_finish(&made);
	box_state_close(&state);
	return 0;
}
