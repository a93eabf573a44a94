// checkForUpdate: what is asked, and every offer that must be refused (licensing.md 6.3, 7.3).
import { describe, expect, test } from 'vitest';
import { StatementInput, signStatement } from '#signing/releases/statement.ts';
import { NoEd25519Error } from '../../src/client/ed25519.ts';
import {
  bundle,
  offering,
  offerOf,
  type Shipped,
  ship,
  statement,
  statementClaims,
  updates,
} from './releases.ts';
import { licenseKey, offline, ok, refuse, type Server } from './scripted.ts';
import { machineId, newKey, online, product, root, rootPem } from './signer.ts';

const none = ok({ update_available: false, current_version: '2.0.0', channel: 'stable' });
const refusedAs = async (server: Server, code: string, more: Parameters<typeof updates>[1] = {}) => {
  const machine = updates(server, more);
  await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ name: 'ClientError', code });
  expect(machine.of('update')).toEqual([]);
  expect(machine.stored.has('appctl.editor.releases')).toBe(false);
  return machine;
};

describe('the question', () => {
  test('says who asks, for what, and which keys are known', async () => {
    const { client, asked } = updates(() => none, {
      appVersion: 'v2.0.0+build.7',
      updates: { channel: 'rc', platform: 'win32', arch: 'x86_64' },
    });
    expect(await client.checkForUpdate({ channel: 'beta' })).toBeNull();
    const [{ url, method, headers, redirect } = asked[0]!] = asked;
    const { pathname, searchParams } = new URL(url);
    expect([method, pathname, redirect]).toEqual(['GET', '/base/api/v1/updates/check', 'error']);
    expect(Object.fromEntries(searchParams)).toEqual({
      current_version: '2.0.0+build.7',
      channel: 'beta',
      platform: 'windows',
      arch: 'x64',
      machine_id: machineId,
      key_ids: root.keyId,
      nonce: expect.stringMatching(/^[\w-]{22}$/),
    });
    expect(headers.get('X-License-Key')).toBe(licenseKey);
    expect(headers.get('X-API-Key')).toBeNull();
  });

  test('leaves out what is not known, and names at most ten keys', async () => {
    const keys = Array.from({ length: 11 }, () => newKey().publicKey.toString('base64'));
    const { client, asked } = updates(() => none, { updates: { platform: '', arch: '' }, rootKeys: keys });
    await client.checkForUpdate();
    const query = new URL(asked[0]!.url).searchParams;
    const said = [query.get('channel'), query.has('platform'), query.has('arch')];
    expect(said).toEqual(['stable', false, false]);
    expect(query.get('key_ids')?.split(',')).toHaveLength(10);
  });

  test.each([{ appVersion: undefined }, { appVersion: '2.0' }, { rootKeys: [] }])(
    '%j is a TypeError before anything is sent',
    async (more) => {
      const { client, asked } = updates(() => none, more);
      await expect(client.checkForUpdate()).rejects.toThrow(TypeError);
      expect(asked).toEqual([]);
    },
  );

  test('an unknown channel is a TypeError', async () => {
    const { client } = updates(() => none);
    await expect(client.checkForUpdate({ channel: 'edge' as 'beta' })).rejects.toThrow(TypeError);
  });

  test.each([
    ['win32', 'windows', 'x86_64', 'x64'],
    ['macos', 'darwin', 'amd64', 'x64'],
    ['osx', 'darwin', 'aarch64', 'arm64'],
    ['Windows', 'windows', 'i686', 'ia32'],
    ['linux', 'linux', 'x86', 'ia32'],
    ['Linux', 'linux', 'arm', 'armv7'],
  ])('%s is %s, %s is %s', async (platform, named, arch, namedArch) => {
    const { client, asked } = updates(() => none, { updates: { platform, arch } });
    await client.checkForUpdate();
    const query = new URL(asked[0]!.url).searchParams;
    expect([query.get('platform'), query.get('arch')]).toEqual([named, namedArch]);
  });

  test.each(['APP-AAÄA-BBBB', 'APP\r\nX-Evil: 1', 'a b'])('a license key %j goes nowhere', async (key) => {
    const { client, asked } = updates(() => none, { licenseKey: key });
    const error = await client.checkForUpdate().catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'INVALID_KEY' });
    expect(String(error)).not.toContain(key);
    expect(asked).toEqual([]);
  });

  test('errors of the platform do not name the license key', async () => {
    const { client } = updates(({ headers }) => {
      throw new TypeError(`cannot send ${headers.get('X-License-Key')}`);
    });
    const error = await client.checkForUpdate().catch((thrown: unknown) => thrown as Error);
    expect(error).toMatchObject({ code: 'NETWORK' });
    expect(String((error as Error).cause)).not.toContain(licenseKey);
  });
});

