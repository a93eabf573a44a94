// What an old release key says about the next one (licensing D98, decision 0026).
import { describe, expect, it } from 'vitest';
import { signingKeyOf } from '#kernel/ed25519.ts';
import { openContinuity, signContinuity } from '#signing/keys/continuity.ts';

describe('a continuity statement', () => {
  const old = signingKeyOf(Buffer.alloc(32, 1));
  const next = signingKeyOf(Buffer.alloc(32, 2));
  const at = '2027-01-01T00:00:00.000Z';
  const text = signContinuity({ product: 'editor', next: next.publicKey, activateAt: at }, old, at);

  it('is believed by the old key alone, and by no bit that is not as it was signed', () => {
    expect(openContinuity(text, old.publicKey)).toMatchObject({ old: old.keyId, next: next.keyId });
    expect(openContinuity(text, next.publicKey)).toBeNull();
    for (let place = 0; place < text.length; place += 7) {
      const letter = text[place] === 'A' ? 'B' : 'A';
      expect(openContinuity(text.slice(0, place) + letter + text.slice(place + 1), old.publicKey)).toBeNull();
    }
    for (const bad of [
      '',
      'continuity/',
      text.replace('continuity/', 'release/'),
      `${text}\n`,
      `${text}.x`,
    ]) {
      expect(openContinuity(bad, old.publicKey)).toBeNull();
    }
  });

  it('that names another key than the one it carries is refused, although it is signed', () => {
    const forged = (change: object) => {
      const payload = JSON.parse(Buffer.from(text.slice(11).split('.')[0] as string, 'base64url').toString());
      const statement = `continuity/${Buffer.from(JSON.stringify({ ...payload, ...change })).toString('base64url')}`;
      return `${statement}.${old.sign(Buffer.from(statement)).toString('base64url')}`;
    };
    expect(openContinuity(forged({}), old.publicKey)).not.toBeNull();
    for (const change of [
      { next: old.keyId },
      { old: next.keyId },
      { pub: Buffer.alloc(32).toString('base64url') },
      { v: 2 },
    ])
      expect(openContinuity(forged(change), old.publicKey)).toBeNull();
  });

  it('is for no key that a verifier must refuse', () => {
    const weak = { product: 'editor', next: Buffer.alloc(32), activateAt: at };
    expect(() => signContinuity(weak, old, at)).toThrow(/small order/);
  });
});
