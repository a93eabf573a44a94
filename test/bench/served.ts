// The inside of a measured server's process: what it is to serve, how it says that it listens, when it ends.
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import type { Keyring } from '#kernel/crypto.ts';
import { loadMasterKey } from '#kernel/master-key.ts';

/** Handed to a server on its command line, as JSON. */
export interface ServerJob {
  /** Folder of the installation, with its master key. */
  dataDir: string;
  databaseUrl: string;
  /** Folder of this server alone. */
  serverDir: string;
  /** Whether it runs jobs and empties the outbox: not unless these are measured. */
  runsJobs?: boolean;
  /** Whether no address is limited: hundreds sign in from this one. */
  isUnlimited?: boolean;
  /** Processes of the server; one when left out. */
  workers?: number;
  /** The executable that serves; the sources when left out. */
  exe?: string | undefined;
  /** Folder of the operator's hooks; it has none without. */
  hooksDir?: string;
}

/** What this process was started for. */
export const serverJob = (): ServerJob => JSON.parse(process.argv[2] ?? '') as ServerJob;

/** The sub-keys of a seeded installation. */
export const keyringOfJob = ({ dataDir }: ServerJob): Keyring =>
  loadMasterKey(undefined, join(dataDir, 'master.key'), false).keyring;

/** Ends this process with the one that started it, also when that one is killed: nothing may outlive the bench. */
export function endWithParent(): void {
  process.stdin.on('end', () => process.exit(0)).resume();
}

/** Serves a plain request handler on a free port and tells the parent where. */
export async function listenOn(handler: RequestListener): Promise<void> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endWithParent();
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`${JSON.stringify({ url: `http://127.0.0.1:${port}` })}\n`);
}
