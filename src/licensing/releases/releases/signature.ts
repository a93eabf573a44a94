import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { addSeconds, SECONDS_PER_DAY } from '#kernel/clock.ts';
import type { Ctx } from '#kernel/context.ts';
import { checkInput, sentFields } from '#kernel/service/input.ts';
import { type ClientKey, publicKeysForClients } from '#licensing/catalog/keys/index.ts';
import { openStatement, type Statement } from '#signing/releases/statement.ts';
import { type ChangeOptions, changeRelease } from './change.ts';
import { getUnchanged } from './read.ts';
import { changedMeanwhile, nameOf, refuse, requireDraft } from './refusal.ts';
import type { Release } from './release.ts';
import {
  CheckedSignature,
  RenewalInput,
  type RenewalSent,
  type SignatureInput,
  type SignatureSent,
} from './schemas.ts';
import { requireSignature, requireStatement, type SignedStatement, signatureFits } from './signed.ts';

type Sent = z.output<typeof SignatureInput>;

/** A statement must be good for so long when it begins to count (6.3). */
const LEAST_DAYS = 7;

/**
 * Gives a draft its signature, in place of an earlier one with all that belonged to it. It is verified at once where
 * the bundle and the key are there; publishing verifies it again. On a release that is no draft any more the same
 * signature with a later statement renews the statement.
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED; CONFLICT, reason NOT_DRAFT,
 *   SEQUENCE_NOT_RISING or CHANGED_MEANWHILE; VERIFICATION_FAILED, reason WRONG_KEY, BAD_SIGNATURE,
 *   STATEMENT_INVALID or STATEMENT_MISMATCH
 */
export async function attachSignature(
  ctx: Ctx,
  id: string,
  input: SignatureSent,
  options: ChangeOptions = {},
): Promise<Release> {
  const sent = checkInput(CheckedSignature, input) as Sent;
  const seen = await getUnchanged(ctx, id, options.ifMatch);
  const statement = statementOf(sent);
  if (seen.state !== 'DRAFT') {
    if (sent.signature !== seen.signature || statement === null) requireDraft(seen);
    else return renewStatement(ctx, id, statement, options);
  }
  const { key, opened } = judge(seen, sent, await publicKeysForClients(ctx, seen.productId));
  return changeRelease(ctx, id, options, async (_ctx, before) => {
    // The signature was judged with what the release said before the lock.
    if (!isDeepStrictEqual(before, seen)) throw changedMeanwhile(before);
    const after: Release = {
      ...before,
      signature: sent.signature,
      keyId: key?.keyId ?? sent.keyId ?? null,
      extraSignatures: sentFields(sent.extra ?? {}),
      statement: statement?.statement ?? null,
      statementSignature: statement?.statementSignature ?? null,
      ...termOf(opened),
    };
    return { type: 'RELEASE_CHANGED', after };
  });
}

/** What of a statement stands in columns of its own. */
export const termOf = (opened: Statement | null): Pick<Release, 'sequence' | 'statementExpiresAt'> => ({
  sequence: opened?.sequence ?? null,
  statementExpiresAt: opened === null ? null : new Date(opened.expiresAt).toISOString(),
});

/** @returns null when neither part was sent */
export const statementOf = ({
  statement,
  statementSignature,
}: {
  statement?: string | undefined;
  statementSignature?: string | undefined;
}): SignedStatement | null =>
  statement === undefined || statementSignature === undefined ? null : { statement, statementSignature };

function judge(
  seen: Release,
  sent: Sent,
  keys: readonly ClientKey[],
): { key: ClientKey | null; opened: Statement | null } {
  const key = keyOf(seen, sent, keys);
  if (key === null) return { key, opened: null };
  if (seen.bundleSha256 !== null) requireSignature(seen, seen.bundleSha256, sent.signature, key.publicKey);
  const statement = statementOf(sent);
  return { key, opened: statement && requireStatement(seen, statement, key.publicKey) };
}

/**
 * The key that a signature is judged with: the named one, else the one that fits, else the active one. A retired key
 * signs nothing new. null: the product has no key yet.
 */
function keyOf(seen: Release, sent: Sent, keys: readonly ClientKey[]): ClientKey | null {
  if (keys.length === 0) return null;
  const usable = keys.filter(({ status }) => status !== 'RETIRED');
  const active = usable.find(({ status }) => status === 'ACTIVE') ?? null;
  if (sent.keyId === undefined) return usable.find((key) => fits(seen, sent, key)) ?? active;
  const named = usable.find(({ keyId }) => keyId === sent.keyId);
  if (named) return named;
  throw wrongKey(seen, sent.keyId, active?.keyId ?? null);
}

