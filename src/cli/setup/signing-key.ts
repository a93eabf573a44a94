import { isoTime, systemClock } from '#kernel/clock.ts';
import type { LoadedConfig } from '#kernel/config/load.ts';
import type { Ctx } from '#kernel/context.ts';
import { generateSeed, publicKeyToPem, signingKeyOf } from '#kernel/ed25519.ts';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { writeKeyPair } from '#signing/keys/key-file.ts';
import type { Passphrase } from '#signing/keys/passphrase.ts';
import type { Cli } from '../frame/context.ts';

/**
 * Makes the key that signs a product's releases: private part in a file, public part registered.
 *
 * @returns the public key, base64
 */
export async function makeSigningKey(
  cli: Cli,
  ctx: Ctx,
  product: { id: string; slug: string },
  file: { path: string; force: boolean; passphrase: Passphrase | null },
): Promise<string> {
  if (file.passphrase === null) {
    cli.warn(
      `no passphrase was given (APPCTL_KEY_PASSPHRASE): ${file.path} is stored unencrypted (mode 0600)`,
    );
  }
  const seed = generateSeed();
  const { publicKey } = signingKeyOf(seed);
  const notes = { comment: null, createdAt: isoTime(systemClock.epochMs()) };
  const privateText = await encodePrivateKey(seed, file.passphrase, notes);
  await writeKeyPair(file.path, { privateText, publicText: publicKeyToPem(publicKey) }, file.force);
  const { register } = await import('#licensing/catalog/keys/index.ts');
  const key = await register(ctx, product, { publicKey, seed: null, label: null });
  return key.publicKey;
}

/** The passphrase that the configuration gives for signing keys. */
export function configuredPassphrase({ config, entries }: LoadedConfig): Passphrase | null {
  const value = config.keyPassphrase;
  return value === undefined ? null : { value, tried: `passphrase from ${entries.key_passphrase.name}` };
}
