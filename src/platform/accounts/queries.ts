import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { filter } from '#kernel/db/selection/filter.ts';
import { selection } from '#kernel/db/selection/selection.ts';
import { isId } from '#kernel/ids.ts';
import { type HeldRow, heldColumns, heldOf, holders, reachedHolders, words } from '../roles/index.ts';
import { endsAt } from '../sessions/index.ts';
import { normalEmail } from './email.ts';
import { adminUserRecord, ids } from './record.ts';
import type { StaffView } from './view.ts';

interface StaffRow extends HeldRow {
  id: string;
  two_factor_since: string | null;
  recovery_codes: unknown;
  open_sessions: unknown;
  locked_until: string | null;
  must_change_password: unknown;
  timezone: string | null;
  last_login_at: string | null;
  updated_at: string;
}

const columns = (ctx: Ctx) => {
  const { knex } = ctx.db;
  const { createdUntil, idleSince } = endsAt(ctx);
  const codes = knex('recovery_codes as c').whereRaw('c.subject_id = u.id').whereNull('c.used_at');
  const sessions = knex('sessions as s')
    .whereRaw('s.admin_user_id = u.id AND s.admin_generation = u.session_generation')
    .andWhere('s.created_at', '>', createdUntil)
    .andWhere('s.last_seen_at', '>', idleSince);
  return [
    'u.*',
    'f.enabled_at as two_factor_since',
    codes.count('*').as('recovery_codes'),
    sessions.count('*').as('open_sessions'),
    ...heldColumns(knex, 'u.id'),
  ];
};

const viewOf = (row: StaffRow): StaffView => ({
  ...adminUserRecord.read(row),
  roles: [...heldOf(row).roles],
  scopes: scopesOf(row),
  twoFactor: {
    enabled: row.two_factor_since !== null,
    recoveryCodesLeft: row.two_factor_since === null ? 0 : Number(row.recovery_codes),
  },
  lockedUntil: row.locked_until,
  mustChangePassword: readFlag(row.must_change_password),
  timezone: row.timezone,
  lastLoginAt: row.last_login_at,
  sessions: Number(row.open_sessions),
  updatedAt: row.updated_at,
});

/** A lock that is over is none. */
const unlocked = ({ lockedUntil, ...user }: StaffView, now: string): StaffView => ({
  ...user,
  lockedUntil: lockedUntil !== null && lockedUntil > now ? lockedUntil : null,
});

/** As they are stored: what a role adds to them is not a scope that anybody gave. */
const scopesOf = ({ held_scopes }: HeldRow): StaffView['scopes'] =>
  words(held_scopes)
    .toSorted()
    .map((pair) => {
      const [kind, refId] = pair.split(':') as [StaffView['scopes'][number]['kind'], string];
      return { kind, refId };
    });

const INACTIVE_DAYS = 90;

/** Accounts of staff that the actor may know of. */
export const staffRows = selection<StaffView, StaffRow>({
  from: ({ db }) => db.knex('admin_users as u'),
  joins: { factor: (query) => void query.leftJoin('second_factors as f', 'f.subject_id', 'u.id') },
  id: 'u.id',
  scope: (query, ctx) => void reachedHolders(ctx, query, 'u.id'),
  columns,
  shows: ['factor'],
  read: viewOf,
  complete: async (ctx, rows) => rows.map((row) => unlocked(row, ctx.now())),
  filters: {
    status: filter.choice(['invited', 'active', 'disabled'], { label: 'Status', column: 'u.status' }),
    role: filter.text({
      label: 'Role',
      column: (query, name, ctx) => void query.whereIn('u.id', holders(ctx, name)),
    }),
    hasTwoFactor: filter.flag({
      label: 'Two-factor sign-in',
      needs: ['factor'],
      column: (query, isOn) =>
        void (isOn ? query.whereNotNull('f.enabled_at') : query.whereNull('f.enabled_at')),
    }),
    inactive: filter.flag({
      label: `No sign-in for ${INACTIVE_DAYS} days`,
      column: (query, isInactive, ctx) => {
        const since = addSeconds(ctx.now(), -INACTIVE_DAYS * SECONDS_PER_DAY);
        if (isInactive)
          query.where((never) => never.whereNull('u.last_login_at').orWhere('u.last_login_at', '<=', since));
        else query.where('u.last_login_at', '>', since);
      },
    }),
    created: filter.times({ label: 'Created', column: 'u.created_at' }),
  },
  search: { placeholder: 'Name or email address', by: ['u.email', 'u.name'] },
  sorts: {
    email: 'u.email_norm',
    name: 'u.name',
    created: 'u.created_at',
    lastLogin: { column: 'u.last_login_at', isNullable: true },
  },
  initial: 'created',
});

/** An account by its id or address, in any ASCII case; null when there is none. */
export async function find(ctx: Ctx, idOrEmail: string): Promise<StaffView | null> {
  if (isId(ids.adminUser, idOrEmail)) return staffRows.find(ctx, idOrEmail);
  const row: { id: string } | undefined = await ctx.db
    .knex('admin_users')
    .where({ email_norm: normalEmail(idOrEmail) })
    .first('id');
  return row ? staffRows.find(ctx, row.id) : null;
}

/** Email addresses of the owners who may sign in and have no authenticator app, in alphabetical order. */
export async function ownersWithoutSecondFactor({ db }: Ctx): Promise<string[]> {
  const rows: { email: string }[] = await db
    .knex('admin_users as u')
    .join('admin_user_roles as h', 'h.admin_user_id', 'u.id')
    .join('roles as r', 'r.id', 'h.role_id')
    .leftJoin('second_factors as f', 'f.subject_id', 'u.id')
    .where({ 'r.name': 'owner', 'u.status': 'active' })
    .whereNull('f.enabled_at')
    .orderBy('u.email')
    .select('u.email');
  return rows.map(({ email }) => email);
}
