import { join } from 'node:path';
import { personOf } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import type { Content } from '#kernel/http/content.ts';
import { type RunningTask, startTask, type Task } from '#kernel/jobs/task.ts';
import {
  openWorkingFile,
  removeWorkingFile,
  type WorkingFile,
  writeWorkingFile,
} from '#kernel/storage/working-file.ts';
import { fail } from '#licensing/contract/errors.ts';
import { noteExport } from '#platform/audit/index.ts';
import { exportCsv, exportNative, KINDS, type Kind, tenantSlugs } from '../portability/index.ts';
import { type ExportTold, exportEvents } from './events.ts';
import type { ExportInput } from './schemas.ts';
import { expiryOf, exportsFolder, findOwn, PATIENCE_MS, requireReach } from './tasks.ts';
import type { ExportView } from './view.ts';

/** What the row of the task says of it. */
type Params = ExportTold & { since: string | null; tenants: string[]; askedBy: string | null };
/** What its report says once the file is whole. */
type Report = { rows: Record<string, number>; size: number; sha256: string };

const TYPES = { csv: 'text/csv; charset=utf-8', jsonl: 'application/x-ndjson; charset=utf-8' } as const;

/**
 * Begins to write a file of what is stored (licensing 6.11). It stays on the disk of this server for a day, encrypted,
 * and is read by `open`.
 *
 * @throws AppError INSUFFICIENT_SCOPE for who may not see all that it would hold
 */
export async function start(ctx: Ctx, input: ExportInput): Promise<ExportView> {
  const { entities = [...KINDS], format, filter, includeKeys = false, allTenants = false } = input;
  requireReach(ctx, allTenants);
  const hasKeys = includeKeys && entities.includes('license');
  const told: ExportTold = { entities, format, keys: hasKeys ? 'included' : 'omitted', allTenants };
  const tenants = await tenantSlugs(ctx, allTenants ? null : [ctx.tenantId]);
  const params: Params = {
    ...told,
    since: filter?.since ?? null,
    tenants,
    askedBy: ctx.actor.id,
  };
  const spec = { kind: `export ${format}`, params: { ...params } };
  return view(ctx, await startTask(ctx, spec, (task) => write(ctx, task, params), PATIENCE_MS));
}

async function write(ctx: Ctx, task: RunningTask, params: Params): Promise<Report> {
  const { tenants: _tenants, askedBy: _askedBy, since, ...told } = params;
  await ctx.tx((ctx) =>
    exportEvents.tell(ctx, 'EXPORT_STARTED', task.id, told, { before: null, after: { ...told, since } }),
  );
  const rows: Record<string, number> = {};
  const total = () => Object.values(rows).reduce((sum, count) => sum + count, 0);
  const texts = async function* (): AsyncGenerator<string> {
    try {
      for await (const text of textsOf(ctx, params, rows)) {
        task.progress(total());
        yield text;
      }
    } finally {
      const filter = { since, keys: told.keys === 'included', allTenants: told.allTenants };
      await noteExport(ctx, { what: nameOf(told), format: told.format, filter }, total());
    }
  };
  const written = await writeWorkingFile(ctx, pathOf(ctx, task.id), texts());
  return { rows, ...written };
}

function textsOf(ctx: Ctx, params: Params, rows: Record<string, number>): AsyncGenerator<string> {
  const { entities, format, keys, allTenants, since } = params;
  const asked = {
    tenantIds: allTenants ? null : [ctx.tenantId],
    since: since ?? undefined,
    includeKeys: keys === 'included',
  };
  return format === 'csv'
    ? exportCsv(ctx, entities[0] as Kind, asked, rows)
    : exportNative(ctx, { ...asked, kinds: entities }, rows);
}

/** As the audit log names it: one kind of rows, or all of a tenant or of the installation. */
function nameOf({ entities, allTenants }: ExportTold): string {
  const [only] = entities;
  if (entities.length === 1 && only !== undefined) return plural[only];
  return allTenants ? 'installation' : 'tenants';
}

const plural: Record<Kind, string> = {
  tenant: 'tenants',
  product: 'products',
  signing_key: 'signing-keys',
  key_format: 'key-formats',
  policy: 'policies',
  customer: 'customers',
  license: 'licenses',
  activation: 'activations',
  usage_total: 'usage',
  release: 'releases',
};

/** How far an export is, and its file. @throws AppError NOT_FOUND, also for one that holds more than the caller may see */
export const get = async (ctx: Ctx, id: string): Promise<ExportView> =>
  view(ctx, await findOwn(ctx, 'export', id));

