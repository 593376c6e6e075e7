# tricky-benign: looks at subclasses, one level
class Plugin:
    registry = {}

    def __init_subclass__(cls, **kw):
        super().__init_subclass__(**kw)
        Plugin.registry[cls.__name__.lower()] = cls

class Csv(Plugin):
    pass

class Json(Plugin):
    pass

print(sorted(Plugin.registry), [c.__name__ for c in Plugin.__subclasses__()])
