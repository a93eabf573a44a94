import type { KeyShape } from '#signing/keys/key-shape.ts';
import { type CardLines, card } from '../card.ts';
import type { Human } from '../frame/output.ts';

/** A key and where it was written. */
type ShownKey = KeyShape & { readonly privateKeyFile?: string; readonly publicKeyFile?: string };

/**
 * What a person sees of a key.
 *
 * @param activateAt when a NEXT key takes over
 */
export const keyCard = (key: ShownKey, activateAt: string | null = null): Human =>
  card([...linesOf(key), ['takes over', activateAt]]);

const linesOf = (key: ShownKey): CardLines => [
  ['key id', key.keyId],
  ['product', key.product],
  ['status', key.status ?? 'not registered'],
  ['fingerprint', key.fingerprint],
  ['public key', key.publicKey],
  ['private key', placeOf(key)],
  ['created', key.createdAt],
];

function placeOf({ privateKeyFile, serverHeld, encrypted, registered }: ShownKey): string {
  if (privateKeyFile !== undefined) return `${privateKeyFile}, ${encrypted ? 'encrypted' : 'NOT ENCRYPTED'}`;
  if (!serverHeld) return 'not in this installation';
  return registered ? 'in the database, sealed with the master key' : 'in the database, once it is created';
}
