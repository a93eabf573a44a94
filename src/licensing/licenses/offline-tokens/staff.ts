import { isoTime } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { checkInput } from '#kernel/service/input.ts';
import { type Page, type PageAsked, pageOf, sliceOf } from '#kernel/service/pagination.ts';
import { listOnline, type OnlineSigner, signerFor } from '#licensing/catalog/keys/index.ts';
import { fail } from '#licensing/contract/errors.ts';
import { refusal } from '../decision/index.ts';
import { activate } from '../machines/index.ts';
import { findStanding, openKey, type Standing } from '../standing/index.ts';
import { claimsOf } from './claims.ts';
import { type IssuedTokenText, judgeToken, sealAndRecord } from './issue.ts';
import type { IssuedToken } from './record.ts';
import * as repo from './repository.ts';
import { StaffTokenInput } from './schemas.ts';

/** A license that may have a token, and the key that signs it. */
interface Ready {
  standing: Standing;
  signer: OnlineSigner;
}

/**
 * Issues an offline token by hand, for a machine without a network (licensing 6.2; admin, CLI, storefront).
 *
 * @param machineId as the customer sent it, 8 to 255 characters
 * @param ttlSeconds 3,600 to 34,560,000; the policy's cap holds for staff too
 * @param options `activate`: first bind the license to the machine when it is not
 * @throws AppError NOT_FOUND for the license; CONFLICT when its product or policy offers no tokens; VALIDATION_ERROR;
 *   LICENSE_REVOKED, LICENSE_SUSPENDED, LICENSE_EXPIRED, NOT_ACTIVATED; with `activate` ACTIVATION_FAILED
 */
export async function issue(
  ctx: Ctx,
  licenseId: string,
  machineId: string,
  ttlSeconds: number,
  options: { activate?: boolean } = {},
): Promise<IssuedTokenText> {
  const asked = checkInput(StaffTokenInput, { machineId, ttlSeconds });
  const { standing, signer } = await ready(ctx, licenseId, asked.machineId, options);
  return sealAndRecord(ctx, standing, signer, asked);
}

/**
 * What `issue` would do, without a signature: a token that nobody recorded must not exist. Run it in a transaction
 * that is rolled back when `activate` is set.
 *
 * @returns the end that the token would have; throws as `issue` does
 */
export async function plan(
  ctx: Ctx,
  licenseId: string,
  machineId: string,
  ttlSeconds: number,
  options: { activate?: boolean } = {},
): Promise<{ expiresAt: string }> {
  const asked = checkInput(StaffTokenInput, { machineId, ttlSeconds });
  const { standing, signer } = await ready(ctx, licenseId, asked.machineId, options);
  const { exp } = claimsOf(standing, signer, { ...asked, jti: '' }, ctx.now());
  return { expiresAt: isoTime(exp * 1000) };
}

/** One page of the tokens that were issued for a license, newest first. @throws AppError NOT_FOUND */
export async function list(ctx: Ctx, licenseId: string, asked: PageAsked): Promise<Page<IssuedToken>> {
  const slice = sliceOf(asked);
  await standingOf(ctx, licenseId, '');
  return pageOf(asked, await repo.listPage(ctx, licenseId, slice));
}

async function ready(
  ctx: Ctx,
  licenseId: string,
  machineId: string,
  options: { activate?: boolean },
): Promise<Ready> {
  const before = await standingOf(ctx, licenseId, machineId);
  refuseForbidden(before);
  const decision = judgeToken(ctx, { malformed: false, standing: before }, machineId);
  const mayBind = options.activate === true && decision.code === 'NOT_ACTIVATED';
  if (!decision.allowed && !mayBind) throw refusal('offline-token', decision);
  // Before the machine is bound: a seat must not be taken for a token that cannot be had.
  const signer = await offering(ctx, before);
  if (decision.allowed) return { standing: before, signer };
  await activate(ctx, { licenseKey: openKey(ctx, before.sealedKey, licenseId), machineId });
  const standing = await standingOf(ctx, licenseId, machineId);
  const again = judgeToken(ctx, { malformed: false, standing }, machineId);
  if (!again.allowed) throw refusal('offline-token', again);
  return { standing, signer };
}

async function standingOf(ctx: Ctx, licenseId: string, machineId: string): Promise<Standing> {
  const standing = await findStanding(ctx, { id: licenseId }, machineId, ctx.now());
  if (standing) return standing;
  throw fail('NOT_FOUND', `license ${licenseId} was not found`, { details: { hint: 'appctl license list' } });
}

/** Clients are told NOT_FOUND of this and of a missing key; staff can do something about it. */
function refuseForbidden({ policy }: Standing): void {
  if (policy?.offlineMaxTtlSeconds !== 0) return;
  throw fail('CONFLICT', `policy ${policy.id} forbids offline tokens`, {
    details: { reason: 'TOKENS_FORBIDDEN', hint: `appctl policy update ${policy.id} --offline-max-ttl SEC` },
  });
}

async function offering(ctx: Ctx, { product }: Standing): Promise<OnlineSigner> {
  const signer = await signerFor(ctx, product.id, 'license');
  if (signer) return signer;
  throw fail('CONFLICT', `product ${product.slug} has no online key with a valid delegation for licenses`, {
    details: { reason: 'NO_ONLINE_KEY', hint: await nextKeyStep(ctx, product.slug) },
  });
}

/** The command that leads on to a key that signs: a key that is there already wants its delegation, not another key. */
async function nextKeyStep(ctx: Ctx, slug: string): Promise<string> {
  const { items } = await listOnline(ctx, { product: slug, page: 1, limit: 100 });
  const key = items.find(({ status }) => status !== 'RETIRED');
  return key
    ? `appctl keys delegate --product ${slug} --key ROOT.key --pub ${key.publicKey}, then appctl keys online delegate ${key.keyId}`
    : `appctl keys online create --product ${slug}`;
}
