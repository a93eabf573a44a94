// verifyBundle and verifyStatement, on what the server's own signer writes (D96, licensing.md 6.3).
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { StatementInput, signStatement } from '#signing/releases/statement.ts';
import { verifyBundle, verifyStatement } from '../../src/client/release-signatures.ts';
import { encode, newKey, root, rootPem } from './signer.ts';

const bundle = createHash('sha256').update('the bundle').digest();
const sha256 = bundle.toString('hex');
const other = newKey();

describe('verifyBundle', () => {
  const signature = root.sign(bundle).toString('base64');

  test('the signature covers the 32 bytes of the digest, and any root key may have made it', async () => {
    expect(await verifyBundle(sha256, signature, [rootPem])).toBe(true);
    expect(await verifyBundle(sha256.toUpperCase(), signature, [rootPem])).toBe(true);
    expect(await verifyBundle(sha256, signature, [other.publicKey.toString('base64'), rootPem])).toBe(true);
  });

  test.each([
    ['a signature over the hex text', sha256, root.sign(Buffer.from(sha256)).toString('base64')],
    ['another bundle', createHash('sha256').update('x').digest('hex'), signature],
    ['another key', sha256, other.sign(bundle).toString('base64')],
    ['base64url', sha256, root.sign(bundle).toString('base64url')],
    ['a signature that was cut', sha256, signature.slice(0, 84)],
    ['a digest that is no hexadecimal', 'z'.repeat(64), signature],
    ['a digest that was cut', sha256.slice(2), signature],
  ])('%s is not verified', async (_what, digest, text) => {
    expect(await verifyBundle(digest, text, [rootPem])).toBe(false);
  });

  test('without root keys nothing is verified', async () => {
    expect(await verifyBundle(sha256, signature, [])).toBe(false);
  });
});

describe('verifyStatement', () => {
  const input = StatementInput.parse({ product: 'editor', version: '2.1.0' });
  const { statement, statementSignature } = signStatement(
    input,
    { size: 10, sha256: bundle },
    root,
    '2026-03-01T12:00:00.000Z',
  );
  const signed = (text: string, key = root) =>
    [text, key.sign(Buffer.from(text)).toString('base64')] as const;
  const claims = { v: 1, kid: root.keyId };

  test('what release sign writes is read', async () => {
    expect(await verifyStatement(statement, statementSignature, [rootPem])).toMatchObject({
      v: 1,
      product: 'editor',
      version: '2.1.0',
      channel: 'stable',
      sha256,
      size: 10,
      kid: root.keyId,
    });
  });

  test.each([
    ['text that was changed', `${statement.slice(0, -1)}A`, statementSignature],
    ['a signature of another key', ...signed(statement, other)],
    ['a key id that is not the signer’s', ...signed(`release/${encode({ ...claims, kid: other.keyId })}`)],
    ['another version', ...signed(`release/${encode({ ...claims, v: 2 })}`)],
    ['another kind', ...signed(`license/${encode(claims)}`)],
    ['no JSON', ...signed('release/AAAA')],
    ['no signature', statement, ''],
  ])('%s is STATEMENT_INVALID', async (_what, text, signature) => {
    await expect(verifyStatement(text, signature, [rootPem])).rejects.toMatchObject({
      name: 'ClientError',
      code: 'STATEMENT_INVALID',
    });
  });
});
