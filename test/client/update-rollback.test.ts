// Sequences, clocks and proof of recent answers: what a client remembers against rollback and freeze (licensing.md 6.3).
import { describe, expect, test } from 'vitest';
import { NoEd25519Error } from '../../src/client/ed25519.ts';
import type { ClientStorage } from '../../src/client/option-types.ts';
import { offering, offerOf, type Shipped, ship, timestamp, timestampClaims, updates } from './releases.ts';
import { type Answer, type Asked, offline, ok, type Server, signed, valid } from './scripted.ts';
import { delegation, delegationClaims, digest, newKey, online, root, startSeconds } from './signer.ts';

const DAY = 86_400;
const older = offering(ship({ version: '2.1.0', sequence: 100 }));
const newer = offering(ship({ version: '2.2.0', sequence: 200 }));
const rollback = { name: 'ClientError', code: 'ROLLBACK' };

describe('a replayed statement', () => {
  test('is refused once a newer one was seen, also after a restart and with another license key', async () => {
    const machine = updates(newer);
    await offerOf(machine);
    machine.serve(older);
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject(rollback);
    await machine.client.setLicenseKey('APP-ZZZZ-YYYY-XXXX-WWWW');
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject(rollback);
    const restarted = updates(older, { stored: machine.stored });
    await expect(restarted.client.checkForUpdate()).rejects.toMatchObject(rollback);
    restarted.serve(newer);
    expect(await offerOf(restarted)).toMatchObject({ version: '2.2.0' });
  });

  test('of the same sequence is refused for another version', async () => {
    const machine = updates(newer);
    await offerOf(machine);
    machine.serve(offering(ship({ version: '2.3.0', sequence: 200 })));
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject(rollback);
    machine.serve(offering(ship({ version: '2.3.0', sequence: 201 })));
    expect(await offerOf(machine)).toMatchObject({ version: '2.3.0' });
  });

  test('a renewed statement has the same sequence and version', async () => {
    const machine = updates(newer);
    await offerOf(machine);
    const expiresAt = new Date((startSeconds + 800 * DAY) * 1000).toISOString();
    machine.serve(offering(ship({ version: '2.2.0', sequence: 200, expiresAt })));
    expect(await offerOf(machine)).toMatchObject({ version: '2.2.0' });
  });

  test('lines of different channels count for themselves', async () => {
    const machine = updates(offering(ship({ version: '3.0.0-beta.1', channel: 'beta', sequence: 900 })));
    await machine.client.checkForUpdate({ channel: 'beta' });
    machine.serve(older);
    expect(await machine.client.checkForUpdate({ channel: 'beta' })).toMatchObject({ version: '2.1.0' });
  });

  test('what was refused raises nothing', async () => {
    const machine = updates(offering(ship({ version: '9.0.0', sequence: 999 }), { sha256: '0'.repeat(64) }));
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_MISMATCH' });
    machine.serve(older);
    expect(await offerOf(machine)).toMatchObject({ version: '2.1.0' });
  });
});

describe('the storage', () => {
  test.each([
    'not json',
    '[]',
    '{"lines":7}',
    '{"lines":{"stable/linux/x64":{"sequence":"200","version":"2.2.0"}}}',
    '{"lines":{"stable/linux/x64":{"sequence":-1,"version":"2.2.0"},"__proto__":{"sequence":9,"version":"9.0.0"}}}',
  ])('%s counts as nothing', async (text) => {
    const machine = updates(older, { stored: new Map([['appctl.editor.releases', text]]) });
    expect(await offerOf(machine)).toMatchObject({ version: '2.1.0' });
    expect(JSON.parse(machine.stored.get('appctl.editor.releases') ?? '')).toMatchObject({
      lines: { 'stable/linux/x64': { sequence: 100, version: '2.1.0' } },
    });
  });

  test('one that throws costs no update, is told of, and within a run sequences hold', async () => {
    const broken = (): never => {
      throw new Error('the disk is gone');
    };
    const storage: ClientStorage = { get: broken, set: broken, delete: broken };
    const machine = updates(newer, { storage });
    expect(await offerOf(machine)).toMatchObject({ version: '2.2.0' });
    expect(machine.of('background-error')).toContainEqual(new Error('the disk is gone'));
    machine.serve(older);
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject(rollback);
  });
});

