import { existsSync } from 'node:fs';
import { type SignatureFormat, signaturePath } from '#signing/releases/signature-file.ts';
import type { Cli } from '../frame/context.ts';
import { tryOutputs } from '../frame/output-file.ts';

/**
 * Tries the folder of --out-dir before a bundle is read and before a draft is made. A signature that is there already
 * is judged when it is known whether the new one differs.
 *
 * @throws CliError as tryOutputs
 */
export function trySignatureFile(cli: Cli, bundlePath: string, format: SignatureFormat): void {
  const outDir = cli.option('out-dir');
  if (outDir === undefined) return;
  const path = signaturePath(bundlePath, format, outDir);
  if (!existsSync(path)) tryOutputs([{ path, force: false }]);
}
