import { realpath } from 'node:fs/promises';
import { isoTime, systemClock } from '#kernel/clock.ts';
import { signingKeyOf } from '#kernel/ed25519.ts';
import { decodePrivateKey, encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { readPrivateFile, writeTextFile } from '#signing/keys/key-file.ts';
import { isMinisignSecret } from '#signing/keys/minisign-key.ts';
import type { Passphrase } from '#signing/keys/passphrase.ts';
import type { PrivateKey } from '#signing/keys/private-key.ts';
import { noteChange, planned } from '../change.ts';
import type { Cli } from '../frame/context.ts';
import { usageError } from '../frame/errors.ts';
import { askPassphrase, requiredNewPassphrase, warnOfWeakness } from './passphrase.ts';

/** `appctl keys passphrase FILE`: the same key under another passphrase, or with --no-passphrase under none. */
export async function changePassphrase(cli: Cli): Promise<void> {
  const path = cli.argument('file');
  const text = await readPrivateFile(path);
  if (isMinisignSecret(text)) {
    throw usageError(
      `${path} is a minisign key, whose passphrase only minisign can change`,
      `appctl keys import ${path} --product SLUG --out NEW.key`,
    );
  }
  const key = await decodePrivateKey(text, askPassphrase(cli));
  const { keyId } = signingKeyOf(key.seed);
  const passphrase = cli.flag('no-passphrase') ? null : await requiredNewPassphrase(cli);
  if (passphrase !== null) warnOfWeakness(cli, passphrase);
  if (!cli.dryRun) await rewrite(path, key, passphrase);
  const action = passphrase === null ? ('removed' as const) : ('changed' as const);
  const answer = planned(cli, { ok: true as const, action, id: keyId, changed: true as const });
  await cli.out.value(answer, () => `key id ${keyId}`);
  noteChange(cli, `${action} the passphrase of ${path}`);
}

/** A link stays one: behind it the old file with the old passphrase would live on. */
async function rewrite(path: string, key: PrivateKey, passphrase: Passphrase | null): Promise<void> {
  const { seed, comment, minisignId } = key;
  const createdAt = key.createdAt ?? isoTime(systemClock.epochMs());
  const text = await encodePrivateKey(seed, passphrase, { comment, createdAt, minisignId });
  // The only copy of a key must not be replaced by one that does not open.
  const again = await decodePrivateKey(text, async () => passphrase);
  if (!again.seed.equals(seed)) throw new Error('the new key file does not contain the key');
  await writeTextFile(await realpath(path), text, { mode: 0o600, force: true });
}
