# SPDX-License-Identifier: Apache-2.0
"""aisbx-merge beside aisbx: its merges are those of `git merge-file`, its differences are what `patch` applies."""
import concurrent.futures
import os
import pathlib
import random
import stat
import subprocess

import box
import pytest

TRIPLES = 2000
PAIRS = 200
SLICES = 10  # so that a failure names a tenth, and other tests get their turn
CLEAN, CONFLICTS, NOT_TEXT, FAILED = range(4)
HUGE = 64 << 20

WORDS = ["alpha", "beta", "gamma", "delta", "", "", "}", "{", "\treturn 0;", "naïve", "日本語", "🦊 fox", "ÿ", "x" * 300,
         "<<<<<<< ours", "=======", ">>>>>>> theirs", "--- a/f", "+++ b/f", "@@ -1 +1 @@",
         "\\ No newline at end of file", " leading", "trailing ", "-", "+", "\x0c", "\x1b[31m", "lone\rcr"]


def merger():
    return box.need(os.path.join(os.path.dirname(box.aisbx()), "aisbx-merge"))


class Answer:
    def __init__(self, status, reason=b"", patch=b"", added=0, removed=0):
        self.status, self.reason, self.patch, self.added, self.removed = status, reason, patch, added, removed


def encode(requests):
    return b"".join(os.fsencode(str(word)) + b"\0" for request in requests for word in request)


def answers(requests, output):
    """One for each request; what is left over is an error."""
    for request in requests:
        head, _, output = output.partition(b"\n")
        words = head.split(b" ", 1)
        if request[0] == "merge":
            yield Answer(int(words[0]), *words[1:])
        else:
            status, size, added, removed = map(int, head.split())
            yield Answer(status, b"", output[:size], added, removed)
            assert len(output) >= size
            output = output[size:]
    assert not output


def ask_all(requests, timeout=60, **more):
    outputs = {os.path.dirname(str(r[4])) or "." for r in requests if r[0] == "merge"}  # the only places it may write to
    done = subprocess.run([merger(), *sorted(outputs)], input=encode(requests), timeout=timeout, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **more)
    assert done.returncode == 0 and not done.stderr, done.stderr
    return list(answers(requests, done.stdout))


def ask(*words, **more):
    return ask_all([words], **more)[0]


