// The inside of a measured server's process: what it is to serve, how it says that it listens, when it ends.
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Keyring } from '#kernel/crypto.ts';
import { loadMasterKey } from '#kernel/master-key.ts';

/** Handed to a server on its command line, as JSON. */
export interface ServerJob {
  dataDir: string;
  databaseUrl: string;
  logFile: string;
}

/** What this process was started for. */
export const serverJob = (): ServerJob => JSON.parse(process.argv[2] ?? '') as ServerJob;

/** The sub-keys of a seeded installation. */
export const keyringOfJob = ({ dataDir }: ServerJob): Keyring =>
  loadMasterKey(undefined, join(dataDir, 'master.key'), false).keyring;

/** Tells the parent where the server listens, and ends with it: nothing may outlive the bench. */
export function announce(url: string): void {
  process.stdout.write(`${JSON.stringify({ url })}\n`);
  process.on('SIGTERM', () => process.exit(0));
  process.stdin.on('end', () => process.exit(0)).resume();
}

/** Serves a plain request handler on a free port. */
export async function listenOn(handler: RequestListener): Promise<Server> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  announce(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return server;
}
