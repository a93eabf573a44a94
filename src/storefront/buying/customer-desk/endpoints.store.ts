/** Customers out of files, for staff and their programs (storefront-domain 20). */
import { z } from 'zod';
import { type Endpoint, endpoint, ok } from '#kernel/http/endpoint.ts';
import { count } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { IMPORT_COLUMNS } from './columns.ts';

/** Lines of one request. */
export const MOST_ROWS = 200;
const MOST_COLUMNS = 100;

const ImportBody = later(() =>
  z
    .object({
      rows: z
        .array(
          z
            .record(z.string(), z.string({ error: 'must be a text' }), { error: 'must be an object' })
            .meta({ maxProperties: MOST_COLUMNS }),
          { error: ({ input }) => (input === undefined ? 'is required' : 'must be a list') },
        )
        .min(1)
        .max(MOST_ROWS)
        .describe(`lines of a file, each with its cells by column: ${IMPORT_COLUMNS.join(', ')}`),
    })
    .meta({ id: 'CustomerImportBody' }),
);

/** What became of one line of an import. */
export const CustomerImportedView = later(() =>
  z
    .object({
      index: count().describe('Index among the sent lines, from 0'),
      email: z.string().nullable(),
      result: z.enum(['created', 'updated', 'unchanged', 'failed']),
      error: z
        .object({ error_code: z.string(), message: z.string(), details: z.record(z.string(), z.unknown()) })
        .optional(),
    })
    .meta({ id: 'ImportedCustomer' }),
);

export const customerImportEndpoint: Endpoint = endpoint({
  method: 'post',
  path: '/api/store/customers/import',
  summary: 'Create or change customers from the lines of a file',
  scope: 'customers:write',
  limit: null,
  rehearsable: true,
  body: ImportBody,
  replies: () => ({ 200: z.object({ data: z.array(CustomerImportedView) }) }),
  errors: ['VALIDATION_ERROR'],
  handle: async (ctx, { body: { rows } }) => {
    const { takeRows } = await import('./import-row.ts');
    return ok({ data: await takeRows(ctx, rows) });
  },
});
