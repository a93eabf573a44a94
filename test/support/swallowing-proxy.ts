// A network between the program and its database that swallows packets: connections stay open, and nothing comes.
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Passes everything on, or nothing. */
export interface SwallowingProxy {
  /** The address of the database, through it. */
  readonly url: string;
  /** From now on nothing passes, in either direction; nobody is told. */
  swallow(): void;
  /** New connections pass again. Those that were open never do: the network has forgotten them. */
  recover(): void;
  close(): void;
}

/** @param target `postgres://…` */
export async function startSwallowingProxy(target: string): Promise<SwallowingProxy> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  let lines: { isDead: boolean }[] = [];
  let isSwallowing = false;
  const proxy = createServer((near) => {
    const line = { isDead: isSwallowing };
    lines.push(line);
    const far = connect(Number(port), hostname);
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', (bytes) => void (!line.isDead && to.write(bytes)));
      from.on('error', () => from.destroy());
      from.once('close', () => {
        sockets.delete(from);
        if (!line.isDead) to.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String((proxy.address() as AddressInfo).port);
  return {
    url: url.href,
    swallow() {
      isSwallowing = true;
      for (const line of lines) line.isDead = true;
      lines = [];
    },
    recover() {
      isSwallowing = false;
    },
    close() {
      proxy.close();
      for (const socket of sockets) socket.destroy();
    },
  };
}
