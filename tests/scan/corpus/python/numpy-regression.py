# benign: least squares
import numpy as np

rng = np.random.default_rng(7)
x = rng.normal(size=(200, 3))
y = x @ np.array([1.5, -2.0, 0.3]) + rng.normal(scale=0.1, size=200)
coef, residuals, rank, sv = np.linalg.lstsq(x, y, rcond=None)
print("coefficients:", np.round(coef, 3))
np.save("coef.npy", coef)
