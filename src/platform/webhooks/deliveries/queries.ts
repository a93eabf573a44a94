import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

/** Rows of one transaction: on SQLite other writers wait for it (C16). */
const ROWS = 500;

/** A delivery as it is frozen. */
export interface Frozen {
  id: string;
  webhook_id: string;
  tenant_id: string;
  event_id: string;
  event: string;
  subject: string;
  body: string;
  /** ISO time of the event. */
  at: string;
}

// Taken from the webhook's row, which is locked by it: one that is being deleted is waited for, and a row that is gone
// gets no delivery. A plain INSERT would then fail, and with it the change of a license.
const freezeRow = statement<Frozen>((q, p) =>
  q(
    q.raw(
      'webhook_deliveries (id, webhook_id, tenant_id, event_id, event, subject, body, next_attempt_at, created_at, state, is_test, run, attempts)',
    ),
  ).insert(
    q('webhooks')
      .where('id', p('webhook_id'))
      .forKeyShare()
      .select(
        q.raw("?, id, ?, ?, ?, ?, ?, ?, ?, 'PENDING', false, 0, 0", [
          p('id'),
          p('tenant_id'),
          p('event_id'),
          p('event'),
          p('subject'),
          p('body'),
          p('at'),
          p('at'),
        ]),
      ),
  ),
);

/** Writes a delivery that waits; false when its webhook was deleted meanwhile. */
export const freeze = async (ctx: Ctx, delivery: Frozen): Promise<boolean> =>
  (await freezeRow.run(ctx.db, delivery)) === 1;

const againRow = statement<{ id: string; now: string }>((q, p) =>
  q('webhook_deliveries')
    .where('id', p('id'))
    .whereNot('state', 'PENDING')
    .update({
      state: 'PENDING',
      run: q.raw('run + 1') as never,
      attempts: 0,
      ended_at: null,
      next_attempt_at: p('now'),
    }),
);

/** Begins a new run of a delivery that has ended; false when it has not. */
export const beginAgain = async (ctx: Ctx, id: string, now: string): Promise<boolean> =>
  (await againRow.run(ctx.db, { id, now })) === 1;

/** Ends deliveries without sending them. */
export const markSkipped = (ctx: Ctx, ids: readonly string[]): Promise<number> =>
  ctx.db
    .knex('webhook_deliveries')
    .whereIn('id', ids)
    .where({ state: 'PENDING' })
    .update({ state: 'SKIPPED', ended_at: ctx.now(), next_attempt_at: null });

const deleteOld = statement<{ before: string }>((q, p) =>
  q('webhook_deliveries')
    .whereIn(
      'id',
      q('webhook_deliveries')
        .whereNotNull('ended_at')
        .where('ended_at', '<', p('before'))
        .orderBy('ended_at')
        .limit(ROWS)
        .select('id'),
    )
    .delete(),
);

/** Deletes deliveries that ended before a time, with their attempts, at most 500; how many. */
export const deleteEnded = (ctx: Ctx, before: string): Promise<number> => deleteOld.run(ctx.db, { before });
