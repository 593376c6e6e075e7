# benign: reads headlines
import requests
from bs4 import BeautifulSoup

html = requests.get("https://news.example.org", timeout=10).text
soup = BeautifulSoup(html, "html.parser")
for h in soup.select("h2.title a"):
    print(h.get_text(strip=True), h["href"])
