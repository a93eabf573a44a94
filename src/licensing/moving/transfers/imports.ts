import { join } from 'node:path';
import type { Ctx } from '#kernel/context.ts';
import type { Upload } from '#kernel/http/upload.ts';
import { type RunningTask, startTask, type Task } from '#kernel/jobs/task.ts';
import { RecordFault } from '#kernel/records/fault.ts';
import { isSealed } from '#kernel/sealed-file.ts';
import { requireRoom } from '#kernel/storage/room.ts';
import {
  openWorkingFile,
  removeWorkingFile,
  type WorkingFile,
  writeWorkingFile,
} from '#kernel/storage/working-file.ts';
import * as policies from '#licensing/catalog/policies/index.ts';
import * as products from '#licensing/catalog/products/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import {
  type ForeignSource,
  type ImportReport,
  importCustomers,
  importLicenses,
  importNative,
  inspectNative,
  readColumnMap,
  requireKeys,
  rowLines,
} from '../portability/index.ts';
import { type ImportTold, transferImportEvents } from './events.ts';
import type { ImportInput } from './schemas.ts';
import { findOwn, importsFolder, PATIENCE_MS, requireReach } from './tasks.ts';
import { type ImportView, ReportView } from './view.ts';

/** What the row of the task says of it. */
type Params = ImportTold & { file: string | null };

/** The engine, told how far it is. */
type Work = (ctx: Ctx, onRow: (done: number) => void) => Promise<ImportReport>;

const FILE_NAME_LENGTH = 255;

/**
 * Takes a file in and begins to import it. Until the import ends it is on the disk of this server, encrypted.
 *
 * @throws AppError INSUFFICIENT_SCOPE for who may not see all that it can change; VALIDATION_ERROR for a file that is
 *   none of its source, NOT_FOUND for an unknown product or policy: nothing is changed then; DiskFull, also before the
 *   first byte where too little is left
 */
export async function start(ctx: Ctx, input: ImportInput, upload: Upload): Promise<ImportView> {
  const { entity, source, dryRun = false, allTenants = false } = input;
  requireReach(ctx, allTenants);
  const told: ImportTold = { entity, source, dryRun, allTenants };
  const path = join(importsFolder(ctx), ctx.newId('imp'));
  await requireRoom(importsFolder(ctx));
  await writeWorkingFile(ctx, path, upload.stream);
  try {
    const file = await openWorkingFile(ctx, path);
    if (file === null) throw new Error('a file that was written is gone');
    const { work, total } = await prepared(ctx, input, file);
    const params: Params = { ...told, file: upload.filename?.slice(0, FILE_NAME_LENGTH) ?? null };
    const run = (task: RunningTask): Promise<ImportReport> =>
      perform(ctx, task, { told, work, total }).finally(() => removeWorkingFile(path));
    return viewOf(
      await startTask(ctx, { kind: `import ${entity}`, params: { ...params } }, run, PATIENCE_MS),
    );
  } catch (error) {
    await removeWorkingFile(path);
    throw asRefusal(error);
  }
}

/** Judges what can be judged before the first row. */
async function prepared(
  ctx: Ctx,
  input: ImportInput,
  file: WorkingFile,
): Promise<{ work: Work; total: number | undefined }> {
  await refuseSealed(file);
  const { entity, source, dryRun = false, fireEvents = false, skipLicenses = false } = input;
  if (source === 'native') {
    const found = await inspectNative(file.read);
    if (!skipLicenses) requireKeys(found);
    const onlyTenant = input.allTenants ? undefined : ctx.tenantId;
    const asked = { dryRun, fireEvents, skipLicenses, onlyTenant };
    const { total } = found;
    return {
      total,
      work: (ctx, onRow) => importNative(ctx, rowLines(file.read, total), { ...asked, onRow }),
    };
  }
  const map = readColumnMap(Object.fromEntries(input.map ?? []));
  const total = undefined;
  if (entity === 'customers')
    return { total, work: (ctx, onRow) => importCustomers(ctx, file.read(), { map, dryRun, onRow }) };
  const { product, policy, type } = input;
  if (product !== undefined) await products.get(ctx, product);
  if (policy !== undefined) await policies.get(ctx, policy);
  const asked = { source: source as ForeignSource, product, policy, type, map, dryRun, fireEvents };
  return { total, work: (ctx, onRow) => importLicenses(ctx, file.read(), { ...asked, onRow }) };
}

/** The passphrase of a file stays with whoever sends it. */
async function refuseSealed(file: WorkingFile): Promise<void> {
  for await (const head of file.read()) {
    if (!isSealed(head)) return;
    throw fail('VALIDATION_ERROR', 'the file is encrypted, and the server has no passphrase for it', {
      details: {
        reason: 'ENCRYPTED',
        hint: 'appctl import licenses --file FILE --source native --server URL opens it before it is sent',
      },
    });
  }
}

/** A file that is none of its source changes nothing; a line that it names can be looked at. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof RecordFault)) return error;
  const { line, message } = error;
  return fail('VALIDATION_ERROR', `${line === null ? '' : `line ${line}: `}${message}`, {
    details: { reason: 'FILE_INVALID', line, fault: message },
  });
}

async function perform(
  ctx: Ctx,
  task: RunningTask,
  { told, work, total }: { told: ImportTold; work: Work; total: number | undefined },
): Promise<ImportReport> {
  const sides = { before: null, after: told };
  await ctx.tx((ctx) => transferImportEvents.tell(ctx, 'IMPORT_STARTED', task.id, told, sides));
  try {
    const report = await work(ctx, (done) => task.progress(done, total));
    const { warnings: _warnings, errors: _errors, ...counts } = report;
    await ctx.tx((ctx) => transferImportEvents.tell(ctx, 'IMPORT_ENDED', task.id, counts));
    return report;
  } catch (error) {
    if (error instanceof RecordFault) task.note({ fault: { line: error.line, message: error.message } });
    throw error;
  }
}

/** How far an import is, and its report. @throws AppError NOT_FOUND, also for one that the caller may not see */
export const get = async (ctx: Ctx, id: string): Promise<ImportView> =>
  viewOf(await findOwn(ctx, 'import', id));

function viewOf(task: Task): ImportView {
  const { id, status, startedBy, startedAt, finishedAt, done, total, report } = task;
  const { entity, source, dryRun, file } = task.params as unknown as Params;
  return {
    id,
    startedBy,
    startedAt,
    finishedAt,
    state: status,
    entity,
    source,
    dryRun,
    file,
    progress: { done, total },
    // A database gives the fields of JSON in an order of its own.
    report: status === 'DONE' ? ReportView.parse(report) : null,
    error: errorOf(task),
  };
}

function errorOf({ status, error, report }: Task): ImportView['error'] {
  if (status === 'RUNNING' || status === 'DONE') return null;
  const fault = report?.fault as { line: number | null; message: string } | undefined;
  if (fault !== undefined) return { code: 'FILE_INVALID', ...fault };
  return { code: status, message: error ?? '', line: null };
}
