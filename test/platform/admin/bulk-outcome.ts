// What became of the rows of a bulk run.
import type { Ctx } from '#kernel/context.ts';
import type { HttpReply } from '../../support/http-client.ts';

/** Each row and the code of its refusal; null where it succeeded. */
export function outcomes({ status, text }: HttpReply): [id: string, code: string | null][] {
  if (status !== 200) throw new Error(`a bulk run answered ${status}: ${text}`);
  const { results } = JSON.parse(text) as { results: { id: string; error?: { code: string } }[] };
  return results.map(({ id, error }) => [id, error?.code ?? null]);
}

/** The audit log of a tenant, oldest first. */
export const auditRows = (ctx: Ctx): Promise<{ target_id: string; action: string }[]> =>
  ctx.db.knex('audit_log').where({ tenant_id: ctx.tenantId }).orderBy('seq').select('target_id', 'action');
