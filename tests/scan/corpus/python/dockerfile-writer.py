# tricky-benign: writes a Dockerfile with curl in it
DOCKERFILE = """FROM debian:12
RUN apt-get update && apt-get install -y curl python3
RUN curl -fsSL https://get.example.org/install.sh | sh
CMD ["python3", "app.py"]
"""
with open("Dockerfile", "w") as f:
    f.write(DOCKERFILE)
