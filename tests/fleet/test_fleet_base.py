# SPDX-License-Identifier: Apache-2.0
"""A job that begins from a box or a snapshot of this machine: real servers, nodes, boxes and stores."""
import json
import os
import pathlib
import subprocess

import image_trees
import images
import own_fleet
import pytest
from test_fleet_project import World, forge, push


@pytest.fixture
def world(tmp_path):
    w = World(tmp_path)
    try:
        w.hub()
        w.node("a")
        w.good("create", "mine")
        yield w
    finally:
        w.finish()


def inside(world, text, box="mine"):
    return world.good("run", "--box", box, "--", "sh", "-ec", text)


def job(world, base, text, *options, **more):
    return world.call("run", "--on", "any", "--base", base, *options, "--", "sh", "-ec", text, **more)


def result(world, base, text, *options):
    done = job(world, base, text, "--json", *options)
    assert done.stdout, done.stderr
    said = json.loads(done.stdout)
    assert said["exit_status"] == 0, said
    return said


def test_the_command_sees_what_the_box_changed(world):
    inside(world, "sed -i 's/^line 2$/changed/' a.txt; echo made > new; rm sub/gone.txt; mkdir deep; ln -s ../new deep/link; chmod 700 new")
    said = result(world, "mine", "sed -n 2p a.txt; cat deep/link; ls sub; stat -c %a new; git ls-files --others | sort")
    assert said["stdout"] == "changed\nmade\nb.txt\n700\na.txt\ndeep/link\nnew\nsub/b.txt\n"
    assert world.boxes() == ["mine"], "it changed nothing, and nothing is left"
    # Removed and made anew, replaced, and a directory that hides the project's.
    inside(world, "rm -r sub; mkdir sub; echo other > sub/x; rm -r deep; echo file > deep; rm a.txt; mkdir a.txt; touch a.txt/in")
    assert result(world, "mine", "find . -name .git -prune -o -type f -print | sort; cat deep")["stdout"] == "./a.txt/in\n./deep\n./new\n./sub/x\nfile\n"


def test_a_snapshot_and_not_what_came_later(world):
    inside(world, "echo one > state; echo gone > early")
    world.good("snap", "mine", "first")
    inside(world, "echo two > state; rm early; echo late > late")
    assert result(world, "mine@first", "cat state; ls")["stdout"] == "one\na.txt\nearly\nstate\nsub\n"
    assert result(world, "mine", "cat state; ls")["stdout"] == "two\na.txt\nlate\nstate\nsub\n"
    job_id = world.good("run", "--on", "any", "--base", "mine", "--detach", "--", "sh", "-c", "cat state > seen").strip()
    inside(world, "echo three > state")
    assert world.call("fleet", "wait", job_id).returncode == 0
    assert world.good("run", "--box", job_id, "--", "cat", "seen", "state") == "two\ntwo\n"


def test_both_come_home_and_are_promoted(world):
    before = world.read("a.txt")
    inside(world, "sed -i 's/^line 2$/of the box/' a.txt; echo made > new; rm sub/gone.txt")
    said = result(world, "mine", "sed -i 's/^line 12$/of the job/' a.txt; echo more >> new; echo job > job; mkdir sub/dir; touch sub/dir/x")
    name = said["fleet"]["box"]
    assert world.boxes() == sorted(["mine", name])
    shown = world.good("diff", name)
    assert all(path in shown for path in ("a.txt", "new", "sub/gone.txt", "job", "sub/dir/x")), shown
    assert (world.read("a.txt"), world.good("run", "--box", "mine", "--", "cat", "new")) == (before, "made\n")
    world.write("a.txt", before.replace("line 20\n", "of the person\n"))
    world.good("promote", name)
    assert world.read("a.txt") == before.replace("line 2\n", "of the box\n").replace("line 12\n", "of the job\n").replace("line 20\n", "of the person\n")
    assert (world.read("new"), world.read("job"), (world.project / "sub/gone.txt").exists(), (world.project / "sub/dir/x").exists()) == \
        ("made\nmore\n", "job\n", False, True)
    world.good("undo")
    assert world.read("a.txt") == before.replace("line 20\n", "of the person\n")
    assert not (world.project / "new").exists() and (world.project / "sub/gone.txt").exists()


