# benign: one line of python
python3 -c 'import json,sys; print(json.dumps(sorted(json.load(sys.stdin)), indent=2))' < names.json > sorted.json
