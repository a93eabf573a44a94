import { addSeconds } from '../clock.ts';
import type { Ctx } from '../context.ts';
import { outboxBell } from './bell.ts';
import * as claims from './claims/repository.ts';
import { claimCounted } from './counted.ts';
import { Gathering } from './gathering.ts';
import type { Attempted, OutboxEntry, OutboxHandler } from './handler.ts';
import { type Ask, Lanes } from './lanes.ts';
import { momentOf, newLease, TOLERANCE_SECONDS } from './lease.ts';
import { type Outcome, settleTogether } from './settle.ts';
import { Unwritten } from './unwritten.ts';

/** What an attempt needs, and its outcome, where its handler names no other: with less of the lease it is not begun. */
const NEEDED_SECONDS = 12;
/** Another process rings no bell here. */
const POLL_MS = 500;
const STOP_MS = 10_000;

/** Sends what waits in the outbox. */
export interface OutboxWorker {
  start(): void;
  /**
   * Begins nothing more and waits up to 10 s for what is on its way. What takes longer is left to its lease: another
   * process, or the next one, repeats it.
   */
  stop(): Promise<void>;
  /** Claims nothing more while it rests; what is on its way is finished. */
  rest(isResting: boolean): void;
  /** Makes due what a clock that was set back put off too far: at the start, and after a step of the clock (M20). */
  rescue(): Promise<void>;
  /** Sends what is due, and resolves when nothing is due or on its way any more. Needs no start. */
  idle(): Promise<void>;
}

export interface OutboxWorkerOptions {
  ctx: Ctx;
  handlers: readonly OutboxHandler[];
}

class Worker implements OutboxWorker {
  readonly #ctx: Ctx;
  readonly #handlers: ReadonlyMap<string, OutboxHandler>;
  readonly #lanes = new Lanes();
  readonly #outcomes = new Gathering<Outcome>((together) =>
    settleTogether(this.#ctx, together, () => this.#isStopping),
  );
  readonly #successes = new Unwritten();
  readonly #running = new Set<Promise<void>>();
  /** Targets of kinds that this program does not know: a newer one beside it sends them. */
  readonly #foreign = new Set<string>();
  #poll: NodeJS.Timeout | undefined;
  #stopListening: () => void = () => undefined;
  #looking: Promise<void> | null = null;
  #again: 'list' | 'claim' | null = null;
  #isStopping = false;
  #isAway = false;
  #isResting = false;

  constructor({ ctx, handlers }: OutboxWorkerOptions) {
    this.#ctx = ctx;
    this.#handlers = new Map(handlers.map((handler) => [handler.kind, handler]));
  }

  start(): void {
    this.#stopListening = this.#ctx.memory.of(outboxBell).onRing(() => this.#wake());
    this.#poll = setInterval(() => this.#wake(), POLL_MS);
    void this.rescue();
  }

