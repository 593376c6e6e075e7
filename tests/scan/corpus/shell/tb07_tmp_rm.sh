# tricky-benign: removes its own files in /tmp
work=/tmp/render.$$
mkdir "$work"
cp scene.blend "$work"/
(cd "$work" && blender -b scene.blend -a)
rm -rf "$work" /tmp/render-cache
