import type { Ctx } from '#kernel/context.ts';
import { streamContent } from '#kernel/http/content.ts';
import { download, type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { csvField, csvText } from '#kernel/records/csv-write.ts';
import { notingExport } from '../../audit/index.ts';
import { type Frame, impliedBy, namedAbove } from './frame.ts';
import { askedBy, narrowing } from './reading.ts';

/** What a file is sent as, for the document. */
export const ATTACHMENT = 'Attachment, named after what it holds';

const FORMATS = ['csv', 'jsonl'] as const;
const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' } as const;

/** All rows that the same filters of the list leave, as one file (admin.md 2). */
export function exportOf<Row extends object>(frame: Frame<Row>): Endpoint[] {
  const { spec, twin, manner, collection, collectionParams } = frame;
  if (twin.without?.includes('export')) return [];
  return [
    endpoint({
      method: 'get',
      path: collection + manner.exportAt,
      summary: twin.summaries?.export ?? `Export the ${spec.labels.many} that the filters of the list leave`,
      scope: spec.needs.export ?? spec.needs.read,
      limit: null,
      ...(collectionParams && { params: collectionParams }),
      query: manner.query({ format: oneOf(FORMATS).default('csv'), ...narrowing(frame) }),
      content: { type: 'text/csv', headers: { 'Content-Disposition': ATTACHMENT } },
      replies: {},
      errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
      handle: async (ctx, { params, query }) => {
        const { format, ...filter } = query as { format: (typeof FORMATS)[number] };
        const implied = await impliedBy(frame, ctx, namedAbove(params));
        const rows = spec.rows.stream(ctx, askedBy(frame, filter, implied));
        const about = { what: spec.name, format, filter: { ...filter, ...implied } };
        const pages = notingExport(ctx, about, rows);
        const name = `${spec.name}-${ctx.now().slice(0, 10)}.${format}`;
        return download(streamContent(TYPES[format], name, written(frame, ctx, pages, format)));
      },
    }),
  ];
}

/** One page of rows at a time, so that memory does not grow with the file. */
async function* written<Row extends object>(
  { twin }: Frame<Row>,
  ctx: Ctx,
  pages: AsyncGenerator<Row[]>,
  format: (typeof FORMATS)[number],
): AsyncGenerator<Uint8Array> {
  const columns = Object.keys(twin.view.shape);
  if (format === 'csv') yield* lines(await csvText([columns]));
  for await (const page of pages) {
    const items = await Promise.all(page.map((row) => twin.toView(row, ctx)));
    const text =
      format === 'csv'
        ? await csvText(
            items.map((item) => columns.map((name) => csvField((item as Record<string, unknown>)[name]))),
          )
        : items.map((item) => `${JSON.stringify(item)}\n`).join('');
    yield* lines(text);
  }
}

function* lines(text: string): Generator<Uint8Array> {
  if (text !== '') yield Buffer.from(text);
}
