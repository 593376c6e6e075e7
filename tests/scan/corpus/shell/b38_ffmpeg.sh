# benign: converts films
shopt -s nullglob
for f in in/*.mov; do
    ffmpeg -loglevel error -i "$f" -c:v libx264 -crf 23 "out/$(basename "${f%.mov}").mp4"
done
