import { join } from 'node:path';
import { buildInfo } from '#kernel/build-info.ts';
import { systemClock } from '#kernel/clock.ts';
import { LogLost } from '#kernel/common-log.ts';
import { forwardedLog } from '#kernel/forwarded-log.ts';
import { askedFailures } from '#kernel/http/asked-failures.ts';
import { BlockedAddresses } from '#kernel/http/blocked-addresses.ts';
import type { CommonState } from '#kernel/http/common-windows.ts';
import { recentLog } from '#kernel/log-ring.ts';
import { releaseWhenQuiet } from '#kernel/memory-release.ts';
import { setNativeBase } from '#kernel/native.ts';
import { othersOf } from '#kernel/other-processes.ts';
import { outboxBell } from '#kernel/outbox/bell.ts';
import { ProcessChannel } from '#kernel/process-channel.ts';
import { watchProcess } from '#kernel/silent-process.ts';
import { backUpHere } from '../backup/scheduled.ts';
import { type Instance, openInstance } from '../instance.ts';
import { type Running, serve } from '../serve.ts';
import { joinLimits, removeLimits } from './common-limits.ts';
import { type Beginning, type FirstOrders, ORPHAN_MS, type WorkerOrders } from './orders.ts';
import { endSilent, LOOK_EVERY_MS, LOOKS } from './silent-first.ts';

/** What another process of a server does: it serves on the sockets that it inherited, until it is told to stop. */
export function serveAsWorker(): void {
  const first = new ProcessChannel<FirstOrders>(process);
  const work = new WorkerProcess(first);
  first.obeys(work.orders, work.onFailure);
  // The first process tells what a signal of the terminal or of systemd means for all of them.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => undefined);
  // One that somebody ends by itself is replaced.
  process.on('SIGTERM', () => void work.end());
  process.on('disconnect', () => {
    // The first process had the lock of the database, and whoever comes next relies on it.
    setTimeout(() => process.exit(1), ORPHAN_MS);
    work.abandon();
  });
  // Also what explains a crash reaches the log.
  process.once('exit', () => work.sayLast());
}

/** Figures of a first process that is busy are worth a wait, and no longer one than those who gather them have. */
const METRICS_MS = 10_000;

class WorkerProcess {
  readonly #first: ProcessChannel<FirstOrders>;
  readonly #blocked = new BlockedAddresses(systemClock);
  readonly #log: ReturnType<typeof forwardedLog>;
  #serving: { readonly instance: Instance; readonly running: Running } | null = null;
  #ending: Promise<void> | null = null;
  #limits: CommonState | null = null;

  constructor(first: ProcessChannel<FirstOrders>) {
    this.#first = first;
    this.#log = forwardedLog('info', (lines) => {
      // Lost, as where the disk is full, while the first process takes none.
      if (!first.isStuck) first.tell('wrote', lines);
    });
  }

  readonly orders: WorkerOrders = {
    begin: (beginning) => this.#begin(beginning),
    catchUp: ({ isResting, level, blocked }) => {
      this.#log.log.level = level;
      this.#serving?.running.rest(isResting);
      for (const { address, seconds } of blocked) this.#blocked.add(address, seconds);
    },
    live: () => undefined,
    rest: (isResting) => this.#serving?.running.rest(isResting),
    reload: async (level) => {
      this.#log.log.level = level;
      if (!this.#serving) return;
      const { running, instance } = this.#serving;
      running.reloadCertificate();
      await instance.settings.refresh(instance.ctx);
    },
    blocked: ({ address, seconds }) => this.#blocked.add(address, seconds),
    lines: (lines) => {
      for (const line of lines) this.#log.ring.write(line);
    },
    news: ({ name, news }) => {
      if (this.#serving) othersOf(this.#serving.instance.ctx).hear(name, news);
    },
    processes: (processes) => {
      if (this.#serving) othersOf(this.#serving.instance.ctx).processes = processes;
    },
    figures: async () => (await this.#serving?.running.figures()) ?? null,
    flush: async () => {
      if (this.#serving) await this.#serving.running.scheduler.runOwn(this.#serving.instance.ctx);
    },
    stop: () => this.end(),
  };

  readonly onFailure = (order: string, err: unknown): void =>
    this.#log.log.error({ err, order }, 'an order of the first process failed');

  async #begin(beginning: Beginning): Promise<void> {
    const { build, loaded, tls, places, isComplete, server, limits } = beginning;
    requireSame(build);
    this.#limits = limits;
    const { config } = loaded;
    const { log, ring } = this.#log;
    log.level = config.log.level;
    setNativeBase(join(config.dataDir, 'native'));
    const instance = await openInstance({ config, log, mode: 'use', speaks: true });
    const { memory } = instance.ctx;
    memory.of(recentLog).ring = ring;
    memory.of(outboxBell).onRing(() => {
      if (!this.#first.isStuck) this.#first.tell('ring', null);
    });
    this.#meetOthers(instance, beginning);
    backUpHere(instance, loaded.files);
    try {
      const running = await serve(instance, loaded, {
        tls,
        places: { places, isComplete },
        beside: {
          common: limits && joinLimits(limits, (err) => this.#cannotCount(err)),
          failures: askedFailures(this.#first, this.#blocked),
          metrics: () => this.#first.ask('metrics', null, METRICS_MS),
          server,
        },
      });
      this.#serving = { instance, running };
    } catch (error) {
      await instance.close();
      throw error;
    }
    releaseWhenQuiet();
  }

  #meetOthers({ ctx }: Instance, { processes, server }: Beginning): void {
    const others = othersOf(ctx);
    others.processes = processes;
    others.connect((name, news) => this.#first.tell('news', { name, news }));
    watchProcess({
      ask: () => this.#first.ask('live', null),
      everyMs: LOOK_EVERY_MS,
      looks: LOOKS,
      onSilent() {
        others.isFirstSilent = true;
        endSilent(server.pid);
      },
      onAnswer() {
        others.isFirstSilent = false;
      },
    });
  }

  /** The first process was killed, and what all counted in goes with it. */
  abandon(): void {
    if (this.#limits) removeLimits(this.#limits);
    void this.end();
  }

  /** Where the disk is full, all count by themselves, and the first process says so. */
  #cannotCount(err: unknown): void {
    if (!(err instanceof LogLost) || this.#ending !== null) return;
    this.#log.log.error(
      { err },
      'this process cannot follow the counts of rate limits: it ends and is replaced',
    );
    void this.end();
  }

  /** Ends the process once its requests are answered. */
  end(): Promise<void> {
    this.#ending ??= this.#stop();
    return this.#ending;
  }

  async #stop(): Promise<void> {
    await this.#serving?.running.stop();
    // After the answer to whoever told it to stop.
    setTimeout(() => void this.#goodbye());
  }

  async #goodbye(): Promise<void> {
    await this.sayLast();
    process.exit();
  }

  /** Sends what it has yet to say. */
  sayLast(): Promise<void> {
    this.#log.flush();
    return this.#first.flush();
  }
}

/** @throws Error for another version of the program, which the first process would misunderstand */
function requireSame(build: Beginning['build']): void {
  const own = buildInfo();
  if (own.version === build.version && own.commit === build.commit && own.builtAt === build.builtAt) return;
  throw new Error(`the program was replaced by version ${own.version}: appctl restart`);
}
