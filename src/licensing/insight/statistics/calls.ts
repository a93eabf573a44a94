import type { Ctx } from '#kernel/context.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import * as repo from './calls/repository.ts';
import { STEPS, stepOf } from './calls/steps.ts';

interface Pending {
  readonly hours: Map<string, repo.KeyHour>;
  readonly days: Map<string, repo.CallDay>;
}

/** What this process counted and did not write: an entry for each key and hour, and for each tenant and day. */
const pending = memoryKey<{ waiting: Pending }>('calls', () => ({ waiting: nothing() }));

const nothing = (): Pending => ({ hours: new Map(), days: new Map() });

/** Counts an answer of the license API in memory alone: `flushCalls` writes it. A request writes no row of its own. */
export function countCall({ ctx, surface, status, ms }: Answered): void {
  if (surface !== 'licensing') return;
  const { waiting } = ctx.memory.of(pending);
  const now = ctx.now();
  const failed = Number(status >= 400);
  const { credentialId, tenantId } = ctx.origin.trail ?? {};
  if (credentialId !== undefined)
    addHour(waiting, { apiKeyId: credentialId, hour: now.slice(0, 13), calls: 1, failed });
  const day = dayOf(waiting, tenantId ?? DEFAULT_TENANT_ID, now.slice(0, 10));
  day.calls += 1;
  day.failed += failed;
  const step = stepOf(ms);
  day.steps[step] = (day.steps[step] ?? 0) + 1;
}

/**
 * Writes the calls that were counted. What cannot be written waits for the next flush.
 *
 * @returns how many rows were written
 * @throws what the database throws
 */
export async function flushCalls(ctx: Ctx): Promise<number> {
  const memory = ctx.memory.of(pending);
  const { hours, days } = memory.waiting;
  if (hours.size + days.size === 0) return 0;
  memory.waiting = nothing();
  try {
    return await ctx.tx((ctx) => repo.addCalls(ctx, [...hours.values()], [...days.values()]));
  } catch (error) {
    for (const one of hours.values()) addHour(memory.waiting, one);
    for (const one of days.values()) addDay(memory.waiting, one);
    throw error;
  }
}

function addHour({ hours }: Pending, one: repo.KeyHour): void {
  const name = `${one.apiKeyId} ${one.hour}`;
  const known = hours.get(name);
  if (known) {
    known.calls += one.calls;
    known.failed += one.failed;
  } else hours.set(name, { ...one });
}

function dayOf({ days }: Pending, tenantId: string, day: string): repo.CallDay {
  const name = `${tenantId} ${day}`;
  const known = days.get(name);
  if (known) return known;
  const made = { tenantId, day, calls: 0, failed: 0, steps: new Array<number>(STEPS.length + 1).fill(0) };
  days.set(name, made);
  return made;
}

function addDay(waiting: Pending, { tenantId, day, calls, failed, steps }: repo.CallDay): void {
  const known = dayOf(waiting, tenantId, day);
  known.calls += calls;
  known.failed += failed;
  for (const [at, count] of steps.entries()) known.steps[at] = (known.steps[at] ?? 0) + count;
}
