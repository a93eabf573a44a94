import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { csvPages, fileAsked, formatAsked, writeExport } from '../export/stream.ts';
import type { Cli } from '../frame/context.ts';
import { type Row, selectFields } from '../frame/rows.ts';
import { withLocal } from '../open.ts';
import { filterAsked } from './filter.ts';

type Format = 'csv' | 'jsonl' | 'json';

const LICENSES_PER_PAGE = 500;

const csvFields = [
  'id',
  'keyMasked',
  'productId',
  'productSlug',
  'productName',
  'type',
  'tier',
  'status',
  'maxActivations',
  'activationsUsed',
  'validUntil',
  'graceExpiresAt',
  'maxVersion',
  'maxUses',
  'currentUses',
  'features',
  'policyId',
  'customer.id',
  'customer.email',
  'customer.name',
  'orderId',
  'metadata',
  'createdAt',
  'updatedAt',
];

/** `appctl license export`: page by page, to a file (0600) or to stdout. */
export async function exportLicenses(cli: Cli): Promise<void> {
  const format = formatAsked<Format>(cli);
  const file = fileAsked(cli);
  await withLocal(cli, async ({ ctx }) => {
    const filter = await filterAsked(cli, ctx);
    const counted = { licenses: 0 };
    const texts = render(cli, format, readPages(cli, ctx, filter, counted));
    await writeExport(cli, file, texts, () => ({
      value: { file, format, ...counted },
      human: `wrote ${counted.licenses} licenses to ${file}`,
    }));
  });
}

async function* readPages(
  cli: Cli,
  ctx: Ctx,
  filter: licenses.LicenseFilter,
  counted: { licenses: number },
): AsyncGenerator<licenses.LicenseView[]> {
  const reveal = cli.flag('reveal');
  const read = reveal ? licenses.listForReveal : licenses.listAfter;
  for (let after = ''; ; ) {
    const page = await read(ctx, filter, after, LICENSES_PER_PAGE);
    if (page.length > 0) yield page.map((license) => licenses.licenseView(ctx, license, { reveal }));
    counted.licenses += page.length;
    if (page.length < LICENSES_PER_PAGE) return;
    after = page.at(-1)?.id ?? after;
  }
}

/** The text of each page; together they are one CSV file, one JSON array, or one object per line. */
async function* render(
  cli: Cli,
  format: Format,
  pages: AsyncIterable<licenses.LicenseView[]>,
): AsyncGenerator<string> {
  const fields = cli
    .option('fields')
    ?.split(',')
    .map((field) => field.trim());
  const pick = (view: Row): Row => (fields === undefined ? view : selectFields(view, fields));
  if (format === 'csv') return yield* csvPages(fields ?? fieldsFor(cli), pages);
  let separator = format === 'json' ? '[' : '';
  for await (const page of pages) {
    const lines = page.map((view) => JSON.stringify(pick(view)));
    yield format === 'json' ? `${separator}\n${lines.join(',\n')}` : `${lines.join('\n')}\n`;
    separator = ',';
  }
  if (format === 'json') yield separator === '[' ? '[]\n' : '\n]\n';
}

const fieldsFor = (cli: Cli): string[] =>
  csvFields.map((field) => (field === 'keyMasked' && cli.flag('reveal') ? 'key' : field));
