import type { ScopeKind, Scopes } from '#kernel/actor.ts';
import type { Ctx } from '#kernel/context.ts';
import { countsBy } from '#kernel/db/counts.ts';
import type { Knex } from '#kernel/db/database.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { isId } from '#kernel/ids.ts';
import { type Held, type HeldRow, heldOf, words } from './held.ts';
import { ids, roleRecord } from './record.ts';
import { type RoleView, roleView } from './view.ts';

/**
 * Columns that say what a user holds. Sub-selects, so that the row stays one and a request asks once: joins would
 * multiply roles by permissions by scopes.
 *
 * @param user column with the id of the user
 */
export const heldColumns = (q: Knex, user: string): Knex.Raw[] => [
  q.raw(
    `(SELECT string_agg(hr.name, ' ') FROM admin_user_roles ha JOIN roles hr ON hr.id = ha.role_id
      WHERE ha.admin_user_id = ??) AS held_roles`,
    [user],
  ),
  q.raw(
    `(SELECT string_agg(hp.permission, ' ') FROM admin_user_roles ha JOIN role_permissions hp ON hp.role_id = ha.role_id
      WHERE ha.admin_user_id = ??) AS held_permissions`,
    [user],
  ),
  q.raw(
    `(SELECT string_agg(hs.kind || ':' || hs.ref_id, ' ') FROM admin_user_scopes hs
      WHERE hs.admin_user_id = ??) AS held_scopes`,
    [user],
  ),
];

/** Column `role_permissions`: what one of the installation's own roles holds, by the column with its name. */
export const permissionsColumn = (q: Knex, role: string): Knex.Raw =>
  q.raw(
    `(SELECT string_agg(hp.permission, ' ') FROM role_permissions hp JOIN roles hr ON hr.id = hp.role_id
      WHERE hr.name = ??) AS role_permissions`,
    [role],
  );

/** Ids of the users who hold a role, by its name: a query for `whereIn`. */
export const holders = ({ db }: Ctx, name: string): Knex.QueryBuilder =>
  db
    .knex('admin_user_roles as a')
    .join('roles as r', 'r.id', 'a.role_id')
    .where('r.name', name)
    .select('a.admin_user_id');

/** What a user holds now; nothing for one that does not exist. */
export async function heldBy(ctx: Ctx, userId: string): Promise<Held> {
  const { knex } = ctx.db;
  const row: HeldRow | undefined = await knex('admin_users as u')
    .where('u.id', userId)
    .first(heldColumns(knex, 'u.id'));
  return heldOf(row ?? { held_roles: null, held_permissions: null, held_scopes: null });
}

/**
 * Narrows a query over users to those who see no row that the actor does not, and to the actor: others it does not know of.
 *
 * @param user column with the id of the user
 * @returns the same query
 */
export function reachedHolders<Q extends Knex.QueryBuilder>({ actor, db }: Ctx, query: Q, user: string): Q {
  const scopes = Object.entries(actor.scopes ?? {});
  if (scopes.length === 0) return query;
  query.where((known) => {
    known.where((reached) => {
      for (const [kind, ids] of scopes) {
        const confined = db
          .knex('admin_user_scopes as s')
          .where('s.kind', kind)
          .whereRaw('s.admin_user_id = ??', [user]);
        reached
          .whereExists(confined.clone())
          .whereNotExists(confined.clone().whereNotIn('s.ref_id', [...ids]));
      }
    });
    // A role may confine to what no row says: its holder still has an account.
    known.orWhere(user, actor.id ?? '');
  });
  return query;
}

/** How many users and live tokens hold each role: one question each for a whole page. */
async function withHolders(ctx: Ctx, roles: RoleView[]): Promise<RoleView[]> {
  const ids = roles.map(({ id }) => id);
  const users = await countsBy(ctx.db.knex('admin_user_roles'), 'role_id', ids);
  const live = ctx.db
    .knex('admin_tokens')
    .whereNull('revoked_at')
    .where((open) => open.whereNull('expires_at').orWhere('expires_at', '>', ctx.now()));
  const names = roles.map(({ name }) => name);
  const tokens = await countsBy(live, 'role', names);
  return roles.map((role) => ({ ...role, users: users(role.id), tokens: tokens(role.name) }));
}

/** Roles as staff lists them: by the time of their making, system roles first. */
export const roleRows = selection<RoleView, { role_permissions: string | null }>({
  from: ({ db }) => db.knex('roles as r'),
  id: 'r.id',
  scope: 'none',
  columns: ({ db }) => ['r.*', permissionsColumn(db.knex, 'r.name')],
  read: (row) => roleView(roleRecord.read(row), words(row.role_permissions)),
  complete: withHolders,
  filters: {
    isSystem: filter.flag({ label: 'Built in', column: 'r.is_system' }),
    created: filter.times({ label: 'Created', column: 'r.created_at' }),
  },
  search: { placeholder: 'Name', by: ['r.name'] },
  sorts: { name: 'r.name', created: 'r.created_at', updated: 'r.updated_at' },
  initial: 'created',
});

/** The role of an id or a name, or null. */
export async function findRole(ctx: Ctx, idOrName: string): Promise<RoleView | null> {
  if (isId(ids.role, idOrName)) return roleRows.find(ctx, idOrName);
  const row: { id: string } | undefined = await ctx.db.knex('roles').where({ name: idOrName }).first('id');
  return row ? roleRows.find(ctx, row.id) : null;
}

/** The ids of all roles by their names, of which an installation has a few. */
export async function roleIds({ db }: Ctx): Promise<ReadonlyMap<string, string>> {
  const rows: { id: string; name: string }[] = await db.knex('roles').select('id', 'name');
  return new Map(rows.map(({ id, name }) => [name, id]));
}

/** Active accounts that are owners of every row, beside one. */
export async function countOtherOwners(ctx: Ctx, userId: string): Promise<number> {
  const [counted] = await ctx.db
    .knex('admin_users as u')
    .join('admin_user_roles as a', 'a.admin_user_id', 'u.id')
    .join('roles as r', 'r.id', 'a.role_id')
    .where({ 'r.name': 'owner', 'u.status': 'active' })
    .whereNot('u.id', userId)
    .whereNotExists(ctx.db.knex('admin_user_scopes as s').whereRaw('s.admin_user_id = u.id'))
    .count({ n: '*' });
  return Number(counted?.n ?? 0);
}

/** Where the rows are that somebody may be confined to. Vendors come with the store. */
const tables: Readonly<Record<ScopeKind, string | null>> = {
  tenant: 'license_tenants',
  license_product: 'license_products',
  vendor: null,
};

/**
 * The first row that scopes name and that does not exist; null when all do.
 *
 * @param tenants whose products count, so that those of others are as good as none; null for every tenant's
 */
export async function findMissing(
  ctx: Ctx,
  scopes: Scopes,
  tenants: readonly string[] | null,
): Promise<{ kind: ScopeKind; id: string } | null> {
  for (const [kind, asked] of Object.entries(scopes) as [ScopeKind, readonly string[]][]) {
    const table = tables[kind];
    const rows: { id: string }[] =
      table === null
        ? []
        : await ctx.db
            .knex(table)
            .whereIn('id', [...asked])
            .modify((query) => {
              if (tenants && kind === 'license_product') query.whereIn('tenant_id', [...tenants]);
            })
            .select('id');
    const id = asked.find((one) => !rows.some((row) => row.id === one));
    if (id !== undefined) return { kind, id };
  }
  return null;
}
