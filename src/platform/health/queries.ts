import type { Ctx } from '#kernel/context.ts';

/** What waits in the outbox, and what was given up. */
export interface QueueCounts {
  webhooks: number;
  emails: number;
  inboundSpool: number;
  dead: number;
}

const KINDS: Readonly<Record<string, 'webhooks' | 'emails' | 'inboundSpool'>> = {
  webhook: 'webhooks',
  mail: 'emails',
  inbound: 'inboundSpool',
};

/** Counts what waits in the outbox, and deliveries whose last attempt failed; those are kept for 30 days. */
export async function countQueues(ctx: Ctx): Promise<QueueCounts> {
  const { knex } = ctx.db;
  const counts: QueueCounts = { webhooks: 0, emails: 0, inboundSpool: 0, dead: 0 };
  const waiting = await knex('outbox')
    .whereNull('done_at')
    .groupBy('kind')
    .select('kind')
    .count('* as number');
  for (const { kind, number } of waiting) {
    const name = KINDS[String(kind)];
    if (name) counts[name] += Number(number);
  }
  const dead = await knex('webhook_deliveries')
    .whereNotNull('ended_at')
    .where({ state: 'FAILED', is_test: false })
    .count('* as number')
    .first();
  counts.dead = Number(dead?.number ?? 0);
  return counts;
}
