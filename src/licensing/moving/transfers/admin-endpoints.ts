/** What staff takes out and brings in as files (licensing 4.2, Data; 6.11). */
import { z } from 'zod';
import type { Ctx } from '#kernel/context.ts';
import { download, type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { IdParams, noting } from '#platform/admin/index.ts';
import * as exported from './exports.ts';
import * as imported from './imports.ts';
import { ExportBody, ImportQuery } from './schemas.ts';
import { ExportView, ImportView } from './view.ts';

const base = '/api/v1/admin';

const OneExport = z.object({ export: ExportView }).meta({ id: 'OneExport' });
const OneImport = z.object({ import: ImportView }).meta({ id: 'OneImport' });

const accepted = <T>(body: T) => ({ status: 202, body });

const kinds = {
  exports: { scope: 'licensing:secrets', reply: OneExport, item: 'export' },
  imports: { scope: 'licensing:danger', reply: OneImport, item: 'import' },
} as const;

/** What is asked of one export or import, which answers how far it is. */
const ofOne = (
  method: 'get' | 'delete',
  kind: keyof typeof kinds,
  summary: string,
  answer: (ctx: Ctx, id: string) => Promise<object>,
): Endpoint => {
  const { scope, reply, item } = kinds[kind];
  return endpoint({
    method,
    path: `${base}/${kind}/{id}`,
    summary,
    scope,
    limit: null,
    params: IdParams,
    replies: { 200: reply },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', ...(method === 'delete' ? ['CONFLICT'] : [])],
    handle: async (ctx, { params }) => ok({ [item]: await answer(ctx, params.id) }),
  });
};

const exporting: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/exports`,
    summary: 'Start an export to a file that is kept for 24 hours',
    scope: 'licensing:secrets',
    sudoFor: (body) => (body as { includeKeys?: unknown } | null)?.includeKeys === true,
    limit: null,
    body: ExportBody,
    replies: { 202: OneExport },
    errors: ['VALIDATION_ERROR'],
    handle: async (ctx, { body }) => accepted({ export: await exported.start(noting(ctx, body), body) }),
  }),
  ofOne('get', 'exports', 'Show the progress of an export, and its file', exported.get),
  endpoint({
    method: 'get',
    path: `${base}/exports/{id}/file`,
    summary: 'Download the file of an export; one with license keys only for the person who started it',
    scope: 'licensing:secrets',
    limit: null,
    params: IdParams,
    content: {
      type: 'application/x-ndjson',
      headers: { 'Content-Disposition': 'Attachment, named after its date' },
    },
    replies: {},
    errors: ['VALIDATION_ERROR', 'NOT_FOUND', 'CONFLICT'],
    handle: async (ctx, { params }) => download(await exported.open(ctx, params.id)),
  }),
  ofOne('delete', 'exports', 'Delete the file of an export early', exported.remove),
];

const importing: readonly Endpoint[] = [
  endpoint({
    method: 'post',
    path: `${base}/imports`,
    summary: 'Upload a file and import it; with dryRun, only check its rows',
    scope: 'licensing:danger',
    limit: null,
    query: ImportQuery,
    upload: { maxBytes: (ctx: Ctx) => ctx.uploadLimitBytes },
    replies: { 202: OneImport },
    errors: ['VALIDATION_ERROR', 'NOT_FOUND'],
    handle: async (ctx, { query, raw }) =>
      accepted({ import: await imported.start(noting(ctx, query), query, raw) }),
  }),
  ofOne('get', 'imports', 'Show the progress of an import and the result of its rows', imported.get),
];

export const transferEndpoints: readonly Endpoint[] = [...exporting, ...importing];
