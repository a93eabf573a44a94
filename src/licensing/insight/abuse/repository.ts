import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';
import type { FlagStatus } from '#licensing/contract/enumerations.ts';

interface Resolution {
  id: string;
  status: FlagStatus;
  note: string | null;
  resolved_by: string;
  now: string;
}

const resolveRow = statement<Resolution>((q, p) =>
  q('license_abuse_flags')
    .where('id', p('id'))
    .where('status', 'OPEN')
    .update({
      status: p('status'),
      note: p('note'),
      resolved_by: p('resolved_by'),
      resolved_at: p('now'),
      updated_at: p('now'),
    }),
);

/** Closes an open flag; false when it is not open any more (C6). */
export const resolve = async (
  ctx: Ctx,
  {
    id,
    status,
    note,
    resolvedBy,
  }: { id: string; status: FlagStatus; note: string | null; resolvedBy: string },
): Promise<boolean> =>
  (await resolveRow.run(ctx.db, { id, status, note, resolved_by: resolvedBy, now: ctx.now() })) === 1;
