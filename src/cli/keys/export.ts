import type { KeyShape } from '#signing/keys/key-shape.ts';
import { formatPrivateKey, formatPublicKey, type PublicKeyFormat } from '#signing/keys/public-key-text.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { tryOutputs, withOutputFile } from '../frame/output-file.ts';
import { withSigningKeys } from './registry.ts';
import { keyOf, withKeys } from './twin.ts';

/** `appctl keys export KEYID`: the public key, or after a severe confirmation the private one, which never travels. */
export async function exportKey(cli: Cli): Promise<void> {
  const format = cli.required('format') as PublicKeyFormat;
  if (cli.flag('public')) {
    return withKeys(cli, async (desk) => {
      const key = await keyOf(desk, cli.argument('keyid'));
      const text = formatPublicKey(Buffer.from(key.publicKey, 'base64'), format, key.minisignId);
      await answer(cli, key, { text, mode: 0o644 });
    });
  }
  const { server, profile } = (await cli.config()).config;
  if ((server ?? profile) !== undefined)
    throw usageError('a private key never leaves its server', 'add --public, or run this on the server');
  return withSigningKeys(cli, async (signingKeys, ctx) => {
    const key = await signingKeys.get(ctx, cli.argument('keyid'));
    if (cli.json && cli.option('out') === undefined) {
      throw usageError('--out is required: the private key does not belong in the JSON output');
    }
    const { seed, minisignId } = await signingKeys.openServerHeld(ctx, key.keyId);
    await cli.confirm({ action: `export the private key ${key.keyId} unencrypted`, name: key.keyId });
    await answer(cli, key, { text: formatPrivateKey(seed, format, minisignId), mode: 0o600 });
  });
}

/** Writes the key to --out or stdout; with --json stdout holds the public facts. */
async function answer(
  cli: Cli,
  key: Pick<KeyShape, 'keyId' | 'publicKey' | 'publicKeyPem'>,
  { text, mode }: { text: string; mode: number },
): Promise<void> {
  const out = cli.option('out');
  const asked = { path: out ?? '', force: cli.flag('force'), mode };
  if (out !== undefined && cli.dryRun) tryOutputs([asked]);
  if (out !== undefined && !cli.dryRun) await withOutputFile(asked, async (file) => file.write(text));
  const { keyId, publicKey, publicKeyPem } = key;
  const facts = { keyId, publicKey, publicKeyPem, ...(cli.dryRun ? { dryRun: true } : {}) };
  const done = `${cli.dryRun ? 'would write' : 'wrote'} ${out ?? 'the key to stdout'}`;
  if (cli.json || out !== undefined || cli.dryRun) await cli.out.value(facts, () => done);
  else cli.out.raw(text);
}
