import type { Ctx } from '#kernel/context.ts';
import { type RecordedRequest, requestRecord } from './record.ts';

const TABLE = requestRecord.table;

/** A recorded request on its way into the table; `facts` and `trace` are JSON texts. */
export interface RequestRow extends RecordedRequest {
  tenantId: string | null;
  facts: string | null;
  trace: string | null;
}

/** Writes rows; one that is there already is left as it is. */
export async function insertAll(ctx: Ctx, rows: readonly RequestRow[]): Promise<void> {
  const values = rows.map(({ tenantId, facts, trace, ...same }) =>
    requestRecord.write(same, { tenantId, facts, trace }),
  );
  await ctx.db.knex(TABLE).insert(values).onConflict('id').ignore();
}
