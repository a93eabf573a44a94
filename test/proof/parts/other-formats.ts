// What the same keys sign for other programs: minisign (and Tauri) over BLAKE2b, Sparkle over the bytes themselves.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { type Claim, flipped, type SignedBundle } from './claims.ts';
import { jsonCommand, type Launch } from './processes.ts';
import { Complaints } from './proof.ts';
import type { Random } from './random.ts';
import { signWords } from './release-signer.ts';

type Format = 'minisign' | 'sparkle';

/** How each format is read: what was signed, and where the signature stands in the file. */
const formats: Record<Format, { message(content: Buffer): Buffer; signature(file: string): Buffer }> = {
  minisign: {
    message: (content) => createHash('blake2b512').update(content).digest(),
    signature: (file) => bodyOf(file).subarray(-64),
  },
  sparkle: {
    message: (content) => content,
    signature: (file) => Buffer.from(/edSignature="([^"]*)"/.exec(file)?.[1] ?? '', 'base64'),
  },
};

const bodyOf = (minisig: string): Buffer => Buffer.from(minisig.split('\n')[1] ?? '', 'base64');

/** Signatures in other formats, and what minisign itself said to its own. */
export interface OtherSignatures {
  claims: Claim[];
  /** Runs of minisign on whole files. */
  runs: number;
  wrong: Complaints;
}

/**
 * Has the bundles signed in each format, in one call for each.
 *
 * @param signed by one key
 */
export async function signOtherwise(
  launch: Launch,
  folder: string,
  signed: readonly SignedBundle[],
  random: Random,
): Promise<OtherSignatures> {
  const found: OtherSignatures = { claims: [], runs: 0, wrong: new Complaints() };
  for (const format of Object.keys(formats) as Format[]) {
    const outDir = join(folder, format);
    mkdirSync(outDir);
    const [{ key }] = signed as [SignedBundle];
    const paths = signed.map(({ path }) => path);
    await jsonCommand(launch, [...signWords(key, paths, outDir), '--format', format]);
    for (const one of signed) {
      const file = join(outDir, `${basename(one.path)}.${format === 'minisign' ? 'minisig' : format}`);
      found.claims.push(...claimsOf(one, format, readFileSync(file, 'utf8'), random));
      if (format === 'minisign') askMinisign(found, one, file, random);
    }
  }
  return found;
}

function claimsOf(
  { key, path, content }: SignedBundle,
  format: Format,
  file: string,
  random: Random,
): Claim[] {
  const { message, signature } = formats[format];
  const name = `${format} of ${path}`;
  const whole: Claim = { name, key, message: message(content), signature: signature(file), isTrue: true };
  const change = flipped(content, random);
  const changed = { name: `${name} with bit ${change.bit} turned over`, message: message(change.bytes) };
  return [whole, { ...whole, ...changed, isTrue: false }];
}

/** The program on the files as a user has them: whole, with another bundle, and with another trusted comment. */
function askMinisign(
  found: OtherSignatures,
  { key, path, content }: SignedBundle,
  file: string,
  random: Random,
) {
  const [publicFile, otherBundle, otherFile] = [`${file}.pub`, `${file}.other`, `${file}.edited`] as const;
  const text = readFileSync(file, 'utf8');
  const number = bodyOf(text).subarray(2, 10);
  const body = Buffer.concat([Buffer.from('Ed'), number, key.publicKey]).toString('base64');
  writeFileSync(publicFile, `untrusted comment: R25\n${body}\n`);
  writeFileSync(otherBundle, flipped(content, random).bytes);
  writeFileSync(otherFile, text.replace('trusted comment: file:', 'trusted comment: File:'));
  for (const [bundle, signature, expected] of [
    [path, file, 0],
    [otherBundle, file, 1],
    [path, otherFile, 1],
  ] as const) {
    const words = ['-V', '-q', '-p', publicFile, '-x', signature, '-m', bundle];
    const { status } = spawnSync('minisign', words, { stdio: 'ignore' });
    found.runs += 1;
    found.wrong.unless(
      status === expected,
      () => `minisign ended with ${status} for ${signature} of ${bundle}`,
    );
  }
}
