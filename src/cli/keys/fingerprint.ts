import { fingerprintFile } from '#signing/keys/fingerprint.ts';
import type { Cli } from '../frame/context.ts';

/** `appctl keys fingerprint FILE`. */
export async function showFingerprint(cli: Cli): Promise<void> {
  const answer = await fingerprintFile(cli.argument('file'));
  await cli.out.value(answer, () => `SHA256 ${answer.fingerprint}\nkey id ${answer.keyId}`);
}