/**
 * Opens the file of an export, for its sender to read.
 *
 * @throws AppError NOT_FOUND; CONFLICT for one that is not done, that failed, or whose file is gone; INSUFFICIENT_SCOPE
 *   for license keys that somebody else asked for, with the password at hand; who looks as another one is still himself
 */
export async function open(ctx: Ctx, id: string): Promise<Content> {
  const task = await findOwn(ctx, 'export', id);
  const [shown, file] = await Promise.all([view(ctx, task), fileOf(ctx, task)]);
  if (shown.file === null || file === null) throw notThere(ctx, shown);
  if (shown.keys === 'included' && task.params.askedBy !== personOf(ctx.actor).id) throw notYours(id);
  const { name, size, sha256 } = shown.file;
  await ctx.tx((ctx) => exportEvents.tell(ctx, 'EXPORT_FETCHED', id, { bytes: size }));
  return {
    type: TYPES[shown.format],
    size,
    etag: `"${sha256}"`,
    headers: { 'Content-Disposition': `attachment; filename="${name}"` },
    read: (from, to) => portion(file, from, to),
    close: async () => undefined,
  };
}

/** The chunks of a sealed file open one after the other: what lies before the portion is read and left out. */
async function* portion(file: WorkingFile, from: number, to: number): AsyncGenerator<Uint8Array> {
  let at = 0;
  for await (const chunk of file.read()) {
    const part = chunk.subarray(Math.max(0, from - at), Math.max(0, to + 1 - at));
    at += chunk.byteLength;
    if (part.byteLength > 0) yield part;
    if (at > to) return;
  }
}

const notYours = (id: string) =>
  fail(
    'INSUFFICIENT_SCOPE',
    `export ${id} holds license keys: only the person who started it can download it`,
    {
      details: { reason: 'NOT_YOURS', hint: 'start your own export' },
    },
  );

function notThere(ctx: Ctx, { id, state, error, finishedAt }: ExportView) {
  const isOver = finishedAt !== null && expiryOf(finishedAt) <= ctx.now();
  const gone = isOver
    ? 'has expired, and its file was deleted: start another one'
    : 'has no file on this server: it was deleted, or another server of this installation wrote it. Use that server, or start another export';
  const why: Record<ExportView['state'], string> = {
    RUNNING: 'is still being written: try again in a moment',
    DONE: gone,
    EXPIRED: gone,
    CANCELLED: 'was canceled: start another one',
    FAILED: `failed (${error}): start another one`,
  };
  return fail('CONFLICT', `export ${id} ${why[state]}`, { details: { reason: state } });
}

/** Deletes the file of an export before its time. @throws AppError NOT_FOUND; CONFLICT while it is being written */
export async function remove(ctx: Ctx, id: string): Promise<ExportView> {
  const task = await findOwn(ctx, 'export', id);
  if (task.status === 'RUNNING')
    throw fail('CONFLICT', `export ${id} is still being written`, { details: { reason: 'RUNNING' } });
  const file = await fileOf(ctx, task);
  if (file !== null) {
    await ctx.tx((ctx) => exportEvents.tell(ctx, 'EXPORT_REMOVED', id, {}));
    await removeWorkingFile(pathOf(ctx, id));
  }
  return view(ctx, task);
}

const pathOf = (ctx: Ctx, id: string): string => join(exportsFolder(ctx), id);

const fileOf = (ctx: Ctx, { id, status }: Task): Promise<WorkingFile | null> =>
  status === 'DONE' ? openWorkingFile(ctx, pathOf(ctx, id)) : Promise.resolve(null);

/** A database gives the fields of JSON in an order of its own. */
const inOrder = (rows: Report['rows']): Report['rows'] =>
  Object.fromEntries(KINDS.flatMap((kind) => (kind in rows ? [[kind, rows[kind] ?? 0]] : [])));

async function view(ctx: Ctx, task: Task): Promise<ExportView> {
  const { id, status, startedBy, startedAt, finishedAt, done, total, error } = task;
  const { entities, format, since, keys, tenants } = task.params as unknown as Params;
  const report = task.report as unknown as Report | null;
  const expiresAt = finishedAt === null ? null : expiryOf(finishedAt);
  const isThere = expiresAt !== null && expiresAt > ctx.now() && (await fileOf(ctx, task)) !== null;
  const file = isThere &&
    report !== null && {
      name: `export-${startedAt.slice(0, 10)}.${format}`,
      size: report.size,
      sha256: report.sha256,
      rows: inOrder(report.rows),
      expiresAt,
    };
  return {
    id,
    startedBy,
    startedAt,
    finishedAt,
    state: status === 'DONE' && !isThere ? 'EXPIRED' : status,
    entities: [...entities],
    format,
    since,
    keys,
    tenants,
    progress: { done, total },
    file: file || null,
    error,
  };
}
