import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { limitAddress } from '#kernel/http/client-address.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import type { Refusals } from './record.ts';
import * as repo from './repository.ts';

/** Subjects that may wait for the next flush; addresses beyond them are counted together. */
const MOST_WAITING = 200;
/** A refusal so long after the last one begins a new count. */
const EPISODE_SECONDS = SECONDS_PER_DAY;
const KEPT_SECONDS = 30 * SECONDS_PER_DAY;

interface Waiting {
  refusals: Map<string, Refusals>;
  /** The flush under way; the next one begins after it. */
  flushing: Promise<number>;
}

const waiting = memoryKey<Waiting>('limit-refusals', () => ({
  refusals: new Map(),
  flushing: Promise.resolve(0),
}));

/**
 * Counts a request that a rate limit has refused, if one has (D15). It only fills memory, which an attacker with many
 * addresses cannot grow: API keys cannot be invented, and addresses beyond a bound are counted together.
 */
export function noteRefusal({ ctx, service }: Pick<Answered, 'ctx' | 'service'>): void {
  const by = ctx.origin.trail?.refusedBy;
  if (!by) return;
  const { bucket, max, windowSeconds } = by;
  const now = ctx.now();
  const one = { service, bucket, max, windowSeconds, count: 1, firstAt: now, lastAt: now };
  add(ctx.memory.of(waiting).refusals, { ...one, ...refusedClient(ctx, by) });
}

/**
 * An API key by its id. Anybody else by the address: sessions can be invented, mailboxes are nobody's business, and an
 * operator who looks for whoever guesses passwords wants to know where from.
 */
function refusedClient({ actor, origin }: Ctx, { by, key }: RefusedBy): Pick<Refusals, 'kind' | 'subject'> {
  if (by === 'ip') return { kind: 'address', subject: key };
  const isKey = by === 'credential' && actor.kind !== 'admin' && actor.kind !== 'staff';
  if (isKey) return { kind: 'api_key', subject: key };
  return { kind: 'address', subject: limitAddress(origin.ip ?? '') };
}

type RefusedBy = NonNullable<NonNullable<Ctx['origin']['trail']>['refusedBy']>;

function add(refusals: Waiting['refusals'], one: Refusals): void {
  const known = refusals.get(nameOf(one));
  if (known) {
    known.count += one.count;
    known.lastAt = one.lastAt;
    known.max = one.max;
    known.windowSeconds = one.windowSeconds;
  } else if (one.kind !== 'address' || refusals.size < MOST_WAITING) {
    refusals.set(nameOf(one), { ...one });
  } else {
    add(refusals, { ...one, kind: 'other', subject: '' });
  }
}

const nameOf = ({ service, bucket, kind, subject }: Refusals): string =>
  `${service} ${bucket} ${kind} ${subject}`;

/**
 * Writes what was counted since the last flush. While the database is away the counts wait for the next one.
 *
 * @returns how many rows were written
 * @throws what the database throws
 */
export function flushRefusals(ctx: Ctx): Promise<number> {
  const memory = ctx.memory.of(waiting);
  const flush = memory.flushing.then(() => writeAll(ctx, memory));
  memory.flushing = flush.catch(() => 0);
  return flush;
}

async function writeAll(ctx: Ctx, memory: Waiting): Promise<number> {
  const rows = [...memory.refusals.values()];
  if (rows.length === 0) return 0;
  memory.refusals = new Map();
  try {
    await ctx.tx(async (ctx) => {
      const now = ctx.now();
      const since = addSeconds(now, -EPISODE_SECONDS);
      await repo.addAll(ctx, rows, since);
      await repo.forget(ctx, addSeconds(now, -KEPT_SECONDS));
      await repo.addAll(ctx, await repo.takeSurplus(ctx), since);
    });
  } catch (error) {
    const since = memory.refusals;
    memory.refusals = new Map();
    for (const one of [...rows, ...since.values()]) add(memory.refusals, one);
    throw error;
  }
  return rows.length;
}