describe('the answer', () => {
  test('an offer is told with what its statement proves, and the event comes once for each release', async () => {
    const machine = updates(offering(ship({ isCritical: true, requiresMigration: true })));
    const offer = await offerOf(machine);
    expect(offer).toMatchObject({
      ...{ releaseId: 'rel_2.1.0', version: '2.1.0', changelog: 'Faster.', bundleSize: 1000 },
      ...{ isCritical: true, requiresMigration: true, publishedAt: '2026-03-01T00:00:00.000Z' },
      ...{ sequence: 100, statement: 'verified', fresh: false, channel: 'stable' },
    });
    await offerOf(machine);
    expect(machine.of('update')).toEqual([offer]);
    machine.serve(offering(ship({ version: '2.2.0', sequence: 101 })));
    await offerOf(machine);
    expect(machine.of('update').map(({ version }) => version)).toEqual(['2.1.0', '2.2.0']);
  });

  test('what release sign writes is taken', async () => {
    const { answer } = ship();
    const input = StatementInput.parse({ product, version: '2.1.0', platform: 'linux', arch: 'x64' });
    const digest = { size: 1000, sha256: Buffer.from(String(answer.sha256), 'hex') };
    const signed = signStatement(input, digest, root, '2026-03-01T00:00:00.000Z');
    const server = () =>
      ok({
        ...answer,
        sequence: undefined,
        statement: signed.statement,
        statement_signature: signed.statementSignature,
      });
    expect(await offerOf(updates(server))).toMatchObject({ statement: 'verified', sequence: 1772323200 });
  });

  const taken = { statement: 'verified', version: ship().answer.version };
  test('releases for any machine, and universal ones of the own platform, are taken', async () => {
    expect(await offerOf(updates(offering(ship({ platform: '', arch: '' }))))).toMatchObject(taken);
    expect(await offerOf(updates(offering(ship({ arch: 'universal' }))))).toMatchObject(taken);
  });

  test.each([
    ['stable', 'nightly'],
    ['rc', 'beta'],
    ['beta', 'beta'],
    ['alpha', 'alpha'],
  ])('a release of %s is taken by who asks for %s', async (channel, asked) => {
    const { client } = updates(offering(ship({ channel })));
    expect(await client.checkForUpdate({ channel: asked as 'beta' })).toMatchObject({ channel: asked });
  });

  test('any embedded root key may have signed, also after a rotation', async () => {
    const next = newKey();
    const rootKeys = [rootPem, next.publicKey.toString('base64')];
    expect(await offerOf(updates(offering(ship({}, { key: next })), { rootKeys }))).toMatchObject(taken);
  });

  test.each([
    ['no flag', { update_available: 'yes' }],
    ['no version', { version: '2' }],
    ['a digest that is none', { sha256: 'z'.repeat(64) }],
    ['a size that is none', { bundle_size: -1 }],
    ['no id', { release_id: 7 }],
    ['a date that is none', { published_at: 'soon' }],
    ['another nonce', { nonce: 'A'.repeat(22) }],
  ])('%s is BAD_RESPONSE', async (_what, change) => {
    await refusedAs(offering(ship(), change), 'BAD_RESPONSE');
  });

  test('a refusal of the server is a LicenseApiError', async () => {
    const { client } = updates(() => refuse(401, 'INVALID_LICENSE'));
    const refusal = { name: 'LicenseApiError', code: 'INVALID_LICENSE' };
    await expect(client.checkForUpdate()).rejects.toMatchObject(refusal);
  });
});

/** Somebody who answers in place of the server, with everything that the vendor ever signed. */
const signedOtherwise = (more: object, key = root): Server =>
  offering(ship(), statement(statementClaims(bundle, more), key));
