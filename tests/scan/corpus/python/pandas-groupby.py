# benign: data analysis
import pandas as pd
import matplotlib.pyplot as plt

df = pd.read_csv("data/sales.csv", parse_dates=["date"])
monthly = df.groupby([df["date"].dt.to_period("M"), "region"])["amount"].sum().unstack(fill_value=0)
monthly.plot(kind="bar", stacked=True, figsize=(10, 5))
plt.title("Sales by region")
plt.tight_layout()
plt.savefig("out/sales.png")
print(monthly.describe())
