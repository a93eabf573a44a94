import type { Ctx } from '../../context.ts';
import type { Knex } from '../../db/database.ts';
import { skippingLocked } from '../../db/dialect.ts';
import { lockName } from '../../db/named-lock.ts';
import { statement } from '../../db/statement.ts';
import type { OutboxEntry } from '../handler.ts';

/** A moment, and the latest end that a lease can have by a right clock (M20). */
export interface Moment {
  now: string;
  held_at_latest: string;
}

/** A target that something waits for, and since when. */
export interface DueTarget {
  target: string;
  since: string;
}

/** An entry that this process holds for a while. */
export interface Held {
  readonly entry: OutboxEntry;
  readonly availableAt: string;
  /** Proves that it is still held by whoever claimed it. */
  readonly token: string;
  /** ISO time at which anybody may take it. */
  readonly until: string;
}

/** Not held, or by somebody who died: also one whose lease a clock that was set back since put far ahead. */
const isFree =
  (p: (name: keyof Moment) => string) =>
  (row: Knex.QueryBuilder): void => {
    row
      .whereNull('lease_until')
      .orWhere('lease_until', '<=', p('now'))
      .orWhere('lease_until', '>', p('held_at_latest'));
  };

// From one target to the next along the index: what waits for one of them is not read to find the others.
const dueTargets = statement<Moment, { target: string; since: string | null }>((q, p) =>
  q.raw(
    'WITH RECURSIVE targets(target) AS (' +
      'SELECT min(target) FROM outbox WHERE done_at IS NULL ' +
      'UNION ALL SELECT (SELECT min(o.target) FROM outbox o WHERE o.done_at IS NULL AND o.target > t.target) ' +
      'FROM targets t WHERE t.target IS NOT NULL) ' +
      'SELECT t.target, (SELECT o.available_at FROM outbox o ' +
      'WHERE o.done_at IS NULL AND o.target = t.target AND o.available_at <= ? ' +
      'AND (o.lease_until IS NULL OR o.lease_until <= ? OR o.lease_until > ?) ' +
      'ORDER BY o.available_at LIMIT 1) AS since FROM targets t WHERE t.target IS NOT NULL',
    [p('now'), p('now'), p('held_at_latest')],
  ),
);

/** Targets for which something may be sent now. */
export async function listDueTargets(ctx: Ctx, moment: Moment): Promise<DueTarget[]> {
  const rows = await dueTargets.all(ctx.db, moment);
  return rows.flatMap(({ target, since }) => (since === null ? [] : [{ target, since }]));
}

/** How much of the outbox is not done, also what is on its way or waits for its next attempt. */
export async function countUndone(ctx: Ctx): Promise<number> {
  const [counted] = await ctx.db.knex('outbox').whereNull('done_at').count({ n: '*' });
  return Number(counted?.n ?? 0);
}

interface Claim extends Moment {
  target: string;
  count: number;
  token: string;
  until: string;
}

/** Which entries to claim; `isCounted` where the handler has said how many may be under way. */
export type Claiming = Claim & { isCounted?: boolean };

interface ClaimedRow {
  id: string;
  kind: string;
  ref_id: string;
  target: string;
  attempts: number;
  available_at: string;
}

const claimRows = statement<Claim, ClaimedRow>((q, p) => {
  const due = q('outbox')
    .whereNull('done_at')
    .where('target', p('target'))
    .where('available_at', '<=', p('now'))
    .andWhere(isFree(p))
    // The builder's limit() takes no parameter.
    .orderByRaw('available_at, id LIMIT ?', [p('count')])
    .select('id');
  return q('outbox')
    .with('picked', skippingLocked(q, due))
    .whereIn('id', q('picked').select('id'))
    .update({ lease_token: p('token'), lease_until: p('until') })
    .returning(['id', 'kind', 'ref_id', 'target', 'attempts', 'available_at']);
});

/** Takes entries of one target that are due, the longest due first; those that another process takes are left out. */
export async function claim(ctx: Ctx, { isCounted = false, ...asked }: Claiming): Promise<Held[]> {
  const rows = await claimRows.all(ctx.db, asked);
  return rows.map(({ id, kind, ref_id, target, attempts, available_at }) => ({
    entry: { id, kind, refId: ref_id, target, attempts, isCounted },
    availableAt: available_at,
    token: asked.token,
    until: asked.until,
  }));
}

/** Lets one transaction at a time count what is held of a target. */
export const lockTarget = (ctx: Ctx, target: string): Promise<void> => lockName(ctx.db, `outbox:${target}`);

