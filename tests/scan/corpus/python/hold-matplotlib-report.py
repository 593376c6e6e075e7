# benign: a report with a picture
import argparse
import json
from pathlib import Path
import matplotlib
matplotlib.use("Agg")
import matplotlib.pyplot as plt

def main():
    ap = argparse.ArgumentParser()
    ap.add_argument("results", type=Path)
    ap.add_argument("--out", type=Path, default=Path("report"))
    args = ap.parse_args()
    data = json.loads(args.results.read_text())
    args.out.mkdir(parents=True, exist_ok=True)
    fig, ax = plt.subplots()
    ax.plot([d["x"] for d in data], [d["y"] for d in data])
    fig.savefig(args.out / "plot.png")
    (args.out / "index.html").write_text("<img src=plot.png>")

main()
