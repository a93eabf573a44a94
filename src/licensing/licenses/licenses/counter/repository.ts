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

const fill = statement<{ id: string; current: number }>((q, p) =>
  q('licenses')
    .where('id', p('id'))
    .where({ current_uses: 0, usage_base: 0, usage_epoch: 0 })
    .update({ current_uses: p('current'), usage_base: p('current') }),
);

/**
 * Gives a license that has counted nothing yet the counter that it had elsewhere; false when it has counted. The base
 * holds it, since its records stayed behind: doctor adds the two up (licensing 8.8).
 */
export const fillCounter = async (ctx: Ctx, licenseId: string, current: number): Promise<boolean> =>
  (await fill.run(ctx.db, { id: licenseId, current })) === 1;
