import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { isoTime, systemClock } from '#kernel/clock.ts';
import type { OwnFigures } from '#kernel/http/summed-metrics.ts';
import type { Log } from '#kernel/log.ts';
import type { EndedProcess, ServerProcesses } from '#kernel/other-processes.ts';
import { FIRST_OWN_FD, startOwn } from '#kernel/own-process.ts';
import { type Orders, ProcessChannel } from '#kernel/process-channel.ts';
import { watchProcess } from '#kernel/silent-process.ts';
import type { Beginning, Changing, WorkerOrders } from './orders.ts';

/** Word that such a process begins with. */
const WORKER_WORD = 'server-process';

/** A process that did not serve for so long is started again after a pause, which grows with each time. */
const STEADY_MS = 60_000;
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 30_000;
/** It opens the database and loads the program; a machine may be busy. */
const LONGEST_BEGIN_MS = 180_000;
/** Figures of a process that is stuck are those that it gave last. */
const PATIENCE_MS = 2000;
/** A process whose event loop stands still for 30 seconds answers nobody: it is replaced. */
const [LOOK_EVERY_MS, LOOKS] = [10_000, 3];
const STUCK_MS = LOOK_EVERY_MS * LOOKS;
/** Of those that ended, only the last are told. */
const MOST_ENDED = 20;

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
  /** What may have changed since it began. */
  changing(): Changing;
  /** What this process does for one of the others. */
  ordersOf(worker: Worker): Orders;
  /** Told of the last figures of one that has ended. */
  onEnd(figures: OwnFigures): void;
  /** One began to serve, or ended. */
  onChange(processes: ServerProcesses): void;
}

/** Another process of this server. */
export interface Worker {
  readonly pid: number;
  readonly channel: ProcessChannel<WorkerOrders>;
  /** What it has counted, as it told it last. */
  figures: OwnFigures | null;
}

/** The processes that serve together with this one on its sockets. One that ends is replaced until they are stopped. */
export class Crew {
  readonly #options: CrewOptions;
  readonly #workers = new Map<ChildProcess, Worker>();
  readonly #serving = new Map<Worker, ChildProcess>();
  readonly #pauses = new Set<NodeJS.Timeout>();
  #ended: readonly EndedProcess[] = [];
  #fewerSince: string | null = now();
  #isStopping = false;

  constructor(options: CrewOptions) {
    this.#options = options;
  }

