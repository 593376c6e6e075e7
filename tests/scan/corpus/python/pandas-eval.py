# tricky-benign: eval, but of a data frame
import pandas as pd

df = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]})
df.eval("c = a + b", inplace=True)
print(df.query("c > 6"))
