// Keys and bundles, and the executable that signs them.
import { spawnSync } from 'node:child_process';
import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { mkdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { ReleaseKey, SignatureRecord } from './claims.ts';
import { command, jsonCommand, type Launch } from './processes.ts';
import type { Random } from './random.ts';

/** Signs the bundles at these paths as one version. */
export interface Signer {
  /** @param outDir for the signature file, null: beside the bundle */
  sign(
    key: ReleaseKey,
    paths: readonly string[],
    version: string,
    outDir: string | null,
  ): Promise<SignatureRecord[]>;
}

export const PRODUCT = 'editor';
const PASSPHRASE = 'a passphrase of the proof';
export const MEBIBYTE = 1_048_576;
/** Around the sizes of digests, of blocks of the hash, and of what is read at once. */
const SIZES = [0, 1, 31, 32, 33, 63, 64, 65, 65_536, MEBIBYTE - 1, MEBIBYTE, MEBIBYTE + 1, 3 * MEBIBYTE + 1];
const COMMON_SIZE = 4096;
/** 2 GiB, all of it a hole. */
const LARGE_BUNDLE = 2_147_483_648;

/** Writes so many bundles, each with bytes of its own. */
export function writeBundles(folder: string, count: number, random: Random): string[] {
  return Array.from({ length: count }, (_, i) => {
    const path = join(folder, `bundle-${i}.bin`);
    const outputLength = SIZES[i] ?? 1 + random.below(COMMON_SIZE);
    writeFileSync(path, createHash('shake256', { outputLength }).update(random.word(20)).digest());
    return path;
  });
}

/** How many ways there are to make a key. */
export const KEY_KINDS = 4;

/** One key of the executable, one of openssl, and each of them with a passphrase, in turn. */
export async function makeKeys(launch: Launch, folder: string, count: number): Promise<ReleaseKey[]> {
  const makers = [executableKey, opensslKey, lockedKey, encryptedKey] as const;
  const keys: ReleaseKey[] = [];
  for (let i = 0; i < count; i++) {
    const make = makers[i % makers.length] as (typeof makers)[0];
    keys.push(await make(launch, join(folder, `release-${i}.key`)));
  }
  return keys;
}

async function executableKey(launch: Launch, file: string): Promise<ReleaseKey> {
  const words = ['keys', 'generate', '--product', PRODUCT, '--no-passphrase', '--out', file];
  await jsonCommand(launch, words);
  return keyOf(file, createPrivateKey(readFileSync(file)), readFileSync(file.replace(/key$/, 'pub'), 'utf8'));
}

async function opensslKey(_launch: Launch, file: string): Promise<ReleaseKey> {
  openssl('genpkey', '-algorithm', 'ed25519', '-out', file);
  return keyOf(file, createPrivateKey(readFileSync(file)), openssl('pkey', '-in', file, '-pubout'));
}

/** The program locks it itself, after the proof has read it: nothing else opens that file. */
async function lockedKey(launch: Launch, file: string): Promise<ReleaseKey> {
  const open = await executableKey(launch, file);
  const passphraseFile = writePassphrase(file);
  await jsonCommand(launch, ['keys', 'passphrase', file, '--new-passphrase-file', passphraseFile]);
  return { ...open, passphraseFile };
}

async function encryptedKey(launch: Launch, file: string): Promise<ReleaseKey> {
  const open = await opensslKey(launch, `${file}.open`);
  const passphraseFile = writePassphrase(file);
  openssl('pkey', '-in', open.file, '-aes256', '-passout', `file:${passphraseFile}`, '-out', file);
  return { ...open, file, passphraseFile };
}

function writePassphrase(file: string): string {
  const passphraseFile = `${file}.pass`;
  writeFileSync(passphraseFile, PASSPHRASE, { mode: 0o600 });
  return passphraseFile;
}

function openssl(...words: string[]): string {
  const ran = spawnSync('openssl', words, { encoding: 'utf8' });
  if (ran.status !== 0) throw new Error(`openssl ${words.join(' ')} ended with ${ran.status}: ${ran.stderr}`);
  return ran.stdout;
}

/** @param publicPem SPKI */
export function keyOf(file: string, privateKey: KeyObject, publicPem: string): ReleaseKey {
  const { x } = createPublicKey(publicPem).export({ format: 'jwk' });
  return {
    file,
    passphraseFile: null,
    publicPem,
    publicKey: Buffer.from(String(x), 'base64url'),
    privateKey,
  };
}

/**
 * Tries a wrong passphrase on a bundle that takes seconds to read.
 *
 * @returns the exit code, and the milliseconds until the end of the program
 */
export async function tryWrongPassphrase(
  launch: Launch,
  folder: string,
): Promise<{ code: number | null; ms: number }> {
  const [bundle, right, wrong] = ['large.bin', 'right.pass', 'wrong.pass'].map((name) =>
    join(folder, name),
  ) as [string, string, string];
  writeFileSync(bundle, '');
  truncateSync(bundle, LARGE_BUNDLE);
  writeFileSync(right, PASSPHRASE, { mode: 0o600 });
  writeFileSync(wrong, `${PASSPHRASE}!`, { mode: 0o600 });
  const file = join(folder, 'locked.key');
  const generate = ['keys', 'generate', '--product', PRODUCT, '--passphrase-file', right, '--out', file];
  await jsonCommand(launch, generate);
  const startedAt = performance.now();
  const { code } = await command(launch, [
    'release',
    'sign',
    bundle,
    '--key',
    file,
    '--passphrase-file',
    wrong,
  ]);
  return { code, ms: Math.round(performance.now() - startedAt) };
}

/** The words that sign these bundles with a key. */
export const signWords = (key: ReleaseKey, paths: readonly string[], outDir: string | null): string[] => [
  ...['release', 'sign', ...paths, '--key', key.file],
  ...(key.passphraseFile === null ? [] : ['--passphrase-file', key.passphraseFile]),
  ...(outDir === null ? [] : ['--out-dir', outDir]),
];

/** The program under proof; what counts is the file that it leaves. */
export const executableSigner = (launch: Launch): Signer => ({
  async sign(key, paths, version, outDir) {
    if (outDir !== null) mkdirSync(outDir, { recursive: true });
    const about = ['--product', PRODUCT, '--version', version];
    await jsonCommand(launch, [...signWords(key, paths, outDir), ...about]);
    return paths.map((path) => {
      const file = outDir === null ? path : join(outDir, basename(path));
      return JSON.parse(readFileSync(`${file}.sig.json`, 'utf8')) as SignatureRecord;
    });
  },
});