  /** @returns resolves when each of them serves, or has failed to for the first time */
  async begin(): Promise<void> {
    const all = Array.from({ length: this.#options.count }, () => this.#start(FIRST_PAUSE_MS));
    await Promise.all(all);
  }

  /** All processes of the server, with the first. */
  get processes(): ServerProcesses {
    const { count } = this.#options;
    return {
      serving: 1 + this.#serving.size,
      wanted: 1 + count,
      fewerSince: this.#fewerSince,
      ended: this.#ended,
    };
  }

  /** Those that serve now. */
  get serving(): readonly Worker[] {
    return [...this.#serving.keys()];
  }

  /** @param except the one who said so itself */
  tell<K extends 'rest' | 'blocked' | 'news' | 'processes'>(
    name: K,
    input: Parameters<WorkerOrders[K]>[0],
    except?: Worker,
  ): void {
    for (const worker of this.serving) if (worker !== except) worker.channel.tell(name, input);
  }

  /** Shows lines of the log to those that keep up with them. */
  show(lines: readonly string[], except?: Worker): void {
    for (const worker of this.serving)
      if (worker !== except && !worker.channel.isBehind) worker.channel.tell('lines', lines);
  }

  /** Orders something of all of them, and waits for those that are not stuck. */
  async order<K extends 'reload' | 'flush'>(name: K, input: Parameters<WorkerOrders[K]>[0]): Promise<void> {
    await Promise.all(
      this.serving.map(({ pid, channel }) =>
        channel
          .ask(name, input, STUCK_MS)
          .catch((err: unknown) => this.#options.log.warn({ err, worker: pid }, `${name} was not answered`)),
      ),
    );
  }

  /** What all of them have counted. */
  async figures(): Promise<OwnFigures[]> {
    const asked = this.serving.map(async (worker) => {
      worker.figures = await worker.channel.ask('figures', null, PATIENCE_MS).catch(() => worker.figures);
      return worker.figures;
    });
    return (await Promise.all(asked)).filter((one) => one !== null);
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
    const { log, sockets, beginning, changing } = this.#options;
    let begun: [ChildProcess, Worker];
    try {
      begun = this.#spawned(pauseMs);
    } catch (err) {
      log.error({ err }, 'no other process of the server can be started');
      return this.#startLater(pauseMs);
    }
    const [child, worker] = begun;
    const fds = sockets.map((_, i) => FIRST_OWN_FD + i);
    try {
      await worker.channel.ask('begin', beginning(fds), LONGEST_BEGIN_MS);
      if (!this.#workers.has(child)) return;
      this.#serving.set(worker, child);
      this.#endWhenStuck(worker, child);
      worker.channel.tell('catchUp', changing());
      this.#changed();
      log.info({ worker: worker.pid }, 'another process serves');
    } catch (err) {
      if (!this.#isStopping) log.error({ err, worker: worker.pid }, 'a process cannot serve');
      child.kill('SIGKILL');
    }
  }

  #spawned(pauseMs: number): [ChildProcess, Worker] {
    const child = startOwn(WORKER_WORD, this.#options.sockets);
    const startedMs = systemClock.monotonicMs();
    const worker: Worker = { pid: child.pid ?? 0, channel: new ProcessChannel(child), figures: null };
    worker.channel.obeys(this.#options.ordersOf(worker), (order, err) =>
      this.#options.log.error({ err, order, worker: worker.pid }, 'an order of another process failed'),
    );
    this.#workers.set(child, worker);
    const gone = (how: string | number | null): void => {
      if (!this.#workers.delete(child)) return;
      this.#serving.delete(worker);
      if (worker.figures !== null) this.#options.onEnd(worker.figures);
      if (this.#isStopping) return;
      this.#ended = [...this.#ended, { at: now(), how: String(how) }].slice(-MOST_ENDED);
      this.#changed();
      const isSteady = systemClock.monotonicMs() - startedMs > STEADY_MS;
      const againMs = isSteady ? FIRST_PAUSE_MS : pauseMs;
      this.#options.log.error({ worker: worker.pid, ended: how, againMs }, 'a process of the server ended');
      this.#startLater(againMs);
    };
    child.once('exit', (code, signal) => gone(signal ?? code));
    child.once('error', (error) => gone(error.message));
    return [child, worker];
  }

  #startLater(pauseMs: number): void {
    const pause = setTimeout(() => {
      this.#pauses.delete(pause);
      void this.#start(Math.min(pauseMs * 2, LONGEST_PAUSE_MS));
    }, pauseMs);
    this.#pauses.add(pause);
  }

  #changed(): void {
    const isShort = this.#serving.size < this.#options.count;
    this.#fewerSince = isShort ? (this.#fewerSince ?? now()) : null;
    this.#options.onChange(this.processes);
  }

  #endWhenStuck(worker: Worker, child: ChildProcess): void {
    const end = watchProcess({
      ask: () => worker.channel.ask('live', null),
      everyMs: LOOK_EVERY_MS,
      looks: LOOKS,
      onSilent: () => {
        if (this.#isStopping) return;
        this.#options.log.error({ worker: worker.pid }, 'a process is stuck: it is ended');
        child.kill('SIGKILL');
      },
    });
    child.once('exit', end);
  }
}

const now = (): string => isoTime(systemClock.epochMs());

/** One that is stopped before it serves has nothing to finish. */
async function end(child: ChildProcess, { channel }: Worker): Promise<void> {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  channel.ask('stop', null).catch(() => child.kill('SIGKILL'));
  await ended;
}
