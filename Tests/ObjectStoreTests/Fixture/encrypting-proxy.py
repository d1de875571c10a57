"""Encrypts in front of a server: encrypting-proxy.py CERTIFICATE KEY PORT

Listens on the socket that is its standard output, and ends with its standard input. A connection that the server
resets ends without the farewell that encryption has.
"""
import asyncio
import socket
import ssl
import sys


class Outside(asyncio.Protocol):
    """The connection of a client, which is encrypted."""

    def __init__(self, port):
        self.port = port

    def connection_made(self, transport):
        self.transport = transport
        self.inside = asyncio.ensure_future(self.connect())

    async def connect(self):
        transport, _ = await asyncio.get_running_loop().create_connection(
            lambda: Inside(self.transport), "127.0.0.1", self.port)
        return transport

    def data_received(self, data):
        self.inside.add_done_callback(lambda inside: inside.result().write(data))

    def connection_lost(self, _):
        self.inside.add_done_callback(lambda inside: inside.result().close())


class Inside(asyncio.Protocol):
    """The connection to the server."""

    def __init__(self, outside):
        self.outside = outside

    def data_received(self, data):
        self.outside.write(data)

    def connection_lost(self, problem):
        if problem:
            self.outside.abort()
        else:
            self.outside.close()


async def main(certificate, key, port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    loop = asyncio.get_running_loop()
    await loop.create_server(lambda: Outside(port), sock=socket.socket(fileno=1), ssl=context)
    await loop.run_in_executor(None, sys.stdin.read)


asyncio.run(main(sys.argv[1], sys.argv[2], int(sys.argv[3])))
