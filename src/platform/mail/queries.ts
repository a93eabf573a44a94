import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { timestamp } from '#kernel/http/fields.ts';
import { EMAIL_STATUSES, type Email, emailRecord } from './record.ts';
import { type Stored, storedOf } from './repository.ts';

const TABLE = emailRecord.table;

/** Mails of the installation: they are those of one shop. */
export const emailRows = selection<Email>({
  from: ({ db }) => db.knex(TABLE),
  id: 'id',
  scope: 'none',
  columns: ['*'],
  read: emailRecord.read,
  filters: {
    status: filter.choice(EMAIL_STATUSES, { label: 'Status', column: 'status' }),
    template: filter.text({ label: 'Template', column: 'template' }),
    to: filter.text({ label: 'To', column: 'to_address', match: 'contains' }),
    relatedId: filter.text({ label: 'About', column: 'related_id' }),
    created: filter.times({ label: 'Written', column: 'created_at' }),
    from: filter.other('range', timestamp(), {
      label: 'Created since',
      apply: (query, from) => void query.where('created_at', '>=', from),
    }),
    until: filter.other('range', timestamp(), {
      label: 'Created before',
      apply: (query, until) => void query.where('created_at', '<', until),
    }),
  },
  search: { placeholder: 'Address or subject', by: ['to_address', 'subject'] },
  sorts: { created: 'created_at' },
  initial: '-created',
});

/** Mails that wait or are on their way, and since when the oldest does. */
export interface Waiting {
  readonly count: number;
  /** ISO time; null when none waits. */
  readonly since: string | null;
}

export async function waitingEmails({ db }: Ctx): Promise<Waiting> {
  const [row] = await db
    .knex(TABLE)
    .whereIn('status', ['queued', 'sending'])
    .count({ n: '*' })
    .min({ since: 'created_at' });
  const { n = 0, since = null } = (row ?? {}) as { n?: number | string; since?: string | null };
  return { count: Number(n), since };
}

/** Mails that wait after an attempt that failed, with what was wrong at the last one. */
export async function failingEmails({ db }: Ctx): Promise<{ count: number; error: string | null }> {
  const failing = () =>
    db.knex(TABLE).whereIn('status', ['queued', 'sending']).where('attempts', '>', 0).whereNotNull('error');
  const [counted] = await failing().count({ n: '*' });
  const count = Number(counted?.n ?? 0);
  if (count === 0) return { count, error: null };
  const last = await failing().orderBy('updated_at', 'desc').first('error');
  return { count, error: last?.error ?? null };
}

/** Mails that were given up in the last 24 hours, with what was wrong with the last one. */
export async function failedEmails(ctx: Ctx): Promise<{ count: number; error: string | null }> {
  const { db } = ctx;
  const since = addSeconds(ctx.now(), -SECONDS_PER_DAY);
  const failed = () => db.knex(TABLE).where({ status: 'failed' }).where('ended_at', '>=', since);
  const [counted] = await failed().count({ n: '*' });
  const count = Number(counted?.n ?? 0);
  if (count === 0) return { count, error: null };
  const last = await failed().orderBy('ended_at', 'desc').first('error');
  return { count, error: last?.error ?? null };
}

const MOST_ABOUT = 50;

/** Mails about a thing, the newest first, with what they said. */
export async function mailsAbout({ db }: Ctx, relatedId: string): Promise<Stored[]> {
  const rows: Record<string, unknown>[] = await db
    .knex(TABLE)
    .where({ related_id: relatedId })
    .orderBy([
      { column: 'created_at', order: 'desc' },
      { column: 'id', order: 'desc' },
    ])
    .limit(MOST_ABOUT);
  return rows.flatMap((row) => storedOf(row) ?? []);
}

/** Orders that mails of a template were about lately, each with its newest mail. */
export async function lastAbout({ db }: Ctx, template: string, limit: number): Promise<Email[]> {
  const rows: object[] = await db
    .knex(TABLE)
    .where({ template, related_type: 'order' })
    .whereNotNull('related_id')
    .orderBy('created_at', 'desc')
    .limit(limit * 3);
  const seen = new Map<string, Email>();
  for (const email of rows.map(emailRecord.read))
    if (email.relatedId !== null && !seen.has(email.relatedId)) seen.set(email.relatedId, email);
  return [...seen.values()].slice(0, limit);
}
