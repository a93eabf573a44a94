import type { Ctx } from '#kernel/context.ts';
import { readJson } from '#kernel/db/columns.ts';
import type { ClaimedLicense } from './repository.ts';

const ROWS = 1000;

/**
 * Licenses of purchases that are not named by exactly one claim, over all tenants (licensing 8.8, invariant 6). A claim
 * may name one that was purged since; the claim of a license that was imported stayed where its purchase was.
 */
export async function listUnclaimed(ctx: Ctx): Promise<string[]> {
  // The licenses first: whatever is bought while this reads has its claim by the time at which claims are read.
  const purchased: string[] = [];
  for (let after = ''; ; ) {
    const ids = await purchasedAfter(ctx, after);
    purchased.push(...ids);
    after = ids.at(-1) ?? '';
    if (ids.length < ROWS) break;
  }
  const named = new Set<string>();
  const wrong: string[] = [];
  for (let after = { config_id: '', claim_key: '' }; ; ) {
    const rows = await claimsAfter(ctx, after);
    for (const { licenseId } of rows.flatMap((row) => readJson<ClaimedLicense[]>(row.licenses))) {
      if (named.has(licenseId)) wrong.push(licenseId);
      named.add(licenseId);
    }
    const last = rows.at(-1);
    if (!last || rows.length < ROWS) return [...wrong, ...purchased.filter((id) => !named.has(id))];
    after = last;
  }
}

interface ClaimRow {
  config_id: string;
  claim_key: string;
  licenses: string;
}

const claimsAfter = (ctx: Ctx, after: { config_id: string; claim_key: string }): Promise<ClaimRow[]> =>
  ctx.db
    .knex('license_inbound_claims')
    .whereRaw('(config_id, claim_key) > (?, ?)', [after.config_id, after.claim_key])
    .orderBy(['config_id', 'claim_key'])
    .limit(ROWS)
    .select('config_id', 'claim_key', 'licenses');

async function purchasedAfter(ctx: Ctx, after: string): Promise<string[]> {
  const rows: { id: string }[] = await ctx.db
    .knex('licenses')
    .where('id', '>', after)
    .where({ source: 'INBOUND_WEBHOOK' })
    .whereNotExists((imported) =>
      imported
        .from('events')
        .whereRaw('events.subject = licenses.id')
        .where('events.type', 'LICENSE_IMPORTED')
        .select('events.id'),
    )
    .orderBy('id')
    .limit(ROWS)
    .select('id');
  return rows.map(({ id }) => id);
}
