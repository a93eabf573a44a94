import type { Ctx } from '#kernel/context.ts';
import type { Knex } from '#kernel/db/database.ts';
import { statement } from '#kernel/db/statement.ts';
import { type Refusals, refusalRecord } from './record.ts';

const TABLE = refusalRecord.table;
const KEY = ['service', 'bucket', 'kind', 'subject'] as const;

/** Addresses that are kept; of more, those with the fewest refusals are counted together. */
const MOST_ADDRESSES = 500;

interface AddParams {
  service: string;
  bucket: string;
  kind: string;
  subject: string;
  count: number;
  max: number;
  window_seconds: number;
  first_at: string;
  last_at: string;
  created_at: string;
  since: string;
}

const addRow = statement<AddParams>((q, p) => {
  const excluded = (column: string) => q.raw('excluded.??', [column]);
  const stored = (column: string) => q.raw('??.??', [TABLE, column]);
  const unlessEnded = (goesOn: Knex.Raw, anew: Knex.Raw) =>
    q.raw('CASE WHEN ? < ? THEN ? ELSE ? END', [stored('last_at'), p('since'), anew, goesOn]);
  return q(TABLE)
    .insert(p.row(...KEY, 'count', 'max', 'window_seconds', 'first_at', 'last_at', 'created_at'))
    .onConflict([...KEY])
    .merge({
      count: unlessEnded(q.raw('? + ?', [stored('count'), excluded('count')]), excluded('count')),
      first_at: unlessEnded(stored('first_at'), excluded('first_at')),
      last_at: excluded('last_at'),
      max: excluded('max'),
      window_seconds: excluded('window_seconds'),
    });
});

/**
 * Adds counts to their rows.
 *
 * @param since a row whose last refusal is older begins anew
 */
export async function addAll(ctx: Ctx, refusals: readonly Refusals[], since: string): Promise<void> {
  const created_at = ctx.now();
  for (const { windowSeconds, firstAt, lastAt, ...same } of inOrder(refusals)) {
    const times = { window_seconds: windowSeconds, first_at: firstAt, last_at: lastAt };
    await addRow.run(ctx.db, { ...same, ...times, created_at, since });
  }
}

/** Two processes that write the same rows lock them in one order. */
const inOrder = (refusals: readonly Refusals[]): Refusals[] =>
  refusals.toSorted((one, other) => (orderOf(one) < orderOf(other) ? -1 : 1));

const orderOf = ({ bucket, kind, subject }: Refusals): string => `${kind} ${bucket} ${subject}`;

/** Deletes rows whose last refusal is older. */
export async function forget(ctx: Ctx, before: string): Promise<void> {
  await ctx.db.knex(TABLE).where('last_at', '<', before).delete();
}

const surplus = statement<object>((q) =>
  q(TABLE)
    .where('kind', 'address')
    .orderBy([
      { column: 'count', order: 'desc' },
      { column: 'last_at', order: 'desc' },
    ])
    .offset(MOST_ADDRESSES)
    // Another process that takes them too must not count them twice.
    .forUpdate(),
);

const deleteRow = statement<Pick<AddParams, (typeof KEY)[number]>>((q, p) =>
  q(TABLE)
    .where(p.row(...KEY))
    .delete(),
);

/**
 * Takes the addresses beyond those with the highest counts out of the table.
 *
 * @returns what they counted, together by bucket
 */
export async function takeSurplus(ctx: Ctx): Promise<Refusals[]> {
  const rows = (await surplus.all(ctx.db, {})).map(refusalRecord.read);
  const others = new Map<string, Refusals>();
  for (const taken of rows) {
    const { service, bucket, kind, subject } = taken;
    await deleteRow.run(ctx.db, { service, bucket, kind, subject });
    const name = `${taken.service} ${taken.bucket}`;
    const sum = others.get(name) ?? { ...taken, kind: 'other', subject: '', count: 0 };
    others.set(name, {
      ...sum,
      count: sum.count + taken.count,
      firstAt: taken.firstAt < sum.firstAt ? taken.firstAt : sum.firstAt,
      lastAt: taken.lastAt > sum.lastAt ? taken.lastAt : sum.lastAt,
    });
  }
  return [...others.values()];
}
