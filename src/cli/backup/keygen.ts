import { resolve } from 'node:path';
import { newIdentity } from '#platform/backup/index.ts';
import type { Cli } from '../frame/context.ts';
import { withOutputFile } from '../frame/output-file.ts';

/** `appctl backup keygen`. */
export async function keygen(cli: Cli): Promise<void> {
  const path = cli.option('out') ?? '';
  const { identity, recipient } = await newIdentity();
  await withOutputFile({ path, force: cli.flag('force') }, async (file) =>
    file.write(
      `# Private key of appctl backups. Keep it away from the server.\n# public key: ${recipient}\n${identity}\n`,
    ),
  );
  const answer = { publicKey: recipient, file: resolve(path) };
  await cli.out.value(answer, () => recipient);
  cli.note(
    `The private key is in ${answer.file}. Move it to a safe place away from this server: without it no backup encrypted to this key can be opened.`,
  );
  cli.next(`appctl backup create --encrypt-to ${recipient}`);
}
