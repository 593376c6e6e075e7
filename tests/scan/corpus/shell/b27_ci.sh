# benign: what CI runs
set -eux
pip install -e '.[dev]'
ruff check src tests
mypy --strict src
pytest --cov=src --cov-report=xml
