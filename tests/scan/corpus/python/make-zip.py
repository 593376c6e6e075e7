# benign: packs the project
import os
import zipfile

with zipfile.ZipFile("dist.zip", "w", zipfile.ZIP_DEFLATED) as z:
    for root, _, files in os.walk("src"):
        for f in files:
            z.write(os.path.join(root, f))
