/* SPDX-License-Identifier: Apache-2.0 */
/* The table of keys of a profile, and what each of their values means. */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/scope.h"
#include "policy/egress.h"
#include "policy/egress_presets.h"
#include "policy/profile.h"
#include "policy/seccomp.h"
#include "secret/secret_spec.h"

const struct profile_limit profile_limits[] = {
#define X(id, name, unit, letter, none, least, needs, help) { LIMIT_##id, UNIT_##unit, none, least, needs },
	PROFILE_LIMITS(X)
#undef X
};
const size_t n_profile_limits = sizeof(profile_limits) / sizeof(*profile_limits);

const struct profile_limit *profile_limit_by_name(const char *name)
{
	for (size_t i = 0; i < n_profile_limits; i++)
		if (!strcmp(limit_option(profile_limits[i].limit), name))
			return &profile_limits[i];
	return NULL;
}

bool profile_unit_read(enum profile_unit unit, const char *text, uint64_t *ret_value)
{
	switch (unit) {
	case UNIT_TIME:
		return str_to_ms(text, ret_value);
	case UNIT_SIZE:
		return str_to_size(text, ret_value);
	case UNIT_CORES:
		return str_to_milli(text, ret_value);
	case UNIT_NUMBER:
		return str_to_u64(text, ret_value);
	}
	return false;
}

bool profile_same_limit(const char *key, const char *a, const char *b)
{
	const struct profile_limit *l = profile_limit_by_name(key);
	uint64_t left, right;

	return l && profile_unit_read(l->unit, a, &left) && profile_unit_read(l->unit, b, &right) &&
	       left == right;
}

int profile_limit_check(const struct profile_limit *l, uint64_t value, struct aisbx_error *e)
{
	if (value < l->least && (value || !l->can_be_none))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_USAGE, EINVAL, "%s", l->needs);
	return 0;
}

static const char *const unit_words[] = {
	[UNIT_TIME] = "a time such as 500ms, 30s or 5m",
	[UNIT_SIZE] = "a size such as 512m or 2g",
	[UNIT_CORES] = "a number of processors such as 2 or 0.5",
	[UNIT_NUMBER] = "a whole number",
};

/* "75%": of the machine's. */
static bool read_share(const char *text, unsigned int *ret)
{
	uint64_t value = 0;
	size_t n = strspn(text, "0123456789");

	for (size_t i = 0; i < n && n <= 3; i++)
		value = value * 10 + (uint64_t)(text[i] - '0');
	if (!n || n > 3 || strcmp(text + n, "%") != 0 || value < 1 || value > 100)
		return false;
	*ret = (unsigned int)value;
	return true;
}

static int apply_limit(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	const struct profile_limit *l = profile_limit_by_name(s->key->name);
	uint64_t value;

	if (l->limit == LIMIT_MEMORY) {
		p->limits[LIMIT_MEMORY] = p->memory_share = 0;
		if (read_share(s->value, &p->memory_share))
			return 0;
	}
	if (!profile_unit_read(l->unit, s->value, &value))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'%s' must be %s%s, not '%.40s'", s->key->name, unit_words[l->unit],
				    l->limit == LIMIT_MEMORY ? ", or a part of the machine's such as 75%"
							     : "",
				    s->value);
	p->limits[l->limit] = value;
	return profile_limit_check(l, value, e);
}

static int apply_lifetime(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	if (str_to_ms(s->value, &p->limits[LIMIT_LIFETIME]))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			    "'lifetime' must be %s, not '%.40s'", unit_words[UNIT_TIME], s->value);
}

static int apply_keep_output(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	p->sets_keep_output = true;
	if (str_to_size(s->value, &p->keep_output))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
			    "'keep-output' must be %s, or 0, not '%.40s'", unit_words[UNIT_SIZE], s->value);
}

uint64_t profile_keep_output(const struct profile *p)
{
	return p->sets_keep_output ? p->keep_output : PROFILE_KEEP_OUTPUT;
}