const heldCount = statement<Moment & { target: string }, { n: number | string }>((q, p) =>
  q('outbox')
    .whereNull('done_at')
    .where('target', p('target'))
    .where('lease_until', '>', p('now'))
    .where('lease_until', '<=', p('held_at_latest'))
    .count({ n: '*' }),
);

/** Entries of a target that any process holds: each of them may be on its way. */
export const countHeld = async (ctx: Ctx, moment: Moment & { target: string }): Promise<number> =>
  Number((await heldCount.first(ctx.db, moment))?.n ?? 0);

interface Key {
  id: string;
  token: string;
}

const keyOf = ({ entry, token }: Held): Key => ({ id: entry.id, token });

const heldRow = statement<Key, { id: string }>((q, p) =>
  q('outbox').where('id', p('id')).where('lease_token', p('token')).forUpdate().select('id'),
);

/** Whether it is still ours; then its row is locked until the end of the transaction. */
export const isStillHeld = async (ctx: Ctx, held: Held): Promise<boolean> =>
  (await heldRow.first(ctx.db, keyOf(held))) !== undefined;

const releaseRow = statement<Key>((q, p) =>
  q('outbox')
    .where('id', p('id'))
    .where('lease_token', p('token'))
    .update({ lease_token: null, lease_until: null }),
);

/** Gives back what was not begun. */
export async function release(ctx: Ctx, all: readonly Held[]): Promise<void> {
  for (const held of all) await releaseRow.run(ctx.db, keyOf(held));
}

const postponeRow = statement<Key & { at: string }>((q, p) =>
  q('outbox')
    .where('id', p('id'))
    .where('lease_token', p('token'))
    .update({
      available_at: p('at'),
      attempts: q.raw('attempts + 1') as never,
      lease_token: null,
      lease_until: null,
    }),
);

/** Counts an attempt and lets the entry wait for the next one. */
export const postpone = (ctx: Ctx, held: Held, at: string): Promise<number> =>
  postponeRow.run(ctx.db, { ...keyOf(held), at });

const endRow = statement<Key>((q, p) =>
  q('outbox').where('id', p('id')).where('lease_token', p('token')).delete(),
);

/** Takes an entry away whose content has been sent or given up. */
export const end = (ctx: Ctx, held: Held): Promise<number> => endRow.run(ctx.db, keyOf(held));

/** Makes due now what waits for longer than it can by a right clock; how many those were. */
export const bringForward = (ctx: Ctx, { kind, latest }: { kind: string; latest: string }): Promise<number> =>
  ctx.db
    .knex('outbox')
    .whereNull('done_at')
    .where({ kind })
    .where('available_at', '>', latest)
    .update({ available_at: ctx.now() });

/** Entries of a target that were written by a time and are not on their way at a moment. */
export interface Waiting {
  kind: string;
  target: string;
  /** ISO time. */
  writtenBy: string;
  moment: Moment;
}

const waitingOf = ({ db: { knex } }: Ctx, { kind, target, writtenBy, moment }: Waiting): Knex.QueryBuilder =>
  knex('outbox')
    .whereNull('done_at')
    .where({ kind, target })
    .where('created_at', '<=', writtenBy)
    .andWhere(isFree((name) => moment[name]));

export async function countWaiting(ctx: Ctx, waiting: Waiting): Promise<number> {
  const [counted] = await waitingOf(ctx, waiting).count({ n: '*' });
  return Number(counted?.n ?? 0);
}

/** Takes waiting entries away; the ids of what they refer to. @param most keeps the transaction short (C16) */
export async function takeWaiting(ctx: Ctx, waiting: Waiting, most: number): Promise<string[]> {
  const { knex } = ctx.db;
  const some = waitingOf(ctx, waiting).limit(most).select('id', 'ref_id');
  const rows: { id: string; ref_id: string }[] = await skippingLocked(knex, some);
  const ids = rows.map((row) => row.id);
  await knex('outbox').whereIn('id', ids).delete();
  return rows.map((row) => row.ref_id);
}

/** Takes away all entries of a target, also those on their way: what comes of them is dropped. */
export const removeAll = (ctx: Ctx, kind: string, target: string): Promise<number> =>
  ctx.db.knex('outbox').where({ kind, target }).delete();

/** Makes due now what waits for its time, and is not on its way. */
export const makeDue = (ctx: Ctx, kind: string, refId: string): Promise<number> =>
  ctx.db
    .knex('outbox')
    .whereNull('done_at')
    .where({ kind, ref_id: refId })
    .where('available_at', '>', ctx.now())
    .update({ available_at: ctx.now() });
