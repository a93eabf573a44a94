import { sleep } from '#kernel/clock.ts';
import type { Config } from '#kernel/config/config.ts';
import { AppError } from '#kernel/errors.ts';
import {
  type AdminCommands,
  type AdminSocket,
  callServer,
  openAdminSocket,
} from '#kernel/http/admin-socket.ts';
import type { Log } from '#kernel/log.ts';
import { prepareRunFolder, socketPath } from '../../app/run-files.ts';
import { conflictError } from '../frame/errors.ts';

const ASK_AGAIN_MS = 100;

/**
 * The admin socket of a data directory: it tells that a server works there. A SQLite file belongs to one server, and to
 * its successor on the same sockets while both are there; several may share a Postgres database, also from one data
 * directory, and then the first has the socket.
 */
export class Claim {
  readonly #config: Config;
  readonly #log: Log;
  readonly #isInherited: boolean;
  #socket: AdminSocket | null = null;
  #isEnded = false;
  /** Another server of this data directory is there, and this one listens on sockets that it was given. */
  follows = false;

  /** @param isInherited whether this process was given its sockets: another server may end when it serves */
  constructor(config: Config, log: Log, isInherited: boolean) {
    this.#config = config;
    this.#log = log;
    this.#isInherited = isInherited;
  }

  /** @throws CliError (5) when a server runs on the same SQLite data directory, and has not left its sockets to this one */
  async take(): Promise<void> {
    prepareRunFolder(this.#config);
    const path = socketPath(this.#config);
    if (await this.#open()) return;
    this.follows = this.#isInherited;
    if (this.follows) return;
    const { dataDir, database } = this.#config;
    if (database.url.startsWith('sqlite:')) {
      const hint = 'appctl status shows it; stop it, or choose another directory with --data-dir';
      throw conflictError(`a server is already running on ${dataDir}`, hint);
    }
    this.#log.warn({ path }, 'another server on this data directory uses the admin socket');
  }

  /**
   * Asks the server before this one for what it has counted.
   *
   * @throws AppError CONFLICT while another process takes over from it
   */
  async predecessor(): Promise<{ told: unknown } | undefined> {
    if (!this.follows) return undefined;
    const input = { pid: process.pid };
    try {
      const answer = await callServer<{ limits: unknown }>(socketPath(this.#config), 'handover', input);
      return { told: answer?.limits ?? null };
    } catch (error) {
      if (error instanceof AppError && error.code === 'CONFLICT') throw error;
      this.#log.warn({ err: error }, 'the server before this one did not tell its rate limit windows');
      return { told: null };
    }
  }

  /** Answers commands of this machine, at once or when the server before has ended; `begin` is called then. */
  answer(commands: AdminCommands, begin: (socket: AdminSocket) => void): void {
    const start = (): void => {
      if (this.#socket === null) return;
      this.#socket.answer(commands);
      begin(this.#socket);
    };
    if (this.follows) void this.#takeOver().then(start);
    else start();
  }

  get hasSocket(): boolean {
    return this.#socket !== null;
  }

  async close(): Promise<void> {
    this.#isEnded = true;
    await this.#socket?.close();
  }

  async #takeOver(): Promise<void> {
    try {
      while (!this.#isEnded && !(await this.#open())) await sleep(ASK_AGAIN_MS);
    } catch (error) {
      this.#log.error({ err: error }, 'the admin socket could not be taken over');
    }
  }

  /** @returns whether this process has the socket now */
  async #open(): Promise<boolean> {
    try {
      this.#socket = await openAdminSocket(socketPath(this.#config));
      if (this.#isEnded) await this.#socket.close();
      return true;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
      return false;
    }
  }
}
