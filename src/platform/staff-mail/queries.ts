import { includesPermission } from '#kernel/actor.ts';
import { addSeconds } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import type { Recipient } from '../mail/index.ts';
import { type HeldRow, heldColumns, heldOf } from '../roles/index.ts';

/**
 * Staff who want a mail and may see what it is about, one mailbox each.
 *
 * @param mail `sentTo`: permission of those who get it without having chosen
 */
export async function readersOf(
  { db }: Ctx,
  { key, needs, sentTo = needs }: { readonly key: string; readonly needs: string; readonly sentTo?: string },
): Promise<(Recipient & { readonly id: string })[]> {
  const { knex } = db;
  const chosen: { id: string; wanted: unknown }[] = await knex('staff_email_choices')
    .where({ mail: key })
    .select({ id: 'admin_user_id', wanted: 'is_wanted' });
  const choices = new Map(chosen.map(({ id, wanted }) => [id, readFlag(wanted)]));
  const rows: (HeldRow & { id: string; email: string; name: string | null })[] = await knex(
    'admin_users as u',
  )
    .where('u.status', 'active')
    .orderBy('u.id')
    .select('u.id', 'u.email', 'u.name', ...heldColumns(knex, 'u.id'));
  return rows.flatMap((row) => {
    const { permissions, scopes } = heldOf(row);
    if (!(choices.get(row.id) ?? includesPermission(permissions, sentTo))) return [];
    // Whoever is confined to some rows would read of others.
    const mayRead = includesPermission(permissions, needs) && Object.keys(scopes).length === 0;
    return mayRead ? [{ id: row.id, address: row.email, name: row.name }] : [];
  });
}

/** Whether staff were written to about the same thing within the last hour. */
export async function wasToldLately(
  ctx: Ctx,
  template: string,
  subject: string,
  seconds: number,
): Promise<boolean> {
  const row: object | undefined = await ctx.db
    .knex('email_log')
    .where({ related_id: subject, template })
    .where('created_at', '>', addSeconds(ctx.now(), -seconds))
    .first('id');
  return row !== undefined;
}

/** What the last run of a job that failed said; null for a job that never failed, as far as its history reaches. */
export async function lastFailure({ db }: Ctx, job: string): Promise<{ error: string | null } | null> {
  // It is kept for as long as the job fails, while runs leave the history.
  const now: { error: string | null } | undefined = await db
    .knex('scheduled_jobs')
    .where({ name: job, last_status: 'failed' })
    .first({ error: 'last_error' });
  if (now) return now;
  // It ran well in the meantime, and staff hear of its failure all the same.
  const run: { error: string | null } | undefined = await db
    .knex('job_runs')
    .where({ job, status: 'failed' })
    .orderBy('started_at', 'desc')
    .first('error');
  return run ?? null;
}

/** A webhook that is disabled now; null when it is not. */
export async function disabledWebhook(
  { db }: Ctx,
  id: string,
): Promise<{ service: string; url: string; reason: string | null } | null> {
  const row: { service: string; url: string; disabled_reason: string | null } | undefined = await db
    .knex('webhooks')
    .where({ id, enabled: false })
    .first('service', 'url', 'disabled_reason');
  return row ? { service: row.service, url: row.url, reason: row.disabled_reason } : null;
}
