import type { Ctx } from '#kernel/context.ts';
import { runTask } from '#kernel/jobs/task.ts';
import * as portability from '#licensing/moving/portability/index.ts';
import type { Query } from '../desk/desk.ts';
import { withTransfers } from '../export/twin.ts';
import type { Cli } from '../frame/context.ts';
import { usageError, verificationError } from '../frame/errors.ts';
import { parsePairs } from '../frame/values.ts';
import { readingFile } from '../input-file.ts';
import { fileAsked, type ImportFile } from './file.ts';
import { writeReport } from './report.ts';
import { sendImport } from './send.ts';

type ForeignSource = portability.ForeignSource;

/** Options that a native file leaves no room for. */
const ONLY_FOREIGN = ['product', 'type', 'policy', 'map'];

/** `appctl import licenses --file F --source S`. */
export async function importLicenses(cli: Cli): Promise<number> {
  const source = cli.required('source');
  return source === 'native' ? importNative(cli) : importForeign(cli, source as ForeignSource);
}

async function importNative(cli: Cli): Promise<number> {
  const given = ONLY_FOREIGN.find((name) => cli.given(name));
  if (given !== undefined)
    throw usageError(`--${given} cannot be used with --source native: the file says it already`);
  const file = await fileAsked(cli);
  const allTenants = (await cli.config()).entries.tenant.source === 'default';
  const flags = { fireEvents: cli.flag('fire-events'), skipLicenses: cli.flag('skip-licenses') };
  return withTransfers(cli, async (desk) => {
    if (desk.local === null) {
      const query = { source: 'native', ...flags, allTenants };
      return sendImport(cli, desk, file, query, verificationError);
    }
    const { ctx } = desk.local;
    const onlyTenant = allTenants ? undefined : ctx.tenantId;
    return importHere(cli, ctx, file, { ...flags, dryRun: cli.dryRun, onlyTenant });
  });
}

async function importHere(
  cli: Cli,
  ctx: Ctx,
  file: ImportFile,
  asked: portability.NativeImportAsked,
): Promise<number> {
  const progress = { update: (_done: number) => {}, stop: () => {} };
  const work = (onRow: OnRow) => {
    let rows: number | undefined;
    const told = (done: number) => {
      progress.update(done);
      onRow(done, rows);
    };
    return portability.importNativeFile(ctx, file.open, { ...asked, onRow: told }, async ({ total }) => {
      rows = total;
      Object.assign(progress, await cli.progress(cli.spec.path, total));
    });
  };
  try {
    const told = { entity: 'licenses', source: 'native', allTenants: asked.onlyTenant === undefined };
    const report = await readingFile(file, () => asTask(cli, ctx, { file, told, work }), verificationError);
    return await writeReport(cli, report);
  } finally {
    progress.stop();
  }
}

async function importForeign(cli: Cli, source: ForeignSource): Promise<number> {
  if (cli.flag('skip-licenses')) throw usageError('--skip-licenses only works with --source native');
  const pairs = columnPairsAsked(cli);
  const map = portability.readColumnMap(pairs);
  const names = [...map.values()].includes('product') || source === 'csv';
  if (!names && !cli.given('product')) {
    throw usageError('--product is required: a file from another program names none of your products');
  }
  const file = await fileAsked(cli);
  const asked = {
    product: cli.option('product'),
    type: cli.option('type') as portability.ForeignImportAsked['type'],
    policy: cli.option('policy'),
    fireEvents: cli.flag('fire-events'),
  };
  return runImport(cli, file, { source, ...asked, ...mapOf(pairs) }, (ctx, onRow) =>
    portability.importLicenses(ctx, file.open(), { source, map, ...asked, dryRun: cli.dryRun, onRow }),
  );
}

/** `appctl import customers --file F`. */
export async function importCustomers(cli: Cli): Promise<number> {
  const pairs = columnPairsAsked(cli);
  const map = portability.readColumnMap(pairs);
  const file = await fileAsked(cli);
  return runImport(cli, file, { source: 'csv', entity: 'customers', ...mapOf(pairs) }, (ctx, onRow) =>
    portability.importCustomers(ctx, file.open(), { map, dryRun: cli.dryRun, onRow }),
  );
}

type Pairs = Readonly<Record<string, string>>;

/** As a server takes them. */
const mapOf = (pairs: Pairs) => (Object.keys(pairs).length > 0 ? { map: JSON.stringify(pairs) } : {});

type OnRow = (done: number, total?: number) => void;
type Work = (ctx: Ctx, onRow: OnRow) => Promise<portability.ImportReport>;

/** What its task says that an import is, as that of a server does. */
type Told = { entity: string; source: string; allTenants: boolean };

/** Every process sees how far an import is and may cancel it; one that writes nothing leaves no trace. */
const asTask = (
  cli: Cli,
  ctx: Ctx,
  {
    file,
    told,
    work,
  }: { file: ImportFile; told: Told; work: (onRow: OnRow) => Promise<portability.ImportReport> },
): Promise<portability.ImportReport> =>
  cli.dryRun
    ? work(() => undefined)
    : runTask(ctx, { kind: cli.spec.path, params: { ...told, dryRun: false, file: file.name } }, (task) =>
        work(task.progress),
      );

async function runImport(
  cli: Cli,
  file: ImportFile,
  query: Query & { source: string; entity?: string },
  work: Work,
): Promise<number> {
  return withTransfers(cli, async (desk) => {
    if (desk.local === null) return sendImport(cli, desk, file, query, usageError);
    const { ctx } = desk.local;
    const progress = await cli.progress(cli.spec.path);
    const both = (onRow: OnRow) =>
      work(ctx, (done) => {
        progress.update(done);
        onRow(done);
      });
    try {
      const { source, entity = 'licenses' } = query;
      const told = { entity, source, allTenants: false };
      return await writeReport(
        cli,
        await readingFile(file, () => asTask(cli, ctx, { file, told, work: both })),
      );
    } finally {
      progress.stop();
    }
  });
}

function columnPairsAsked(cli: Cli): Pairs {
  const pairs = Object.entries(parsePairs('--map', cli.list('map'))).map(([column, field]) => {
    if (field === true)
      throw usageError(`--map '${column}' does not name a field`, `write --map '${column}=customerEmail'`);
    return [column, field] as const;
  });
  return Object.fromEntries(pairs);
}
