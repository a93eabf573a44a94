import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { systemClock } from '#kernel/clock.ts';
import type { Log } from '#kernel/log.ts';
import { FIRST_OWN_FD, startOwn } from '#kernel/own-process.ts';
import { type Orders, ProcessChannel } from '#kernel/process-channel.ts';
import type { Beginning, WorkerOrders } from './orders.ts';

/** Word that such a process begins with. */
export const WORKER_WORD = 'server-process';

/** A process that did not serve for so long is started again after a pause, which grows with each time. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** Figures of a process that is stuck are left out. */
const PATIENCE_MS = 2000;

export interface CrewOptions {
  /** How many processes there are beside the first. */
  readonly count: number;
  readonly log: Log;
  /** They are ended at once when they have not finished so long after they were told to. */
  readonly graceMs: number;
  /** Descriptors of the sockets, in the order of the places that they are told. */
  readonly sockets: readonly number[];
  /** @param fds what the sockets are in the other process */
  beginning(fds: readonly number[]): Beginning;
  /** What this process does for one of the others. */
  ordersOf(worker: Worker): Orders;
}

/** Another process of this server. */
export interface Worker {
  readonly pid: number;
  readonly channel: ProcessChannel<WorkerOrders>;
}

/** The processes that serve together with this one on its sockets. One that ends is replaced until they are stopped. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #workers = new Map<ChildProcess, Worker>();
  readonly #serving = new Set<Worker>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #isStopping = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** @returns resolves when each of them serves, or has failed to for the first time */
  async begin(): Promise<void> {
    const all = Array.from({ length: this.#options.count }, () => this.#start(FIRST_PAUSE_MS));
    await Promise.all(all);
  }

  /** Those that serve now. */
  get serving(): readonly Worker[] {
    return [...this.#serving];
  }

  /** @param except the one who said so itself */
  tell<K extends 'rest' | 'blocked' | 'lines'>(
    name: K,
    input: Parameters<WorkerOrders[K]>[0],
    except?: Worker,
  ): void {
    for (const worker of this.#serving) if (worker !== except) worker.channel.tell(name, input);
  }

  /** Asks all of them. @returns what those answered that are not stuck */
  async ask<K extends 'figures' | 'reload'>(
    name: K,
    input: Parameters<WorkerOrders[K]>[0],
  ): Promise<Awaited<ReturnType<WorkerOrders[K]>>[]> {
    const asked = this.serving.map(({ channel }) => inTime(channel.ask(name, input)));
    const settled = await Promise.allSettled(asked);
    for (const one of settled)
      if (one.status === 'rejected') this.#options.log.warn({ err: one.reason }, `no answer to ${name}`);
    return settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : [])) as Awaited<
      ReturnType<WorkerOrders[K]>
    >[];
  }

  /** Has them finish their requests, and waits until they have ended. */
  async stop(): Promise<void> {
    this.#isStopping = true;
    for (const pause of this.#pauses) clearTimeout(pause);
    const late = setTimeout(() => {
      for (const child of this.#workers.keys()) child.kill('SIGKILL');
    }, this.#options.graceMs);
    await Promise.all([...this.#workers].map(([child, worker]) => end(child, worker)));
    clearTimeout(late);
  }

  async #start(pauseMs: number): Promise<void> {
    const { log, sockets, beginning, ordersOf } = this.#options;
    const child = startOwn(WORKER_WORD, sockets);
    const startedMs = systemClock.monotonicMs();
    const worker: Worker = { pid: child.pid ?? 0, channel: new ProcessChannel(child) };
    worker.channel.obeys(ordersOf(worker));
    this.#workers.set(child, worker);
    const gone = (how: string | number | null): void => {
      if (!this.#workers.delete(child)) return;
      this.#serving.delete(worker);
      if (this.#isStopping) return;
      const isSteady = systemClock.monotonicMs() - startedMs > STEADY_MS;
      const nextMs = isSteady ? FIRST_PAUSE_MS : pauseMs;
      log.error({ worker: worker.pid, ended: how, againMs: nextMs }, 'a process of the server ended');
      this.#startLater(nextMs);
    };
    child.once('exit', (code, signal) => gone(signal ?? code));
    child.once('error', (error) => gone(error.message));
    const fds = sockets.map((_, i) => FIRST_OWN_FD + i);
    try {
      await worker.channel.ask('begin', beginning(fds));
      this.#serving.add(worker);
      log.info({ worker: worker.pid }, 'another process serves');
    } catch (error) {
      if (!this.#isStopping) log.error({ err: error, worker: worker.pid }, 'a process cannot serve');
      child.kill('SIGKILL');
    }
  }

  #startLater(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.#start(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#pauses.add(pause);
  }
}

/** Waits for an answer, but not for ever. */
async function inTime<T>(answer: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(reject, PATIENCE_MS, new Error('a process of the server does not answer'));
  });
  return Promise.race([answer, late]).finally(() => clearTimeout(timer));
}

/** One that is stopped before it serves has nothing to finish. */
async function end(child: ChildProcess, { channel }: Worker): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  channel.ask('stop', null).catch(() => child.kill('SIGKILL'));
  await ended;
}