function fits(seen: Release, sent: Sent, { publicKey }: ClientKey): boolean {
  if (seen.bundleSha256 !== null) return signatureFits(seen.bundleSha256, sent.signature, publicKey);
  const statement = statementOf(sent);
  return (
    statement !== null && openStatement(statement.statement, statement.statementSignature, publicKey) !== null
  );
}

/** @param active id of the key that new releases are signed with */
export const wrongKey = (release: Release, keyId: string, active: string | null) =>
  refuse(
    'WRONG_KEY',
    `${nameOf(release)} is signed by key ${keyId}, which ${release.productSlug} does not use; ` +
      (active === null ? 'appctl keys activate gives it one' : `sign it with key ${active}`),
    { keyId, activeKeyId: active, hint: `appctl keys list --product ${release.productSlug}` },
  );

/**
 * The key that signed a release, whatever has become of it: clients that have it verify with it (decision 6).
 *
 * @throws AppError VERIFICATION_FAILED, reason WRONG_KEY, when the product does not know it any more
 */
export async function keyThatSigned(ctx: Ctx, release: Release): Promise<ClientKey> {
  const keys = await publicKeysForClients(ctx, release.productId);
  const key = keys.find(({ keyId }) => keyId === release.keyId);
  if (key) return key;
  throw wrongKey(release, release.keyId ?? '', keys.find(({ status }) => status === 'ACTIVE')?.keyId ?? null);
}

/**
 * A client must be able to rely on a statement for a while.
 *
 * @param from when it begins to count, ISO 8601 UTC
 * @throws AppError VERIFICATION_FAILED, reason STATEMENT_EXPIRES_SOON
 */
export function requireLife(release: Release, expiresAt: string, from: string): void {
  if (expiresAt > addSeconds(from, LEAST_DAYS * SECONDS_PER_DAY)) return;
  throw refuse(
    'STATEMENT_EXPIRES_SOON',
    `the statement of ${nameOf(release)} ends ${expiresAt}, within ${LEAST_DAYS} days; sign it again with --statement-days`,
    { expiresAt },
  );
}

/**
 * Gives a published release a statement of the same content that is good for longer (6.3).
 *
 * @throws AppError NOT_FOUND, VALIDATION_ERROR, PRECONDITION_FAILED; CONFLICT, reason NOT_PUBLISHED, NO_STATEMENT or
 *   CHANGED_MEANWHILE; VERIFICATION_FAILED, reason WRONG_KEY, STATEMENT_INVALID, STATEMENT_MISMATCH or
 *   STATEMENT_EXPIRES_SOON
 */
export async function renewStatement(
  ctx: Ctx,
  id: string,
  input: RenewalSent,
  options: ChangeOptions = {},
): Promise<Release> {
  const sent = checkInput(RenewalInput, input);
  const seen = await getUnchanged(ctx, id, options.ifMatch);
  if (seen.state === 'DRAFT')
    throw refuse('NOT_PUBLISHED', `${nameOf(seen)} is a draft: give it a signature with its statement`);
  if (seen.statement === null)
    throw refuse('NO_STATEMENT', `${nameOf(seen)} was published without a statement, so none can be renewed`);
  if (sent.statement === seen.statement) return seen;
  const { publicKey } = await keyThatSigned(ctx, seen);
  const opened = requireStatement(seen, sent, publicKey);
  requireSameTerm(seen, opened);
  return changeRelease(ctx, id, options, async (ctx, before) => {
    if (before.statement !== seen.statement) throw changedMeanwhile(before);
    const after = { ...before, ...sent, ...termOf(opened) };
    requireLife(before, after.statementExpiresAt as string, ctx.now());
    return { type: 'RELEASE_CHANGED', after };
  });
}

function requireSameTerm(seen: Release, opened: Statement): void {
  if (opened.sequence !== seen.sequence) {
    throw refuse(
      'STATEMENT_MISMATCH',
      `a renewal keeps sequence ${seen.sequence}: sign with --sequence ${seen.sequence}`,
      {
        fields: ['sequence'],
      },
    );
  }
  const { statementExpiresAt } = termOf(opened);
  if ((statementExpiresAt as string) > (seen.statementExpiresAt as string)) return;
  throw refuse(
    'STATEMENT_EXPIRES_SOON',
    `the current statement is already valid until ${seen.statementExpiresAt}`,
    {
      expiresAt: statementExpiresAt,
    },
  );
}
