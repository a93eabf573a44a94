import { performance } from 'node:perf_hooks';
import { systemClock } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import type { ServerState } from '#kernel/http/runtime.ts';
import type { RunningServer } from '#kernel/http/server.ts';
import { othersOf } from '#kernel/other-processes.ts';

/** How busy the event loop of a process was since it said so before: 0 to 1. */
interface Busy {
  readonly pid: number;
  readonly share: number;
}

const LOOK_EVERY_MS = 500;
/** One that has said nothing for so long takes no connection over. */
const HEARD_MS = 2000;
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
  state: Pick<ServerState, 'leaving'>,
  servers: readonly Pick<RunningServer, 'connections'>[],
): () => void {
  const others = othersOf(ctx);
  const heard = new Map<number, { readonly share: number; readonly ms: number }>();
  others.on<Busy>('busy', ({ pid, share }) => heard.set(pid, { share, ms: systemClock.monotonicMs() }));
  let before = performance.eventLoopUtilization();
  const look = async (): Promise<void> => {
    const now = performance.eventLoopUtilization();
    const share = performance.eventLoopUtilization(now, before).utilization;
    before = now;
    others.tell('busy', { pid: process.pid, share } satisfies Busy);
    const since = systemClock.monotonicMs() - HEARD_MS;
    const shares = [...heard.values()].filter(({ ms }) => ms > since).map((one) => one.share);
    const excess = excessOf(share, shares);
    const open = excess > 0 ? await Promise.all(servers.map((server) => server.connections())) : [];
    state.leaving = Math.floor(open.reduce((sum, count) => sum + count, 0) * excess);
  };
  const looking = setInterval(() => void look(), LOOK_EVERY_MS).unref();
  return () => clearInterval(looking);
}

/**
 * The part of its connections that a process can do without.
 *
 * @param share how busy it is; @param others how busy each other one is
 */
export function excessOf(share: number, others: readonly number[]): number {
  const idlest = Math.min(1, ...others);
  return share >= BUSY && share - idlest >= GAP ? (share - idlest) / (2 * share) : 0;
}
