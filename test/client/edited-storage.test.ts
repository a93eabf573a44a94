// Whoever edits the storage, or puts one unsigned answer into it, does not open the application (licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import type { ClientOptions } from '../../src/client/option-types.ts';
import {
  type Answer,
  type Asked,
  activation,
  invalid,
  license,
  licenseKey,
  offline,
  ok,
  refuse,
  scripted,
  signed,
  valid,
} from './scripted.ts';
import { delegation, delegationClaims, newKey, startSeconds, token, tokenClaims } from './signer.ts';

const DAY = 86_400;
const date = new Date(startSeconds * 1000).toISOString();
const limited = () => refuse(429, 'RATE_LIMITED', {}, { 'Retry-After': '600' });
const single = { retry: { attempts: 1 } };
const strict = { ...single, signedResponses: 'require' as const };
const locked = { allowed: false, source: 'none' };

const ANSWER = 'appctl.editor.answer';
const MODE = 'appctl.editor.mode';

/** A storage after one answer. */
async function storageAfter(answer: (asked: Asked) => Answer, more: Partial<ClientOptions> = {}) {
  const { client, stored } = scripted(answer, { ...single, ...more });
  await client.access();
  return stored;
}
const signing =
  (answer: Answer, keys = {}) =>
  (asked: Asked) =>
    signed(asked, answer, date, keys);
const honor = (answer: Answer): Answer => ok({ ...(answer.body as object), licensingMode: 'HONOR_SYSTEM' });

/** Edits one value of a storage. */
function edit(
  stored: Map<string, string>,
  key: string,
  change: (value: never) => object,
): Map<string, string> {
  const value = JSON.parse(stored.get(key) ?? '{}');
  return new Map([...stored, [key, JSON.stringify(change(value as never))]]);
}
type Kept = { access: object; proof: Record<string, string> };

/** What a client on this storage says in a rate limit. */
const limitedOn = (stored: Map<string, string>, more: Partial<ClientOptions> = strict) =>
  scripted(limited, { ...single, ...more, stored }).client.access();

describe('the last good answer under require', () => {
  test('counts with its signature, and without the license key in the storage', async () => {
    const stored = await storageAfter(signing(valid()), strict);
    expect([...stored.values()].join()).not.toContain(licenseKey.slice(4));
    const kept = { allowed: true, source: 'cache', checkedAt: date, features: { sso: true }, license };
    expect(await limitedOn(stored)).toMatchObject(kept);
    const options = { ...strict, offline: { outageGraceSeconds: 3_600 } };
    expect(await scripted(offline, { ...options, stored }).client.access()).toMatchObject(kept);
  });

  test('that was made up is none', async () => {
    const access = { valid: true, checkedAt: date, features: { sso: true }, license: null };
    const owner = await storageAfter(signing(invalid('EXPIRED')), strict);
    const stored = edit(owner, ANSWER, () => ({ access }));
    expect(await limitedOn(stored)).toMatchObject({ ...locked, code: 'RATE_LIMITED' });
    expect(await limitedOn(stored, { signedResponses: 'verify' })).toMatchObject({ allowed: true });
  });

  test('lasts from the date that was signed, whatever else is written beside', async () => {
    const stored = await storageAfter(signing(valid()), strict);
    const later = new Date((startSeconds + DAY) * 1000).toISOString();
    const prolonged = edit(stored, ANSWER, ({ access, proof }: Kept) => ({
      access: { ...access, checkedAt: later, features: { everything: true } },
      proof,
    }));
    const { client, advance } = scripted(limited, { ...strict, stored: prolonged });
    advance(DAY);
    expect(await client.access()).toMatchObject({ allowed: true, features: { sso: true } });
    advance(1);
    expect(await client.access({ force: true })).toMatchObject(locked);
  });

  test('outlives its delegation, which was in force when it was given', async () => {
    const delegated = delegation(delegationClaims({ exp: startSeconds + 60 }));
    const stored = await storageAfter(signing(valid(), { delegated }), strict);
    const { client, advance } = scripted(limited, { ...strict, stored });
    advance(120);
    expect(await client.access()).toMatchObject({ allowed: true, source: 'cache' });
  });

  test.each([' app-aaaa-bbbb-cccc-dddd ', 'APP-AAAA-BBBB-CCCC-DDDD'])('is found for %j', async (typed) => {
    const stored = await storageAfter(signing(valid()), { ...strict, licenseKey: typed });
    expect(stored.get(ANSWER)).not.toContain('AAAA');
    expect(await limitedOn(stored)).toMatchObject({ allowed: true, source: 'cache' });
  });

  test('of a key that was typed with O for 0 is found too', async () => {
    const shown = valid({ license: { ...license, key: 'APP-0000-1111-CCCC' } });
    const typed = { ...strict, licenseKey: 'APP-OOOO-ILIL-CCCC' };
    expect(await limitedOn(await storageAfter(signing(shown), typed), typed)).toMatchObject({
      allowed: true,
    });
  });
});