  async stop(): Promise<void> {
    this.#isStopping = true;
    clearInterval(this.#poll);
    this.#stopListening();
    await this.#looking;
    await this.#giveBack(this.#lanes.empty());
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, STOP_MS);
    });
    await Promise.race([Promise.all(this.#running), late]);
    clearTimeout(timer);
  }

  rest(isResting: boolean): void {
    this.#isResting = isResting;
    if (!isResting) this.#wake();
  }

  async rescue(): Promise<void> {
    try {
      await this.#ctx.tx(async (ctx) => {
        for (const { kind, longestWaitSeconds } of this.#handlers.values()) {
          const latest = addSeconds(ctx.now(), longestWaitSeconds + TOLERANCE_SECONDS);
          const count = await claims.bringForward(ctx, { kind, latest });
          if (count > 0) ctx.log.warn({ kind, count }, 'outbox entries waited for a time of a wrong clock');
        }
      });
    } catch (error) {
      this.#ctx.log.error({ err: error }, 'the outbox was not looked through for entries of a wrong clock');
    }
    this.#wake();
  }

  async idle(): Promise<void> {
    for (;;) {
      this.#wake();
      await this.#looking;
      if (this.#running.size > 0) await Promise.race(this.#running);
      else if (!this.#lanes.isHungry) return;
    }
  }

  /**
   * Looks now, or once more when it is looking already: what was committed meanwhile may have been missed.
   *
   * @param how `claim` when the targets are known that something waits for
   */
  #wake(how: 'list' | 'claim' = 'list'): void {
    if (this.#isStopping || this.#isResting) return;
    if (this.#again !== 'list') this.#again = how;
    this.#looking ??= this.#lookWhileAsked().finally(() => {
      this.#looking = null;
    });
  }

  async #lookWhileAsked(): Promise<void> {
    for (let how = this.#again; how !== null && !this.#isStopping; how = this.#again) {
      this.#again = null;
      try {
        if (how === 'list') await this.#list();
        const asks = this.#lanes.asks();
        if (asks.length > 0) await this.#claim(asks);
        this.#begin();
        this.#isAway = false;
      } catch (error) {
        // Once, not twice a second for as long as the database is away.
        if (!this.#isAway) this.#ctx.log.error({ err: error }, 'the outbox could not be read');
        this.#isAway = true;
      }
    }
  }

  async #list(): Promise<void> {
    const due = await claims.listDueTargets(this.#ctx, momentOf(this.#ctx.now()));
    this.#lanes.see(due.map(({ target }) => target).filter((target) => !this.#foreign.has(target)));
  }

  async #claim(asks: readonly Ask[]): Promise<void> {
    const free = asks.filter(({ failing }) => failing === null);
    if (free.length > 0) {
      const claimed = await this.#ctx.tx((ctx) => {
        const lease = newLease(ctx.now());
        // None needs the answer of another: on Postgres they share a trip.
        return Promise.all(free.map((ask) => claims.claim(ctx, { ...ask, ...lease })));
      });
      await this.#add(free, claimed);
    }
    for (const ask of asks) if (ask.failing !== null) await this.#claimCounted(ask, ask.failing);
  }

  async #claimCounted(ask: Ask, kind: string): Promise<void> {
    const handler = this.#handlers.get(kind) as OutboxHandler;
    const counted = await this.#ctx.tx((ctx) =>
      claimCounted(ctx, handler, { ...ask, ...newLease(ctx.now()) }),
    );
    if (counted) {
      this.#lanes.add({ ...ask, count: counted.count }, counted.held);
      return;
    }
    this.#lanes.recover(ask.target);
    this.#wake('claim');
  }

  async #add(asks: readonly Ask[], claimed: readonly claims.Held[][]): Promise<void> {
    for (const [i, ask] of asks.entries()) {
      const held = claimed[i] ?? [];
      if (held.every(({ entry }) => this.#handlers.has(entry.kind))) {
        await this.#giveBack(this.#lanes.add(ask, held));
        continue;
      }
      this.#foreign.add(ask.target);
      // Nothing more of it is asked for until the next look, which leaves it out.
      this.#lanes.add(ask, []);
      this.#ctx.log.warn({ target: ask.target }, 'the outbox holds what this version cannot send');
      await this.#giveBack(held);
    }
  }

  #begin(): void {
    if (this.#isStopping) return;
    const late: claims.Held[] = [];
    const now = this.#ctx.now();
    for (let held = this.#lanes.take(); held !== null; held = this.#lanes.take()) {
      const { neededSeconds = NEEDED_SECONDS } = this.#handlers.get(held.entry.kind) ?? {};
      if (held.until > addSeconds(now, neededSeconds)) {
        this.#track(this.#attempt(held));
        continue;
      }
      this.#lanes.answered(held.entry.target, Number.POSITIVE_INFINITY);
      this.#lanes.settled(held.entry.target);
      late.push(held);
    }
    if (late.length > 0) this.#track(this.#giveBack(late));
  }

  #track(work: Promise<void>): void {
    const running = work.finally(() => {
      this.#running.delete(running);
      this.#next();
    });
    this.#running.add(running);
  }

  /** A place is free: what is claimed goes first, then the outbox is asked for more. */
  #next(): void {
    if (this.#isStopping) return;
    this.#begin();
    if (this.#lanes.isHungry) this.#wake('claim');
  }

  async #attempt(held: claims.Held): Promise<void> {
    const attempted = await this.#send(held);
    // The target's place is free now; the outcome is written while the next one is on its way.
    this.#next();
    if (attempted === 'put back') await this.#giveBack([held]);
    else if (attempted) await this.#write(held, attempted);
    this.#lanes.settled(held.entry.target);
  }

  async #write(held: claims.Held, { settle, isFailure }: Attempted): Promise<void> {
    const { target } = held.entry;
    // A success that came before it must not end the series that it begins.
    if (isFailure) await this.#successes.all(target);
    const written = this.#outcomes.add({ held, settle });
    if (!isFailure) this.#successes.add(target, written);
    await written;
  }

  /** @returns null when the handler failed: the lease then ends by itself, and the attempt is repeated */
  async #send({ entry }: claims.Held): Promise<Attempted | 'put back' | null> {
    const started = performance.now();
    try {
      const handler = this.#handlers.get(entry.kind) as OutboxHandler;
      const attempted = await handler.attempt(this.#ctx, entry);
      // Before the place is free: nothing that is not counted may begin in it.
      if (handler.remainingOf && (attempted === 'put back' || attempted.isFailure)) this.#slow(entry);
      return attempted;
    } catch (error) {
      this.#ctx.log.error({ err: error, outbox: entry.id }, 'an outbox entry could not be sent');
      return null;
    } finally {
      this.#lanes.answered(entry.target, performance.now() - started);
    }
  }

  #slow({ target, kind }: OutboxEntry): void {
    const uncounted = this.#lanes.slow(target, kind);
    if (uncounted.length === 0) return;
    this.#track(this.#giveBack(uncounted).finally(() => this.#lanes.returned(target, uncounted.length)));
  }

  async #giveBack(all: readonly claims.Held[]): Promise<void> {
    if (all.length === 0) return;
    try {
      await this.#ctx.tx((ctx) => claims.release(ctx, all));
    } catch (error) {
      this.#ctx.log.warn({ err: error }, 'claimed outbox entries wait for the end of their lease');
    }
  }
}

/** The worker of one process (reliability M6). */
export const createOutboxWorker = (options: OutboxWorkerOptions): OutboxWorker => new Worker(options);
