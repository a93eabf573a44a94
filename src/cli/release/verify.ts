import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { verifyBundle } from '#signing/releases/bundle-verification.ts';
import type { Verification, VerifyReason } from '#signing/releases/signature-form.ts';
import type { Cli } from '../frame/context.ts';
import { exits } from '../frame/exits.ts';
import { publicKeysOfFlag } from './public-key-source.ts';
import { showingBytes } from './showing-bytes.ts';

const WORDS: Record<VerifyReason, string> = {
  BAD_SIGNATURE: 'the signature is not valid',
  HASH_MISMATCH: 'the file is not the one that was signed or expected',
  WRONG_KEY: 'the signature is not by this key',
  NO_SIGNATURE: 'the signature is missing',
};

/** `appctl release verify FILE --pubkey KEY`: ends with 6 when anything does not hold. */
export async function verifyRelease(cli: Cli): Promise<number> {
  const file = cli.argument('file');
  const options = {
    publicKeys: await publicKeysOfFlag(cli),
    signature: cli.option('sig') ?? null,
    expectedSha256: cli.option('sha256') ?? null,
  };
  const size = (await stat(file).catch(() => null))?.size ?? 0;
  const verification = await showingBytes(cli, `checking ${basename(file)}`, size, (onBytes) =>
    verifyBundle(file, { ...options, onBytes }),
  );
  await cli.out.value(verification, () => humanText(verification));
  return verification.valid ? exits.done : exits.verificationFailed;
}

function humanText({ reason, sha256, keyId }: Verification): string {
  const verdict = reason === undefined ? 'valid' : `NOT VALID  ${reason}: ${WORDS[reason]}`;
  return [verdict, `sha256  ${sha256}`, `key id  ${keyId ?? 'none'}`].join('\n');
}
