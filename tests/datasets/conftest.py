"""A cache and an environment of each test's own, the real data if they are here, an HTTP server."""

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
import real_data


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    """An empty cache; no folder that the machine's own settings name."""
    folder = tmp_path / "cache"
    monkeypatch.setenv("SAPWOOD_CACHE", str(folder))
    monkeypatch.delenv("SAPWOOD_DATA", raising=False)
    return folder


@pytest.fixture(scope="session")
def real_folder():
    return real_data.need()


class Server:
    """Serve bytes by path over real HTTP, and fail in the ways that servers fail."""

    def __init__(self, http):
        self.http = http
        self.files = {}
        self.asked = []
        self.url = f"http://127.0.0.1:{http.server_address[1]}/"

    def put(self, name, content, how="whole"):
        self.files["/" + name] = (content, how)
        return self.url + name


def handler_of(server_box):
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self):
            server = server_box[0]
            server.asked.append(self.path)
            if self.path not in server.files:
                self.send_error(404)
                return
            content, how = server.files[self.path]
            self.close_connection = True
            self.send_response(200)
            self.send_header("Connection", "close")
            if how in ("whole", "truncated"):
                self.send_header("Content-Length", str(len(content)))
            if how == "broken-chunk":
                self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            if how == "broken-chunk":
                self.wfile.write(b"ffff\r\n" + content)
            else:
                self.wfile.write(content[: len(content) // 2] if how == "truncated" else content)

        def log_message(self, *args):
            pass

        def handle_one_request(self):
            try:
                super().handle_one_request()
            except ConnectionError:  # a client that was interrupted
                self.close_connection = True

    return Handler


@pytest.fixture
def server(monkeypatch):
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    box = []
    http = ThreadingHTTPServer(("127.0.0.1", 0), handler_of(box))
    box.append(Server(http))
    thread = threading.Thread(target=http.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    yield box[0]
    http.shutdown()
    thread.join()
    http.server_close()
