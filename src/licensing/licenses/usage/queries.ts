import type { Ctx } from '#kernel/context.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { fail } from '#licensing/contract/errors.ts';
import { effectiveMaxUses, usageOf } from '../decision/index.ts';
import { findStanding, type Standing } from '../standing/index.ts';
import { toRecord, type UsageRow } from './repository.ts';
import type { UsageRecordView, UsageView } from './view.ts';

/**
 * What a license has used (cli.md 3.5, licensing 4.2).
 *
 * @throws AppError NOT_FOUND
 */
export async function show(ctx: Ctx, licenseId: string): Promise<UsageView> {
  const { license, policy } = await standingOf(ctx, licenseId);
  const { current, byFeature } = await readCounter(ctx, license.id);
  const usage = usageOf(current, effectiveMaxUses(license, policy));
  return {
    current,
    max: usage.max,
    remaining: usage.max === null ? null : usage.remaining,
    percentUsed: usage.max === null ? null : usage.percentUsed,
    byFeature,
  };
}

/**
 * One page of the counted calls of a license, newest first, those before a reset included.
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR for a page out of range
 */
export async function list(ctx: Ctx, licenseId: string, page: PageAsked): Promise<Page<UsageRecordView>> {
  const { offset, limit } = sliceOf(page);
  const { license } = await standingOf(ctx, licenseId);
  const query = ctx.db.knex('license_usage').where({ license_id: license.id });
  const [counted] = await query.clone().count({ n: '*' });
  const rows: UsageRow[] = await query
    .orderBy([
      { column: 'epoch', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .offset(offset)
    .limit(limit);
  return pageOf(page, { items: rows.map(toView), total: Number(counted?.n ?? 0) });
}

const toView = (row: UsageRow): UsageRecordView => {
  const { id, at, feature, quantity, counterAfter, epoch, metadata } = toRecord(row);
  return { id, at, feature, quantity, counterAfter, epoch, metadata };
};

async function standingOf(ctx: Ctx, licenseId: string): Promise<Standing> {
  const standing = await findStanding(ctx, { id: licenseId }, '', ctx.now());
  if (standing) return standing;
  throw fail('NOT_FOUND', `license ${licenseId} was not found`, { details: { hint: 'appctl license list' } });
}

/** The counter and its parts in one statement: two would disagree while calls are counted. */
async function readCounter(ctx: Ctx, licenseId: string) {
  const rows: { current_uses: number; feature: string | null; quantity: unknown }[] = await ctx.db
    .knex('licenses as l')
    .leftJoin('license_usage as u', (on) => on.on('u.license_id', 'l.id').andOn('u.epoch', 'l.usage_epoch'))
    .where('l.id', licenseId)
    .groupBy('l.current_uses', 'u.feature')
    .orderBy('u.feature')
    .select('l.current_uses', 'u.feature')
    .sum({ quantity: 'u.quantity' });
  const parts = rows.flatMap(({ feature, quantity }): [string, number][] =>
    feature === null ? [] : [[feature, Number(quantity)]],
  );
  // Object.fromEntries defines properties, so that a feature called `__proto__` is one like any other.
  return { current: Number(rows[0]?.current_uses ?? 0), byFeature: Object.fromEntries(parts) };
}
