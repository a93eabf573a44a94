import type { Ctx } from '#kernel/context.ts';
import { fail } from '#kernel/service/errors.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import * as queries from './queries.ts';
import type { AuditRow } from './record.ts';
import { keyOf, type PersonKey } from './seal.ts';
import { deleteKey } from './subjects/repository.ts';
import { type AuditEntry, auditEntryView } from './view.ts';

const ROWS_AT_ONCE = 500;

/** One page of the log, newest first. @throws AppError VALIDATION_ERROR for a page out of range */
export async function list(ctx: Ctx, asked: queries.AuditFilter & PageAsked): Promise<Page<AuditEntry>> {
  const { items, total } = await queries.selectPage(ctx, asked, sliceOf(asked));
  return pageOf(asked, { items: await shown(ctx, items), total });
}

/** @throws AppError NOT_FOUND, also for a row that the actor may not see */
export async function get(ctx: Ctx, id: string): Promise<AuditEntry> {
  const row = await queries.find(ctx, id);
  const [entry] = row ? await shown(ctx, [row]) : [];
  if (entry) return entry;
  throw fail('NOT_FOUND', `there is no audit entry ${id}`, { details: { hint: 'appctl audit list' } });
}

/** All rows of a filter, newest first, page by page; what is written meanwhile does not appear. */
export async function* stream(ctx: Ctx, filter: queries.AuditFilter): AsyncGenerator<AuditEntry[]> {
  for (let before: number | null = null; ; ) {
    const rows: AuditRow[] = await queries.listBefore(ctx, filter, before, ROWS_AT_ONCE);
    if (rows.length > 0) yield await shown(ctx, rows);
    if (rows.length < ROWS_AT_ONCE) return;
    before = rows.at(-1)?.seq ?? null;
  }
}

/**
 * Makes unreadable, for good, what the log says of a person: the rows and their chain stay. In the transaction of the
 * erasure.
 *
 * @param id of a customer or an account
 */
export const forgetPerson = (ctx: Ctx, id: string): Promise<void> => deleteKey(ctx, id);

async function shown(ctx: Ctx, rows: readonly AuditRow[]): Promise<AuditEntry[]> {
  const keys = new Map<string, PersonKey | null>();
  for (const { personId } of rows)
    if (personId !== null && !keys.has(personId)) keys.set(personId, await keyOf(ctx, personId));
  return rows.map((row) => auditEntryView(row, (row.personId !== null && keys.get(row.personId)) || null));
}
