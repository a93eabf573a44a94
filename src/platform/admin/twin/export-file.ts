import type { Ctx } from '#kernel/context.ts';
import { type Content, streamContent } from '#kernel/http/content.ts';
import { csvLines, csvText } from '#kernel/records/csv-write.ts';
import { notingExport } from '../../audit/index.ts';
import type { Frame } from './frame.ts';
import { askedBy } from './reading.ts';

/** Formats of an export. */
export type ExportFormat = 'csv' | 'jsonl';

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' } as const;

/**
 * The rows that filters leave, as one file; that it was made is on record.
 *
 * @param filter parameters of the list, as the query spelled them
 * @param implied filters that the path implies
 */
export function exportFile<Row extends object>(
  frame: Frame<Row>,
  ctx: Ctx,
  format: ExportFormat,
  { filter, implied }: Record<'filter' | 'implied', Record<string, unknown>>,
): Content {
  const { spec } = frame;
  const rows = spec.rows.stream(ctx, askedBy(frame, filter, implied));
  const about = { what: spec.name, format, filter: { ...filter, ...implied } };
  const pages = notingExport(ctx, about, rows);
  const name = `${spec.name}-${ctx.now().slice(0, 10)}.${format}`;
  return streamContent(TYPES[format], name, written(frame, ctx, pages, format));
}

/** One page of rows at a time, so that memory does not grow with the file. */
async function* written<Row extends object>(
  { twin }: Frame<Row>,
  ctx: Ctx,
  pages: AsyncGenerator<Row[]>,
  format: ExportFormat,
): AsyncGenerator<Uint8Array> {
  const columns = Object.keys(twin.view.shape);
  if (format === 'csv') yield* lines(await csvText([columns]));
  for await (const page of pages) {
    const items = await Promise.all(page.map((row) => twin.toView(row, ctx)));
    const text =
      format === 'csv'
        ? await csvLines(columns, items)
        : items.map((item) => `${JSON.stringify(item)}\n`).join('');
    yield* lines(text);
  }
}

function* lines(text: string): Generator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}
