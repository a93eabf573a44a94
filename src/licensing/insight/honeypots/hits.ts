import { SYSTEM } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { isForeignKeyViolation } from '#kernel/db/dialect.ts';
import type { Answered } from '#kernel/http/surface.ts';
import { memoryKey } from '#kernel/process-memory.ts';
import { licenseSignals, licensingEvent } from '#licensing/contract/events.ts';
import { ids } from '#licensing/contract/ids.ts';
import { statusAt } from '#licensing/licenses/decision/index.ts';
import {
  type DeadKeyUse,
  findStanding,
  hasDeadKeyUses,
  liveMachinesOf,
  subjectOf,
  takeDeadKeyUses,
} from '#licensing/licenses/standing/index.ts';
import { type EventSubject, publish } from '#licensing/publish.ts';
import { blockEverywhere } from './blocks.ts';
import * as queries from './queries.ts';
import * as repo from './repository.ts';

/** The writing under way; the next one begins after it. */
const writing = memoryKey<{ latest: Promise<unknown> }>('honeypot-writing', () => ({
  latest: Promise.resolve(),
}));

/**
 * Told of every answer of the API. When a dead key was used, its address is shut out at once if the honeypot asks for
 * it, and the use is written outside of the request: an answer about a honeypot takes no longer than any other (D131).
 * Neither waits nor throws.
 */
export function noticeHits({ ctx }: Pick<Answered, 'ctx'>): void {
  if (!hasDeadKeyUses(ctx)) return;
  flushHits(ctx).catch((error: unknown) =>
    ctx.log.error({ err: error }, 'uses of dead keys were not written'),
  );
}

/**
 * Writes the uses of dead keys that wait in memory: their report and HONEYPOT_TRIGGERED once per key, address and hour
 * (D131), and for a replaced key the flag OLD_KEY_USED (D130, 6.9). The server also calls it when it ends.
 *
 * @returns how many uses were written, of one key from one address each
 */
export function flushHits(ctx: Ctx): Promise<number> {
  const uses = takeDeadKeyUses(ctx);
  for (const use of uses) blockEverywhere(ctx, use);
  const memory = ctx.memory.of(writing);
  const flush = memory.latest.then(async () => {
    for (const use of uses) await writeOne(ctx.with({ actor: SYSTEM, tenantId: use.tenantId }), use);
    return uses.length;
  });
  memory.latest = flush.catch(() => undefined);
  return flush;
}

/** One use that cannot be written does not take the others with it; a key that was purged meanwhile is no failure. */
async function writeOne(ctx: Ctx, use: DeadKeyUse): Promise<void> {
  try {
    await ctx.tx(async (ctx) => {
      if (use.isHoneypot) await writeHit(ctx, use);
      if (use.isCanary) return;
      const suspicion = { rule: 'OLD_KEY_USED', score: use.count, evidence: { uses: use.count } } as const;
      await licenseSignals.tell(ctx, 'LICENSE_SUSPECTED', use.licenseId, suspicion);
    });
  } catch (error) {
    if (isForeignKeyViolation(error)) return;
    ctx.log.error({ err: error, keyId: use.keyId }, 'the use of a dead key was not written');
  }
}

async function writeHit(ctx: Ctx, use: DeadKeyUse): Promise<void> {
  const isFirst = await repo.addHit(ctx, { id: ctx.newId(ids.honeypotHit), ...use });
  if (!isFirst) return;
  const { endpoint, ip, machineId, userAgent } = use;
  const event = licensingEvent('HONEYPOT_TRIGGERED', { endpoint, ip, machineId, userAgent });
  const named = use.isCanary ? await canary(ctx, use.licenseId) : await license(ctx, use.licenseId);
  if (named) await publish(ctx, named.subject, named.after, event);
}

interface Named {
  subject: EventSubject;
  after: Parameters<typeof publish>[2];
}

async function canary(ctx: Ctx, licenseId: string): Promise<Named | null> {
  const found = await queries.find(ctx, licenseId);
  if (!found) return null;
  const { keyPrefix, productName: name, productSlug: slug } = found;
  return {
    subject: { licenseId, keyPrefix, customerId: null, product: { name, slug } },
    after: { status: 'ACTIVE', machineIds: async () => [] },
  };
}

async function license(ctx: Ctx, licenseId: string): Promise<Named | null> {
  const now = ctx.now();
  const standing = await findStanding(ctx, { id: licenseId }, '', now);
  if (!standing) return null;
  const after = { status: statusAt(standing.license, now), machineIds: liveMachinesOf(licenseId) };
  return { subject: subjectOf(standing), after };
}
