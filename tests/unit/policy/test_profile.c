/* SPDX-License-Identifier: Apache-2.0 */
/* Profiles: the shipped ones bound every box; files are read strictly; chains of them say what the nearest
 * says. */
#include "support/test.h"

#include <linux/capability.h>

#include "base/scope.h"
#include "policy/profile.h"

static struct profile shipped(const char *name)
{
	scoped(profile_rules_finish) struct profile_rules rules = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (profile_shipped_rules(name, &rules, &e) < 0)
		fail_msg("%s", e.text);
	return rules.profile;
}

static void found_by_name(void **state)
{
	static const char *const names[] = { "dev", "strict", "python", "javascript", "shell",
					     "go",  "rust",   "java",   "c" };
	struct profile_rules none = { 0 };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	assert_int_equal(n_profile_shipped, sizeof(names) / sizeof(*names));
	for (size_t i = 0; i < n_profile_shipped; i++) {
		assert_string_equal(profile_shipped[i].name, names[i]);
		assert_ptr_equal(profile_shipped_by_name(names[i]), &profile_shipped[i]);
		assert_true(strlen(profile_shipped[i].about) > 0);
	}
	assert_null(profile_shipped_by_name("lax"));
	assert_null(profile_shipped_by_name(""));
	assert_failed(profile_shipped_rules("lax", &none, &e), ENOENT, e, "'lax'");
}

static void every_limit_is_set(void **state)
{
	(void)state;
	for (size_t i = 0; i < n_profile_shipped; i++) {
		struct profile p = shipped(profile_shipped[i].name);

		assert_true(p.limits[LIMIT_WALL_TIME] > 0 && p.limits[LIMIT_DISK] >= 1 << 20 &&
			    p.limits[LIMIT_INODES] > 0);
		assert_true(p.limits[LIMIT_PROCESSES] >= 2 && p.limits[LIMIT_FILES] >= 16 &&
			    p.limits[LIMIT_OUTPUT] > 0);
		assert_true(p.limits[LIMIT_MEMORY] > 0 || p.memory_share > 0);
	}
}

static void strict_is_stricter(void **state)
{
	struct profile dev = shipped("dev"), strict = shipped("strict");

	(void)state;
	assert_int_equal(strict.root_caps, 0);
	assert_int_equal(strict.net, NET_NONE);
	assert_int_equal(strict.env, ENV_MINIMAL);
	assert_false(strict.system_writable);
	for (enum limit l = 0; l < LIMIT_COUNT; l++)
		if (dev.limits[l])
			assert_true(strict.limits[l] && strict.limits[l] < dev.limits[l]);
	assert_int_equal(dev.limits[LIMIT_MEMORY], 0);
	assert_int_equal(dev.memory_share, 75);
	assert_int_equal(strict.memory_share, 0);
	assert_int_equal(dev.limits[LIMIT_CPU], 0); /* what it extends has one */
	assert_int_equal(dev.limits[LIMIT_FILE_SIZE], 0);
}

static void no_profile_keeps_a_dangerous_capability(void **state)
{
	static const int never[] = { CAP_SYS_ADMIN, CAP_SYS_PTRACE,     CAP_SYS_MODULE, CAP_NET_ADMIN,
				     CAP_NET_RAW,   CAP_MKNOD,          CAP_SYS_CHROOT, CAP_SETPCAP,
				     CAP_BPF,       CAP_DAC_READ_SEARCH };

	(void)state;
	for (size_t i = 0; i < n_profile_shipped; i++)
		for (size_t c = 0; c < sizeof(never) / sizeof(*never); c++)
			assert_false(shipped(profile_shipped[i].name).root_caps & (1ULL << never[c]));
	assert_int_equal(shipped("dev").root_caps, 1ULL << CAP_CHOWN | 1ULL << CAP_DAC_OVERRIDE |
							   1ULL << CAP_FOWNER | 1ULL << CAP_FSETID |
							   1ULL << CAP_SETGID | 1ULL << CAP_SETUID);
}

static void read_file(const char *text, struct profile_layer *ret)
{
	struct aisbx_error e = AISBX_ERROR_INIT;

	if (profile_parse(text, strlen(text), "t.yaml", ret, &e) < 0)
		fail_msg("%s: %s", text, e.text);
}

