import { download, type Endpoint, endpoint } from '#kernel/http/endpoint.ts';
import { oneOf } from '#kernel/http/fields.ts';
import { type Frame, impliedBy, namedAbove, orRead } from './frame.ts';
import { narrowing } from './reading.ts';

/** What a file is sent as, for the document. */
export const ATTACHMENT = 'Attachment, named after its content';

const FORMATS = ['csv', 'jsonl'] as const;

/** All rows that the same filters of the list leave, as one file (admin.md 2). */
export function exportOf<Row extends object>(frame: Frame<Row>): Endpoint[] {
  const { spec, twin, manner, collection, collectionParams } = frame;
  if (twin.without?.includes('export')) return [];
  return [
    endpoint({
      method: 'get',
      path: collection + manner.exportAt,
      summary: twin.summaries?.export ?? `Export the ${spec.labels.many} that match the filters of the list`,
      scope: spec.needs.export ?? spec.needs.read,
      ...(spec.needs.export === undefined && orRead(spec)),
      limit: null,
      ...(collectionParams && { params: collectionParams }),
      query: () => manner.query({ format: oneOf(FORMATS).default('csv'), ...narrowing(frame) }),
      content: { type: 'text/csv', headers: { 'Content-Disposition': ATTACHMENT } },
      replies: {},
      errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
      handle: async (ctx, { params, query }) => {
        const { format, ...filter } = query as { format: (typeof FORMATS)[number] };
        const implied = await impliedBy(frame, ctx, namedAbove(params));
        // Loaded for it alone: every short command that names a resource loads this file.
        const { exportFile } = await import('./export-file.ts');
        return download(exportFile(frame, ctx, format, { filter, implied }));
      },
    }),
  ];
}
