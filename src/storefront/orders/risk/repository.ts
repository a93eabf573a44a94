import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { paymentTryRecord, type TriedBy } from './record.ts';

/** What was counted of somebody within the open window. */
export interface Tally {
  readonly points: number;
  readonly declines: number;
}

/** A row to count in. */
export interface Counted {
  readonly key: string;
  readonly kind: TriedBy;
  readonly windowSeconds: number;
}

type Params = {
  key: string;
  kind: string;
  points: number;
  declines: number;
  most: number;
  now: string;
  ends: string;
};

/**
 * Opens a window or counts in the one that is open, and tells by its row whether it did: processes that count at once
 * wait for each other at the row, and none goes beyond the limit.
 */
const counted = statement<Params, Tally>((q, p) =>
  q.raw(
    `INSERT INTO payment_tries ("key", kind, points, declines, refused, ends_at, created_at)
    VALUES (?, ?, ?, ?, 0, ?, ?)
    ON CONFLICT ("key") DO UPDATE SET
      points = CASE WHEN payment_tries.ends_at <= ? THEN excluded.points ELSE payment_tries.points + excluded.points END,
      declines = CASE WHEN payment_tries.ends_at <= ? THEN excluded.declines ELSE payment_tries.declines + excluded.declines END,
      refused = CASE WHEN payment_tries.ends_at <= ? THEN 0 ELSE payment_tries.refused END,
      ends_at = CASE WHEN payment_tries.ends_at <= ? THEN excluded.ends_at ELSE payment_tries.ends_at END
    WHERE payment_tries.ends_at <= ? OR payment_tries.points + excluded.points <= ?
    RETURNING points, declines`,
    [
      p('key'),
      p('kind'),
      p('points'),
      p('declines'),
      p('ends'),
      p('now'),
      p('now'),
      p('now'),
      p('now'),
      p('now'),
      p('now'),
      p('most'),
    ],
  ),
);

/** @returns what is counted then; null when it would be more than `most` */
export async function count(
  ctx: Ctx,
  { key, kind, windowSeconds }: Counted,
  { points, declines }: Tally,
  most: number,
): Promise<Tally | null> {
  const now = ctx.now();
  const ends = addSeconds(now, windowSeconds);
  const row = await counted.first(ctx.db, { key, kind, points, declines, most, now, ends });
  return row ?? null;
}

const refused = statement<{ key: string }>((q, p) =>
  q(paymentTryRecord.table)
    .where('key', p('key'))
    .update({ refused: q.raw('refused + 1') }),
);
export const countRefused = ({ db }: Ctx, key: string): Promise<number> => refused.run(db, { key });
