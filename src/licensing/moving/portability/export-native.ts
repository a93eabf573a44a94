import type { Ctx } from '#kernel/context.ts';
import * as licenses from '#licensing/licenses/licenses/index.ts';
import { openKey } from '#licensing/licenses/standing/index.ts';
import { entities } from './entities.ts';
import { KINDS, type Kind, type Values } from './entity.ts';
import { type End, type Header, VERSION } from './native-format.ts';
import * as queries from './queries.ts';

/** What an export holds. */
export interface ExportAsked {
  /** Kinds to write; all when left out. */
  kinds?: readonly Kind[] | undefined;
  /** null: every tenant of the installation. */
  tenantIds: readonly string[] | null;
  /** Only what changed at this time or later; ISO 8601 UTC. */
  since?: string | undefined;
  /** Writes the license keys, which the timeline of each license tells. */
  includeKeys: boolean;
}

const ROWS_PER_PAGE = 500;

/**
 * Writes the native format (licensing 6.11): a header, the rows in the order of KINDS, and an end that counts them.
 * One page is in memory at a time, so any number of licenses fits.
 *
 * @param counted is filled with the number of rows of each kind
 * @returns texts of whole lines
 */
export async function* exportNative(
  ctx: Ctx,
  asked: ExportAsked,
  counted: End['rows'] = {},
): AsyncGenerator<string> {
  const kinds = KINDS.filter((kind) => asked.kinds?.includes(kind) ?? true);
  const keys = asked.includeKeys && kinds.includes('license') ? 'included' : 'omitted';
  const header: Header = { kind: 'export', v: VERSION, createdAt: ctx.now(), entities: kinds, keys };
  yield `${JSON.stringify(header)}\n`;
  for await (const { kind, rows } of exportPages(ctx, { ...asked, kinds })) {
    counted[kind] = (counted[kind] ?? 0) + rows.length;
    yield `${rows.map((row) => JSON.stringify({ kind, v: VERSION, ...row })).join('\n')}\n`;
  }
  yield `${JSON.stringify({ kind: 'end', v: VERSION, rows: counted } satisfies End)}\n`;
}

/** The same rows page by page, for other forms than the native one. */
export async function* exportPages(
  ctx: Ctx,
  { kinds = KINDS, tenantIds, since, includeKeys }: ExportAsked,
): AsyncGenerator<{ kind: Kind; rows: Values[] }> {
  const selection = { tenantIds, since: since ?? null, now: ctx.now() };
  const limits = await lastIds(ctx, kinds);
  for (const kind of kinds) {
    for (let after = ''; ; ) {
      const page = { after, upTo: limits.get(kind) ?? '', limit: ROWS_PER_PAGE };
      const rows = await queries.readPage(ctx, entities[kind], selection, page);
      if (rows.length > 0) {
        yield { kind, rows: kind === 'license' ? await withKeys(ctx, rows, includeKeys) : rows };
      }
      if (rows.length < ROWS_PER_PAGE) break;
      const last = rows.at(-1);
      after = (last?.id ?? last?.licenseId) as string;
    }
  }
}

/**
 * Where each kind ends. What names others is looked at first, so that all it names is within the limits of those; the
 * clock has no say, because rows from elsewhere may be younger than it.
 */
async function lastIds(ctx: Ctx, kinds: readonly Kind[]): Promise<Map<Kind, string>> {
  const limits = new Map<Kind, string>();
  for (const kind of [...kinds].reverse()) limits.set(kind, await queries.lastId(ctx, entities[kind]));
  return limits;
}

/** Adds what the row of a license has beside its columns. Keys leave only after the timeline has told it. */
async function withKeys(ctx: Ctx, rows: Values[], includeKeys: boolean): Promise<Values[]> {
  const ids = rows.map(({ id }) => id as string);
  const live = await queries.countLive(ctx, ids, ctx.now());
  const counted = rows.map((row): Values => ({ ...row, activationsUsed: live.get(row.id as string) ?? 0 }));
  if (!includeKeys) return counted;
  const keys = Map.groupBy(await queries.listKeys(ctx, ids), ({ licenseId }) => licenseId);
  await ctx.tx(async (ctx) => {
    for (const { id, tenantId } of rows as { id: string; tenantId: string }[]) {
      await licenses.tellReveal(ctx.with({ tenantId }), { id }, { reason: 'EXPORT' });
    }
  });
  return counted.map((row) => ({ ...row, ...keyFields(ctx, keys.get(row.id as string) ?? []) }));
}

function keyFields(ctx: Ctx, keys: readonly queries.KeyRow[]): Values {
  const current = keys.find(({ kind }) => kind === 'CURRENT');
  const former = keys.filter(({ kind }) => kind !== 'CURRENT');
  return {
    ...(current && {
      key: openKey(ctx, current.sealed, current.licenseId),
      keyCreatedAt: current.createdAt,
    }),
    formerKeys: former.map(({ licenseId, sealed, ...rest }) => ({
      key: openKey(ctx, sealed, licenseId),
      ...rest,
    })),
  };
}

/** Slugs of the tenants that an export holds. */
export const tenantSlugs = async (ctx: Ctx, ids: readonly string[] | null): Promise<string[]> =>
  (await queries.listTenants(ctx, ids)).map(({ slug }) => slug);
