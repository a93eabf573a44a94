import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import { STEP_ROWS, type Step, stepOf } from '#kernel/jobs/step.ts';

const doneEvents = statement<{ before: string }>((q, p) =>
  q('license_inbound_events')
    .whereIn(
      'id',
      q('license_inbound_events')
        .where('received_at', '<', p('before'))
        // Part of the statement: for parameters SQLite does not use the index.
        .whereRaw("status IN ('PROCESSED', 'IGNORED') AND body <> ''")
        // What is mapped in part can still be processed again.
        .whereRaw("coalesce(reason, '') <> 'PARTLY_UNMAPPED'")
        .orderBy('received_at')
        .limit(STEP_ROWS)
        .select('id'),
    )
    .update({ body: '', headers: '{}' }),
);

/**
 * Empties inbound events that are done with, oldest first. The rows stay: they are what tells a repeated delivery, and
 * claims name them.
 */
export const emptyInbox = async (ctx: Ctx, before: string): Promise<Step<true>> =>
  stepOf(await doneEvents.run(ctx.db, { before }));
