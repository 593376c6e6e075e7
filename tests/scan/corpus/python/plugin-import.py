# tricky-benign: loads its own plugins by name
import importlib
import pkgutil

import myapp.plugins

def load():
    found = {}
    for info in pkgutil.iter_modules(myapp.plugins.__path__):
        module = importlib.import_module(f"myapp.plugins.{info.name}")
        found[info.name] = module.Plugin()
    return found
