import { isAudited } from '#kernel/audit.ts';
import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { type OnlineSigner, signerFor, signMessage } from '#licensing/catalog/keys/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { ids } from '#licensing/contract/ids.ts';
import { bounds } from '#licensing/contract/limits.ts';
import type { ActivationReply, LicensePublicReply } from '#licensing/contract/replies.ts';
import { defaultLeaseSeconds } from '#licensing/contract/settings.ts';
import { machineOf } from '../activations/index.ts';
import { type Decision, refusal } from '../decision/index.ts';
import {
  activationPublic,
  factsOf,
  findStanding,
  judge,
  licensePublic,
  resolveKey,
  type Standing,
} from '../standing/index.ts';
import { claimsOf } from './claims.ts';
import { offlineTokenEvents } from './events.ts';
import type { IssuedToken } from './record.ts';
import * as repo from './repository.ts';
import { type OfflineTokenInput, StaffTokenInput } from './schemas.ts';

/** Thirty days, when the caller names no life (licensing 6.2). */
const DEFAULT_TTL_SECONDS = bounds.offlineTtlSeconds.usual;
/** Width of the column. */
const LONGEST_ISSUER = 50;

/** A token, and its end as ISO 8601 UTC. */
export interface IssuedTokenText {
  token: string;
  expiresAt: string;
}

interface TokenAsked {
  readonly machineId: string;
  readonly appVersion?: string | undefined;
  readonly ttlSeconds: number;
}

/** What the public endpoint answers. */
export interface Issued extends IssuedTokenText {
  message: string;
  license: LicensePublicReply;
  activation: ActivationReply;
}

/**
 * Issues a token by which a machine can tell offline that its license is good (POST /api/v1/license/offline-token,
 * licensing 6.2). It changes nothing of the license, so nothing is locked (C13).
 *
 * @param input `ttlSeconds` 3,600 to 34,560,000, default 30 days; the policy may cap it
 * @throws AppError NOT_FOUND (also when the policy forbids tokens or nobody may sign them), INVALID_KEY,
 *   LICENSE_REVOKED, LICENSE_SUSPENDED, LICENSE_EXPIRED, NOT_ACTIVATED
 */
export async function issueForClient(ctx: Ctx, input: OfflineTokenInput): Promise<Issued> {
  const { licenseKey, machineId, appVersion, ttlSeconds = DEFAULT_TTL_SECONDS } = input;
  const resolved = await resolveKey(ctx, licenseKey, machineId, ctx.now());
  const { standing, activation, message, ...issued } = await issueTo(ctx, resolved, {
    machineId,
    appVersion,
    ttlSeconds,
  });
  return {
    message,
    ...issued,
    license: licensePublic(ctx, standing, standing.used),
    activation: activationPublic({ ...activation, machineId }),
  };
}

/**
 * Issues a token for a machine of a license to the customer who owns it, by the rules of the public endpoint (licensing
 * 2.12, 6.2).
 *
 * @param machine by its own id or by that of its activation
 * @param ttlSeconds 3,600 to 34,560,000; the policy may cap it
 * @throws AppError as `issueForClient`; VALIDATION_ERROR
 */
export async function issueFor(
  ctx: Ctx,
  licenseId: string,
  machine: { readonly machineId: string } | { readonly activationId: string },
  ttlSeconds: number = DEFAULT_TTL_SECONDS,
): Promise<IssuedTokenText> {
  const machineId =
    'machineId' in machine ? machine.machineId : await machineOf(ctx, licenseId, machine.activationId);
  if (machineId === null) throw fail('NOT_FOUND', 'Activation not found');
  const asked = checkInput(StaffTokenInput, { machineId, ttlSeconds });
  const standing = await findStanding(ctx, { id: licenseId }, machineId, ctx.now());
  const { token, expiresAt } = await issueTo(ctx, { malformed: false, standing }, asked);
  return { token, expiresAt };
}

/** Whether an online key signs tokens for a product. */
export const offersTokens = async (ctx: Ctx, productId: string): Promise<boolean> =>
  (await signerFor(ctx, productId, 'license')) !== null;

async function issueTo(
  ctx: Ctx,
  resolved: { malformed: boolean; standing: Standing | null },
  { machineId, appVersion, ttlSeconds }: TokenAsked,
) {
  const decision = judgeToken(ctx, resolved, machineId, appVersion);
  const { standing } = resolved;
  const { activation } = standing ?? {};
  if (!standing || !activation || !decision.allowed) throw refusal('offline-token', decision);
  const signer = await signerFor(ctx, standing.product.id, 'license');
  // The client tells its developer so: he waits for tokens that never come.
  if (!signer)
    throw fail('NOT_FOUND', 'Offline tokens are not offered', { details: { reason: 'NO_ONLINE_KEY' } });
  const issued = await sealAndRecord(ctx, standing, signer, { machineId, ttlSeconds });
  return { standing, activation, message: decision.message, ...issued };
}

/** Decides about a token; `resolved` as resolveKey gives it. */
export function judgeToken(
  ctx: Ctx,
  resolved: { malformed: boolean; standing: Standing | null },
  machineId: string,
  appVersion?: string,
): Decision {
  const facts = factsOf(resolved, { appVersion }, ctx.settings.get(defaultLeaseSeconds));
  return judge(ctx, 'offline-token', facts, ctx.now(), machineId);
}

/**
 * Signs a token and keeps its record. The signature is made outside of the transaction (C10).
 *
 * @param standing of a license that may be used on the machine
 */
export async function sealAndRecord(
  ctx: Ctx,
  standing: Standing,
  signer: OnlineSigner,
  asked: { machineId: string; ttlSeconds: number },
): Promise<IssuedTokenText> {
  const now = ctx.now();
  const claims = claimsOf(standing, signer, { ...asked, jti: ctx.newId(ids.offlineToken) }, now);
  const token = signMessage(signer, 'license', claims);
  const expiresAt = isoTime(claims.exp * 1000);
  const record: IssuedToken = {
    id: claims.jti,
    licenseId: claims.lid,
    activationId: standing.activation?.id ?? null,
    machineDigest: claims.mid,
    issuedAt: now,
    expiresAt,
    issuedBy: issuerOf(ctx),
  };
  await ctx.tx(async (ctx) => {
    await repo.insert(ctx, record);
    if (isAudited({}, ctx.actor)) await tell(ctx, record);
  });
  return { token, expiresAt };
}

const tell = (ctx: Ctx, record: IssuedToken): Promise<void> =>
  offlineTokenEvents.tell(
    ctx,
    'OFFLINE_TOKEN_ISSUED',
    record.licenseId,
    { expiresAt: record.expiresAt },
    { after: record },
  );

const issuerOf = ({ actor: { kind, id, label } }: Ctx): string =>
  [...`${kind}:${id ?? label ?? ''}`].slice(0, LONGEST_ISSUER).join('');
