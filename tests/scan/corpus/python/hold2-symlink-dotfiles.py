# tricky-benign: the links of a theme, in the project
import os

for name in os.listdir("themes/default"):
    link = os.path.join("public", name)
    if os.path.islink(link):
        os.unlink(link)
    os.symlink(os.path.abspath(os.path.join("themes/default", name)), link)
