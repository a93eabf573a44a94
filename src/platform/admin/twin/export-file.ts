import type { Ctx } from '#kernel/context.ts';
import { type Content, streamContent } from '#kernel/http/content.ts';
import { csvField, csvText } from '#kernel/records/csv-write.ts';
import { notingExport } from '../../audit/index.ts';
import { type Frame, viewsOf } from './frame.ts';
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

/** What is handed to the system at a time. */
const CHUNK_BYTES = 65_536;
/** Of one character in UTF-8: three, and four of what takes two characters. */
const MOST_BYTES = 3;

/**
 * One page of rows at a time, and of them one item: memory does not grow with the file. All chunks share their bytes, so
 * that nothing of a line outlives it: V8 takes the more memory for what is young, the more of it survives.
 */
async function* written<Row extends object>(
  { twin }: Frame<Row>,
  ctx: Ctx,
  pages: AsyncGenerator<Row[]>,
  format: ExportFormat,
): AsyncGenerator<Uint8Array> {
  const columns = Object.keys(twin.view.shape);
  const lineOf = (item: Readonly<Record<string, unknown>>): string =>
    format === 'csv' ? csvText([columns.map((name) => csvField(item[name]))]) : `${JSON.stringify(item)}\n`;
  const chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  let used = format === 'csv' ? chunk.write(csvText([columns])) : 0;
  for await (const page of pages) {
    for (const item of await viewsOf(twin, ctx, page)) {
      const line = lineOf(item as Record<string, unknown>);
      if (used + line.length * MOST_BYTES > CHUNK_BYTES) {
        if (used > 0) yield chunk.subarray(0, used);
        used = 0;
      }
      if (line.length * MOST_BYTES > CHUNK_BYTES) yield Buffer.from(line);
      else used += chunk.write(line, used);
    }
  }
  if (used > 0) yield chunk.subarray(0, used);
}
