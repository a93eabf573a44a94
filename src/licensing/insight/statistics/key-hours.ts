import type { Ctx } from '#kernel/context.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { addKeyHours, type KeyHour } from './key-hours/repository.ts';

/** What this process counted and did not write: an entry for each key and hour. */
const pending = memoryKey<{ hours: Map<string, KeyHour> }>('key-hours', () => ({ hours: new Map() }));

/** Counts a call of an API key in memory alone: `flushKeyHours` writes it. A request writes no row of its own. */
export function countCall({ ctx, surface, status }: Answered): void {
  const { credentialId } = ctx.origin.trail ?? {};
  if (surface !== 'licensing' || credentialId === undefined) return;
  const hour = ctx.now().slice(0, 13);
  add(ctx.memory.of(pending).hours, {
    apiKeyId: credentialId,
    hour,
    calls: 1,
    failed: Number(status >= 400),
  });
}

/**
 * Writes the calls that were counted. What cannot be written waits for the next flush.
 *
 * @returns how many rows were written
 * @throws what the database throws
 */
export async function flushKeyHours(ctx: Ctx): Promise<number> {
  const memory = ctx.memory.of(pending);
  const { hours } = memory;
  if (hours.size === 0) return 0;
  memory.hours = new Map();
  try {
    return await ctx.tx((ctx) => addKeyHours(ctx, [...hours.values()]));
  } catch (error) {
    for (const one of hours.values()) add(memory.hours, one);
    throw error;
  }
}

function add(hours: Map<string, KeyHour>, one: KeyHour): void {
  const name = `${one.apiKeyId} ${one.hour}`;
  const known = hours.get(name);
  if (known) {
    known.calls += one.calls;
    known.failed += one.failed;
  } else hours.set(name, { ...one });
}
