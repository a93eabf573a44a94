import { type Check, type Finding, fail, ok, onSchema, warn } from '#kernel/check.ts';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { AppError } from '#kernel/errors.ts';
import { type ClientKey, publicKeysForClients } from '#licensing/catalog/keys/index.ts';
import * as queries from './queries.ts';
import { nameOf } from './refusal.ts';
import type { Release } from './release.ts';
import { requireSignature, requireStatement } from './signed.ts';

const NEWEST = 20;
const WARNING_DAYS = 30;

/** Whether what clients are offered is what was signed: invariant 5 of licensing 8.8 without the bytes. */
export const releaseChecks: readonly Check[] = [
  {
    id: 'keys.release-signatures',
    title: 'published releases verify with the keys of their products',
    isLong: 'hourly',
    run: onSchema(checkSignatures),
  },
];

async function checkSignatures(ctx: Ctx): Promise<Finding> {
  const releases = await queries.listNewestPublished(ctx, NEWEST);
  if (releases.length === 0) return ok('no release is published');
  const faults: string[] = [];
  for (const release of releases) {
    const keys = await publicKeysForClients(ctx, release.productId);
    const fault = faultOf(release, keys);
    if (fault !== null) faults.push(fault);
  }
  if (faults.length > 0) {
    return fail(faults.join('; '), 'appctl release yank withdraws it; then sign and ship a new version');
  }
  const ending = endingStatements(releases, ctx.now());
  if (ending.length > 0) {
    return warn(
      `statements that expire within ${WARNING_DAYS} days: ${ending.map(nameOf).join(', ')}; clients refuse them afterwards`,
      `appctl release renew ${ending[0]?.id} --key KEY`,
    );
  }
  return ok(`the newest ${releases.length} published releases verify`);
}

function faultOf(release: Release, keys: readonly ClientKey[]): string | null {
  const { bundleSha256, signature, statement, statementSignature } = release;
  const key = keys.find(({ keyId }) => keyId === release.keyId);
  if (!key) return `${nameOf(release)} is signed by key ${release.keyId}, which its product does not have`;
  try {
    requireSignature(release, bundleSha256 ?? '', signature ?? '', key.publicKey);
    if (statement !== null)
      requireStatement(release, { statement, statementSignature: statementSignature ?? '' }, key.publicKey);
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.message;
    throw error;
  }
}

const endingStatements = (releases: readonly Release[], now: string): Release[] => {
  const soon = addSeconds(now, WARNING_DAYS * SECONDS_PER_DAY);
  return releases.filter(
    ({ statementExpiresAt }) => statementExpiresAt !== null && statementExpiresAt <= soon,
  );
};
