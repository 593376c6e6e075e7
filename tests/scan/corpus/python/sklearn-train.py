# benign: trains and stores a model of its own
import pickle
from sklearn.datasets import load_iris
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import train_test_split

x, y = load_iris(return_X_y=True)
xt, xv, yt, yv = train_test_split(x, y, random_state=0)
clf = RandomForestClassifier(n_estimators=50).fit(xt, yt)
print(clf.score(xv, yv))
with open("model.pkl", "wb") as f:
    pickle.dump(clf, f)
with open("model.pkl", "rb") as f:
    again = pickle.load(f)