static const char everything[] =
	"name: all\n"
	"about: 'each key'\n"
	"extends: dev\n"
	"driver: native\n"
	"system: read-only\n"
	"caps: [kill, net_bind_service]\n"
	"net: none\n"
	"seccomp: default\n"
	"timeout: 1m\ncpu: 1.5\ncpu-time: 2s\nmem: 64m\ndisk: 32m\ninodes: 200\nfile-size: 1m\npids: 9\n"
	"files: 64\noutput: 10k\nlifetime: 1h\n"
	"env:\n  mode: minimal\n  pass: [A, B]\n  set: {C: d e, F: ''}\n"
	"mounts:\n  - {host: '~/x:y', guest: /z, mode: ro}\n  - {host: /w, mode: rw}\n"
	"  - host: /h\n    mode: hide\n  - {host: rel}\n"
	"show: ['~/.config/gh']\n"
	"devices: [gpu, /dev/fuse]\n"
	"entrypoint: [env, -i]\n"
	"services: {s: {command: [sleep, '1']}}\n"
	"secrets: {T: 'env:TOKEN', K: 'file:/k', M: {from: 'env:M'}, I: {from: 'cmd:c', as: both, inject: "
	"{host: 'a.b:1', header: 'X: {}'}}, J: {from: 'env:J', inject: {host: '*.a.b', aws: true, basic: "
	"false}}}\n"
	"scan: none\n"
	"egress: [npm, 'github.com:443']\n"
	"keep-output: 8m\n"
	"secret-files: plain\n"
	"caches: true\n"
	"fuel: 5000\n";

static void every_key_is_read(void **state)
{
	scoped(profile_layer_finish) struct profile_layer l = { 0 };
	scoped(profile_rules_finish) struct profile_rules r = { 0 };
	const struct profile_layer *chain[] = { &l };
	struct aisbx_error e = AISBX_ERROR_INIT;
	static const struct {
		const char *key, *name, *value;
		unsigned int line;
	} want[] = {
		{ "mem", NULL, "64m", 12 },
		{ "env.pass", NULL, "B", 22 },
		{ "env.set", "C", "d e", 23 },
		{ "env.set", "F", "", 23 },
		{ "mounts", "ro", "~/x\\:y:/z", 25 },
		{ "mounts", "rw", "/w", 26 },
		{ "mounts", "hide", "/h", 27 },
		{ "mounts", "ro", "rel", 29 },
		{ "show", NULL, "~/.config/gh", 30 },
		{ "entrypoint", NULL, "-i", 32 },
		{ "services", NULL, "s", 33 },
		{ "secrets", "T", "env:TOKEN", 34 },
		{ "secrets", "M", "env:M", 34 },
		{ "secrets", "I", "cmd:c,as=both,inject=a.b:1 X: {}", 34 },
		{ "secrets", "J", "env:J,inject=*.a.b aws-sigv4", 34 },
		{ "egress", NULL, "github.com:443", 36 },
		{ "caches", NULL, "true", 39 },
	};

	(void)state;
	read_file(everything, &l);
	assert_string_equal(l.name, "all");
	assert_string_equal(l.extends, "dev");
	assert_int_equal(l.services.n, 1);
	assert_int_equal(profile_fold(chain, 1, NULL, &r, &e), 0);
	for (const struct profile_key *k = profile_keys; k->name; k++) {
		bool found = false;

		for (size_t i = 0; i < r.n_values; i++)
			found = found || profile_value_is(&r, i, k->name);
		if (!found)
			fail_msg("no value of %s", k->name);
	}
	for (size_t w = 0; w < sizeof(want) / sizeof(*want); w++) {
		bool found = false;

		for (size_t i = 0; i < r.n_values; i++) {
			const struct profile_setting *s = r.values[i].setting;

			found = found ||
				(!strcmp(s->key->name, want[w].key) && !strcmp(s->value, want[w].value) &&
				 s->line == want[w].line &&
				 (want[w].name ? s->name && !strcmp(s->name, want[w].name) : !s->name));
		}
		if (!found)
			fail_msg("%s %s is not there, or not in line %u", want[w].key, want[w].value,
				 want[w].line);
	}
	assert_int_equal(r.profile.limits[LIMIT_CPU], 1500);
	assert_int_equal(r.profile.limits[LIMIT_MEMORY], 64 << 20);
	assert_int_equal(r.profile.limits[LIMIT_LIFETIME], 3600000);
	assert_int_equal(r.profile.root_caps, 1ULL << CAP_KILL | 1ULL << CAP_NET_BIND_SERVICE);
	assert_ptr_equal(r.services, &l.services);
}

