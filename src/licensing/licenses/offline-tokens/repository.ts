import type { Ctx } from '#kernel/context.ts';
import { statement } from '#kernel/db/statement.ts';

/** The record of an issued token; the token itself is not kept. Times are ISO 8601 UTC. */
export interface IssuedToken {
  /** The claim `jti`. */
  readonly id: string;
  readonly licenseId: string;
  readonly activationId: string | null;
  /** The claim `mid`. */
  readonly machineDigest: string;
  readonly issuedAt: string;
  readonly expiresAt: string;
  /** Kind and id of who asked, `api_key:key_…`. */
  readonly issuedBy: string;
}

const COLUMNS = [
  'id',
  'tenant_id',
  'license_id',
  'activation_id',
  'machine_digest',
  'issued_at',
  'expires_at',
  'issued_by',
  'created_at',
] as const;

const insertRow = statement<Record<(typeof COLUMNS)[number], string | null>>((q, p) =>
  q('license_offline_tokens').insert(p.row(...COLUMNS)),
);

export async function insert(ctx: Ctx, token: IssuedToken): Promise<void> {
  await insertRow.run(ctx.db, {
    id: token.id,
    tenant_id: ctx.tenantId,
    license_id: token.licenseId,
    activation_id: token.activationId,
    machine_digest: token.machineDigest,
    issued_at: token.issuedAt,
    expires_at: token.expiresAt,
    issued_by: token.issuedBy,
    created_at: token.issuedAt,
  });
}

/** The tokens of a license, newest first, and how many there are. */
export async function listPage(
  ctx: Ctx,
  licenseId: string,
  page: { offset: number; limit: number },
): Promise<{ items: IssuedToken[]; total: number }> {
  const of = () =>
    ctx.db.knex('license_offline_tokens').where({ tenant_id: ctx.tenantId, license_id: licenseId });
  const counted = await of().count({ total: '*' }).first();
  const rows = await of().select(COLUMNS).orderBy('id', 'desc').limit(page.limit).offset(page.offset);
  return { items: rows.map(toToken), total: Number(counted?.total ?? 0) };
}

const toToken = (row: Record<(typeof COLUMNS)[number], string | null>): IssuedToken => ({
  id: row.id as string,
  licenseId: row.license_id as string,
  activationId: row.activation_id,
  machineDigest: row.machine_digest as string,
  issuedAt: row.issued_at as string,
  expiresAt: row.expires_at as string,
  issuedBy: row.issued_by as string,
});
