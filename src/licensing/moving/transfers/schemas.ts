import { z } from 'zod';
import { flag, oneOf, optional, report, text, timestamp } from '#kernel/http/fields.ts';
import { later } from '#kernel/sharing.ts';
import { LICENSE_TYPES } from '#licensing/contract/enumerations.ts';
import { noteField, queryFlag } from '#platform/admin/index.ts';
import { FOREIGN_SOURCES, KINDS } from '../portability/index.ts';

/** What is to be written (licensing 6.11). */
export const ExportBody = later(() =>
  z
    .strictObject({
      entities: optional(
        z
          .array(oneOf(KINDS))
          .min(1)
          .max(KINDS.length)
          .transform((kinds) => KINDS.filter((kind) => kinds.includes(kind))),
      ),
      format: oneOf(['csv', 'jsonl']),
      filter: optional(z.strictObject({ since: optional(timestamp()) })),
      includeKeys: optional(flag()),
      allTenants: optional(flag()),
      note: noteField(),
    })
    .check((checked) => {
      const { entities, format } = checked.value;
      if (format === 'csv' && entities?.length !== 1)
        report(checked, 'choice', 'must name exactly one for csv; jsonl holds several', ['entities']);
    })
    .meta({ id: 'ExportBody' }),
);
export type ExportInput = z.output<typeof ExportBody>;

/** Column names are as long as any header of a spreadsheet. */
const MAP_TEXT = 10_000;

const fileOptions = {
  product: optional(text({ min: 1, max: 63 })).describe('ID or slug, for rows without one'),
  type: optional(oneOf(LICENSE_TYPES)).describe('Type of licenses without one in the file'),
  policy: optional(text({ min: 1, max: 100 })).describe('ID or name, for rows without one'),
  map: optional(columnPairs()).describe('JSON object of column: field'),
};

/** How the file that is sent is read. Options stand in the address: the body is the file. */
export const ImportQuery = later(() =>
  z
    .strictObject({
      source: oneOf(['native', ...FOREIGN_SOURCES]).describe('Program that wrote the file'),
      entity: oneOf(['licenses', 'customers']).default('licenses'),
      dryRun: optional(queryFlag()),
      ...fileOptions,
      skipLicenses: optional(queryFlag()).describe('Skip the licenses of a native export'),
      fireEvents: optional(queryFlag()).describe(
        'Send events to webhooks, as if the licenses were created here',
      ),
      allTenants: optional(queryFlag()).describe('Import every tenant of a native export'),
      note: noteField(),
    })
    .check((checked) => {
      for (const [name, why] of misfits(checked.value)) report(checked, 'choice', why, [name]);
    }),
);
export type ImportInput = z.output<typeof ImportQuery>;

type Given = Record<string, unknown> & { source: string; entity: string };

function* misfits(given: Given): Generator<[string, string]> {
  const { source, entity } = given;
  const isNative = source === 'native';
  if (entity === 'customers' && source !== 'csv') yield ['source', 'must be csv for customers'];
  for (const name of Object.keys(fileOptions)) {
    if (isNative && given[name] !== undefined) yield [name, 'cannot be used with native: the file has it'];
  }
  for (const name of ['skipLicenses', 'allTenants']) {
    if (!isNative && given[name]) yield [name, 'works only with a native file'];
  }
  const named = [...((given.map as ReadonlyMap<string, string> | undefined)?.values() ?? [])];
  const namesProducts = isNative || source === 'csv' || named.includes('product');
  if (!namesProducts && given.product === undefined)
    yield ['product', 'is required: the file does not have your products'];
}

/** `{"E-Mail":"customerEmail"}` */
function columnPairs() {
  return text({ min: 2, max: MAP_TEXT }).transform((json, ctx) => {
    try {
      const pairs = z.record(z.string().min(1), z.string().min(1)).parse(JSON.parse(json));
      return new Map(Object.entries(pairs));
    } catch {
      ctx.addIssue({ code: 'custom', message: 'must be a JSON object of column: field' });
      return z.NEVER;
    }
  });
}
