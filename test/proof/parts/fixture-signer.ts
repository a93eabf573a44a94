// A signer of releases as a proof's counterpart, sound or with one planted fault.
import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { Point, utils } from '@noble/ed25519';
import { type ReleaseKey, type SignatureRecord, sha256, wrongMessages } from './claims.ts';
import { keyOf, MEBIBYTE, PRODUCT, type Signer } from './release-signer.ts';

/** How the fixture signs a bundle; each of the faults is a mistake that signers make. */
type Method = (key: ReleaseKey, content: Buffer) => Buffer | Promise<Buffer>;

const method =
  (messageOf: (content: Buffer) => Buffer): Method =>
  (key, content) =>
    sign(null, messageOf(content), key.privateKey);

export const faultyMethods = {
  'signs-hex-text': method(wrongMessages['hex text']),
  'signs-raw-bytes': method(wrongMessages['raw bytes']),
  'signs-the-first-chunk': method((content) => sha256(content.subarray(0, MEBIBYTE))),
  'signs-by-chance': hedged,
} as const satisfies Record<string, Method>;
export const soundMethod: Method = method(sha256);

/** Ed25519 with a random nonce: every verifier accepts it, but two runs never give the same bytes. */
async function hedged({ privateKey }: ReleaseKey, content: Buffer): Promise<Buffer> {
  const seed = Buffer.from(String(privateKey.export({ format: 'jwk' }).d), 'base64url');
  const { scalar, pointBytes } = await utils.getExtendedPublicKeyAsync(seed);
  const order = Point.CURVE().n;
  const nonce = numberOf(randomBytes(64)) % order;
  const commitment = Point.BASE.multiply(nonce).toBytes();
  const hash = createHash('sha512').update(commitment).update(pointBytes).update(sha256(content)).digest();
  const proof = Buffer.alloc(32);
  for (let rest = (nonce + numberOf(hash) * scalar) % order, i = 0; i < 32; i++, rest >>= 8n) {
    proof[i] = Number(rest & 255n);
  }
  return Buffer.concat([commitment, proof]);
}

/** Little endian, as all numbers of Ed25519 are. */
const numberOf = (bytes: Buffer): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/** Keys for the fixture, which needs no files of them. */
export const fixtureKeys = (count: number): ReleaseKey[] =>
  Array.from({ length: count }, () => {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519');
    return keyOf('', privateKey, publicKey.export({ type: 'spki', format: 'pem' }) as string);
  });

/** Signs as `release sign` does, but for its method. */
export const fixtureSigner = (make: Method): Signer => ({
  sign: (key, paths, version) => Promise.all(paths.map((path) => recordOf(key, path, version, make))),
});

async function recordOf(
  key: ReleaseKey,
  path: string,
  version: string,
  make: Method,
): Promise<SignatureRecord> {
  const content = readFileSync(path);
  const size = content.length;
  const digest = sha256(content).toString('hex');
  const payload = { v: 1, product: PRODUCT, channel: 'stable', version, sha256: digest, size };
  const statement = `release/${Buffer.from(JSON.stringify(payload)).toString('base64url')}`;
  const statementSignature = sign(null, Buffer.from(statement), key.privateKey).toString('base64');
  const signature = (await make(key, content)).toString('base64');
  return { size, sha256: digest, signature, statement, statementSignature };
}
