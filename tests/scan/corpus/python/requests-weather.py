# benign: asks a web service
import os
import requests

key = os.environ.get("WEATHER_API_KEY", "")
r = requests.get(
    "https://api.weather.example.com/v1/current",
    params={"q": "Berlin", "key": key},
    timeout=10,
)
r.raise_for_status()
print(r.json()["current"]["temp_c"])