describe('the end of a statement', () => {
  const short = (seconds: number): Shipped =>
    ship({ expiresAt: new Date((startSeconds + seconds) * 1000).toISOString() });

  test('is exclusive', async () => {
    const machine = updates(offering(short(60)));
    machine.advance(59);
    expect(await offerOf(machine)).toMatchObject({ statement: 'verified', version: ship().answer.version });
    machine.advance(1);
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
  });

  test('a clock that is set back revives no statement, also after a restart', async () => {
    const machine = updates(offering(short(60)));
    machine.advance(DAY);
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
    const restarted = updates(offering(short(60)), { stored: machine.stored });
    await expect(restarted.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
    expect(restarted.of('clock-suspect')).toHaveLength(1);
  });

  test('the signed time of the server ends one that the own clock believes in', async () => {
    const late = new Date((startSeconds + DAY) * 1000).toISOString();
    const machine = updates((asked) => signed(asked, ok(short(60).answer), late));
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
  });

  test('a time of the server that nobody has signed ends none: it might have been forged once, and would stay', async () => {
    const machine = updates(() => valid({ serverTime: '9999-01-01T00:00:00.000Z' }));
    await machine.client.access();
    const restarted = updates(offering(short(60)), { stored: machine.stored });
    expect(await offerOf(restarted)).toMatchObject({ statement: 'verified', version: ship().answer.version });
    expect(restarted.of('update-frozen')).toEqual([]);
    restarted.advance(60);
    await expect(restarted.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
    restarted.advance(-60);
    await expect(restarted.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
  });

  test('the signed time of the server helps a machine whose clock was once in the future', async () => {
    const machine = updates(offering(short(3600)));
    machine.advance(400 * DAY);
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_EXPIRED' });
    machine.advance(-400 * DAY);
    machine.serve((asked) => signed(asked, ok(short(3600).answer), machine.iso()));
    expect(await offerOf(machine)).toMatchObject({ statement: 'verified', version: ship().answer.version });
  });
});

/** A server that proves how recent its answer is. */
const proving =
  (shipped: Shipped | null, change: object = {}, how: Parameters<typeof timestamp>[1] = {}): Server =>
  (asked: Asked) =>
    ok({
      update_available: shipped !== null,
      ...shipped?.answer,
      timestamp_token: timestamp({ ...timestampClaims(asked, shipped), ...change }, how),
    });

describe('a timestamp token', () => {
  test('proves that the answer is recent', async () => {
    expect(await offerOf(updates(proving(ship())))).toMatchObject({ fresh: true });
  });

  const delegated = (more: object) => ({ delegated: delegation(delegationClaims(more)) });
  test.each<[string, object, Parameters<typeof timestamp>[1]]>([
    ['of another product', { prd: 'viewer' }, {}],
    ['of another product, delegated for it', { prd: 'viewer' }, delegated({ prd: 'viewer' })],
    ['of another question', { nonce: 'A'.repeat(22) }, {}],
    ['of no question', { nonce: null }, {}],
    ['of another channel', { ch: 'beta' }, {}],
    ['of another platform', { plat: 'windows' }, {}],
    ['of another processor', { arch: 'arm64' }, {}],
    ['of another installed version', { cur: '1.0.0' }, {}],
    ['of another asker', { ask: digest('APP-ZZZZ-YYYY-XXXX-WWWW') }, {}],
    ['of no asker', { ask: null }, {}],
    ['of another offer', { offer: '2.0.9' }, {}],
    ['of no offer', { offer: null, seq: null, sts: null }, {}],
    ['of another sequence', { seq: 99 }, {}],
    ['of another statement', { sts: 'A'.repeat(43) }, {}],
    ['of another version of its form', { v: 2 }, {}],
    ['that has ended', { iat: startSeconds - DAY, exp: startSeconds }, {}],
    ['from the future', { iat: startSeconds + 301 }, {}],
    ['with times that are none', { iat: 'now' }, {}],
    ['of a key without a delegation', {}, { key: newKey() }],
    ['of another key id', { kid: root.keyId }, {}],
    ['by the root key itself', { kid: root.keyId }, { key: root }],
    ['by a key that is delegated for licenses', {}, delegated({ use: ['license'] })],
    ['by a key whose delegation is over', {}, delegated({ exp: startSeconds })],
    ['by a key that a stranger delegated', {}, { delegated: delegation(delegationClaims(), newKey()) }],
    ['that is a license token', {}, { kind: 'license' }],
  ])('%s proves nothing, and the release is judged without it', async (_what, change, how) => {
    expect(await offerOf(updates(proving(ship(), change, how)))).toMatchObject({ fresh: false });
  });

  test('is read by the time of the server where the own clock is wrong', async () => {
    const machine = updates((asked) => ({
      ...(proving(ship())(asked) as Answer),
      headers: { Date: new Date(startSeconds * 1000).toUTCString() },
    }));
    machine.advance(2 * DAY);
    expect(await offerOf(machine)).toMatchObject({ fresh: true });
  });

  test('that names a statement proves nothing about an answer that keeps it quiet', async () => {
    const shipped = ship();
    const { statement: _, statement_signature: __, ...bare } = shipped.answer;
    const stripped: Server = (asked) =>
      ok({ ...bare, timestamp_token: timestamp(timestampClaims(asked, shipped)) });
    const machine = updates(stripped, { updates: { requireStatement: false } });
    expect(await offerOf(machine)).toMatchObject({ statement: 'absent', fresh: false });
  });

  test('proves nothing where nothing can be verified, and costs no answer', async () => {
    const verify = () => Promise.reject(new NoEd25519Error(null));
    expect(await updates(proving(null), { verify }).client.checkForUpdate()).toBeNull();
  });

  test('makes nothing acceptable: the online key signs no releases', async () => {
    const forged = ship({ version: '6.6.6' }, { key: online });
    const machine = updates(proving(forged));
    await expect(machine.client.checkForUpdate()).rejects.toMatchObject({ code: 'STATEMENT_INVALID' });
  });
});

describe('update-frozen', () => {
  const check = async (machine: ReturnType<typeof updates>) =>
    machine.client.checkForUpdate().catch(() => null);

  test('is told once after fourteen days without proof, whoever answers and whatever', async () => {
    const machine = updates(proving(null));
    const since = machine.iso();
    await check(machine);
    machine.serve(() => ok({ update_available: false }));
    machine.advance(14 * DAY - 1);
    await check(machine);
    expect(machine.of('update-frozen')).toEqual([]);
    machine.serve(offline);
    machine.advance(1);
    await check(machine);
    await check(machine);
    expect(machine.of('update-frozen')).toEqual([{ since }]);
    const restarted = updates(() => ok({ update_available: false }), { stored: machine.stored });
    restarted.advance(15 * DAY);
    await check(restarted);
    expect(restarted.of('update-frozen')).toEqual([{ since }]);
  });

  test('proof ends it, and it may begin again', async () => {
    const machine = updates(() => ok({ update_available: false }), { updates: { frozenAfterSeconds: 60 } });
    await check(machine);
    machine.advance(60);
    await check(machine);
    machine.serve(proving(null, { iat: startSeconds + 60 }));
    await check(machine);
    const since = machine.iso();
    machine.serve(offline);
    machine.advance(60);
    await check(machine);
    expect(machine.of('update-frozen')).toHaveLength(2);
    expect(machine.of('update-frozen')[1]).toEqual({ since });
  });

  test('an answer that keeps back what its token names is no proof', async () => {
    const machine = updates(proving(null, { offer: '2.1.0' }), { updates: { frozenAfterSeconds: 60 } });
    await check(machine);
    machine.advance(60);
    await check(machine);
    expect(machine.of('update-frozen')).toHaveLength(1);
  });

  test('a release that is refused is no proof either', async () => {
    const machine = updates(proving(ship({ version: '1.0.0' })), { updates: { frozenAfterSeconds: 60 } });
    await check(machine);
    machine.advance(60);
    await check(machine);
    expect(machine.of('update-frozen')).toHaveLength(1);
  });

  test('a clock that is set back does not begin the time anew, one from the future does', async () => {
    const machine = updates(offline, { updates: { frozenAfterSeconds: 2 * DAY } });
    await check(machine);
    machine.advance(2 * DAY);
    await check(machine);
    expect(machine.of('update-frozen')).toHaveLength(1);
    const behind = updates(offline, { stored: machine.stored, updates: { frozenAfterSeconds: 2 * DAY } });
    await check(behind);
    expect(behind.of('update-frozen')).toHaveLength(1);
    const at = (startSeconds + 900 * DAY) * 1000;
    const stored = new Map([['appctl.editor.fresh', JSON.stringify({ at })]]);
    const later = updates(offline, { stored, updates: { frozenAfterSeconds: 60 } });
    await check(later);
    later.advance(60);
    await check(later);
    expect(later.of('update-frozen')).toEqual([{ since: new Date(startSeconds * 1000).toISOString() }]);
  });

  test('is never told to who does not want it', async () => {
    const machine = updates(offline, { updates: { frozenAfterSeconds: Number.POSITIVE_INFINITY } });
    await check(machine);
    machine.advance(5000 * DAY);
    await check(machine);
    expect(machine.of('update-frozen')).toEqual([]);
  });
});