describe.each(['verify', 'require'] as const)(
  '%s: a signature that does not fit is worse than none',
  (mode) => {
    const options = { ...single, signedResponses: mode };
    const foreign = { ...license, key: 'APP-ZZZZ-ZZZZ-ZZZZ-ZZZZ' };

    test.each<[string, (kept: Kept) => object]>([
      ['another text', ({ proof }) => ({ ...proof, text: proof.text?.replace('"sso":true', '"sso":2') })],
      [
        'another date',
        ({ proof }) => ({ ...proof, date: new Date((startSeconds + 60) * 1000).toISOString() }),
      ],
      ['a date that is none', ({ proof }) => ({ ...proof, date: 'today' })],
      [
        'a forged delegation',
        ({ proof }) => ({ ...proof, delegation: delegation(delegationClaims(), newKey()) }),
      ],
      ['half of it', ({ proof: { nonce, ...rest } }) => rest],
      ['a text in its place', () => ['x']],
    ])('%s', async (_what, change) => {
      const stored = await storageAfter(signing(valid()), options);
      expect(await limitedOn(stored, options)).toMatchObject({ allowed: true });
      const edited = edit(stored, ANSWER, (kept: Kept) => ({ ...kept, proof: change(kept) }));
      expect(await limitedOn(edited, options)).toMatchObject(locked);
    });

    test.each<[string, Answer, Partial<ClientOptions>]>([
      ['of another machine', valid({ activation: { ...activation, machineId: 'machine-0002' } }), {}],
      ['about another license', valid({ license: foreign }), { licenseKey: foreign.key }],
      ['that refuses', invalid('EXPIRED'), {}],
      ['to another question', ok({ licensingMode: 'STANDARD' }), {}],
    ])('a genuine answer %s', async (_what, answer, more) => {
      // The proof is taken from a client that keeps it, and the key is written out.
      let text = '';
      let headers: Record<string, string> = {};
      const good = await storageAfter(
        (asked) => {
          const one = signed(asked, answer, date);
          text = JSON.stringify(one.body);
          headers = one.headers;
          return signed(asked, valid(more.licenseKey ? { license: foreign } : {}), date);
        },
        { ...options, ...more },
      );
      const proof = {
        text,
        nonce: JSON.parse(text).nonce,
        date,
        signature: headers['X-Response-Signature'],
        delegation: headers['X-Response-Delegation'],
      };
      const own = more.licenseKey ? await storageAfter(signing(valid()), options) : good;
      const edited = edit(own, ANSWER, ({ access }: Kept) => ({ access, proof }));
      expect(await limitedOn(edited, options)).toMatchObject(locked);
    });
  },
);

test('verify takes an answer that is not signed, or by a root key it does not know, as it did when it came', async () => {
  expect(await limitedOn(await storageAfter(() => valid()), {})).toMatchObject({
    allowed: true,
    source: 'cache',
  });
  const stored = await storageAfter(signing(valid()));
  const newer = { rootKeys: [newKey().publicKey.toString('base64')] };
  expect(await limitedOn(stored, newer)).toMatchObject({ allowed: true });
  expect(await limitedOn(stored, { ...newer, signedResponses: 'require' })).toMatchObject(locked);
  expect(await limitedOn(stored, { rootKeys: [], signedResponses: 'off' })).toMatchObject({ allowed: true });
});

describe('HONOR_SYSTEM', () => {
  const open = { allowed: true, enforced: false };
  const none = { allowed: false, enforced: true, code: 'UNREACHABLE' };
  const unreachable = (stored: Map<string, string>, more: Partial<ClientOptions> = strict) =>
    scripted(offline, { ...single, ...more, stored }).client.access();

  test('that was written into the storage opens nothing under require', async () => {
    const owner = await storageAfter(signing(invalid('EXPIRED')), strict);
    const mode = { mode: 'HONOR_SYSTEM', at: startSeconds * 1000 };
    expect(await unreachable(edit(owner, MODE, () => mode))).toMatchObject(none);
  });

  test('of one unsigned answer does not outlive the change to require', async () => {
    const stored = await storageAfter(() => honor(invalid('EXPIRED')));
    expect(await unreachable(stored, {})).toMatchObject(open);
    expect(await unreachable(stored)).toMatchObject(none);
  });

  test('of a signed answer is known again after a restart, also when it was known unsigned before', async () => {
    const signedHonor = signing(honor(invalid('EXPIRED')));
    expect(await unreachable(await storageAfter(signedHonor, strict))).toMatchObject(open);
    const { client, serve, stored } = scripted(() => honor(invalid('EXPIRED')), single);
    await client.access();
    serve(signedHonor);
    await client.access({ force: true });
    expect(await unreachable(stored)).toMatchObject(open);
  });

  test('of check() is proven too', async () => {
    const facts = { status: 'EXPIRED', type: 'TRIAL', tier: 'PERSONAL', maxVersion: null, features: null };
    const { client, stored } = scripted(signing(honor(ok(facts))), strict);
    await client.check();
    expect(await unreachable(stored)).toMatchObject(open);
  });

  test('of a token is told again by the token', async () => {
    const { client, stored } = scripted(offline, strict);
    await client.importOfflineToken(token(tokenClaims({ mode: 'HONOR_SYSTEM' })));
    expect(await unreachable(stored)).toMatchObject({ ...open, source: 'offline-token' });
    stored.delete('appctl.editor.token');
    expect(await unreachable(stored)).toMatchObject(none);
  });

  test.each(['verify', 'require'] as const)('%s: the proof must be one of this mode', async (mode) => {
    const options = { ...single, signedResponses: mode };
    const standard = await storageAfter(signing(valid({ licensingMode: 'STANDARD' })), options);
    const { proof } = JSON.parse(standard.get(ANSWER) ?? '') as Kept;
    const at = startSeconds * 1000;
    for (const forged of [proof, { ...proof, text: proof.text?.replace('STANDARD', 'HONOR_SYSTEM') }]) {
      const edited = edit(standard, MODE, () => ({ mode: 'HONOR_SYSTEM', at, proof: forged }));
      expect(await unreachable(edited, options)).toMatchObject(none);
    }
  });

  test('that the vendor ended stays ended', async () => {
    const { client, serve, stored } = scripted(signing(honor(valid())), strict);
    await client.access();
    serve(signing(invalid('EXPIRED', { licensingMode: 'STANDARD' })));
    await client.access({ force: true });
    expect(await unreachable(stored)).toMatchObject(none);
  });
});