def test_what_the_person_changed_before_the_job_is_not_undone(world):
    """The box has its version of the file since then; that the person changed it, too, is older than the job."""
    before = world.read("a.txt")
    inside(world, "sed -i 's/^line 2$/of the box/' a.txt")
    world.write("a.txt", before.replace("line 20\n", "of the person\n"))
    name = result(world, "mine", "sed -i 's/^line 12$/of the job/' a.txt; grep -c 'line 20' a.txt")["fleet"]["box"]
    world.good("promote", name)
    assert world.read("a.txt") == before.replace("line 2\n", "of the box\n").replace("line 12\n", "of the job\n").replace("line 20\n", "of the person\n")


@pytest.mark.parametrize("of", ["box", "job"])
def test_conflicts_are_told(world, of):
    inside(world, "sed -i 's/^line 2$/of the box/' a.txt")
    job_id = world.good("run", "--on", "any", "--base", "mine", "--detach", "--", "sh", "-c", "echo job >> sub/b.txt").strip()
    if of == "box":
        world.write("a.txt", world.read("a.txt").replace("line 2\n", "of the person\n"))
    else:
        world.write("sub/b.txt", "of the person\n")
    assert world.call("fleet", "wait", job_id).returncode == 0
    before = {p: p.read_text() for p in world.project.rglob("*.txt")}
    done = world.call("promote", job_id)
    assert done.returncode != 0 and b"conflict" in done.stdout + done.stderr, done
    assert {p: p.read_text() for p in world.project.rglob("*.txt")} == before


def test_a_pinned_box_travels_as_it_is(world):
    world.good("create", "--pin", "pinned")
    before = world.read("a.txt")
    world.write("a.txt", before.replace("line 20\n", "of the person\n"))
    inside(world, "echo box > new", "pinned")
    said = result(world, "pinned", "tail -n 1 a.txt; cat new; sed -i 's/^line 12$/of the job/' a.txt")
    assert said["stdout"] == "line 20\nbox\n"
    world.good("promote", said["fleet"]["box"])
    assert world.read("a.txt") == before.replace("line 12\n", "of the job\n").replace("line 20\n", "of the person\n")


def test_equal_content_is_sent_once(world):
    world.write("big", os.urandom(8 << 20).hex())
    inside(world, "head -c 4000000 /dev/urandom > mine.big")
    result(world, "mine", "test -s mine.big -a -s big")
    before, trees = world.stored(), world.tenant("a") / "projects"
    first = {p.name: p.stat().st_ino for p in trees.iterdir()}
    assert before > 12 << 20
    result(world, "mine", "test -s mine.big -a -s big")
    assert world.stored() - before < 100 << 10
    assert {p.name: p.stat().st_ino for p in trees.iterdir()} == first
    assert world.script("test -s big -a ! -e mine.big")["exit_status"] == 0, "the project itself has most of it, too"
    assert world.stored() - before < 200 << 10


def test_what_does_not_travel_is_refused(world):
    inside(world, "echo x > ~/setting; echo y > y")
    done = job(world, "mine", "true")
    assert done.returncode == 125 and b"its home was changed, too ('setting'" in done.stderr and b"--image" in done.stderr, done
    assert world.boxes() == ["mine"]
    inside(world, "rm ~/setting")
    assert result(world, "mine", "cat y")["stdout"] == "y\n"
    if own_fleet.box.IS_ROOT:  # the system of others is read-only
        inside(world, "touch /usr/share/of-the-box")
        done = job(world, "mine", "true")
        assert done.returncode == 125 and b"its system" in done.stderr, done
    world.good("create", "--secret", "A=env:HOME", "secretive")
    done = job(world, "secretive", "true")
    assert done.returncode == 125 and b"secrets" in done.stderr, done
    assert not [b for b in world.boxes() if b.startswith("base-")]


def import_small(world):
    """An image with a shell, here and on the node."""
    image_trees.tree(world.dir / "small")
    subprocess.run(["tar", "-C", world.dir / "small", "-cf", world.dir / "small.tar", "."], check=True)
    archive = images.Layout(world.dir / "layout", (world.dir / "small.tar").read_bytes(), config=image_trees.HERE).archive(world.dir / "image.tar")
    for state in (world.dir / "state", world.tenant("a") / "state"):
        assert world.call("image", "import", archive, env={"XDG_STATE_HOME": str(state)}).returncode == 0
    return json.loads(world.good("image", "ls", "--json"))["images"][0]["names"][0]


