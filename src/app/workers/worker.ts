import { join } from 'node:path';
import { systemClock } from '#kernel/clock.ts';
import { forwardedLog } from '#kernel/forwarded-log.ts';
import { askedLimits } from '#kernel/http/asked-limits.ts';
import { BlockedAddresses } from '#kernel/http/blocked-addresses.ts';
import { recentLog } from '#kernel/log-ring.ts';
import { releaseWhenQuiet } from '#kernel/memory-release.ts';
import { setNativeBase } from '#kernel/native.ts';
import { outboxBell } from '#kernel/outbox/bell.ts';
import { ProcessChannel } from '#kernel/process-channel.ts';
import { backUpHere } from '../backup/scheduled.ts';
import { openInstance } from '../instance.ts';
import { type Running, serve } from '../serve.ts';
import type { Beginning, FirstOrders, WorkerOrders } from './orders.ts';

/** What another process of a server does: it serves on the sockets that it inherited, until it is told to stop. */
export function serveAsWorker(): void {
  const first = new ProcessChannel<FirstOrders>(process);
  const work = new WorkerProcess(first);
  first.obeys(work.orders);
  // The first process tells what a signal of the terminal or of systemd means for all of them.
  for (const signal of ['SIGINT', 'SIGHUP', 'SIGUSR1'] as const) process.on(signal, () => undefined);
  // One that somebody ends by itself is replaced.
  process.on('SIGTERM', () => void work.end());
  process.on('disconnect', () => void work.end());
}

class WorkerProcess {
  readonly #first: ProcessChannel<FirstOrders>;
  readonly #blocked = new BlockedAddresses(systemClock);
  readonly #log: ReturnType<typeof forwardedLog>;
  #running: Running | null = null;
  #refresh: () => Promise<unknown> = async () => undefined;
  #ending: Promise<void> | null = null;

  constructor(first: ProcessChannel<FirstOrders>) {
    this.#first = first;
    this.#log = forwardedLog('info', (lines) => first.tell('wrote', lines));
  }

  readonly orders: WorkerOrders = {
    begin: (beginning) => this.#begin(beginning),
    rest: (isResting) => this.#running?.rest(isResting),
    reload: async (level) => {
      this.#log.log.level = level;
      this.#running?.reloadCertificate();
      await this.#refresh();
    },
    blocked: ({ address, seconds }) => this.#blocked.add(address, seconds),
    lines: (lines) => {
      for (const line of lines) this.#log.ring.write(line);
    },
    figures: async () => (await this.#running?.figures()) ?? null,
    stop: () => this.end(),
  };

  async #begin({ loaded, tls, places, isComplete, isResting, server }: Beginning): Promise<void> {
    const { config } = loaded;
    const { log, ring } = this.#log;
    log.level = config.log.level;
    setNativeBase(join(config.dataDir, 'native'));
    const instance = await openInstance({ config, log, mode: 'use' });
    const { memory } = instance.ctx;
    memory.of(recentLog).ring = ring;
    memory.of(outboxBell).onRing(() => this.#first.tell('ring', null));
    backUpHere(instance, loaded.files);
    try {
      this.#running = await serve(instance, loaded, {
        tls,
        places: { places, isComplete },
        beside: {
          limits: askedLimits(this.#first, this.#blocked),
          metrics: () => this.#first.ask('metrics', null),
          server,
        },
      });
    } catch (error) {
      await instance.close();
      throw error;
    }
    this.#refresh = () => instance.settings.refresh(instance.ctx);
    this.#running.rest(isResting);
    releaseWhenQuiet();
  }

  /** Ends the process once its requests are answered. */
  end(): Promise<void> {
    this.#ending ??= this.#stop();
    return this.#ending;
  }

  async #stop(): Promise<void> {
    await this.#running?.stop();
    this.#log.flush();
    // After the last lines are on their way.
    setTimeout(() => process.exit(), 50);
  }
}
