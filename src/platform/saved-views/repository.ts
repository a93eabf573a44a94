import type { Ctx } from '#kernel/context.ts';
import { lockName } from '#kernel/db/named-lock.ts';
import { statement } from '#kernel/db/statement.ts';
import { type ListChoice, listChoiceRecord, type SavedView, savedViewRecord } from './record.ts';

const VIEWS = savedViewRecord.table;
const LISTS = listChoiceRecord.table;

type Whose = { tenant_id: string; list: string; admin_user_id: string };

const visible = statement<Whose>((q, p) =>
  q({ v: VIEWS })
    .join({ u: 'admin_users' }, 'u.id', 'v.admin_user_id')
    .where('v.tenant_id', p('tenant_id'))
    .where('v.list', p('list'))
    .where((mine) => mine.where('v.admin_user_id', p('admin_user_id')).orWhere('v.is_shared', true))
    .orderBy('v.name')
    .orderBy('v.id')
    .select('v.*', 'u.email as owner'),
);

/** A view with who made it. */
export type OwnedView = SavedView & { readonly owner: string };

/** Views of a list that somebody sees: the own ones and those that others share, by name. */
export async function listVisible(ctx: Ctx, list: string, adminUserId: string): Promise<OwnedView[]> {
  const rows = await visible.all(ctx.db, { tenant_id: ctx.tenantId, list, admin_user_id: adminUserId });
  return rows.map((row) => ({
    ...savedViewRecord.read(row),
    owner: String((row as { owner?: unknown }).owner),
  }));
}

const choiceOf = statement<Whose>((q, p) =>
  q(LISTS)
    .where({
      admin_user_id: p('admin_user_id'),
      tenant_id: p('tenant_id'),
      list: p('list'),
    })
    .select('*'),
);

/** How somebody wants a list to open; null for nothing. */
export async function findChoice(ctx: Ctx, list: string, adminUserId: string): Promise<ListChoice | null> {
  const row = await choiceOf.first(ctx.db, { tenant_id: ctx.tenantId, list, admin_user_id: adminUserId });
  return row ? listChoiceRecord.read(row) : null;
}

export async function putChoice(
  ctx: Ctx,
  list: string,
  adminUserId: string,
  choice: Partial<ListChoice>,
): Promise<void> {
  const now = ctx.now();
  const known = (await findChoice(ctx, list, adminUserId)) ?? { viewId: null, columns: null };
  const row = listChoiceRecord.write({
    adminUserId,
    tenantId: ctx.tenantId,
    list,
    viewId: known.viewId,
    columns: known.columns,
    ...choice,
    createdAt: now,
    updatedAt: now,
  });
  const { created_at: _first, ...changed } = row;
  await ctx.db
    .knex(LISTS)
    .insert(row)
    .onConflict(['admin_user_id', 'tenant_id', 'list'])
    .merge(Object.keys(changed));
}

/** Holds the views of a list of a tenant until the transaction ends: how many somebody has, no single row says. */
export const lockList = (ctx: Ctx, list: string): Promise<void> =>
  lockName(ctx.db, `${VIEWS} ${ctx.tenantId} ${list}`);

export const insert = async (ctx: Ctx, view: SavedView): Promise<void> => {
  await ctx.db.knex(VIEWS).insert(savedViewRecord.write(view));
};

export const update = async (ctx: Ctx, view: SavedView): Promise<void> => {
  await ctx.db.knex(VIEWS).where({ id: view.id }).update(savedViewRecord.write(view));
};

export const remove = async (ctx: Ctx, id: string): Promise<void> => {
  await ctx.db.knex(VIEWS).where({ id }).delete();
};
