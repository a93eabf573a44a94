import { isoTime, systemClock } from '#kernel/clock.ts';
import { keyIdOf } from '#kernel/ed25519.ts';
import { DELEGATION_USES, type DelegationUse, signDelegation } from '#signing/keys/delegation.ts';
import { inlinePublicKey } from '#signing/keys/public-key-text.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { signingKeyOfFlag } from '../release/key-source.ts';
import { requireSlug } from './product-asked.ts';

/** `appctl keys delegate`: works without server and database, unless the key is `store:KEYID`. */
export async function delegateKey(cli: Cli): Promise<void> {
  const product = requireSlug(cli);
  const publicKey = publicKeyAsked(cli);
  const uses = usesAsked(cli);
  const root = await signingKeyOfFlag(cli);
  if (root.publicKey.equals(publicKey)) throw usageError('--pub is the root key itself, not an online key');
  const now = isoTime(systemClock.epochMs());
  const delegation = signDelegation({ product, publicKey, uses, days: cli.integer('days') ?? 0 }, root, now);
  await cli.out.value({ delegation }, () => delegation);
  cli.next(`appctl keys online delegate ${keyIdOf(publicKey)} --delegation-file FILE`);
}

/** Base64 as `keys online create` prints it, or base64url. */
function publicKeyAsked(cli: Cli): Buffer {
  const text = cli.required('pub').replaceAll('-', '+').replaceAll('_', '/');
  const publicKey = inlinePublicKey(text.length === 43 ? `${text}=` : text);
  if (publicKey === null) throw usageError('--pub is not a public key: expected 32 bytes in base64');
  return publicKey;
}

function usesAsked(cli: Cli): DelegationUse[] {
  const words = cli
    .required('use')
    .split(',')
    .map((word) => word.trim());
  const unknown = words.find((word) => !(DELEGATION_USES as readonly string[]).includes(word));
  if (unknown === undefined) return words as DelegationUse[];
  throw usageError(`--use '${unknown}' is not one of ${DELEGATION_USES.join(', ')}`);
}