/* Values of keys that have a choice, in the order of what they stand for. */
const char *const driver_names[] = { "native", "oci", "oci:runc", "oci:crun", "oci:runsc", "wasm", NULL };
static const char *const system_choices[] = { "read-only", "writable", NULL };
static const char *const net_choices[] = {
	[NET_NONE] = "none", [NET_LOOPBACK] = "loopback", [NET_ALLOW] = "allow", [NET_ALLOW_ASK] = "ask", NULL
};
static const char *const env_choices[] = { [ENV_MINIMAL] = "minimal", [ENV_ALL_BUT_SECRETS] = "all", NULL };
static const char *const cache_choices[] = { "false", "true", NULL };
static const char *const mode_choices[] = { "ro", "rw", "hide", NULL };

static int choose(const char *key, const char *text, const char *const *choices, unsigned int *ret,
		  struct aisbx_error *e)
{
	const char *near;
	unsigned int n = 0;

	for (; choices[n]; n++)
		if (!strcmp(choices[n], text)) {
			*ret = n;
			return 0;
		}
	aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
		     "'%.40s' is not a value of '%s'; allowed:", text, key);
	for (unsigned int i = 0; i < n; i++) {
		strncat(e->text, i ? ", " : " ", sizeof(e->text) - strlen(e->text) - 1);
		strncat(e->text, choices[i], sizeof(e->text) - strlen(e->text) - 1);
	}
	near = str_nearest(text, choices, n);
	return near ? aisbx_hint(e, "did you mean '%s'?", near) : e->code;
}

static int apply_driver(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	static const struct {
		const char *name, *why;
	} later[] = { { "lima", "this aisbx has no driver 'lima'" },
		      { "chroot",
			"the driver 'chroot' is the last resort: no profile can choose it, only the "
			"option --driver chroot of one run" } };
	unsigned int which = 0;
	int r = choose(s->key->name, s->value, driver_names, &which, e);

	if (r == 0)
		p->driver = driver_names[which];
	for (size_t i = 0; r < 0 && i < sizeof(later) / sizeof(*later); i++)
		if (!strcmp(later[i].name, s->value))
			return aisbx_refuse(e, AISBX_KIND_UNSUPPORTED, AISBX_AREA_POLICY, EOPNOTSUPP, "%s",
					    later[i].why);
	return r;
}

static int apply_system(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	unsigned int i = 0;
	int r = choose(s->key->name, s->value, system_choices, &i, e);

	p->system_writable = i;
	return r;
}

static int apply_net(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	unsigned int i = 0;
	int r = choose(s->key->name, s->value, net_choices, &i, e);

	p->net = (enum net_mode)i;
	return r;
}

static int apply_egress(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	(void)p;
	return egress_value_check(s->value, e);
}

const char *const secret_files_choices[] = { "scrub", "plain", NULL };

static int apply_secret_files(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	unsigned int i = 0;
	int r = choose(s->key->name, s->value, secret_files_choices, &i, e);

	p->plain_secret_files = i;
	return r;
}

static int apply_env_mode(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	unsigned int i = 0;
	int r = choose(s->key->name, s->value, env_choices, &i, e);

	p->env = (enum env_mode)i;
	return r;
}

static int apply_caches(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	unsigned int i = 0;
	int r = choose(s->key->name, s->value, cache_choices, &i, e);

	p->caches = i;
	return r;
}

/* A path: the reader has made it absolute. */
static int apply_seccomp(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	p->seccomp = 0;
	p->seccomp_file = *s->value == '/' ? s->value : NULL;
	if (p->seccomp_file)
		return 0;
	if (seccomp_preset_by_name(s->value, &p->seccomp))
		return 0;
	return choose(s->key->name, s->value, seccomp_preset_names, &p->seccomp, e);
}

static const char *const cap_choices[] = { "chown", "dac_override",     "fowner", "fsetid", "ipc_owner",
					   "kill",  "net_bind_service", "setgid", "setuid", NULL };

