import type { Ctx } from '#kernel/context.ts';
import { type Content, streamContent } from '#kernel/http/content.ts';
import { csvLines, csvText } from '#kernel/records/csv-write.ts';
import { notingExport } from './exports.ts';

/**
 * Rows as a CSV file, which the audit log remembers like every export.
 *
 * @param what of which the file is named, in kebab-case
 * @param filter that narrowed the rows
 * @param pages some rows at a time, so that memory does not grow with the file
 */
export function csvFile(
  ctx: Ctx,
  { what, filter }: { what: string; filter: Readonly<Record<string, unknown>> },
  columns: readonly string[],
  pages: AsyncIterable<readonly object[]>,
): Content {
  const noted = notingExport(ctx, { what, format: 'csv', filter }, pages);
  return streamContent(
    'text/csv; charset=utf-8',
    `${what}-${ctx.now().slice(0, 10)}.csv`,
    fileOf(columns, noted),
  );
}

async function* fileOf(
  columns: readonly string[],
  pages: AsyncIterable<readonly object[]>,
): AsyncGenerator<Uint8Array> {
  yield Buffer.from(csvText([columns]));
  for await (const page of pages) if (page.length > 0) yield Buffer.from(csvLines(columns, page));
}
