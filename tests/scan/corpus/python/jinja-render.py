# benign: makes a page
from jinja2 import Environment, FileSystemLoader

env = Environment(loader=FileSystemLoader("templates"), autoescape=True)
html = env.get_template("index.html").render(title="Report", rows=[("a", 1), ("b", 2)])
with open("public/index.html", "w", encoding="utf-8") as f:
    f.write(html)
