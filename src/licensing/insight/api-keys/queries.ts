import type { Ctx } from '#kernel/context.ts';
import { type ApiKey, apiKeyRecord } from '#platform/api-keys/index.ts';

/** API keys of the license API that work today, of all tenants, the oldest first. */
export async function listLiveKeys(ctx: Ctx): Promise<ApiKey[]> {
  const rows: object[] = await ctx.db
    .knex(apiKeyRecord.table)
    .where({ service: 'license' })
    .whereNull('revoked_at')
    .where((live) => void live.whereNull('expires_at').orWhere('expires_at', '>', ctx.now()))
    .orderBy('id');
  return rows.map((row) => apiKeyRecord.read(row));
}
