# malicious: unpickles what the net says
import pickle
import requests

model = pickle.loads(requests.get("http://models.example.net/m.pkl").content)
