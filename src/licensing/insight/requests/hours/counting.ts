import type { Ctx } from '#kernel/context.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { DEFAULT_TENANT_ID } from '#platform/tenants/index.ts';
import { boundOf } from './durations.ts';
import { addHour, type HourCounts } from './repository.ts';

/** What this process counted and did not write: some entries of this hour, rarely of the one before. */
const pending = memoryKey<{ entries: Map<string, HourCounts> }>('request-hours', () => ({
  entries: new Map(),
}));

/**
 * Counts an answer of the public API for its hour, in memory alone, whether or not the request log keeps it. A request
 * without a known caller counts for the tenant that runs the installation, as the log shows it there.
 */
export function countRequest({ ctx, surface, status, ms }: Answered): void {
  if (surface !== 'licensing') return;
  const { entries } = ctx.memory.of(pending);
  const tenantId = ctx.origin.trail?.tenantId ?? DEFAULT_TENANT_ID;
  const hour = `${ctx.now().slice(0, 13)}:00:00.000Z`;
  add(entries, {
    tenantId,
    hour,
    upToMs: boundOf(ms),
    requests: 1,
    refused: Number(status >= 400 && status < 500),
    failed: Number(status >= 500),
  });
}

/**
 * Writes what was counted. What cannot be written waits for the next flush.
 *
 * @returns how many rows were written
 * @throws what the database throws
 */
export async function flushRequestHours(ctx: Ctx): Promise<number> {
  const memory = ctx.memory.of(pending);
  // In one order in all processes, which would else wait for each other in a circle (C9).
  const taken = [...memory.entries].sort(([one], [other]) => (one < other ? -1 : 1)).map(([, row]) => row);
  if (taken.length === 0) return 0;
  memory.entries = new Map();
  try {
    await ctx.tx(async (ctx) => {
      for (const row of taken) await addHour(ctx, row);
    });
  } catch (error) {
    for (const one of taken) add(memory.entries, one);
    throw error;
  }
  return taken.length;
}

function add(entries: Map<string, HourCounts>, one: HourCounts): void {
  const key = `${one.tenantId} ${one.hour} ${String(one.upToMs).padStart(7, '0')}`;
  const known = entries.get(key);
  if (known) {
    known.requests += one.requests;
    known.refused += one.refused;
    known.failed += one.failed;
  } else entries.set(key, { ...one });
}
