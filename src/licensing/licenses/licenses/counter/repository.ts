import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

const count = statement<
  { id: string; quantity: number; most: number; now: string },
  { current_uses: number; usage_epoch: number }
>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .whereRaw('current_uses + ? <= ?', [p('quantity'), p('most')])
    .update({ current_uses: q.raw('current_uses + ?', [p('quantity')]), updated_at: p('now') })
    .returning(['current_uses', 'usage_epoch']),
);

/**
 * Adds to the counter of a license unless that would exceed the limit (licensing 5.3).
 *
 * @param max the limit; null lets it count as far as a number is exact
 * @returns the counter afterwards and its epoch; null when nothing was added
 */
export async function addToCounter(
  ctx: Ctx,
  licenseId: string,
  quantity: number,
  max: number | null,
  now: string,
): Promise<{ current: number; epoch: number } | null> {
  const most = max ?? Number.MAX_SAFE_INTEGER;
  const row = await count.first(ctx.db, { id: licenseId, quantity, most, now });
  return row ? { current: row.current_uses, epoch: row.usage_epoch } : null;
}

const restart = statement<{ id: string; value: number; now: string }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .update({
      current_uses: p('value'),
      usage_base: p('value'),
      usage_epoch: q.raw('usage_epoch + 1'),
      updated_at: p('now'),
    }),
);

/** Lets the counter go on from a value: an epoch begins, and the value is what it holds without any record. */
export async function restartCounter(ctx: Ctx, licenseId: string, value: number): Promise<void> {
  await restart.run(ctx.db, { id: licenseId, value, now: ctx.now() });
}
