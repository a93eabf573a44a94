// Seven verifiers of Ed25519, none of them ours.
import { spawn, spawnSync } from 'node:child_process';
import { createHash, sign, verify } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { verifyAsync } from '@noble/ed25519';
import type { Claim, ReleaseKey } from './claims.ts';
import { MissingTool } from './proof.ts';

/** Answers for each claim whether it accepts it. */
export interface Verifier {
  readonly name: string;
  /** @param folder holds the files of the claims, see layOut */
  judge(claims: readonly Claim[], folder: string): Promise<boolean[]>;
}

const INSTALL = 'apt-get install -y --no-install-recommends';
const PYTHON_SCRIPT = join(import.meta.dirname, 'verify-ed25519.py');
/** The second is the one for which apt-get installs, whatever stands before it on the PATH. */
const PYTHONS = ['python3', '/usr/bin/python3'] as const;
const LIBRARIES = { nacl: 'python3-nacl', cryptography: 'python3-cryptography' } as const;
type Library = keyof typeof LIBRARIES;

/** Of minisign and signify: `Ed` says that the message itself is signed. */
const LEGACY = Buffer.from('Ed');
const TRUSTED_COMMENT = 'R25';

/** @throws MissingTool */
export function requireVerifiers(): void {
  for (const [program, option, installed] of [
    ['openssl', 'version', 'openssl'],
    ['minisign', '-v', 'minisign'],
    ['signify-openbsd', '', 'signify-openbsd'],
  ] as const) {
    if (spawnSync(program, [option]).error)
      throw new MissingTool(`${program} is missing: ${INSTALL} ${installed}`);
  }
  for (const library of Object.keys(LIBRARIES) as Library[]) pythonWith(library);
}

function pythonWith(library: Library): string {
  const python = PYTHONS.find((one) => spawnSync(one, ['-c', `import ${library}`]).status === 0);
  if (python === undefined)
    throw new MissingTool(`no python3 has ${library}: ${INSTALL} ${LIBRARIES[library]}`);
  return python;
}

/** Writes what the programs read: the message, the signature raw and in a container, the keys. */
export function layOut(claims: readonly Claim[], folder: string): void {
  for (const [i, { message, signature, key }] of claims.entries()) {
    writeFileSync(join(folder, `${i}.msg`), message);
    writeFileSync(join(folder, `${i}.sig`), signature);
    writeFileSync(join(folder, `${i}.minisig`), container(key, signature));
  }
  for (const key of new Set(claims.map((claim) => claim.key))) {
    const name = join(folder, nameOf(key));
    writeFileSync(`${name}.pem`, key.publicPem);
    writeFileSync(`${name}.pub`, commented(Buffer.concat([LEGACY, numberOf(key), key.publicKey])));
  }
}

/** The containers carry a number of the key: any eight bytes that are the same in both. */
const numberOf = ({ publicKey }: ReleaseKey): Buffer =>
  createHash('sha256').update(publicKey).digest().subarray(0, 8);
const nameOf = (key: ReleaseKey): string => numberOf(key).toString('hex');
const commented = (bytes: Buffer): string => `untrusted comment: R25\n${bytes.toString('base64')}\n`;

/**
 * A signature in the form of signify, followed by what minisign wants beside it: a second signature over the first one
 * and a comment. It is always good, so that a refusal is one of the signature under proof.
 */
function container(key: ReleaseKey, signature: Buffer): string {
  const whole = sign(null, Buffer.concat([signature, Buffer.from(TRUSTED_COMMENT)]), key.privateKey);
  const first = commented(Buffer.concat([LEGACY, numberOf(key), signature]));
  return `${first}trusted comment: ${TRUSTED_COMMENT}\n${whole.toString('base64')}\n`;
}

/** A program that ends with 0 or 1. One shell starts it for all claims: that is quicker than from here. */
const program = (name: string, line: string): Verifier => ({
  name,
  async judge(claims, folder) {
    const script = `while read -r n key; do ${line} >/dev/null 2>&1; echo $?; done`;
    const input = claims.map(({ key }, i) => `${i} ${nameOf(key)}\n`).join('');
    return answersOf(name, await output(['sh', '-c', script], input, folder), claims.length, '0', '1');
  },
});

const python = (library: Library): Verifier => ({
  name: `python ${library}`,
  async judge(claims, folder) {
    const input = claims
      .map(({ key, message, signature }) =>
        [key.publicKey, message, signature].map((bytes) => bytes.toString('hex')).join(' '),
      )
      .join('\n');
    const printed = await output([pythonWith(library), PYTHON_SCRIPT, library], `${input}\n`, folder);
    return answersOf(library, printed, claims.length, '1', '0');
  },
});

/** What is neither a yes nor a no is no verdict: the program did not run as it should. */
function answersOf(name: string, printed: string, count: number, yes: string, no: string): boolean[] {
  const words = printed.trim().split('\n');
  const strange = words.find((word) => word !== yes && word !== no);
  if (strange !== undefined || words.length !== count)
    throw new Error(
      `${name} gave ${words.length} of ${count} verdicts${strange ? `, one is ${strange}` : ''}`,
    );
  return words.map((word) => word === yes);
}

async function output([name, ...words]: string[], input: string, cwd: string): Promise<string> {
  const child = spawn(name as string, words, { cwd, stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    printed += text;
  });
  child.stdin.end(input);
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${name} ${words.at(-1)} ended with ${code}`);
  return printed;
}

/** All seven. */
export const verifiers: readonly Verifier[] = [
  program(
    'openssl',
    'openssl pkeyutl -verify -pubin -inkey "$key.pem" -rawin -in "$n.msg" -sigfile "$n.sig"',
  ),
  program('minisign', 'minisign -V -q -p "$key.pub" -x "$n.minisig" -m "$n.msg"'),
  program('signify-openbsd', 'signify-openbsd -V -q -p "$key.pub" -x "$n.minisig" -m "$n.msg"'),
  python('nacl'),
  python('cryptography'),
  {
    name: 'node:crypto',
    judge: async (claims) =>
      claims.map(({ key, message, signature }) => verify(null, message, key.publicPem, signature)),
  },
  {
    name: '@noble/ed25519',
    judge: (claims) =>
      Promise.all(
        claims.map(({ key, message, signature }) =>
          verifyAsync(signature, message, key.publicKey, { zip215: false }),
        ),
      ),
  },
];