def git_merge_file(ours, base, theirs, cwd):
    """Status and bytes as git has them, whatever the person's git is told to do."""
    env = {"PATH": os.environ["PATH"], "HOME": "/nonexistent", "GIT_CONFIG_NOSYSTEM": "1",
           "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CEILING_DIRECTORIES": str(pathlib.Path(cwd).parent)}
    done = subprocess.run(["git", "-c", "merge.conflictStyle=merge", "merge-file", "-p", "-L", "ours", "-L", "base",
                           "-L", "theirs", str(ours), str(base), str(theirs)], cwd=cwd, env=env, timeout=60,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert done.returncode < 128, done.stderr
    return CONFLICTS if done.returncode else CLEAN, done.stdout


def line(dice):
    return dice.choice(WORDS) if dice.random() < 0.6 else f"{dice.choice(WORDS)} {dice.randrange(40)}"


def edited(dice, lines, edits):
    lines = list(lines)
    for _ in range(edits):
        at, n = dice.randint(0, len(lines)), dice.choice((1, 1, 1, 2, 5))
        kind = dice.choice(("change", "insert", "delete", "move", "repeat"))
        if kind == "insert":
            lines[at:at] = [line(dice) for _ in range(n)]
        elif kind == "delete":
            del lines[at:at + n]
        elif kind == "change":
            lines[at:at + n] = [line(dice) for _ in lines[at:at + n]]
        elif kind == "move":
            piece, lines[at:at + n] = lines[at:at + n], []
            to = dice.randint(0, len(lines))
            lines[to:to] = piece
        else:
            lines[at:at] = lines[at:at + n]
    return lines


def in_bytes(dice, lines, ending):
    """One ending for all lines, or (None) for each line its own; now and then none for the last."""
    ends = [ending or dice.choice(("\n", "\r\n")) for _ in lines]
    if ends and dice.random() < 0.25:
        ends[-1] = ""
    return "".join(map("".join, zip(lines, ends))).encode()


def one_ending(dice):
    return dice.choice(("\n", "\n", "\n", "\r\n", "\r\n", None))


def triple(seed):
    dice = random.Random(f"triple {seed}")
    base = [line(dice) for _ in range(dice.choice((0, 1, 2, 5, 12, 30, 80)))]
    ours = edited(dice, base, dice.choice((0, 1, 1, 2, 4, 10)))
    theirs = edited(dice, base, dice.choice((0, 1, 1, 2, 4, 10)))
    if dice.random() < 0.1:  # the same change on both sides
        theirs = ours
    elif dice.random() < 0.1:  # the same change, and one more
        theirs = edited(dice, ours, 1)
    ending = one_ending(dice)
    texts = [in_bytes(dice, lines, ending) for lines in (base, ours, theirs)]
    if dice.random() < 0.1:  # a side with the endings of another system
        which = dice.randrange(3)
        texts[which] = in_bytes(dice, (base, ours, theirs)[which], one_ending(dice))
    if dice.random() < 0.05:
        texts[dice.randrange(3)] = b""
    return texts


def put_triple(directory, seed):
    """The files of this triple; git's answer, and the request for ours."""
    here = directory / str(seed)
    here.mkdir()
    base, ours, theirs, out = (here / n for n in ("base", "ours", "theirs", "out"))
    for path, text in zip((base, ours, theirs), triple(seed)):
        path.write_bytes(text)
    base_word = "-" if base.stat().st_size == 0 and seed % 2 else base
    return git_merge_file(ours, base, theirs, here), ("merge", base_word, ours, theirs, out, "ours", "theirs")


def in_parallel(function, directory, seeds):
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        return list(pool.map(lambda seed: function(directory, seed), seeds))


@pytest.mark.parametrize("part", range(SLICES))
def test_merges_are_those_of_git(tmp_path, part):
    made = in_parallel(put_triple, tmp_path, range(part, TRIPLES, SLICES))
    wrong = []
    for ((status, text), request), answer in zip(made, ask_all([request for _, request in made])):
        if answer.status != status or request[4].read_bytes() != text:
            wrong.append(f"{request[4].parent}: {answer.status} {answer.reason}, git says {status}")
    assert not wrong, f"{len(wrong)} of {len(made)}; first: {wrong[0]}"
    statuses = [status for (status, _), _ in made]
    assert min(statuses.count(CLEAN), statuses.count(CONFLICTS)) > len(made) // 8, "triples of one kind only"


@pytest.mark.parametrize("between, conflicts", [("}\n\n{\n\n\n}\n", 1), ("}\n\nx\n\n\n}\n", 2)])
def test_conflicts_apart_by_brackets_only_are_one(tmp_path, between, conflicts):
    for name in ("base", "ours", "theirs"):
        (tmp_path / name).write_text(f"{name} 1\n{between}{name} 2\n")
    done = ask("merge", "base", "ours", "theirs", "out", "ours", "theirs", cwd=tmp_path)
    text = (tmp_path / "out").read_bytes()
    assert (done.status, text) == git_merge_file("ours", "base", "theirs", tmp_path)
    assert text.count(b"<<<<<<< ours\n") == conflicts


def test_a_conflict_shows_both_versions(tmp_path):
    for name, text in (("base", "1\n2\n3\n"), ("ours", "1\nwe\n3\n"), ("theirs", "1\nthey\n3\n")):
        (tmp_path / name).write_text(text)
    done = ask("merge", "base", "ours", "theirs", "out", "box one", "hôst", cwd=tmp_path)
    assert done.status == CONFLICTS
    assert (tmp_path / "out").read_text() == "1\n<<<<<<< box one\nwe\n=======\nthey\n>>>>>>> hôst\n3\n"
    assert stat.S_IMODE((tmp_path / "out").stat().st_mode) == 0o600


@pytest.fixture
def texts(tmp_path):
    """A directory in which `merge base ours theirs out` and `diff ours theirs` would succeed."""
    for name in ("base", "ours", "theirs"):
        (tmp_path / name).write_text("text\n")
    return tmp_path


def test_nobodys_git_configuration_counts(texts):
    for name in ("base", "ours", "theirs"):
        (texts / name).write_text(f"{name}\n")
    (texts / ".gitconfig").write_text("[merge]\n\tconflictStyle = diff3\n[diff]\n\tnoprefix = true\n\tcontext = 9\n")
    (texts / ".gitattributes").write_text("* binary merge=union\n")
    done = ask("merge", "base", "ours", "theirs", "out", "o", "t", cwd=texts, env={"HOME": str(texts)})
    assert done.status == CONFLICTS
    assert (texts / "out").read_text() == "<<<<<<< o\nours\n=======\ntheirs\n>>>>>>> t\n"
    done = ask("diff", "ours", "theirs", "f", "f", cwd=texts, env={"HOME": str(texts)})
    assert b"\n--- a/f\n+++ b/f\n" in done.patch and b"-ours\n+theirs\n" in done.patch


def put_binary(path):
    path.write_bytes(b"a" * 7999 + b"\0")


def put_huge(path):
    with open(path, "wb") as f:
        f.truncate(HUGE + 1)


@pytest.mark.parametrize("side", ("base", "ours", "theirs"))
@pytest.mark.parametrize("put", (put_binary, put_huge))
def test_what_is_no_text_is_not_merged(texts, side, put):
    put(texts / side)
    done = ask("merge", "base", "ours", "theirs", "out", "o", "t", cwd=texts)
    assert (done.status, done.reason) == (NOT_TEXT, b"")
    assert not (texts / "out").exists()


def test_up_to_the_limits_it_is_text(texts):
    """A NUL behind the first 8000 bytes, and 64 MiB to the byte."""
    text = b"a" * 7999 + b"\n" + b"\0\n" + b"b" * (HUGE - 8003) + b"\n"
    assert len(text) == HUGE
    (texts / "base").write_bytes(text)
    (texts / "ours").write_bytes(text)
    (texts / "theirs").write_bytes(text[:-2] + b"c\n")
    done = ask("merge", "base", "ours", "theirs", "out", "o", "t", cwd=texts)
    assert (done.status, done.reason) == (CLEAN, b"")
    assert (texts / "out").read_bytes() == text[:-2] + b"c\n"


def put_link(path):
    (path.parent / "target").write_text("secret\n")
    path.symlink_to("target")


def put_link_to_a_device(path):
    path.symlink_to("/dev/zero")


BAD_INPUTS = {
    "missing": (lambda path: None, b"No such file"),
    "symlink": (put_link, b"symbolic link"),
    "symlink to a device": (put_link_to_a_device, b"symbolic link"),
    "fifo": (os.mkfifo, b"not a regular file"),
    "directory": (os.mkdir, b"not a regular file"),
}


@pytest.mark.parametrize("side", ("base", "ours", "theirs"))
@pytest.mark.parametrize("kind", BAD_INPUTS)
def test_what_is_no_regular_file_is_refused(texts, side, kind):
    put, reason = BAD_INPUTS[kind]
    (texts / side).unlink()
    put(texts / side)
    done = ask("merge", "base", "ours", "theirs", "out", "o", "t", cwd=texts, timeout=50)
    assert done.status == FAILED
    assert reason in done.reason and f"{side} '{side}'".encode() in done.reason
    assert not (texts / "out").exists()
    if side != "base" and "symlink" not in kind:  # a patch can hold links
        done = ask("diff", "ours", "theirs", "f", "f", cwd=texts, timeout=50)
        assert (done.status, done.patch) == (FAILED, b"Binary files a/f and b/f differ\n")


def test_a_device_is_refused(texts):
    done = ask("merge", "base", "/dev/zero", "theirs", "out", "o", "t", cwd=texts, timeout=50)
    assert done.status == FAILED and b"not a regular file" in done.reason


@pytest.mark.parametrize("kind", ("file", "symlink", "dangling symlink", "fifo"))
def test_an_output_that_exists_is_left_alone(texts, kind):
    out, target = texts / "out", texts / "target"
    if kind == "file":
        out.write_text("mine\n")
    elif kind == "fifo":
        os.mkfifo(out)
    else:
        out.symlink_to("target")
        if kind == "symlink":
            target.write_text("mine\n")
    before = os.lstat(out)
    done = ask("merge", "base", "ours", "theirs", "out", "o", "t", cwd=texts, timeout=50)
    assert done.status == FAILED and b"create 'out'" in done.reason
    after = os.lstat(out)
    assert (before.st_ino, before.st_mode, before.st_mtime_ns) == (after.st_ino, after.st_mode, after.st_mtime_ns)
    assert target.exists() == (kind == "symlink")
    if kind in ("file", "symlink"):
        assert out.read_text() == "mine\n"


def test_a_failed_write_leaves_no_output(texts):
    """A limit on the size of files, the one way to a failed write that needs no file system of its own."""
    for name in ("base", "ours", "theirs"):
        (texts / name).write_text("text\n" * 1000)
    request = ("merge", "base", "ours", "theirs", "out", "o", "t")
    done = subprocess.run(["sh", "-c", 'ulimit -f 1; exec "$@"', "sh", merger(), "."], input=encode([request]), cwd=texts,
                          timeout=50, stdout=subprocess.PIPE)
    assert done.returncode == 0 and b"to 'out': File too large" in done.stdout
    assert not (texts / "out").exists()


def test_answers_that_cannot_be_written_are_a_failure(texts):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([merger()], input=encode([("diff", "ours", "theirs", "f", "f")]), cwd=texts, timeout=50,
                              stdout=full)
    assert done.returncode == FAILED


@pytest.mark.parametrize("words", [("mend", "a", "b"), ("diff", "ours", "theirs"), ("",), ("merge",)])
def test_what_is_no_request_ends_it(texts, words):
    good = ("merge", "base", "ours", "theirs", "out", "o", "t")
    done = subprocess.run([merger(), "."], input=encode([good, words]), cwd=texts, timeout=50, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (FAILED, b"0\n") and done.stderr
    done = subprocess.run([merger(), "."], input=encode([good])[:-1], cwd=texts, timeout=50, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE)
    assert (done.returncode, done.stdout) == (FAILED, b"")


@pytest.mark.parametrize("words", [
    ("base", "ours", "theirs", "out", "a\nb", "t"), ("base", "ours", "theirs", "out", "o", "\x1b[31m"),
    ("base", "-", "theirs", "out", "o", "t"), ("base", "no\nsuch", "theirs", "out", "o", "t")])
def test_nonsense_is_refused(texts, words):
    done = ask("merge", *words, cwd=texts)
    assert done.status == FAILED and done.reason
    assert not (texts / "out").exists()


def test_answers_come_at_once_and_limits_are_set(texts):
    """Its contents are hostile: what it may take of memory, time and disk is bounded, for each request anew."""
    with subprocess.Popen([merger(), "."], cwd=texts, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as helper:
        helper.stdin.write(encode([("merge", "base", "ours", "theirs", "out", "o", "t")]))
        helper.stdin.flush()
        assert helper.stdout.readline() == b"0\n"
        limits = {row[:26].strip(): row[26:].split()[:2]
                  for row in pathlib.Path(f"/proc/{helper.pid}/limits").read_text().splitlines()}
        helper.stdin.close()
        assert helper.wait(50) == 0
    assert limits["Max core file size"] == ["0", "0"]
    assert limits["Max file size"] == [str(1 << 30)] * 2
    assert int(limits["Max cpu time"][0]) in range(31, 35)
    assert limits["Max address space"] == (["unlimited"] * 2 if has_asan() else [str(3 << 30)] * 2)


def test_it_dies_with_its_parent(texts):
    script = 'import subprocess,sys; p = subprocess.Popen(sys.argv[1], stdin=0); print(p.pid, flush=True); p.wait()'
    with subprocess.Popen(["/usr/bin/python3", "-c", script, merger()], stdin=subprocess.PIPE,
                          stdout=subprocess.PIPE) as parent:
        pid = int(parent.stdout.readline())
        box.wait_until(lambda: b"aisbx-merge" in pathlib.Path(f"/proc/{pid}/cmdline").read_bytes())
        # It must have come to its reading, behind the call that binds it to its parent.
        box.wait_until(lambda: "read" in pathlib.Path(f"/proc/{pid}/wchan").read_text()
                       or pathlib.Path(f"/proc/{pid}/limits").read_text().count(str(1 << 30)) == 2)
        parent.kill()
        parent.wait()
        box.wait_until(lambda: not os.path.exists(f"/proc/{pid}")
                       or " Z " in pathlib.Path(f"/proc/{pid}/stat").read_text(), what="the helper's end")
        parent.stdin.close()


# Names as people and attackers give them: patch(1) must find the file again, and no other. With a space at the end it
# does not, nor does it of git's own differences.
NAMES = ["f", "dir/sub/f", "with space", " leading", "a b/c d", "x b/x", "tab\tbed", 'quo"ted', "back\\slash",
         "naïve", "日本語", "new\nline", "-dash", "esc\x1b[31m", "+++ b", "\"", "a\tb c"]


def compare_pair(directory, seed):
    """What is wrong with the difference of this pair as patch(1) applies it, or None."""
    dice = random.Random(f"pair {seed}")
    name = NAMES[seed % len(NAMES)]
    here = directory / str(seed)
    tree = here / "tree"
    (tree / name).parent.mkdir(parents=True)
    old, new, _ = triple(f"of pair {seed}")
    kind = dice.choice(("change", "change", "change", "create", "delete"))
    (here / "old").write_bytes(old)
    (here / "new").write_bytes(new)
    (here / "new").chmod(dice.choice((0o644, 0o755)))
    if kind != "create":
        (tree / name).write_bytes(old)
        (tree / name).chmod(0o644)
    words = ["-" if kind == "create" else "old", "-" if kind == "delete" else "new"]
    done = ask("diff", *words, name, name, cwd=here)
    if done.status != CLEAN:
        return f"pair {seed}: status {done.status}"
    if kind == "change" and old == new and (here / "old").stat().st_mode == (here / "new").stat().st_mode:
        return f"pair {seed}: a difference of equals: {done.patch!r}" if done.patch else None
    patch = subprocess.run(["patch", "-p1", "--force", "--fuzz=0", "--no-backup-if-mismatch", "--binary"], cwd=tree,
                           input=done.patch, timeout=60, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    found = {str(p.relative_to(tree)): p.read_bytes() for p in tree.rglob("*") if p.is_file()}
    if patch.returncode or found != ({} if kind == "delete" else {name: new}):
        return f"pair {seed} ({kind} {name!r}): {patch.stdout} {done.patch!r}"
    if kind != "delete" and (tree / name).stat().st_mode & 0o100 != (here / "new").stat().st_mode & 0o100:
        return f"pair {seed} ({kind} {name!r}): executable or not, the other way round"
    return None


@pytest.mark.big
def test_patch_applies_the_differences(tmp_path):
    wrong = [text for text in in_parallel(compare_pair, tmp_path, range(PAIRS)) if text]
    assert not wrong, f"{len(wrong)} of {PAIRS}; first: {wrong[0]}"


def test_a_difference_has_three_lines_of_context(texts):
    (texts / "ours").write_text("".join(f"{i}\n" for i in range(1, 21)))
    (texts / "theirs").write_text("".join(f"{i}\n" for i in range(1, 21) if i != 10))
    done = ask("diff", "ours", "theirs", "was", "is", cwd=texts)
    assert done.status == CLEAN
    assert done.patch.endswith(b"--- a/was\n+++ b/is\n@@ -7,7 +7,6 @@\n 7\n 8\n 9\n-10\n 11\n 12\n 13\n")


@pytest.mark.parametrize("put", (put_binary, put_huge))
@pytest.mark.parametrize("words, text", [
    (("thing", "base"), b"Binary files a/f and b/f differ\n"),
    (("base", "thing"), b"Binary files a/f and b/f differ\n"),
    (("-", "thing"), b"Binary files /dev/null and b/f differ\n"),
    (("thing", "-"), b"Binary files a/f and /dev/null differ\n"),
])
def test_of_a_binary_file_only_that_it_differs(texts, put, words, text):
    put(texts / "thing")
    done = ask("diff", *words, "f", "f", cwd=texts)
    assert (done.status, done.patch, done.added, done.removed) == (NOT_TEXT, text, 0, 0)


def test_equal_files_do_not_differ(texts):
    put_binary(texts / "one")
    put_binary(texts / "two")
    for pair in (("one", "two"), ("ours", "theirs")):
        done = ask("diff", *pair, "f", "f", cwd=texts)
        assert (done.status, done.patch) == (CLEAN, b"")


def test_differ_looks_into_no_file(texts):
    done = ask("differ", "nowhere", "-", "with space", "with\tspace", cwd=texts)
    assert (done.status, done.patch) == (FAILED, b"Binary files a/with space and /dev/null differ\n")


def test_a_link_is_where_it_points(texts):
    (texts / "one").symlink_to("here")
    (texts / "two").symlink_to("there")
    done = ask("diff", "one", "two", "l", "l", cwd=texts)
    assert b"120000\n--- a/l\n+++ b/l\n@@ -1 +1 @@\n-here\n\\ No newline" in done.patch
    assert ask("diff", "one", "ours", "l", "l", cwd=texts).status == FAILED  # two patches, not one


def test_only_the_mode(texts):
    (texts / "theirs").chmod(0o755)
    (texts / "ours").chmod(0o644)
    done = ask("diff", "ours", "theirs", "f", "f", cwd=texts)
    assert done.patch == b"diff --git a/f b/f\nold mode 100644\nnew mode 100755\n"


def has_asan():
    with open(merger(), "rb") as f:
        return b"__asan_init" in f.read()


@pytest.mark.big
def test_without_memory_it_fails_and_never_lies(texts):
    """Whatever the memory, an answer is the one of a machine with plenty, or "failed", or there is none."""
    step = (1 << 42) if has_asan() else 7 << 20  # with ASan it cannot start with less than terabytes
    old = [f"{i}\n" for i in range(200000)]
    (texts / "base").write_text("".join(old))
    (texts / "ours").write_text("".join(old[:100] + old[200:] + ["end\n"]))
    (texts / "theirs").write_text("".join(["start\n"] + old[:150000:2] + old[150000:]))
    requests = [("diff", "base", "theirs", "f", "f"), ("merge", "base", "ours", "theirs", "out", "o", "t")]
    seen = {}

    def outcome(memory, request):
        (texts / "out").unlink(missing_ok=True)
        done = subprocess.run(["prlimit", f"--as={memory}", merger(), "."], input=encode([request]), cwd=texts, timeout=60,
                              stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
        if done.returncode:
            return "died"
        if done.stdout.startswith(b"3 "):
            return "failed"
        return done.stdout, (texts / "out").read_bytes() if (texts / "out").exists() else b""

    for request in requests:
        truth = outcome("unlimited", request)
        assert truth not in ("died", "failed")
        for memory in range(step, 30 * step, step):
            found = outcome(memory, request)
            assert found in (truth, "died", "failed"), (request, memory, found[0][:200])
            seen.setdefault(request[0], set()).add(found if isinstance(found, str) else "truth")
    print(seen)
    assert all("truth" in outcomes and len(outcomes) > 1 for outcomes in seen.values())


def test_it_writes_only_where_it_was_told(texts):
    (texts / "here").mkdir()
    for out, clean in (("out", False), ("here/out", True), ("here/../up", False)):
        done = subprocess.run([merger(), "here"], input=encode([("merge", "base", "ours", "theirs", out, "o", "t")]), cwd=texts, timeout=60,
                              stdout=subprocess.PIPE, check=True)
        assert (done.stdout[:1] != b"3") == clean == (texts / out).exists(), done.stdout


@pytest.mark.parametrize("call", ["landlock_create_ruleset", "landlock_restrict_self"])
def test_without_landlock_it_reads_nothing(texts, call):
    """Unless a person gave that wall up."""
    deny = [box.need(os.path.join(os.environ["AISBX_TEST_BIN"], "deny")), call, "EOPNOTSUPP", "--"]
    request = encode([("diff", "ours", "theirs", "f", "f")])
    for variables, status in (({}, 4), ({"AISBX_WITHOUT": "seccomp"}, 4), ({"AISBX_WITHOUT": "landlock"}, 0)):
        done = subprocess.run([*deny, merger()], input=request, cwd=texts, timeout=60, capture_output=True, env={**os.environ, **variables})
        assert (done.returncode, bool(done.stdout)) == (status, status == 0), done.stderr
        assert status == 0 or b"Landlock" in done.stderr
