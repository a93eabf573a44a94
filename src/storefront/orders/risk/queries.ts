import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { orderRecord } from '../orders/index.ts';
import { paymentTryRecord } from './record.ts';

const cards = statement<{ email: string; since: string }, { cards: number | string }>((q, p) =>
  q({ o: orderRecord.table })
    .join({ p: 'payments' }, 'p.order_id', 'o.id')
    .where('o.email_norm', p('email'))
    .where('p.created_at', '>=', p('since'))
    .whereNotNull('p.fingerprint')
    .countDistinct({ cards: 'p.fingerprint' }),
);
/** With how many cards an email address has tried to pay since a time. */
export const cardsOf = async ({ db }: Ctx, email: string, since: string): Promise<number> =>
  Number((await cards.first(db, { email, since }))?.cards ?? 0);

const emails = statement<{ fingerprint: string; since: string }, { emails: number | string }>((q, p) =>
  q({ p: 'payments' })
    .join({ o: orderRecord.table }, 'o.id', 'p.order_id')
    .where('p.fingerprint', p('fingerprint'))
    .where('p.created_at', '>=', p('since'))
    .countDistinct({ emails: 'o.email_norm' }),
);
/** With how many email addresses a card was used since a time. */
export const emailsOf = async ({ db }: Ctx, fingerprint: string, since: string): Promise<number> =>
  Number((await emails.first(db, { fingerprint, since }))?.emails ?? 0);

/** Tries that were refused in windows that end after a time, and whose they were. */
export async function refusedSince({ db }: Ctx, since: string): Promise<{ tries: number; of: number }> {
  const row = (await db
    .knex(paymentTryRecord.table)
    .where('ends_at', '>', since)
    .where('refused', '>', 0)
    .sum({ tries: 'refused' })
    .count({ of: '*' })
    .first()) as { tries: number | string | null; of: number | string } | undefined;
  return { tries: Number(row?.tries ?? 0), of: Number(row?.of ?? 0) };
}

// Compiled, so that the index over these few orders serves it: with a bound word SQLite read all orders (decision 0081).
const waiting = statement<Record<never, never>, { count: number | string; oldest: string | null }>((q) =>
  q(orderRecord.table).where('review', 'waiting').count({ count: '*' }).min({ oldest: 'placed_at' }),
);
/** How many orders wait for a review, and since when the oldest does. */
export async function reviewsWaiting({ db }: Ctx): Promise<{ count: number; oldest: string | null }> {
  const row = await waiting.first(db, {});
  return { count: Number(row?.count ?? 0), oldest: row?.oldest ?? null };
}
