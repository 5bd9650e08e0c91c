# Completes the words of tilescope in fish: the program knows what they may be.
complete -c tilescope -a '(tilescope --complete (commandline -opc)[2..] (commandline -ct))'
