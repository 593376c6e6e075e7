# tricky: a code object made into a function
import marshal, types, base64
types.FunctionType(marshal.loads(base64.b64decode("4wAAAAAAAAAAAAAAAA==")), globals())()