/*
 * Only what acts on the box's own files, ids, processes and ports. The others let a box rebuild its walls, or
 * lead into parts of the kernel that no ordinary program reaches.
 */
static int apply_cap(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	unsigned int i, cap = 0;

	while (cap_name(cap) && strcmp(cap_name(cap), s->value) != 0)
		cap++;
	for (i = 0; cap_choices[i] && strcmp(cap_choices[i], s->value) != 0; i++)
		;
	if (cap_name(cap) && !cap_choices[i])
		return aisbx_refuse(e, AISBX_KIND_DENIED, AISBX_AREA_POLICY, EPERM,
				    "no profile can grant '%s': it could be used against the walls; a person "
				    "can, for one run, with --without caps",
				    s->value);
	p->root_caps |= cap_name(cap) ? 1ULL << cap : 0;
	return cap_choices[i] ? 0 : choose(s->key->name, s->value, cap_choices, &i, e);
}

/* VALUE is HOST or HOST:GUEST; the reader has escaped what it must. */
static int apply_mount(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	const char *guest = s->value;
	unsigned int i;

	(void)p;
	for (; *guest && *guest != ':'; guest++)
		guest += guest[0] == '\\' && guest[1] == ':';
	if (guest == s->value)
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "a mount needs a 'host': the path on the machine");
	if (*guest && guest[1] != '/')
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "'guest' must be an absolute path, not '%.40s'", guest + 1);
	if (*guest && guest[1 + strspn(guest + 1, "/.")] == '\0')
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "nothing can be mounted over the root");
	if (*guest && !strcmp(s->name, "hide"))
		return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				    "a hidden path has no 'guest'");
	return choose("mode", s->name, mode_choices, &i, e);
}

static int apply_path(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	(void)p;
	return *s->value ? 0
			 : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
					"an empty path in '%s'", s->key->name);
}

static int apply_variable(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
	const char *name = s->name ? s->name : s->value;

	(void)p;
	if (*name && strspn(name, letters) == strlen(name) && !strchr("0123456789", *name))
		return 0;
	return aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL, "'%.40s' is not a variable name",
			    name);
}

int profile_secret_rule(const struct secret_spec *s, struct egress_rule *ret, struct aisbx_error *e)
{
	char text[EGRESS_RULE_MAX];
	int r;

	snprintf(text, sizeof(text), "net:egress:%.300s:%u", s->inject.host, s->inject.port);
	r = egress_rule_parse(text, ret, e);
	if (r == 0 && (ret->kind != EGRESS_NAMES || ret->any || !strcmp(ret->name, EGRESS_HOST_NAME)))
		r = aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
				 "'%.60s' is not the name of a host that can get a secret", s->inject.host);
	return r < 0 ? aisbx_context(e, "secret '%s'", s->name) : 0;
}

/* As --secret has it. One that is injected needs a network. */
static int apply_secret(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	scoped(secret_spec_finish) struct secret_spec spec = { 0 };
	scoped(drop_mem) char *text = NULL;
	struct egress_rule rule;
	int r;

	if (asprintf(&text, "%s=%s", s->name, s->value) < 0)
		return aisbx_fail(e, AISBX_AREA_POLICY, ENOMEM, "secret '%s'", s->name);
	r = secret_spec_parse(text, &spec, e);
	if (r < 0 || !spec.inject.host)
		return r;
	if (!net_mode_has_rules(p->net))
		p->net = NET_ALLOW;
	return profile_secret_rule(&spec, &rule, e);
}

static int apply_scan(const struct profile_setting *s, struct profile *p, struct aisbx_error *e)
{
	(void)p;
	return profile_is_name(s->value) ? 0
					 : aisbx_refuse(e, AISBX_KIND_USAGE, AISBX_AREA_POLICY, EINVAL,
							"'%.40s' is not the name of a scan policy", s->value);
}

