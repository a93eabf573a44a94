// A Postgres of a proof's own, which it kills, stops and starts again.
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { createCluster, findPrograms, type Launch, launchFor, untilReady } from '../../support/postgres.ts';
import { reservedPort } from '../../support/reserved-port.ts';

const START_TRIES = 50;
const START_PAUSE_MS = 200;

/** One server with its processes. */
export class Cluster {
  readonly url: string;
  readonly #folder: string;
  readonly #program: string;
  readonly #launch: Launch;
  readonly #port: number;
  #postmaster: ChildProcess | null = null;

  private constructor(folder: string, program: string, launch: Launch, port: number) {
    this.#folder = folder;
    this.#program = program;
    this.#launch = launch;
    this.#port = port;
    this.url = `postgres://app@127.0.0.1:${port}/postgres`;
  }

  /**
   * Makes the files of a server and starts it.
   *
   * @param folder its own; `data` below it may be a file system
   * @param logFolder where its write-ahead log is, when that is not in `data`
   */
  static async make(folder: string, logFolder?: string): Promise<Cluster> {
    mkdirSync(folder, { recursive: true });
    const { initdb, postgres } = await findPrograms();
    const launch = launchFor(folder);
    createCluster(initdb, folder, launch, logFolder === undefined ? [] : ['--waldir', logFolder]);
    const cluster = new Cluster(folder, postgres, launch, await reservedPort());
    await cluster.start();
    return cluster;
  }

  /** Starts it; processes of one that was killed may take a moment to go. */
  async start(): Promise<void> {
    for (let tries = 1; ; tries++) {
      const server = this.#spawn();
      try {
        await untilReady(server);
        this.#postmaster = server;
        return;
      } catch (error) {
        if (tries === START_TRIES) throw error;
        await sleep(START_PAUSE_MS);
      }
    }
  }

  #spawn(): ChildProcess {
    const { prefix, identity } = this.#launch;
    const settings = { listen_addresses: '127.0.0.1', unix_socket_directories: '', max_connections: 100 };
    const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
    const words = [
      ...prefix,
      this.#program,
      '-D',
      join(this.#folder, 'data'),
      '-p',
      `${this.#port}`,
      ...flags,
    ];
    const server = spawn(words[0] as string, words.slice(1), {
      ...identity,
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const end = (): void => this.signal('SIGKILL');
    process.once('exit', end);
    server.once('exit', () => process.off('exit', end));
    return server;
  }

  /** Ends all sessions, as an administrator can. */
  async endSessions(): Promise<number> {
    const client = new pg.Client({ connectionString: this.url });
    await client.connect();
    const ended = await client.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND backend_type = 'client backend'",
    );
    await client.end();
    return ended.rowCount ?? 0;
  }

  /** The one process that begins all others is gone without a word; they notice it. */
  async kill(): Promise<void> {
    const server = this.#postmaster as ChildProcess;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGKILL');
    await gone;
  }

  /** Sends a signal to all of its processes. */
  signal(signal: NodeJS.Signals): void {
    const pid = this.#postmaster?.pid;
    if (pid === undefined) return;
    for (const one of [...childrenOf(pid), pid]) {
      try {
        process.kill(one, signal);
      } catch {
        // It ended in the same moment.
      }
    }
  }

  async stop(): Promise<void> {
    const server = this.#postmaster;
    if (server === null || server.exitCode !== null || server.signalCode !== null) return;
    const gone = new Promise((resolve) => server.once('exit', resolve));
    server.kill('SIGINT');
    await gone;
  }
}

function childrenOf(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').split(' ').filter(Boolean).map(Number);
  } catch {
    return [];
  }
}
