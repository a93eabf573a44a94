import type { Ctx } from '#kernel/context.ts';
import { conflict } from '#kernel/service/errors.ts';
import { appAddress, loadCodes, newRecoveryCodes, newSecret, plainCode, stepOf } from './codes.ts';
import * as repo from './repository.ts';

/** What an account knows of its second factor. */
export interface SecondFactorState {
  readonly enabled: boolean;
  /** ISO time since when; null while it is off. */
  readonly since: string | null;
  readonly recoveryCodesLeft: number;
}

/** A code of the authenticator app, or one of the recovery codes. */
export type Proof = { readonly code: string } | { readonly recoveryCode: string };

/**
 * Begins to set up an authenticator app. Until `confirm` nothing is asked for at a sign-in; to begin again replaces
 * the secret.
 *
 * @param subjectId id of the account; it names the account by `label` in the app
 * @param issuer how the app calls the installation
 * @returns the secret in base32, and the address for the QR code
 * @throws AppError CONFLICT when one is set up
 */
export async function setup(
  ctx: Ctx,
  subjectId: string,
  label: string,
  issuer: string = ctx.serviceName,
): Promise<{ secret: string; uri: string }> {
  const secret = await newSecret();
  const isPut = await ctx.tx((ctx) => repo.putPending(ctx, subjectId, seal(ctx, subjectId, secret)));
  if (!isPut) throw conflict('two-factor sign-in is already on; turn it off first');
  return { secret, uri: await appAddress(issuer, label, secret) };
}

/** The secret that waits for its first code, as `setup` returned it; null where none waits. */
export async function pending(
  ctx: Ctx,
  subjectId: string,
  label: string,
  issuer: string = ctx.serviceName,
): Promise<{ secret: string; uri: string } | null> {
  const found = await repo.find(ctx, subjectId);
  if (!found || found.enabledAt !== null) return null;
  const secret = ctx.keyring.open('secret', found.secretEnc, ownerOf(subjectId));
  return { secret, uri: await appAddress(issuer, label, secret) };
}

/**
 * Switches the second factor on with the first code of the app.
 *
 * @returns ten recovery codes, shown this once; null for a wrong code, or when nothing waits for one
 */
export async function confirm(ctx: Ctx, subjectId: string, code: string): Promise<string[] | null> {
  await loadCodes();
  return ctx.tx(async (ctx) => {
    const found = await repo.find(ctx, subjectId);
    if (!found || found.enabledAt !== null) return null;
    const step = await stepIn(ctx, subjectId, found, code);
    if (step === null || !(await repo.enable(ctx, subjectId, found.secretEnc, step))) return null;
    return putCodes(ctx, subjectId);
  });
}

/** Whether a code is right and was not used before; it is used up. Wrong ones are counted by the caller. */
export async function prove(ctx: Ctx, subjectId: string, proof: Proof): Promise<boolean> {
  await loadCodes();
  return ctx.tx(async (ctx) => {
    const found = await repo.find(ctx, subjectId);
    if (!found?.enabledAt) return false;
    if ('recoveryCode' in proof)
      return repo.takeCode(ctx, subjectId, hashOf(ctx, subjectId, proof.recoveryCode));
    const step = await stepIn(ctx, subjectId, found, proof.code);
    return step !== null && repo.takeStep(ctx, subjectId, step);
  });
}

/** Makes ten recovery codes in place of those there were. @throws AppError CONFLICT while the factor is off */
export async function renewCodes(ctx: Ctx, subjectId: string): Promise<string[]> {
  return ctx.tx(async (ctx) => {
    const found = await repo.find(ctx, subjectId);
    if (!found?.enabledAt) throw conflict('two-factor sign-in is off; set it up first');
    return putCodes(ctx, subjectId);
  });
}

/** Switches it off. @returns whether it was on */
export const remove = (ctx: Ctx, subjectId: string): Promise<boolean> =>
  ctx.tx((ctx) => repo.remove(ctx, subjectId));

export async function stateOf(ctx: Ctx, subjectId: string): Promise<SecondFactorState> {
  const since = (await repo.find(ctx, subjectId))?.enabledAt ?? null;
  const recoveryCodesLeft = since === null ? 0 : await repo.countCodes(ctx, subjectId);
  return { enabled: since !== null, since, recoveryCodesLeft };
}

async function putCodes(ctx: Ctx, subjectId: string): Promise<string[]> {
  const codes = newRecoveryCodes();
  await repo.replaceCodes(
    ctx,
    subjectId,
    codes.map((code) => hashOf(ctx, subjectId, code)),
  );
  return codes;
}

async function stepIn(
  ctx: Ctx,
  subjectId: string,
  { secretEnc }: repo.Factor,
  code: string,
): Promise<number | null> {
  const secret = ctx.keyring.open('secret', secretEnc, ownerOf(subjectId));
  return stepOf(secret, code, Date.parse(ctx.now()));
}

const ownerOf = (subjectId: string): string => `second-factor:${subjectId}`;
const seal = (ctx: Ctx, subjectId: string, secret: string): string =>
  ctx.keyring.seal('secret', secret, ownerOf(subjectId));
const hashOf = (ctx: Ctx, subjectId: string, code: string): string =>
  ctx.keyring.digest('lookup', `recovery:${subjectId}:${plainCode(code)}`);