static void mistakes(void **state)
{
	static const struct {
		const char *text, *word;
	} bad[] = {
		{ "tiemout: 3s\n", "t.yaml:1:1: unknown key 'tiemout'" },
		{ "name: x\ntiemout: 3s\n", "did you mean 'timeout'?" },
		{ "env: {mood: all}\n", "t.yaml:1:7: unknown key 'mood'; allowed here: mode, pass, set" },
		{ "env.mode: all\n", "unknown key 'env.mode'" },
		{ "env: all\n", "must be a mapping" },
		{ "mem: lots\n", "t.yaml:1:6: 'mem' must be a size such as 512m or 2g, or a part of the "
				 "machine's such as 75%, not 'lots'" },
		{ "mem: 101%\n", "must be a size" },
		{ "mem: 0%\n", "must be a size" },
		{ "mem: 3m\n", "at least 4 MiB" },
		{ "mem: [1g]\n", "must be a string, not a list" },
		{ "timeout: soon\n", "must be a time" },
		{ "cpu: many\n", "a number of processors" },
		{ "pids: 1\n", "at least 2 processes" },
		{ "lifetime: x\n", "must be a time" },
		{ "net: host\n", "'host' is not a value of 'net'; allowed: none, loopback" },
		{ "net: lopback\n", "did you mean 'loopback'?" },
		{ "system: rw\n", "read-only, writable" },
		{ "driver: lima\n", "no driver 'lima'" },
		{ "driver: magic\n", "allowed: native" },
		{ "seccomp: none\n", "'none' is not a value of 'seccomp'; allowed: default" },
		{ "caps: [sys_admin]\n", "t.yaml:1:8: no profile can grant 'sys_admin'" },
		{ "caps: [chwon]\n", "did you mean 'chown'?" },
		{ "caps: chown\n", "must be a list" },
		{ "env: {pass: [1A]}\n", "not a variable name" },
		{ "env: {set: {'A=B': c}}\n", "not a variable name" },
		{ "mounts: [{host: /a, guest: b}]\n", "'guest' must be an absolute path" },
		{ "mounts: [{host: /a, guest: /}]\n", "over the root" },
		{ "mounts: [{guest: /b}]\n", "needs a 'host'" },
		{ "mounts: [{host: /a, mode: wr}]\n",
		  "'wr' is not a value of 'mode'; allowed: ro, rw, hide" },
		{ "mounts: [{host: /a, guest: /b, mode: hide}]\n", "a hidden path has no 'guest'" },
		{ "mounts: [{hots: /a}]\n", "did you mean 'host'?" },
		{ "mounts: /a\n", "must be a list" },
		{ "show: ['']\n", "an empty path" },
		{ "entrypoint: {a: b}\n", "list of words" },
		{ "services: {a: {comand: x}}\n", "did you mean 'command'?" },
		{ "secrets: {A: hunter2}\n", "t.yaml:1:11: the source of secret 'A' is missing" },
		{ "secrets:\n  A: {from: hunter2}\n", "t.yaml:2:3: the source of secret 'A' is missing" },
		{ "secrets:\n  A: {as: env}\n", "t.yaml:2:6: a secret has no from" },
		{ "secrets:\n  A: {from: 'env:X', as: var}\n", "t.yaml:2:26: 'var' is not a value of 'as'" },
		{ "secrets:\n  A: {from: 'env:X,as=env'}\n", "'from' is a source alone" },
		{ "secrets:\n  A: {form: 'env:X'}\n", "t.yaml:2:7: unknown key 'form'" },
		{ "secrets:\n  A: {from: 'env:X', inject: a.b}\n",
		  "t.yaml:2:30: 'inject' must be a mapping" },
		{ "secrets:\n  A: {from: 'env:X', inject: {basic: true}}\n",
		  "t.yaml:2:30: 'inject' has no host" },
		{ "secrets:\n  A: {from: 'env:X', inject: {host: a.b, basic: true, aws: true}}\n",
		  "t.yaml:2:30: 'inject' takes only one of header, basic, aws" },
		{ "secrets:\n  A: {from: 'env:X', inject: {host: a.b, header: 'X: hunter2'}}\n",
		  "t.yaml:2:50: 'header' has no {}" },
		{ "secrets:\n  A: {from: 'env:X', inject: {host: a b}}\n",
		  "t.yaml:2:37: 'host' has a space" },
		{ "secrets:\n  A: {from: 'env:X', inject: {host: 10.0.0.1}}\n",
		  "t.yaml:2:3: secret 'A': '10.0.0.1' is not the name of a host" },
		{ "secrets: {A: 'env:X,inject=*'}\n",
		  "t.yaml:1:11: secret 'A': '*' is not the name of a host" },
		{ "scan: ../x\n", "not the name of a scan policy" },
		{ "name: a/b\n", "not a valid name of a profile" },
		{ "extends: 'a b'\n", "neither the name of a profile nor" },
		{ "mem: 1g\nmem: 2g\n", "t.yaml:2:1: key 'mem' is repeated; it is also in line 1" },
		{ "- mem\n", "the file must be a mapping" },
		{ "mem: !!int 1\n", "tags" },
		{ "a: b: c\n", "invalid YAML" },
	};
	struct profile_layer l = { 0 };
	struct aisbx_error e;

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		e = (struct aisbx_error)AISBX_ERROR_INIT;
		if (profile_parse(bad[i].text, strlen(bad[i].text), "t.yaml", &l, &e) == 0)
			fail_msg("taken: %s", bad[i].text);
		if (!strstr(e.text, bad[i].word))
			fail_msg("'%s' is not in '%s'", bad[i].word, e.text);
		assert_null(l.settings);
	}
}

