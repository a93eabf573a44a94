import type { Ctx } from '#kernel/context.ts';
import type { Asked } from '#kernel/db/selection/spec.ts';
import { auditRows } from './queries.ts';
import { deleteKey } from './subjects/repository.ts';
import { type AuditEntry, auditEntryView } from './view.ts';

/** All entries of a filter, newest first, page by page; what is written meanwhile does not appear. */
export async function* stream(ctx: Ctx, asked: Asked): AsyncGenerator<AuditEntry[]> {
  for await (const rows of auditRows.stream(ctx, asked))
    yield rows.map((row) => auditEntryView(row, row.personKey));
}

/**
 * Makes unreadable, for good, what the log says of a person: the rows and their chain stay. In the transaction of the
 * erasure.
 *
 * @param id of a customer or an account
 */
export const forgetPerson = (ctx: Ctx, id: string): Promise<void> => deleteKey(ctx, id);
