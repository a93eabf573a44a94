import type { Ctx } from '#kernel/context.ts';
import { entities } from './entities.ts';
import type { Kind, Values } from './entity.ts';
import { type ExportAsked, exportPages } from './export-native.ts';
import * as queries from './queries.ts';

/** What a person looks for in a table of licenses, beside the fields of the native format. */
const LICENSE_NAMES = ['customerEmail', 'customerName', 'productSlug', 'activationsUsed', 'currentUses'];

/** Columns of the table of one kind: the names of the native format (licensing 6.11). */
export const tableColumns = (kind: Kind, { includeKeys }: Pick<ExportAsked, 'includeKeys'>): string[] => [
  ...Object.keys(entities[kind].fields),
  ...(kind === 'license' ? LICENSE_NAMES : []),
  ...(kind === 'license' && includeKeys ? ['key'] : []),
];

/** The rows of one kind page by page, for a table. */
export async function* exportTable(
  ctx: Ctx,
  kind: Kind,
  asked: Omit<ExportAsked, 'kinds'>,
): AsyncGenerator<Values[]> {
  for await (const { rows } of exportPages(ctx, { ...asked, kinds: [kind] })) {
    yield kind === 'license' ? await withNames(ctx, rows) : rows;
  }
}

async function withNames(ctx: Ctx, rows: Values[]): Promise<Values[]> {
  const names = await queries.listNames(
    ctx,
    rows.map(({ id }) => id as string),
  );
  return rows.map((row) => ({ ...row, ...names.get(row.id as string) }));
}
