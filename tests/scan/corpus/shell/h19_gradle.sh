# benign: builds an app
export JAVA_HOME=${JAVA_HOME:-/usr/lib/jvm/default-java}
export PATH="$JAVA_HOME/bin:$PATH"
chmod +x gradlew
./gradlew --no-daemon clean assembleRelease
cp app/build/outputs/apk/release/*.apk dist/
