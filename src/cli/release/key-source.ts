import type { SigningKey } from '#kernel/ed25519.ts';
import { loadSigningKey, parseKeyReference } from '#licensing/signing-keys/index.ts';
import type { Cli } from '../frame/context.ts';
import { askPassphrase } from '../keys/passphrase.ts';

/**
 * Opens the private key that `--key` names. It is opened before any bundle is read, so that a wrong passphrase is
 * told at once.
 */
export function signingKeyOfFlag(cli: Cli): Promise<SigningKey> {
  return loadSigningKey(parseKeyReference(cli.required('key')), askPassphrase(cli), {
    environment: (name) => cli.io.env[name],
    stdin: () => cli.readText('--key', '-'),
    store: async (keyId) => (await import('../keys/registry.ts')).openServerHeldKey(cli, keyId),
  });
}
