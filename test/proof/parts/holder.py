"""Holds a listening socket, as systemd does, and starts programs that inherit it as descriptor 3.

usage: holder.py EXE WORD... : prints {"port": N}; then for each line on stdin
  start     starts the program; prints {"pid": N} when it has written to descriptor 4, or {"error": ...}
  term PID  sends SIGTERM; prints {"code": N, "ms": N} when it has ended
"""
import json, os, select, signal, socket, subprocess, sys, time

holder = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
holder.bind(("127.0.0.1", 0))
holder.listen(4096)
children = {}


def say(**words):
    print(json.dumps(words), flush=True)


def start():
    reading, writing = os.pipe()
    log = open("serve.log", "ab")

    def give():
        # The pipe may have the number of the socket.
        ready = os.dup2(writing, 9)
        os.dup2(holder.fileno(), 3)
        os.dup2(ready, 4)
        os.set_inheritable(3, True)
        os.set_inheritable(4, True)
        os.environ["LISTEN_PID"] = str(os.getpid())

    # The variable with the process id has to be set after the fork: a shell does it as systemd does.
    words = ["/bin/sh", "-c", 'LISTEN_PID=$$ LISTEN_FDS=1 exec "$0" "$@"', *sys.argv[1:], "--ready-fd", "4"]
    child = subprocess.Popen(words, preexec_fn=give, close_fds=False, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    os.close(writing)
    children[child.pid] = child
    until = time.monotonic() + 30
    while time.monotonic() < until:
        if select.select([reading], [], [], 0.05)[0]:
            text = os.read(reading, 4096)
            os.close(reading)
            return say(pid=child.pid) if text else say(error=f"the program ended with {child.wait()}")
    child.kill()
    say(error="the program did not get ready in 30 s")


def term(pid):
    child, begun = children.pop(pid), time.monotonic()
    child.send_signal(signal.SIGTERM)
    try:
        code = child.wait(60)
    except subprocess.TimeoutExpired:
        child.kill()
        code = -9
    say(code=code, ms=round((time.monotonic() - begun) * 1000))


say(port=holder.getsockname()[1])
try:
    for line in sys.stdin:
        word, *rest = line.split()
        if word == "start":
            start()
        elif word == "term":
            term(int(rest[0]))
finally:
    for child in children.values():
        child.kill()