/* The nearest wins; mounts, show, env.pass, env.set and secrets add up. */
static void chains(void **state)
{
	scoped(profile_layer_finish) struct profile_layer far = { 0 }, near = { 0 };
	scoped(profile_rules_finish) struct profile_rules r = { 0 };
	const struct profile_layer *chain[] = { &near, &far };
	struct aisbx_error e = AISBX_ERROR_INIT;
	size_t n[8] = { 0 };

	(void)state;
	read_file("mem: 75%\ncaps: [chown, kill]\nentrypoint: [a, b]\ntimeout: 5s\n"
		  "env: {mode: all, pass: [A], set: {X: far, Y: far}}\nmounts: [{host: /a}]\n",
		  &far);
	read_file("mem: 1g\ncaps: []\nentrypoint: [c]\nenv: {pass: [B], set: {X: near}}\nmounts: [{host: "
		  "/b}]\n",
		  &near);
	assert_int_equal(profile_fold(chain, 2, NULL, &r, &e), 0);
	assert_int_equal(r.profile.memory_share, 0);
	assert_int_equal(r.profile.limits[LIMIT_MEMORY], 1 << 30);
	assert_int_equal(r.profile.limits[LIMIT_WALL_TIME], 5000);
	assert_int_equal(r.profile.root_caps, 0);
	assert_int_equal(r.profile.env, ENV_ALL_BUT_SECRETS);
	for (size_t i = 0; i < r.n_values; i++) {
		const struct profile_setting *s = r.values[i].setting;

		n[0] += profile_value_is(&r, i, "entrypoint");
		n[1] += profile_value_is(&r, i, "env.pass");
		n[2] += profile_value_is(&r, i, "mounts");
		n[3] += profile_value_is(&r, i, "env.set");
		n[4] += !strcmp(s->key->name, "caps");
		if (profile_value_is(&r, i, "env.set"))
			assert_string_equal(s->value, strcmp(s->name, "X") ? "far" : "near");
		if (profile_value_is(&r, i, "timeout"))
			assert_ptr_equal(r.values[i].layer, &far);
	}
	assert_int_equal(n[0], 1);
	assert_int_equal(n[1], 2);
	assert_int_equal(n[2], 2);
	assert_int_equal(n[3], 2);
	assert_int_equal(n[4], 1); /* that there are none */
}

static void nothing_is_a_profile_too(void **state)
{
	scoped(profile_layer_finish) struct profile_layer l = { 0 };

	(void)state;
	read_file("# nothing\n", &l);
	assert_int_equal(l.n_settings, 0);
	assert_string_equal(profile_base_of(&l), "strict");
	assert_null(profile_base_of(profile_shipped_by_name("strict")));
	assert_string_equal(profile_base_of(profile_shipped_by_name("dev")), "strict");
}

