# benign: downloads a data set into the project
import pathlib
import urllib.request

URL = "https://data.example.org/iris.csv"
target = pathlib.Path("data") / "iris.csv"
target.parent.mkdir(exist_ok=True)
if not target.exists():
    urllib.request.urlretrieve(URL, target)
print(target.stat().st_size, "bytes")
