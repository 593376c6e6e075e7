# tricky-benign: methods by their name
class Shell:
    def do_help(self):
        print("help, quit")

    def do_quit(self):
        raise SystemExit

    def dispatch(self, word):
        handler = getattr(self, "do_" + word, None)
        if handler is None:
            print("unknown:", word)
        else:
            handler()

Shell().dispatch("help")
