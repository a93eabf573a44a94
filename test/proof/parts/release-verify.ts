// What `appctl release verify` itself says of true and of damaged bundles, each time as a user starts it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  flipped,
  PARTS,
  type Part,
  type SignatureRecord,
  type SignedBundle,
  type WrongMessage,
  wrongMessages,
  wrongSignature,
} from './claims.ts';
import { parallel } from './client.ts';
import { command, type Launch } from './processes.ts';
import { Complaints } from './proof.ts';
import type { Random } from './random.ts';

const VALID = '0 valid';
const BAD_SIGNATURE = '6 BAD_SIGNATURE';
const EACH = 3;
const AT_ONCE = 2;

/** One start of the program. */
interface Check {
  name: string;
  signed: SignedBundle;
  content: Buffer;
  record: object;
  /** Value of --sig, when the signature does not lie beside the bundle. */
  sig?: string;
  expected: string;
}

/** Makes a few checks of each kind. */
export async function checkByExecutable(
  launch: Launch,
  folder: string,
  signed: readonly SignedBundle[],
  random: Random,
): Promise<{ verdicts: number; wrong: Complaints }> {
  const subjects = random.shuffled(signed.filter(({ content }) => content.length > 0)).slice(0, EACH);
  const checks = subjects.flatMap((one) => [
    sound(one),
    ...PARTS.map((part) => withFlip(one, part, random)),
    ...(Object.keys(wrongMessages) as WrongMessage[]).map((form) => wrongForm(one, form)),
  ]);
  const wrong = new Complaints();
  const verdicts = await parallel(
    checks.map((check, i) => () => verdictOf(launch, join(folder, String(i)), check)),
    AT_ONCE,
  );
  for (const [i, { name, expected }] of checks.entries()) {
    wrong.unless(verdicts[i] === expected, () => `release verify said ${verdicts[i]} of ${name}`);
  }
  return { verdicts: checks.length, wrong };
}

const sound = (signed: SignedBundle): Check => ({
  name: signed.path,
  signed,
  content: signed.content,
  record: signed.record,
  expected: VALID,
});

function withFlip(signed: SignedBundle, part: Part, random: Random): Check {
  const whole = { ...sound(signed), name: `${signed.path} with a flipped bit in the ${part}` };
  if (part === 'bundle') {
    return { ...whole, content: flipped(signed.content, random).bytes, expected: '6 HASH_MISMATCH' };
  }
  const encoding = part === 'statement' ? 'ascii' : 'base64';
  const { bytes } = flipped(Buffer.from(signed.record[part], encoding), random);
  // A flipped bit can make it another byte than ASCII has, which the file keeps too.
  const text = bytes.toString(part === 'statement' ? 'latin1' : 'base64');
  const record: SignatureRecord = { ...signed.record, [part]: text };
  return { ...whole, record, expected: BAD_SIGNATURE };
}

const wrongForm = (signed: SignedBundle, form: WrongMessage): Check => ({
  ...sound(signed),
  name: `a signature over the ${form} of ${signed.path}`,
  sig: wrongSignature(signed, form).toString('base64'),
  expected: BAD_SIGNATURE,
});

/** The exit code and what the answer says. */
async function verdictOf(
  launch: Launch,
  folder: string,
  { signed, content, record, sig }: Check,
): Promise<string> {
  const [bundle, publicFile] = [join(folder, 'bundle.bin'), join(folder, 'release.pub')];
  mkdirSync(folder);
  writeFileSync(bundle, content);
  writeFileSync(`${bundle}.sig.json`, JSON.stringify(record));
  writeFileSync(publicFile, signed.key.publicPem);
  const words = ['release', 'verify', bundle, '--pubkey', publicFile, '--json'];
  const { code, stdout } = await command(launch, sig === undefined ? words : [...words, '--sig', sig]);
  const { valid, reason } = JSON.parse(stdout) as { valid: boolean; reason?: string };
  return `${code} ${valid ? 'valid' : reason}`;
}
