# tricky-benign: a list of commands with names of files
import pathlib
import subprocess

for p in sorted(pathlib.Path("videos").glob("*.mov")):
    subprocess.run(["ffmpeg", "-y", "-i", str(p), "-vf", "scale=1280:-1", str(p.with_suffix(".mp4"))], check=True)
