import { performance } from 'node:perf_hooks';
import { systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { ServerState } from '#kernel/http/runtime.ts';
import { othersOf } from '#kernel/other-processes.ts';

/** How busy the event loop of a process was since it looked before: 0 to 1. */
interface Busy {
  readonly pid: number;
  readonly share: number;
}

const LOOK_EVERY_MS = 500;
/** What a process has said is as good as new for so long. */
const HEARD_MS = 2000;
/** It says so again after this, or when it has changed as much. */
const [TOLD_MS, CHANGE] = [1000, 0.1];
/** A process that is less busy answers everybody at once. */
const BUSY = 0.8;
/** By which another one has to be idler. */
const GAP = 0.3;

/**
 * A connection stays with the process that accepted it. Where one process has work for all its time and another one has
 * not, clients of the busy one are asked with their next answer to connect anew: whoever is idle accepts first (0137).
 *
 * @returns ends that
 */
export function balanceConnections(
  ctx: Pick<Ctx, 'memory'>,
  state: Pick<ServerState, 'leaving' | 'isDraining'>,
): () => void {
  const others = othersOf(ctx);
  const balance = new Balance(state, (busy) => others.tell('busy', busy));
  others.on<Busy>('busy', (busy) => balance.hear(busy));
  let before = performance.eventLoopUtilization();
  const looking = setInterval(() => {
    const now = performance.eventLoopUtilization();
    balance.look(performance.eventLoopUtilization(now, before).utilization);
    before = now;
  }, LOOK_EVERY_MS).unref();
  return () => clearInterval(looking);
}

/** What a process makes of how busy it and the others are. */
export class Balance {
  readonly #state: Pick<ServerState, 'leaving' | 'isDraining'>;
  readonly #tell: (busy: Busy) => void;
  readonly #nowMs: () => number;
  readonly #heard = new Map<number, { readonly share: number; readonly ms: number }>();
  #told = { share: -1, ms: 0 };
  #hasAsked = false;

  /** @param nowMs monotonic */
  constructor(
    state: Pick<ServerState, 'leaving' | 'isDraining'>,
    tell: (busy: Busy) => void,
    nowMs: () => number = systemClock.monotonicMs,
  ) {
    this.#state = state;
    this.#tell = tell;
    this.#nowMs = nowMs;
  }

  hear({ pid, share }: Busy): void {
    this.#heard.set(pid, { share, ms: this.#nowMs() });
  }

  /** @param share how busy this process was since the last look */
  look(share: number): void {
    // One that stops has time, and accepts nobody.
    if (this.#state.isDraining) return;
    const now = this.#nowMs();
    if (Math.abs(share - this.#told.share) >= CHANGE || now - this.#told.ms >= TOLD_MS) {
      this.#told = { share, ms: now };
      this.#tell({ pid: process.pid, share });
    }
    for (const [pid, { ms }] of this.#heard) if (now - ms > HEARD_MS) this.#heard.delete(pid);
    // Who was asked to leave at the last look has yet to show in what the others say.
    const excess = this.#hasAsked
      ? 0
      : excessOf(
          share,
          [...this.#heard.values()].map((one) => one.share),
        );
    this.#hasAsked = excess > 0;
    this.#state.leaving.begin(excess);
  }
}

/**
 * The part of its connections that a process can do without.
 *
 * @param share how busy it is; @param others how busy each other one is
 */
export function excessOf(share: number, others: readonly number[]): number {
  const idlest = Math.min(1, ...others);
  if (share < BUSY || share - idlest < GAP) return 0;
  const mean = [share, ...others].reduce((sum, one) => sum + one) / (1 + others.length);
  return (share - mean) / share;
}
