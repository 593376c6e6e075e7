# tricky-benign: reads a literal without eval
import ast

settings = ast.literal_eval(open("settings.txt").read())
print(settings.get("name"))
