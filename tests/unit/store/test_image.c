/* SPDX-License-Identifier: Apache-2.0 */
/* Images in the store: found by any of their names, kept with their layers, and rebuilt from manifests. */
#include "support/test.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include "store/store.h"

#define L1 "l-0000000000000001"
#define L2 "l-0000000000000002"
#define L3 "l-0000000000000003"
#define I1 "i-0000000000000001"
#define I2 "i-0000000000000002"
#define D1 "sha256:aaaaaaaaaaaabbbbbbbbbbbbccccccccccccddddddddddddeeeeeeeeeeeeffff"
#define D2 "sha256:aaaaaaaaaaaacccccccccccbccccccccccccddddddddddddeeeeeeeeeeeeffff"

static char dir[64];
static struct store *s;
static struct aisbx_error e;

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	return remove(path);
}

static int close_store(void **state)
{
	(void)state;
	store_close(s);
	return nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void good(int r)
{
	if (r < 0)
		fail_msg("%s", e.text);
}

static void add_layer(const char *id, const char *parent)
{
	struct store_layer l = { .frozen = true };
	char path[128];

	snprintf(path, sizeof(path), "%s/layers/%s", dir, id);
	assert_int_equal(mkdir(path, 0700), 0);
	strcpy(l.id, id);
	strcpy(l.parent, parent);
	good(store_layer_add(s, &l, &e));
}

static void add_image(const char *id, const char *digest, const char *top)
{
	struct store_image i = { .config = (char *)"{\"a\":\t\"\\n\"}\n",
				 .manifest = (char *)"{}",
				 .source = (char *)"somewhere",
				 .size = 5,
				 .created_ms = 7 };

	strcpy(i.id, id);
	strcpy(i.digest, digest);
	strcpy(i.top, top);
	good(store_image_add(s, &i, &e));
}

static void add_box(const char *id, const char *name, const char *top, const char *image)
{
	struct store_box b = { .project = NULL };

	strcpy(b.id, id);
	strcpy(b.name, name);
	strcpy(b.top, top);
	strcpy(b.profile, "default");
	strcpy(b.image, image);
	good(store_box_add(s, &b, &e));
}

/* Two images, the second with a layer of its own on the first one's. */
static int open_store(void **state)
{
	char path[128];

	(void)state;
	e = (struct aisbx_error)AISBX_ERROR_INIT;
	strcpy(dir, "/tmp/test-image-XXXXXX");
	if (!mkdtemp(dir) || store_open(dir, &s, &e) < 0)
		return -1;
	snprintf(path, sizeof(path), "%s/layers", dir);
	mkdir(path, 0700);
	good(store_begin(s, &e));
	add_layer(L1, "");
	add_layer(L2, L1);
	add_image(I1, D1, L1);
	add_image(I2, D2, L2);
	good(store_image_name_set(s, "docker.io/library/one:latest", I1, &e));
	good(store_image_name_set(s, "two:1", I2, &e));
	good(store_image_name_set(s, "also:2", I2, &e));
	good(store_image_layer_add(s, &(struct store_image_layer){ "sha256:c1", L1, 3, 4 }, &e));
	good(store_image_layer_add(s, &(struct store_image_layer){ "sha256:c2", L2, 5, 6 }, &e));
	good(store_event_add(s, "image.added", NULL, NULL, &e, "{}"));
	good(store_commit(s, &e));
	return 0;
}

static void is(const char *key, const char *id)
{
	struct store_image i = { 0 };
	int r = store_image_find(s, key, &i, &e);

	assert_int_equal(r, id ? 0 : e.code);
	if (id)
		assert_string_equal(i.id, id);
	else
		assert_true(r < 0);
	store_image_finish(&i);
}

static void found_by_any_name(void **state)
{
	struct store_image i = { 0 };

	(void)state;
	is(I1, I1);
	is(D1, I1);
	is("docker.io/library/one:latest", I1);
	is("also:2", I2);
	is("sha256:aaaaaaaaaaaab", I1);
	is("aaaaaaaaaaaac", I2);
	is("aaaaaaaaaaaa", NULL); /* both */
	assert_int_equal(e.kind, AISBX_KIND_USAGE);
	is("aaaaaaaaaaa", NULL); /* too short to be one */
	assert_int_equal(e.kind, AISBX_KIND_NOT_FOUND);
	is("one:latest", NULL); /* rules of names are not the store's */
	is("sha1:aaaaaaaaaaaab", NULL);
	is("", NULL);
	good(store_image_find(s, "also:2", &i, &e));
	assert_string_equal(i.config, "{\"a\":\t\"\\n\"}\n");
	assert_string_equal(i.manifest, "{}");
	assert_string_equal(i.source, "somewhere");
	assert_string_equal(i.top, L2);
	assert_int_equal(i.size, 5);
	assert_int_equal(i.created_ms, 7);
	assert_int_equal(i.names.n, 2);
	assert_string_equal(i.names.items[0], "also:2");
	store_image_finish(&i);
}

/* A name that looks like the beginning of another's digest is a name. */
static void a_name_comes_first(void **state)
{
	(void)state;
	good(store_image_name_set(s, "aaaaaaaaaaaac", I1, &e));
	is("aaaaaaaaaaaac", I1);
}

static void names_move(void **state)
{
	(void)state;
	good(store_image_name_set(s, "also:2", I1, &e));
	is("also:2", I1);
	good(store_image_name_remove(s, "also:2", &e));
	is("also:2", NULL);
	assert_int_equal(store_image_name_remove(s, "also:2", &e), -ENOENT);
	assert_true(store_image_name_set(s, "x", "i-nothing", &e) < 0);
}

static void twice(void **state)
{
	struct store_image i = { .config = (char *)"", .manifest = (char *)"", .id = "i-3", .digest = D1 };

	(void)state;
	strcpy(i.top, L1);
	assert_int_equal(store_image_add(s, &i, &e), -EEXIST);
	assert_int_equal(store_image_layer_add(s, &(struct store_image_layer){ "sha256:c1", L2, 0, 0 }, &e),
			 -EEXIST);
}

static size_t collect(void)
{
	char(*ids)[STORE_ID_MAX] = NULL;
	size_t n = 0;

	good(store_layer_collect(s, &ids, &n, &e));
	free(ids);
	return n;
}

/* Layers go with the last image, box or template that needs them, and what is said of them goes, too. */
static void layers_are_kept(void **state)
{
	struct strlist who = { 0 };
	struct store_image_layer l;
	bool found;
	size_t n;

	(void)state;
	assert_int_equal(collect(), 0);
	add_layer(L3, L2);
	add_box("b-1", "mine", L3, I2);
	good(store_image_users(s, I2, 1, &who, &n, &e));
	assert_int_equal(n, 1);
	assert_string_equal(who.items[0], "box 'mine'");
	good(store_image_users(s, I1, 1, &who, &n, &e));
	assert_int_equal(n, 0);
	strlist_finish(&who);
	good(store_image_remove(s, I1, &e));
	assert_int_equal(collect(), 0);
	good(store_image_remove(s, I2, &e));
	assert_int_equal(collect(), 0);
	is("two:1", NULL);
	good(store_image_layer_find(s, "sha256:c2", &l, &found, &e));
	assert_true(found);
	assert_string_equal(l.layer, L2);
	assert_int_equal(l.files, 5);
	good(store_box_remove(s, "b-1", &e));
	assert_int_equal(collect(), 3);
	good(store_image_layer_find(s, "sha256:c2", &l, &found, &e));
	assert_false(found);
}

static void boxes_know_their_image(void **state)
{
	struct store_box b = { 0 };

	(void)state;
	add_layer(L3, L2);
	add_box("b-1", "mine", L3, I2);
	good(store_box_find(s, "mine", &b, &e));
	assert_string_equal(b.image, I2);
	store_box_finish(&b);
}

static void listed(void **state)
{
	struct store_image *list = NULL;
	struct store_image_layer *layers = NULL;
	size_t n = 0;

	(void)state;
	good(store_image_list(s, &list, &n, &e));
	assert_int_equal(n, 2);
	assert_string_equal(list[0].id, I2); /* "also" */
	assert_null(list[0].config);
	assert_int_equal(list[1].names.n, 1);
	store_image_list_finish(list, n);
	good(store_image_layer_list(s, &layers, &n, &e));
	assert_int_equal(n, 2);
	assert_string_equal(layers[1].chain, "sha256:c2");
	free(layers);
}

static int no_layer(void *ctx, char ret_id[STORE_ID_MAX], struct aisbx_error *err)
{
	(void)ctx, (void)ret_id, (void)err;
	return -EIO;
}

static void rebuild_from(const char *const *ids)
{
	struct store_rebuild b;
	char path[128];

	store_close(s);
	s = NULL;
	for (const char *const *name =
		     (const char *const[]){ "store.db", "store.db-wal", "store.db.log", NULL };
	     *name; name++) {
		snprintf(path, sizeof(path), "%s/%s", dir, *name);
		unlink(path);
	}
	good(store_rebuild_begin(dir, &b, &e));
	b.make_layer = no_layer;
	for (; *ids; ids++) {
		snprintf(path, sizeof(path), "%s/layers/%s/manifest", dir, *ids);
		good(store_rebuild_layer(&b, *ids, path, &e));
	}
	good(store_rebuild_end(&b, &e));
	store_rebuild_finish(&b);
	good(store_open(dir, &s, &e));
}

/* The store is lost: layers on disk know the images they are of. */
static void rebuilt(void **state)
{
	struct store_image_layer l;
	struct store_image i = { 0 };
	bool found;

	(void)state;
	good(store_image_name_set(s, "also:2", I1, &e));
	rebuild_from((const char *const[]){ L1, L2, NULL });
	is("two:1", I2);
	is("also:2", I1);
	is(D1, I1);
	good(store_image_find(s, D2, &i, &e));
	assert_string_equal(i.config, "{\"a\":\t\"\\n\"}\n");
	assert_int_equal(i.names.n, 1);
	store_image_finish(&i);
	good(store_image_layer_find(s, "sha256:c1", &l, &found, &e));
	assert_true(found);
	good(store_check(s, &e));
	assert_int_equal(collect(), 0);
}

/* And one whose layer is gone is not there; the other is. */
static void rebuilt_in_part(void **state)
{
	(void)state;
	rebuild_from((const char *const[]){ L1, NULL });
	is("two:1", NULL);
	is(D1, I1);
	good(store_check(s, &e));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(found_by_any_name, open_store, close_store),
		cmocka_unit_test_setup_teardown(a_name_comes_first, open_store, close_store),
		cmocka_unit_test_setup_teardown(names_move, open_store, close_store),
		cmocka_unit_test_setup_teardown(twice, open_store, close_store),
		cmocka_unit_test_setup_teardown(layers_are_kept, open_store, close_store),
		cmocka_unit_test_setup_teardown(boxes_know_their_image, open_store, close_store),
		cmocka_unit_test_setup_teardown(listed, open_store, close_store),
		cmocka_unit_test_setup_teardown(rebuilt, open_store, close_store),
		cmocka_unit_test_setup_teardown(rebuilt_in_part, open_store, close_store),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