static const char *const unit_names[] = {
	[UNIT_TIME] = "TIME", [UNIT_SIZE] = "SIZE", [UNIT_CORES] = "N", [UNIT_NUMBER] = "N"
};

#define PATTERN_TIME   "^[0-9]+(\\.[0-9]*)?(ms|s|sec|m|min|h|d)?$"
#define PATTERN_SIZE   "^([0-9]+(\\.[0-9]*)?([bB]|[kKmMgGtT]([iI]?[bB])?)?|[0-9]{1,3}%)$"
#define PATTERN_CORES  "^[0-9]+(\\.[0-9]*)?$"
#define PATTERN_NUMBER "^[0-9]+$"
/* A word, or what has a dot, a colon or a star: the rest is for the reader. */
#define PATTERN_EGRESS   "^([a-z-]+|[!-~]*[.:*][ -~]*)$"
#define PATTERN_FILE     "/|\\.json$"
#define PATTERN_VARIABLE "^[A-Za-z_][A-Za-z0-9_]*$"

const struct profile_key profile_keys[] = {
	{ "driver", SHAPE_VALUE, false, "DRIVER", driver_names, "native", "driver that builds the walls",
	  NULL, apply_driver },
	{ "system", SHAPE_VALUE, false, "MODE", system_choices, "read-only",
	  "in a box of root: whether the system is writable, as a clone; in other boxes it never is", NULL,
	  apply_system },
	{ "caps", SHAPE_LIST, false, "CAPABILITY", cap_choices, "none",
	  "capabilities of a box of root, valid only inside it; a user's box has none", NULL, apply_cap },
	{ "net", SHAPE_VALUE, false, "MODE", net_choices, "none",
	  "none; loopback: a loopback interface of the box's own; allow: what 'egress' names, too; ask: and "
	  "a "
	  "person is asked about the rest",
	  NULL, apply_net },
	{ "egress", SHAPE_LIST, true, "RULE", NULL, "none",
	  "with 'net: allow' or 'net: ask': what can be reached: presets (python-packages, npm, crates, go, "
	  "maven, debian, github, github:OWNER/REPO[:read]) and rules such as github.com:443, "
	  "10.0.0.0/8:5432 or net:host:5432",
	  PATTERN_EGRESS, apply_egress },
	{ "seccomp", SHAPE_VALUE, false, "PRESET", seccomp_preset_names, "default",
	  "which system calls programs may make; the path of a JSON file as Docker has it forbids more than "
	  "'default' does",
	  PATTERN_FILE, apply_seccomp },
#define X(id, name, unit, letter, none, least, needs, help) \
	{ name, SHAPE_VALUE, false, NULL, NULL, "none", help, PATTERN_##unit, apply_limit },
	PROFILE_LIMITS(X)
#undef X
		{ "lifetime", SHAPE_VALUE, false, "TIME", NULL, "none",
		  "lifetime of a box: as 'create --ttl'; for a box that is removed after its run, a second "
		  "deadline",
		  PATTERN_TIME, apply_lifetime },
	{ "keep-output", SHAPE_VALUE, false, "SIZE", NULL, "64m",
	  "disk space per project for the output of runs, which 'logs' shows and 'history --grep' searches "
	  "after they have ended; the oldest goes first; 0: no output is kept",
	  PATTERN_SIZE, apply_keep_output },
	{ "env.mode", SHAPE_VALUE, false, "MODE", env_choices, "minimal",
	  "the caller's variables: all except those that look like credentials, or only the basic ones that "
	  "programs need",
	  NULL, apply_env_mode },
	{ "env.pass", SHAPE_LIST, true, "NAME", NULL, "none",
	  "variables of the caller that are always passed on", PATTERN_VARIABLE, apply_variable },
	{ "env.set", SHAPE_MAP, true, "VALUE", NULL, "none", "variables with their values", NULL,
	  apply_variable },
	{ "caches", SHAPE_VALUE, false, "BOOL", cache_choices, "false",
	  "whether the caches of package managers and compilers in the home directory are seen; what the box "
	  "changes there is its own",
	  NULL, apply_caches },
	{ "mounts", SHAPE_MOUNTS, true, "MOUNT", NULL, "none",
	  "further paths of the machine: read-only (ro), shared (rw: changes are real) or hidden (hide)",
	  NULL, apply_mount },
	{ "show", SHAPE_LIST, true, "PATH", NULL, "none",
	  "paths of the hidden home directory to show read-only, if they exist; '~/' is the home directory",
	  NULL, apply_path },
	{ "devices", SHAPE_LIST, true, "PATH", NULL, "none",
	  "devices of /dev to show, if they exist and you may open them; 'gpu': those of graphics processors",
	  "^(gpu|/dev/.+)$", apply_path },
	{ "entrypoint", SHAPE_COMMAND, false, "WORD", NULL, "none",
	  "words put before the command; used alone if a run has no command", NULL, NULL },
	{ "services", SHAPE_SERVICES, false, "SERVICE", NULL, "none",
	  "services that run beside the command, as in aisbx.yaml; the project's own file takes precedence",
	  NULL, NULL },
	{ "secrets", SHAPE_SECRETS, true, "SOURCE", NULL, "none",
	  "env:VARIABLE, file:PATH or cmd:COMMAND, as for --secret; or {from: SOURCE, as: env, inject: "
	  "{host: "
	  "HOST, header: \"Authorization: Bearer {}\"}}, which also turns the network on for HOST",
	  "^(env|file|cmd):.", apply_secret },
	{ "secret-files", SHAPE_VALUE, false, "MODE", secret_files_choices, "scrub",
	  "values in .env and similar files of the project that look like secrets: scrub: they are removed "
	  "from output and stop a promotion; plain: they are ordinary text",
	  NULL, apply_secret_files },
	{ "scan", SHAPE_VALUE, false, "POLICY", NULL, "default", "scan policy of 'run-code'; none: no scan",
	  "^[A-Za-z0-9][A-Za-z0-9._-]*$", apply_scan },
	{ NULL, SHAPE_VALUE, false, NULL, NULL, NULL, NULL, NULL, NULL },
};

const char *profile_key_value(const struct profile_key *k)
{
	const struct profile_limit *l = k->value ? NULL : profile_limit_by_name(k->name);

	return l ? unit_names[l->unit] : k->value;
}

const char *net_mode_name(enum net_mode mode)
{
	return net_choices[mode];
}

bool net_mode_has_rules(enum net_mode mode)
{
	return mode == NET_ALLOW || mode == NET_ALLOW_ASK;
}

bool net_mode_by_name(const char *name, enum net_mode *ret_mode)
{
	for (unsigned int i = 0; net_choices[i]; i++)
		if (!strcmp(net_choices[i], name)) {
			*ret_mode = (enum net_mode)i;
			return true;
		}
	return false;
}

const char *cap_name(unsigned int cap)
{
	static const char *const names[] = {
		"chown",
		"dac_override",
		"dac_read_search",
		"fowner",
		"fsetid",
		"kill",
		"setgid",
		"setuid",
		"setpcap",
		"linux_immutable",
		"net_bind_service",
		"net_broadcast",
		"net_admin",
		"net_raw",
		"ipc_lock",
		"ipc_owner",
		"sys_module",
		"sys_rawio",
		"sys_chroot",
		"sys_ptrace",
		"sys_pacct",
		"sys_admin",
		"sys_boot",
		"sys_nice",
		"sys_resource",
		"sys_time",
		"sys_tty_config",
		"mknod",
		"lease",
		"audit_write",
		"audit_control",
		"setfcap",
		"mac_override",
		"mac_admin",
		"syslog",
		"wake_alarm",
		"block_suspend",
		"audit_read",
		"perfmon",
		"bpf",
		"checkpoint_restore",
	};

	return cap < sizeof(names) / sizeof(*names) ? names[cap] : NULL;
}
