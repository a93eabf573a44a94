// A purchase that a processor reports of a product that no mapping names.
import { createHmac } from 'node:crypto';
import type { Ctx } from '#kernel/context.ts';
import { receive } from '#licensing/purchases/inbox/receive.ts';

const secret = 'a secret of the processor';
let made = 0;

/** A purchase of the mapped product. */
export const purchase = { event: 'order.completed', id: 'o1', productId: 'plan_1', email: 'ann@x.test' };

/** A purchase that comes in, as the processor reports it. @returns id of its event */
export async function reported(ctx: Ctx, configId: string): Promise<string> {
  const raw = Buffer.from(JSON.stringify({ ...purchase, productId: 'plan_unmapped', id: `evt ${made++}` }));
  const signature = createHmac('sha256', secret).update(raw).digest('hex');
  await receive(ctx, {
    configId,
    raw: { bytes: raw },
    headers: { 'x-webhook-signature': signature },
    ip: '203.0.113.9',
  });
  const row = await ctx.db.knex('license_inbound_events').where({ config_id: configId }).first('id');
  return row.id;
}
