// Takes the database away from the program for a while: the server behind a Postgres is gone, or another process holds
// a SQLite file and does not let go.
import { connect, createServer, type Server, type Socket } from 'node:net';
import Database from 'better-sqlite3';
import { reservedPort } from '../../support/reserved-port.ts';
import { databaseFile, type ProofDatabase } from './databases.ts';

/** A database that can be taken away. */
export interface Outage {
  /** What the program is told; as the database itself when it reaches it directly. */
  database: ProofDatabase;
  begin(dataDir: string): Promise<void>;
  end(): Promise<void>;
  /** For good. */
  close(): Promise<void>;
}

/** Stands between the program and its database. */
export const openOutage = (database: ProofDatabase): Promise<Outage> =>
  database.url === undefined ? fileOutage(database) : serverOutage(database, database.url);

async function fileOutage(database: ProofDatabase): Promise<Outage> {
  let holder: Database.Database | null = null;
  const end = async (): Promise<void> => {
    holder?.exec('ROLLBACK');
    holder?.close();
    holder = null;
  };
  return {
    database,
    async begin(dataDir) {
      holder = new Database(databaseFile(dataDir), { fileMustExist: true, timeout: 5000 });
      holder.exec('BEGIN EXCLUSIVE');
    },
    end,
    close: end,
  };
}

/** Connections are reset and new ones refused, as those of a server that has crashed. */
async function serverOutage(database: ProofDatabase, target: string): Promise<Outage> {
  const { hostname, port } = new URL(target);
  const sockets = new Set<Socket>();
  const keep = (socket: Socket): Socket => {
    sockets.add(socket);
    return socket.once('close', () => sockets.delete(socket)).on('error', () => socket.destroy());
  };
  const proxy = createServer((near) => {
    const far = connect(Number(port), hostname);
    keep(near).pipe(keep(far)).pipe(near);
    near.once('close', () => far.destroy());
    far.once('close', () => near.destroy());
  });
  // It comes back where it was.
  const own = await reservedPort();
  await listen(proxy, own);
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(own);
  const begin = async (): Promise<void> => {
    const closed = new Promise<void>((resolve) => proxy.close(() => resolve()));
    for (const socket of sockets) socket.resetAndDestroy();
    await closed;
  };
  return {
    database: { ...database, url: url.href },
    begin,
    end: () => listen(proxy, own),
    close: () => (proxy.listening ? begin() : Promise.resolve()),
  };
}

function listen(server: Server, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
