import type { Ctx } from '#kernel/context.ts';
import { readFlag } from '#kernel/db/columns.ts';
import { isId } from '#kernel/ids.ts';
import type { Slice } from '#kernel/service/pagination.ts';
import { type HeldRow, heldColumns, heldOf, reachedHolders, words } from '../roles/index.ts';
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
  last_login_at: string | null;
  updated_at: string;
}

function staff(ctx: Ctx) {
  const { knex } = ctx.db;
  const { createdUntil, idleSince } = endsAt(ctx);
  const codes = knex('recovery_codes as c').whereRaw('c.subject_id = u.id').whereNull('c.used_at');
  const sessions = knex('sessions as s')
    .whereRaw('s.admin_user_id = u.id AND s.admin_generation = u.session_generation')
    .andWhere('s.created_at', '>', createdUntil)
    .andWhere('s.last_seen_at', '>', idleSince);
  return knex('admin_users as u')
    .leftJoin('second_factors as f', 'f.subject_id', 'u.id')
    .select(
      'u.*',
      'f.enabled_at as two_factor_since',
      codes.count('*').as('recovery_codes'),
      sessions.count('*').as('open_sessions'),
      ...heldColumns(knex, 'u.id'),
    );
}

const viewOf =
  (ctx: Ctx) =>
  (row: StaffRow): StaffView => ({
    ...adminUserRecord.read(row),
    roles: [...heldOf(row).roles],
    scopes: scopesOf(row),
    twoFactor: {
      enabled: row.two_factor_since !== null,
      recoveryCodesLeft: row.two_factor_since === null ? 0 : Number(row.recovery_codes),
    },
    lockedUntil: row.locked_until !== null && row.locked_until > ctx.now() ? row.locked_until : null,
    mustChangePassword: readFlag(row.must_change_password),
    lastLoginAt: row.last_login_at,
    sessions: Number(row.open_sessions),
    updatedAt: row.updated_at,
  });

/** As they are stored: what a role adds to them is not a scope that anybody gave. */
const scopesOf = ({ held_scopes }: HeldRow): StaffView['scopes'] =>
  words(held_scopes)
    .toSorted()
    .map((pair) => {
      const [kind, refId] = pair.split(':') as [StaffView['scopes'][number]['kind'], string];
      return { kind, refId };
    });

/** An account by its id or address, in any ASCII case; null when there is none. */
export async function find(ctx: Ctx, idOrEmail: string): Promise<StaffView | null> {
  const where = isId(ids.adminUser, idOrEmail)
    ? { 'u.id': idOrEmail }
    : { 'u.email_norm': normalEmail(idOrEmail) };
  const rows: StaffRow[] = await reachedHolders(ctx, staff(ctx), 'u.id').where(where).limit(1);
  return rows.map(viewOf(ctx))[0] ?? null;
}

/** Accounts by their age. */
export async function list(
  ctx: Ctx,
  { offset, limit }: Slice,
): Promise<{ items: StaffView[]; total: number }> {
  const [counted] = await reachedHolders(ctx, ctx.db.knex('admin_users as u'), 'u.id').count({ n: '*' });
  const rows: StaffRow[] = await reachedHolders(ctx, staff(ctx), 'u.id')
    .orderBy('u.id')
    .offset(offset)
    .limit(limit);
  return { items: rows.map(viewOf(ctx)), total: Number(counted?.n ?? 0) };
}