static void net_modes(void **state)
{
	enum net_mode mode = NET_LOOPBACK;

	(void)state;
	assert_true(net_mode_by_name("none", &mode));
	assert_int_equal(mode, NET_NONE);
	assert_true(net_mode_by_name("loopback", &mode));
	assert_string_equal(net_mode_name(mode), "loopback");
	assert_false(net_mode_has_rules(mode));
	assert_true(net_mode_by_name("allow", &mode));
	assert_true(net_mode_has_rules(mode));
	assert_true(net_mode_by_name("ask", &mode));
	assert_true(net_mode_has_rules(mode));
	assert_false(net_mode_by_name("host", &mode));
	assert_int_equal(mode, NET_ALLOW_ASK);
}

/* Rules that nothing turns on are told; who says 'net' with them, or above them, knows. */
static void rules_need_a_mode(void **state)
{
	static const struct {
		const char *near, *far;
		bool told;
	} rows[] = {
		{ "egress: [npm]\n", "net: none\n", true },
		{ "egress: [npm]\n", "mem: 1g\n", true },
		{ "mem: 1g\n", "egress: [npm]\n", true },
		{ "egress: [npm]\n", "net: allow\n", false },
		{ "net: none\negress: [npm]\n", "mem: 1g\n", false },
		{ "egress: [npm]\nnet: ask\n", "net: none\n", false },
		{ "net: none\n", "net: allow\negress: [npm]\n", false },
		{ "egress: []\n", "net: none\n", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		scoped(profile_layer_finish) struct profile_layer near = { 0 }, far = { 0 };
		scoped(profile_rules_finish) struct profile_rules r = { 0 };
		const struct profile_layer *chain[] = { &near, &far };
		struct aisbx_error e = AISBX_ERROR_INIT;

		read_file(rows[i].near, &near);
		read_file(rows[i].far, &far);
		assert_int_equal(profile_fold(chain, 2, NULL, &r, &e), 0);
		if (rows[i].told)
			assert_failed(profile_egress_check(&r, &e), EINVAL, e, "add 'net: allow'");
		else
			assert_int_equal(profile_egress_check(&r, &e), 0);
	}
}

/* A path is from where the profile lies; a preset of a nearer file takes its place, as of any value. */
static void a_seccomp_file(void **state)
{
	static const struct {
		const char *text, *file;
	} cases[] = {
		{ "seccomp: calls.json\n", "/etc/p/calls.json" },
		{ "seccomp: ./a/../calls\n", "/etc/p/calls" },
		{ "seccomp: /srv/calls.json\n", "/srv/calls.json" },
		{ "seccomp: python\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct profile_layer l = { 0 };
		const struct profile_layer *chain[] = { &l, profile_shipped_by_name("strict") };
		struct profile_rules rules = { 0 };

		assert_int_equal(profile_parse(cases[i].text, strlen(cases[i].text), "/etc/p/mine.yaml", &l,
					       &e),
				 0);
		assert_int_equal(profile_fold(chain, 2, NULL, &rules, &e), 0);
		if (cases[i].file)
			assert_string_equal(rules.profile.seccomp_file, cases[i].file);
		else
			assert_null(rules.profile.seccomp_file);
		assert_int_equal(rules.profile.seccomp != 0, !cases[i].file);
		assert_int_equal(l.notes.n, cases[i].file != NULL);
		profile_rules_finish(&rules);
		profile_layer_finish(&l);
	}
}

/* What other tools write, and how it is read. */
static void words_of_other_tools(void **state)
{
	static const char text[] =
		"driver: bwrap\n"
		"env: [A=b=c, D]\n"
		"mounts: ['/x:/y:rw', /z]\n"
		"default_limits: {memory_mb: 100, cpu_cores: 0.5, execution_time_seconds: 9,\n"
		"  max_processes: 7, disk_mb: 3}\n"
		"language_specific: {python: {memory_mb: 200}, node: {disk_mb: 4}}\n";
	struct aisbx_error e = AISBX_ERROR_INIT;
	struct profile_layer l = { 0 };
	const struct profile_layer *chain[] = { &l, profile_shipped_by_name("strict") };
	static const char *const langs[] = { NULL, "python", "javascript" };
	static const uint64_t mem[] = { 100u << 20, 200u << 20, 100u << 20 },
			      disk[] = { 3u << 20, 3u << 20, 4u << 20 };

	(void)state;
	read_file(text, &l);
	assert_int_equal(l.notes.n, 12);
	assert_non_null(strstr(l.notes.items[0], ":1: 'driver: bwrap' is read as 'driver: native'"));
	assert_non_null(strstr(l.notes.items[10],
			       ":6: 'memory_mb: 200' is read as 'mem: 200m' for programs in python"));
	for (size_t i = 0; i < 3; i++) {
		struct profile_rules r;

		assert_int_equal(profile_fold(chain, 2, langs[i], &r, &e), 0);
		assert_int_equal(r.profile.limits[LIMIT_MEMORY], mem[i]);
		assert_int_equal(r.profile.limits[LIMIT_DISK], disk[i]);
		assert_int_equal(r.profile.limits[LIMIT_WALL_TIME], 9000);
		assert_int_equal(r.profile.limits[LIMIT_PROCESSES], 7);
		assert_string_equal(r.profile.driver, "native");
		profile_rules_finish(&r);
	}
	profile_layer_finish(&l);
}

static void wrong_words_of_other_tools(void **state)
{
	static const struct {
		const char *text, *words;
	} wrong[] = {
		{ "driver: docker\n", "'docker' is not a value of 'driver'" },
		{ "default_limits: {memory_md: 1}\n", "did you mean 'memory_mb'?" },
		{ "default_limits: {memory_mb: 1g}\n", "must be a number" },
		{ "default_limits: {memory_mb: 1}\n", "at least 4 MiB" },
		{ "default_limits: [1]\n", "must be a mapping" },
		{ "language_specific: {cobol: {memory_mb: 9}}\n", "'cobol' is no language" },
		{ "env: [[A]]\n", "a variable" },
		{ "env: ['=x']\n", "1:7" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		struct aisbx_error e = AISBX_ERROR_INIT;
		struct profile_layer l = { 0 };

		if (profile_parse(wrong[i].text, strlen(wrong[i].text), "p.yaml", &l, &e) == 0)
			fail_msg("taken: %s", wrong[i].text);
		if (!strstr(e.text, wrong[i].words))
			fail_msg("'%s' is not in '%s'", wrong[i].words, e.text);
	}
}

static void capabilities_have_names(void **state)
{
	(void)state;
	assert_string_equal(cap_name(CAP_CHOWN), "chown");
	assert_string_equal(cap_name(CAP_SYS_ADMIN), "sys_admin");
	assert_string_equal(cap_name(CAP_LAST_CAP), "checkpoint_restore");
	assert_null(cap_name(CAP_LAST_CAP + 1));
	assert_null(cap_name(64));
}

static void no_limit_on_memory(void **state)
{
	static const char *const texts[] = { "mem: 0\n", "mem: 75%\n", "mem: 1g\n" };
	struct aisbx_error e = AISBX_ERROR_INIT;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		for (size_t k = 0; k < 3; k++) {
			struct profile_layer near = { 0 }, far = { 0 };
			const struct profile_layer *chain[] = { &near, &far };
			struct profile_rules r = { 0 };

			read_file(texts[i], &far);
			read_file(texts[k], &near);
			assert_int_equal(profile_fold(chain, 2, NULL, &r, &e), 0);
			assert_int_equal(r.profile.memory_share, k == 1 ? 75 : 0);
			assert_int_equal(r.profile.limits[LIMIT_MEMORY], k == 2 ? 1 << 30 : 0);
			profile_rules_finish(&r);
			profile_layer_finish(&near);
			profile_layer_finish(&far);
		}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(found_by_name),
		cmocka_unit_test(every_limit_is_set),
		cmocka_unit_test(strict_is_stricter),
		cmocka_unit_test(no_profile_keeps_a_dangerous_capability),
		cmocka_unit_test(every_key_is_read),
		cmocka_unit_test(mistakes),
		cmocka_unit_test(no_limit_on_memory),
		cmocka_unit_test(chains),
		cmocka_unit_test(nothing_is_a_profile_too),
		cmocka_unit_test(net_modes),
		cmocka_unit_test(rules_need_a_mode),
		cmocka_unit_test(a_seccomp_file),
		cmocka_unit_test(words_of_other_tools),
		cmocka_unit_test(wrong_words_of_other_tools),
		cmocka_unit_test(capabilities_have_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
