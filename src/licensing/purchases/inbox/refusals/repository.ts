import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const TABLE = 'license_inbound_refusals';

const countRow = statement<{
  config_id: string;
  hour: string;
  reason: string;
  ip: string;
  detail: string;
  now: string;
}>((q, p) =>
  q(TABLE)
    .insert({
      ...p.row('config_id', 'hour', 'reason', 'ip', 'detail'),
      count: 1,
      last_at: p('now'),
      created_at: p('now'),
    })
    .onConflict(['config_id', 'hour', 'reason', 'ip'])
    .merge({ count: q.raw('license_inbound_refusals.count + 1'), detail: p('detail'), last_at: p('now') }),
);

/** Counts one refused delivery: one row per hour, reason and address. */
export const count = (
  ctx: Ctx,
  one: { configId: string; reason: string; ip: string; detail: string },
): Promise<number> => {
  const now = ctx.now();
  const { configId, reason, ip, detail } = one;
  return countRow.run(ctx.db, { config_id: configId, hour: now.slice(0, 13), reason, ip, detail, now });
};
