import { resolve } from 'node:path';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { flush } from '../frame/io.ts';
import { asRead } from '../frame/output.ts';
import { tryOutputs, withOutputFile } from '../frame/output-file.ts';
import { type Column, type Row, renderCsv } from '../frame/rows.ts';

/**
 * The form of an export: `--format`, or csv for `--csv`, or jsonl.
 *
 * @throws usage error (2) where stdout would not hold what --json or --csv asks for
 */
export function formatAsked<F extends string>(cli: Cli): F | 'csv' | 'jsonl' {
  const given = cli.option('format') as F | undefined;
  if (cli.out.mode === 'csv' && given !== undefined && given !== 'csv') {
    throw usageError(`--csv and --format ${given} cannot be used together`);
  }
  const format = given ?? (cli.out.mode === 'csv' ? 'csv' : 'jsonl');
  requireFit(cli, format);
  return format;
}

/** Refuses --json where stdout holds something else than one JSON object per line. @throws usage error (2) */
export function requireFit(cli: Cli, format: string): void {
  const isRaw = cli.option('out') === '-';
  if (cli.json && (isRaw || (cli.option('out') === undefined && format !== 'jsonl'))) {
    throw usageError(`--json cannot be used here: stdout carries the export${isRaw ? '' : ` as ${format}`}`);
  }
}

/**
 * The file of `--out`; undefined for stdout. It is tried before anybody is asked anything.
 *
 * @throws CliError 5 when it exists, without --force; else as tryOutputs
 */
export function fileAsked(cli: Cli): string | undefined {
  const out = cli.option('out');
  if (out === undefined || out === '-') return undefined;
  const path = resolve(out);
  tryOutputs([{ path, force: cli.flag('force') }]);
  return path;
}

/**
 * Writes an export to its file (0600, whole or not at all) or to stdout, as it is read.
 *
 * @param told what the command answers after it wrote a file; asked only then
 */
export async function writeExport(
  cli: Cli,
  file: string | undefined,
  texts: AsyncIterable<string | Uint8Array>,
  told: () => { value: object; human: string },
): Promise<void> {
  if (file === undefined) return writeOut(cli, texts);
  await withOutputFile({ path: file, force: cli.flag('force') }, async (output) => {
    for await (const text of texts) output.write(text);
  });
  const { value, human } = told();
  await cli.out.value(value, () => human);
}

/** Waits for the reader after every page, so that a slow pipe holds one page in memory and not all. */
async function writeOut(cli: Cli, texts: AsyncIterable<string | Uint8Array>): Promise<void> {
  for await (const text of texts) {
    cli.io.stdout.write(typeof text === 'string' ? asRead(cli.io, text) : text);
    await flush(cli.io.stdout);
  }
}

/** One CSV file of many pages. */
export async function* csvPages(
  fields: readonly string[],
  pages: AsyncIterable<readonly Row[]>,
): AsyncGenerator<string> {
  const columns: readonly Column[] = fields.map((key) => ({ key }));
  const header = renderCsv([], columns);
  yield header;
  for await (const page of pages) yield renderCsv(page, columns).slice(header.length);
}
