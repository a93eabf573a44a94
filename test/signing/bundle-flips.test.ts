// 1,000 releases with one bit turned over in the bundle, a signature or the statement: refused by `release verify`, by
// the rules that publishing goes by, and by the client SDK.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { beforeEach, expect, test } from 'vitest';
import type { AppError } from '#kernel/errors.ts';
import type { Release } from '#licensing/releases/releases/index.ts';
import { requireSignature, requireStatement } from '#licensing/releases/releases/signed.ts';
import { StatementInput } from '#signing/releases/statement.ts';
import { createLicenseClient } from '../../src/client/index.ts';
import type { UpdateOffer } from '../../src/client/types.ts';
import { bundleFixture, content, key } from './bundle-fixture.ts';

const PARTS = ['bundle', 'signature', 'statement', 'statementSignature'] as const;
const EACH = 250;

/** A release as it lies before somebody who is to judge it. */
interface Case {
  part: (typeof PARTS)[number] | null;
  bundle: Buffer;
  signature: string;
  statement: string;
  statementSignature: string;
}

const { bundle, sigFile, record, sign, verify } = bundleFixture();
const input = StatementInput.parse({ product: 'editor', version: '2.1.0' });
let whole: Case;
let flips: Case[];
beforeEach(async () => {
  const { signature, statement = '', statementSignature = '' } = await sign({ statement: input });
  whole = { part: null, bundle: content, signature, statement, statementSignature };
  flips = PARTS.flatMap((part) => Array.from({ length: EACH }, (_, i) => flipped(whole, part, i)));
});

/** Bits that lie as far apart as the part allows, so that all of it is met. */
function flipped(one: Case, part: (typeof PARTS)[number], i: number): Case {
  const encoding = part === 'statement' ? 'latin1' : 'base64';
  const text = one[part];
  const bytes = typeof text === 'string' ? Buffer.from(text, encoding) : Buffer.from(text);
  const bit = Math.floor((i * bytes.length * 8) / EACH);
  bytes[bit >> 3] = (bytes[bit >> 3] as number) ^ (1 << (bit & 7));
  return { ...one, part, [part]: typeof text === 'string' ? bytes.toString(encoding) : bytes };
}

/** How often each part was answered with what. */
async function answersTo(judge: (one: Case) => Promise<string>): Promise<Record<string, number>> {
  expect(await judge(whole)).toBe('fine');
  const counts: Record<string, number> = {};
  for (const one of flips) {
    const answer = `${one.part} ${await judge(one)}`;
    counts[answer] = (counts[answer] ?? 0) + 1;
  }
  return counts;
}

const sha256 = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

test('release verify refuses all of them', async () => {
  const signed = record();
  const answers = await answersTo(async ({ part: _, bundle: bytes, ...claims }) => {
    writeFileSync(bundle(), bytes);
    writeFileSync(sigFile(), JSON.stringify({ ...signed, ...claims }));
    const { valid, reason } = await verify();
    return valid ? 'fine' : String(reason);
  });
  expect(answers).toEqual({
    'bundle HASH_MISMATCH': EACH,
    'signature BAD_SIGNATURE': EACH,
    'statement BAD_SIGNATURE': EACH,
    'statementSignature BAD_SIGNATURE': EACH,
  });
});

test('the rules of publishing refuse all of them', async () => {
  const { v: _, kid, issuedAt: __, expiresAt: ___, sequence: ____, ...said } = payloadOf(whole.statement);
  expect(kid).toBe(key.keyId);
  const answers = await answersTo(async ({ bundle: bytes, ...claims }) => {
    const digest = { bundleSha256: sha256(bytes), bundleSize: bytes.length };
    const release = { ...said, productSlug: 'editor', ...digest } as unknown as Release;
    try {
      requireSignature(release, digest.bundleSha256, claims.signature, key.publicKey);
      requireStatement(release, claims, key.publicKey);
      return 'fine';
    } catch (error) {
      const { code, details } = error as AppError;
      return `${code} ${details?.reason}`;
    }
  });
  expect(answers).toEqual({
    'bundle VERIFICATION_FAILED BAD_SIGNATURE': EACH,
    'signature VERIFICATION_FAILED BAD_SIGNATURE': EACH,
    'statement VERIFICATION_FAILED STATEMENT_INVALID': EACH,
    'statementSignature VERIFICATION_FAILED STATEMENT_INVALID': EACH,
  });
});

const payloadOf = (statement: string) =>
  JSON.parse(Buffer.from(statement.replace('release/', ''), 'base64url').toString());

test('the client SDK installs none of them', async () => {
  let served = whole;
  const client = createLicenseClient({
    baseUrl: 'https://licenses.test',
    product: 'editor',
    licenseKey: 'APP-AAAA-BBBB-CCCC-DDDD',
    machine: { id: 'machine-0001' },
    appVersion: '2.0.0',
    rootKeys: [key.publicKey.toString('base64')],
    now: () => Date.parse('2026-01-03T00:00:00.000Z'),
    retry: { attempts: 1 },
    fetch: async (asked) =>
      String(asked).includes('/download?')
        ? new Response(new Uint8Array(served.bundle))
        : Response.json(offerOf(served)),
  });
  const installed: Buffer[] = [];
  const answers = await answersTo(async (one) => {
    served = one;
    const came: Uint8Array[] = [];
    const sink = {
      write: async (chunk: Uint8Array) => void came.push(chunk),
      commit: async () => void installed.push(Buffer.concat(came)),
      abort: async () => undefined,
    };
    try {
      await client.downloadUpdate((await client.checkForUpdate()) as UpdateOffer, sink);
      return 'fine';
    } catch (error) {
      return (error as { code: string }).code;
    }
  });
  expect(answers).toEqual({
    'bundle HASH_MISMATCH': EACH,
    'signature SIGNATURE_INVALID': EACH,
    'statement STATEMENT_INVALID': EACH,
    'statementSignature STATEMENT_INVALID': EACH,
  });
  expect(installed).toEqual([content]);
  await client.close();
});

/** Answer of updates/check; the digest is that of the bundle that was signed, as its server keeps it. */
const offerOf = ({ signature, statement, statementSignature }: Case) => ({
  success: true,
  update_available: true,
  release_id: 'rel_1',
  version: '2.1.0',
  changelog: '',
  bundle_size: content.length,
  sha256: sha256(content),
  signature,
  is_critical: false,
  requires_migration: false,
  published_at: '2026-01-02T03:04:05.000Z',
  statement,
  statement_signature: statementSignature,
  sequence: payloadOf(whole.statement).sequence,
});
