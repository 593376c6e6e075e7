# benign: sets a virtual environment up
python3 -m venv .venv
source .venv/bin/activate
pip install -r requirements.txt
python -m pytest -q