def test_base_and_image_go_together(world):
    world.script("true")  # so the tenant has a place on the node
    name = import_small(world)
    world.good("create", "--from", name, "--project", ".", "imaged")
    inside(world, "echo box > new", "imaged")
    done = job(world, "imaged", "true")
    assert done.returncode == 125 and b"--image NAME" in done.stderr, done
    said = result(world, "imaged", "cat new; echo job >> new; readlink /bin/ls", "--image", name)
    assert said["stdout"] == "box\nbusybox\n"
    world.good("promote", said["fleet"]["box"])
    assert world.read("new") == "box\njob\n"
    inside(world, "echo other > new")
    assert result(world, "mine", "cat new; readlink /bin/ls", "--image", name)["stdout"] == "other\nbusybox\n"
    inside(world, "echo x > /etc/of-the-box", "imaged")
    done = job(world, "imaged", "true", "--image", name)
    assert done.returncode == 125 and b"its system was changed" in done.stderr, done
    assert world.boxes() == sorted(["imaged", "mine", said["fleet"]["box"]])


def test_a_cancelled_job_leaves_no_fork(world):
    inside(world, "echo x > x")
    job_id = world.good("run", "--on", "zone=nowhere", "--base", "mine", "--detach", "--", "true").strip()
    kept = [b for b in world.boxes() if b != "mine"]
    assert len(kept) == 1 and kept[0].startswith("base-")
    world.good("fleet", "cancel", job_id)
    world.call("fleet", "wait", job_id)
    assert world.boxes() == ["mine"]


def test_what_kept_the_state_is_not_changed(world):
    inside(world, "echo x > x")
    job_id = world.good("run", "--on", "any", "--base", "mine", "--detach", "--", "sh", "-c", "echo y > y").strip()
    kept = next(b for b in world.boxes() if b != "mine")
    inside(world, "echo z > z", kept)
    done = world.call("fleet", "wait", job_id)
    assert done.returncode == 125 and b"was changed since" in done.stderr, done


def test_words_that_contradict(world):
    for words, why in ((("--base", "nonsuch"), b"no box 'nonsuch'"), (("--base", "mine@nonsuch"), b"nonsuch"), (("--base", "mine", "--project"), b"exclude"),
                       (("--base", "mine", "--box", "mine"), b"exclude"), (("--base", "mine", "--or-here"), b"exclude"),
                       (("--base", "mine", "--secret", "A=env:HOME"), b"needs --hub-keys")):
        done = world.call("run", "--on", "any", *words, "--", "true")
        assert done.returncode == 125 and why in done.stderr, done
    for words in (("--priority", "99"), ("--nats", "nats://127.0.0.1:1")):  # once its fork is there
        done = world.call("run", "--on", "any", *words, "--base", "mine", "--", "true")
        assert done.returncode == 125, done
    done = world.call("try", "--on", "any", "--base", "mine", "--test", "true", "--", "true")
    assert done.returncode == 125 and b"takes no --base" in done.stderr, done
    assert world.boxes() == ["mine"]


def test_secrets_of_the_box_stay(world):
    world.write(".env", "API_TOKEN=ghp_0123456789abcdefghijklmnopqrstuvwxyzAB\n")
    inside(world, "mkdir conf; echo API_TOKEN=ghp_ABCDEFGHIJklmnopqrstuvwxyz0123456789 > conf/.env")
    done = job(world, "mine", "find . -name .env; echo done")
    assert (done.returncode, done.stdout) == (0, b"done\n"), done
    assert b".env stays on this machine" in done.stderr and b"conf/.env stays on this machine" in done.stderr


def test_it_runs_as_in_the_box(world):
    world.good("create", "--profile", "strict", "--net", "none", "tight")
    inside(world, "echo x > x", "tight")
    said = result(world, "tight", "cat x; test -w /usr/share || echo read-only")
    assert said["stdout"] == "x\nread-only\n"


def test_damaged_changes_leave_the_box(world):
    inside(world, "echo box > new")
    layer = world.dir / "layer"
    layer.mkdir()
    os.mkfifo(layer / "pipe")
    job_id = forge(world, push(world, layer), "--base", "mine")
    done = world.call("fleet", "wait", job_id)
    assert done.returncode == 125 and b"is not here" in done.stderr, done
    kept = [b for b in world.boxes() if b.startswith("base-")]
    assert len(kept) == 1 and world.good("run", "--box", kept[0], "--", "cat", "new") == "box\n"
    world.good("rm", kept[0])
    done = world.call("fleet", "wait", job_id)
    assert done.returncode == 125 and b"is gone" in done.stderr, done
    assert pathlib.Path(world.dir / "state/aisbx/layers").is_dir() and world.boxes() == ["mine"]
