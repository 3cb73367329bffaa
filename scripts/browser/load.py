"""Many clients that follow a night: is anything lost, and what does it cost?"""

import json
import os
import shutil
import socket
import tempfile
import threading
import time

from . import synthetic
from .served import Served

CLIENTS = 100


class Client(threading.Thread):
    """Reads the news of running nights and notes their numbers."""

    def __init__(self, address, end):
        super().__init__(daemon=True)
        self.host, self.port = address.removeprefix("http://").split(":")
        self.end, self.numbers, self.fault = end, [], None

    def run(self):
        try:
            with socket.create_connection((self.host, int(self.port)), timeout=30) as stream:
                stream.sendall(f"GET /events HTTP/1.1\r\nHost: {self.host}:{self.port}\r\n\r\n".encode())
                rest = b""
                while time.monotonic() < self.end:
                    rest += stream.recv(1 << 16)
                    *lines, rest = rest.split(b"\n")
                    self.numbers += [json.loads(line[6:])["number"] for line in lines if line.startswith(b"data: ")]
        except OSError as error:
            self.fault = str(error)

    def lost(self):
        """Messages between the first and the last that did not come."""
        return (self.numbers[-1] - self.numbers[0] + 1 - len(self.numbers)) if self.numbers else None


def cpu_of(process):
    with open(f"/proc/{process}/stat", encoding="ascii") as file:
        fields = file.read().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run(programs, seconds):
    folder = tempfile.mkdtemp(prefix="tabula-load-")
    try:
        synthetic.nights(folder, 30)
        # The last night runs: its mark is gone and its log grows.
        running = os.path.join(folder, "night-030")
        os.remove(os.path.join(running, "finished.json"))
        os.makedirs(os.path.join(running, "logs"), exist_ok=True)
        with Served(programs, folder) as served:
            end = time.monotonic() + seconds
            clients = [Client(served.address, end) for _ in range(CLIENTS)]
            for client in clients:
                client.start()
            before = cpu_of(served.process.pid)
            while time.monotonic() < end:
                with open(os.path.join(running, "logs", "rate-1.log"), "a", encoding="utf-8") as log:
                    log.write("10 games: 1.00 games/s\n")
                time.sleep(0.5)
            used = cpu_of(served.process.pid) - before
            for client in clients:
                client.join()
        faults = [client.fault for client in clients if client.fault]
        lost = [client.lost() for client in clients]
        heard = [len(client.numbers) for client in clients]
        print(f"{CLIENTS} clients, {seconds} s: {min(heard)} to {max(heard)} messages each, lost {sum(number or 0 for number in lost)}, "
              f"faults {len(faults)}; the server took {used:.2f} CPU-seconds, {100 * used / seconds:.2f}% of a core")
        return 1 if faults or None in lost or any(lost) else 0
    finally:
        shutil.rmtree(folder, ignore_errors=True)
