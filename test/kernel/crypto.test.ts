import { describe, expect, it } from 'vitest';
import {
  equalSecrets,
  keyringOf,
  newMasterKey,
  newToken,
  parseMasterKey,
  SealError,
} from '../../src/kernel/crypto.ts';

const keyring = keyringOf(parseMasterKey(newMasterKey()));

describe('a sealed text', () => {
  const sealed = keyring.seal('license-key', 'APP-7F3K-Ümläut', 'lic_1');

  it('opens for its owner and its use, and names its master key', () => {
    expect(keyring.open('license-key', sealed, 'lic_1')).toBe('APP-7F3K-Ümläut');
    expect(sealed.split('.').slice(0, 2)).toEqual(['v1', keyring.keyId]);
    expect(keyring.open('secret', keyring.seal('secret', '', 'x'), 'x')).toBe('');
  });

  it('is never sealed the same way twice', () => {
    expect(keyring.seal('license-key', 'APP-7F3K-Ümläut', 'lic_1')).not.toBe(sealed);
  });

  it.each([
    ['moved to another row', sealed, 'lic_2'],
    ['altered', `${sealed.slice(0, -4)}AAAA`, 'lic_1'],
    ['cut', sealed.split('.').slice(0, 4).join('.'), 'lic_1'],
    ['of another form', 'plain text', 'lic_1'],
    ['with a short tag', `${sealed.split('.').slice(0, 4).join('.')}.AAAA`, 'lic_1'],
  ])('does not open when %s', (_name, text, owner) => {
    expect(() => keyring.open('license-key', text, owner)).toThrow(SealError);
  });

  it('does not open for another use or another master key, and says which key it needs', () => {
    expect(() => keyring.open('secret', sealed, 'lic_1')).toThrow(SealError);
    const other = keyringOf(parseMasterKey(newMasterKey()));
    expect(() => other.open('license-key', sealed, 'lic_1')).toThrow(`master key ${keyring.keyId}`);
  });
});

describe('digests', () => {
  it('are equal for equal texts of one use and master key only', () => {
    expect(keyring.digest('lookup', 'A')).toBe(keyring.digest('lookup', 'A'));
    expect(keyring.digest('lookup', 'A')).not.toBe(keyring.digest('api-key', 'A'));
    expect(keyringOf(parseMasterKey(newMasterKey())).digest('lookup', 'A')).not.toBe(
      keyring.digest('lookup', 'A'),
    );
  });
});

describe('a master key', () => {
  const bytes = Buffer.alloc(32, 7);
  it.each(['base64url', 'base64', 'hex'] as const)('is read as %s', (form) => {
    expect(parseMasterKey(`  ${bytes.toString(form)}\n`).equals(bytes)).toBe(true);
  });
  it.each([
    '',
    'short',
    'f'.repeat(63),
    'g'.repeat(64),
    Buffer.alloc(31).toString('base64url'),
    'A'.repeat(44),
  ])('is not %j', (text) => {
    expect(() => parseMasterKey(text)).toThrow(SealError);
  });
});

it('tokens hold 256 random bits; secrets are compared whole', () => {
  expect(newToken('alk_')).toMatch(/^alk_[A-Za-z0-9_-]{43}$/);
  expect(newToken('alk_')).not.toBe(newToken('alk_'));
  expect([equalSecrets('abc', 'abc'), equalSecrets('abc', 'abd'), equalSecrets('abc', 'abcd')]).toEqual([
    true,
    false,
    false,
  ]);
});
