import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Ctx } from '#kernel/context.ts';
import { streamPrivateFile } from '#kernel/private-files.ts';
import * as licenses from '#licensing/licenses/index.ts';
import type { Cli } from '../frame/context.ts';
import { conflictError, usageError } from '../frame/errors.ts';
import { flush } from '../frame/io.ts';
import { type Column, type Row, renderCsv, selectFields } from '../frame/rows.ts';
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
  const format = formatAsked(cli);
  const file = fileAsked(cli);
  await withLocal(cli, async ({ ctx }) => {
    const filter = await filterAsked(cli, ctx);
    const counted = { licenses: 0 };
    const texts = render(cli, format, readPages(cli, ctx, filter, counted));
    if (file === undefined) return writeOut(cli, texts);
    const written = await streamPrivateFile(file, texts, { replace: cli.flag('force') });
    if (!written) throw exists(file);
    await cli.out.value({ file, format, ...counted }, () => `wrote ${counted.licenses} licenses to ${file}`);
  });
}

function formatAsked(cli: Cli): Format {
  const given = cli.option('format') as Format | undefined;
  if (cli.out.mode === 'csv' && given !== undefined && given !== 'csv') {
    throw usageError(`--csv and --format ${given} exclude each other`);
  }
  const format = given ?? (cli.out.mode === 'csv' ? 'csv' : 'jsonl');
  const isRaw = cli.option('out') === '-';
  if (cli.json && (isRaw || (cli.option('out') === undefined && format !== 'jsonl'))) {
    throw usageError(`--json does not fit: stdout holds the export${isRaw ? '' : ` as ${format}`}`);
  }
  return format;
}

function fileAsked(cli: Cli): string | undefined {
  const out = cli.option('out');
  if (out === undefined || out === '-') return undefined;
  const path = resolve(out);
  if (existsSync(path) && !cli.flag('force')) throw exists(path);
  return path;
}

const exists = (path: string) =>
  conflictError(`${path} exists`, 'choose another file, or replace it with --force');

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
  if (format === 'csv') return yield* renderCsvPages(fields ?? fieldsFor(cli), pages);
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

async function* renderCsvPages(
  fields: readonly string[],
  pages: AsyncIterable<licenses.LicenseView[]>,
): AsyncGenerator<string> {
  const columns: readonly Column[] = fields.map((key) => ({ key }));
  const header = await renderCsv([], columns);
  yield header;
  for await (const page of pages) yield (await renderCsv(page, columns)).slice(header.length);
}

/** Waits for the reader after every page, so that a slow pipe holds one page in memory and not all. */
async function writeOut(cli: Cli, texts: AsyncIterable<string>): Promise<void> {
  for await (const text of texts) {
    cli.io.stdout.write(text);
    await flush(cli.io.stdout);
  }
}
