import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { resolve } from 'node:path';
import type { Ctx } from '#kernel/context.ts';
import { runTask } from '#kernel/jobs/task.ts';
import { isSealed } from '#kernel/sealed-file.ts';
import * as portability from '#licensing/moving/portability/index.ts';
import type { Cli } from '../frame/context.ts';
import { usageError, verificationError } from '../frame/errors.ts';
import { parsePairs } from '../frame/values.ts';
import { type InputFile, inputFile, readingFile } from '../input-file.ts';
import { withLocal } from '../open.ts';
import { knownPassphrase, opened } from '../sealing.ts';
import { writeReport } from './report.ts';

type ForeignSource = portability.ForeignSource;

/** Options that a native file leaves no room for. */
const ONLY_FOREIGN = ['product', 'type', 'policy', 'map', 'tenant'];

/** `appctl import licenses --file F --source S`. */
export async function importLicenses(cli: Cli): Promise<number> {
  const source = cli.required('source');
  return source === 'native' ? importNative(cli) : importForeign(cli, source as ForeignSource);
}

async function importNative(cli: Cli): Promise<number> {
  const given = ONLY_FOREIGN.find((name) => cli.given(name));
  if (given !== undefined) throw usageError(`--${given} does not fit --source native: the file says it`);
  const file = await fileAsked(cli);
  const flags = { dryRun: cli.dryRun, fireEvents: cli.flag('fire-events') };
  return withLocal(cli, async ({ ctx }) => {
    const progress = { update: (_done: number) => {}, stop: () => {} };
    const work = (onRow: OnRow) => {
      let rows: number | undefined;
      const asked = {
        ...flags,
        skipLicenses: cli.flag('skip-licenses'),
        onRow: (done: number) => {
          progress.update(done);
          onRow(done, rows);
        },
      };
      return portability.importNativeFile(ctx, file.open, asked, async ({ total }) => {
        rows = total;
        Object.assign(progress, await cli.progress(cli.spec.path, total));
      });
    };
    try {
      const report = await readingFile(file, () => asTask(cli, ctx, file, work), verificationError);
      return await writeReport(cli, report);
    } finally {
      progress.stop();
    }
  });
}

async function importForeign(cli: Cli, source: ForeignSource): Promise<number> {
  if (cli.flag('skip-licenses')) throw usageError('--skip-licenses belongs to --source native');
  const map = columnMapAsked(cli);
  const names = [...map.values()].includes('product') || source === 'csv';
  if (!names && !cli.given('product')) {
    throw usageError('--product is required: the file of another product names none of yours');
  }
  const file = await fileAsked(cli);
  return runImport(cli, file, (ctx, onRow) =>
    portability.importLicenses(ctx, file.open(), {
      source,
      map,
      product: cli.option('product'),
      type: cli.option('type') as portability.ForeignImportAsked['type'],
      policy: cli.option('policy'),
      dryRun: cli.dryRun,
      fireEvents: cli.flag('fire-events'),
      onRow,
    }),
  );
}

/** `appctl import customers --file F`. */
export async function importCustomers(cli: Cli): Promise<number> {
  const map = columnMapAsked(cli);
  const file = await fileAsked(cli);
  return runImport(cli, file, (ctx, onRow) =>
    portability.importCustomers(ctx, file.open(), { map, dryRun: cli.dryRun, onRow }),
  );
}

type OnRow = (done: number, total?: number) => void;
type Work = (ctx: Ctx, onRow: OnRow) => Promise<portability.ImportReport>;

/** Every process sees how far an import is and may cancel it; one that writes nothing leaves no trace. */
const asTask = (
  cli: Cli,
  ctx: Ctx,
  file: InputFile,
  work: (onRow: OnRow) => Promise<portability.ImportReport>,
): Promise<portability.ImportReport> =>
  cli.dryRun
    ? work(() => undefined)
    : runTask(ctx, { kind: cli.spec.path, params: { file: file.name } }, (task) => work(task.progress));

async function runImport(cli: Cli, file: InputFile, work: Work): Promise<number> {
  return withLocal(cli, async ({ ctx }) => {
    const progress = await cli.progress(cli.spec.path);
    const both = (onRow: OnRow) =>
      work(ctx, (done) => {
        progress.update(done);
        onRow(done);
      });
    try {
      return await writeReport(cli, await readingFile(file, () => asTask(cli, ctx, file, both)));
    } finally {
      progress.stop();
    }
  });
}

function columnMapAsked(cli: Cli): portability.ColumnMap {
  const pairs = Object.entries(parsePairs('--map', cli.list('map'))).map(([column, field]) => {
    if (field === true)
      throw usageError(`--map '${column}' names no field`, `write --map '${column}=customerEmail'`);
    return [column, field] as const;
  });
  return portability.readColumnMap(Object.fromEntries(pairs));
}

/** The file of `--file`, opened with its passphrase when it is sealed, and then known to be whole. */
async function fileAsked(cli: Cli): Promise<InputFile> {
  const path = cli.required('file');
  const file = inputFile(cli, '--file', path);
  if (!file.isSeekable) {
    throw usageError('--file must name a file that can be read twice', 'write it to a file first');
  }
  if (!isSealed(await headOf(path))) return file;
  const passphrase = await knownPassphrase(cli);
  const whole = { ...file, open: () => opened(file.open(), passphrase) };
  for await (const _bytes of whole.open());
  return whole;
}

async function headOf(path: string): Promise<Uint8Array> {
  const stream = createReadStream(resolve(path), { end: 63 });
  const chunks: Buffer[] = [];
  stream.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  await once(stream, 'close');
  return Buffer.concat(chunks);
}
