import { type LoadedKey, loadSigningKey, parseKeyReference } from '#signing/keys/key-reference.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { askPassphrase } from '../keys/passphrase.ts';
import { serverAsked } from '../remote/asked.ts';

/**
 * Opens the private key that `--key` names. It is opened before any bundle is read, so that a wrong passphrase is
 * told at once.
 */
export function signingKeyOfFlag(cli: Cli): Promise<LoadedKey> {
  return loadSigningKey(parseKeyReference(cli.required('key')), askPassphrase(cli), {
    environment: (name) => cli.io.env[name],
    stdin: () => cli.readText('--key', '-'),
    store: async (keyId) => {
      if ((await serverAsked(cli)) !== null) throw heldElsewhere();
      return (await import('../keys/registry.ts')).openServerHeldKey(cli, keyId);
    },
  });
}

/** What a server holds never leaves it, and what is held here is not what the server means. */
const heldElsewhere = () =>
  usageError(
    '--key store:KEYID names a key of the local installation, not of the server',
    'pass the key file instead',
  );