const attacks: [string, string, Server][] = [
  ['the statement of another product', 'STATEMENT_INVALID', signedOtherwise({ product: 'viewer' })],
  ['one of another platform', 'STATEMENT_INVALID', signedOtherwise({ platform: 'windows' })],
  ['one of another processor', 'STATEMENT_INVALID', signedOtherwise({ arch: 'arm64' })],
  ['one of a channel that was not asked for', 'STATEMENT_INVALID', signedOtherwise({ channel: 'rc' })],
  ['one of a channel that nobody knows', 'STATEMENT_INVALID', signedOtherwise({ channel: 'edge' })],
  [
    'one that cannot be installed over 2.0.0',
    'STATEMENT_INVALID',
    signedOtherwise({ minFromVersion: '2.0.1' }),
  ],
  ['one with a start that is none', 'STATEMENT_INVALID', signedOtherwise({ minFromVersion: 'any' })],
  ['one without a sequence', 'STATEMENT_INVALID', signedOtherwise({ sequence: null })],
  ['one that names no end', 'STATEMENT_INVALID', signedOtherwise({ expiresAt: 'never' })],
  ['one by a key that the application does not embed', 'STATEMENT_INVALID', signedOtherwise({}, newKey())],
  [
    'one by the online key, which a root key has delegated',
    'STATEMENT_INVALID',
    signedOtherwise({ kid: online.keyId }, online),
  ],
  ['one without its signature', 'STATEMENT_INVALID', offering(ship(), { statement_signature: null })],
  ['none at all', 'STATEMENT_INVALID', offering(ship(), { statement: null, statement_signature: null })],
  ['a statement of another version', 'STATEMENT_MISMATCH', signedOtherwise({ version: '2.0.9' })],
  [
    'a version that the statement does not name',
    'STATEMENT_MISMATCH',
    offering(ship(), { version: '9.0.0' }),
  ],
  ['a sequence that the statement does not name', 'STATEMENT_MISMATCH', offering(ship(), { sequence: 999 })],
  [
    'a size that the statement does not name',
    'STATEMENT_MISMATCH',
    offering(ship(), { bundle_size: 2 ** 40 }),
  ],
  [
    'another signed bundle under the statement',
    'STATEMENT_MISMATCH',
    offering(
      ship(),
      ((other: Shipped) => ({
        sha256: other.answer.sha256,
        signature: other.answer.signature,
      }))(ship({}, { bytes: Buffer.from('other') })),
    ),
  ],
  [
    'the signature of another bundle',
    'SIGNATURE_INVALID',
    offering(ship(), {
      signature: ship({}, { bytes: Buffer.from('other') }).answer.signature,
    }),
  ],
  [
    'a bundle signed by the online key',
    'SIGNATURE_INVALID',
    offering(ship(), {
      signature: ship({}, { key: online }).answer.signature,
    }),
  ],
  ['the installed version', 'ROLLBACK', offering(ship({ version: '2.0.0' }))],
  ['the installed version, built again', 'ROLLBACK', offering(ship({ version: '2.0.0+2' }))],
  ['a prerelease of the installed version', 'ROLLBACK', offering(ship({ version: '2.0.0-rc.9' }))],
  ['an older version, correctly signed', 'ROLLBACK', offering(ship({ version: '1.9.9' }))],
];

describe('refused', () => {
  test.each(attacks)('%s: %s', async (_what, code, server) => {
    await refusedAs(server, code);
  });

  test('a client that was not told its platform refuses releases for one, and says what to do', async () => {
    const { client } = updates(offering(ship()), { updates: { platform: '', arch: '' } });
    await expect(client.checkForUpdate()).rejects.toThrow(/updates\.platform/);
  });

  test('a flipped bit at any place of statement and signatures', async () => {
    const shipped = ship();
    for (const field of ['statement', 'statement_signature', 'signature', 'sha256']) {
      const text = String(shipped.answer[field]);
      for (let place = 0; place < text.length; place += 7) {
        const code = text.charCodeAt(place) ^ (1 << (place % 5));
        const flipped = text.slice(0, place) + String.fromCharCode(code) + text.slice(place + 1);
        const { client } = updates(offering(shipped, { [field]: flipped }));
        const outcome = await client.checkForUpdate().catch((error: unknown) => error);
        expect(outcome, `${field} at ${place}`).toMatchObject({ name: 'ClientError' });
      }
    }
  });

  test('a release without a statement is taken by who says so, and then proves less', async () => {
    const bare = { statement: null, statement_signature: null };
    const lax = { updates: { requireStatement: false } };
    const machine = updates(offering(ship(), bare), lax);
    expect(await offerOf(machine)).toMatchObject({
      statement: 'absent',
      sequence: null,
      signedStatement: null,
    });
    expect(machine.stored.has('appctl.editor.releases')).toBe(false);
    await refusedAs(offering(ship({ version: '2.0.0' }), bare), 'ROLLBACK', lax);
    await refusedAs(offering(ship(), { ...bare, signature: 'A'.repeat(88) }), 'SIGNATURE_INVALID', lax);
    // One that is there and wrong is not the same as none.
    await refusedAs(signedOtherwise({}, newKey()), 'STATEMENT_INVALID', lax);
  });

  test('where nothing can be verified nothing is offered', async () => {
    const verify = () => Promise.reject(new NoEd25519Error(null));
    const { client } = updates(offering(ship()), { verify });
    await expect(client.checkForUpdate()).rejects.toThrow(NoEd25519Error);
  });

  test('an answer without end fills no memory', async () => {
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(2 ** 20)) });
    await refusedAs(() => ({ status: 200, body: endless }), 'BAD_RESPONSE');
  });

  test('nobody who answers is NETWORK', async () => {
    await refusedAs(offline, 'NETWORK');
  });
});
