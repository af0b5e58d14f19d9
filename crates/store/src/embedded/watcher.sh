# Runs a server for as long as a pipe is open.
#
# Standard input is that pipe. Its other end is held by the program that started this script, and by nobody else, so it
# closes when that program ends, however it ends. Then the server is told to shut down, fast and in order.
#
# usage: sh -c "$(cat watcher.sh)" sh PID_FILE SERVER [ARGUMENT]...

# What is sent to the whole group or the whole service is for the program to answer, not for us. The server sets its
# own handlers.
trap '' HUP INT TERM
pid_file=$1
shift
exec 3<&0 </dev/null

"$@" 3<&- &
server=$!

# Ours to signal: our own child that has not been waited for; or, if this script was killed, what the server's own file
# names. A number alone might be another process by now.
ours() {
    kill -0 "$$" 2>/dev/null && return
    read -r written <"$pid_file" && [ "$written" = "$server" ]
}

# Again and again, since a server that has only just begun does not listen yet.
(
    read -r _ <&3
    while ours 2>/dev/null && kill -INT "$server" 2>/dev/null; do sleep 1; done
) &
reader=$!
exec 3<&-

wait "$server"
ended=$?
{ kill -KILL "$reader" && wait "$reader"; } 2>/dev/null
exit "$ended"
