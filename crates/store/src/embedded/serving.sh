# Prints the processes that serve a cluster: those named like Postgres that live in its directory. A person's shell may
# stand there as well. By the directory itself, not by its name: it may have been moved, or mounted elsewhere.
#
# usage: sh -c "$(cat serving.sh)" sh DIRECTORY

for process in /proc/[0-9]*; do
    [ "$process/cwd" -ef "$1" ] && read -r name <"$process/comm" || continue
    case $name in postgres | postmaster) echo "${process#/proc/}" ;; esac
done 2>/dev/null
