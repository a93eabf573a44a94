import { sightOf } from '#kernel/actor.ts';
import type { Waiting } from '#kernel/capability.ts';
import type { Ctx } from '#kernel/context.ts';
import { memoryKey } from '#kernel/process-memory.ts';

/** What a capability knows that waits for the actor. */
export type WaitsFor = (ctx: Ctx) => Promise<readonly Waiting[]>;

/** Every page shows it, and nobody works so fast that it matters. */
const FRESH_MS = 10_000;
/** People at work at the same time; more of them are asked again. */
const MOST_KEPT = 200;

const kept = memoryKey(
  'what waits for staff',
  () => new Map<string, { at: number; all: readonly Waiting[] }>(),
);

/**
 * What waits for the actor, a few seconds old at most. Whoever may see more or less, or looks at another tenant, is
 * asked anew at once.
 */
export async function waitingFor(ctx: Ctx, sources: readonly WaitsFor[]): Promise<readonly Waiting[]> {
  const memory = ctx.memory.of(kept);
  const key = JSON.stringify([ctx.tenantId, sightOf(ctx.actor)]);
  const now = Date.parse(ctx.now());
  const known = memory.get(key);
  if (known && Math.abs(now - known.at) < FRESH_MS) return known.all;
  const all: Waiting[] = [];
  for (const source of sources) all.push(...(await source(ctx)));
  if (memory.size >= MOST_KEPT) memory.clear();
  memory.set(key, { at: now, all });
  return all;
}
