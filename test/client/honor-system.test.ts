// HONOR_SYSTEM: the client enforces nothing, and still asks (D44, licensing.md 7.3).
import { describe, expect, test } from 'vitest';
import { type Answer, invalid, license, offline, ok, refuse, scripted, valid } from './scripted.ts';
import { machineId, startSeconds, token, tokenClaims } from './signer.ts';

const honor = (answer: Answer): Answer => ok({ ...(answer.body as object), licensingMode: 'HONOR_SYSTEM' });
const open = { allowed: true, enforced: false, mode: 'HONOR_SYSTEM' };
const single = { retry: { attempts: 1 } };

/** A client that has learned its mode. */
async function honored(more: Parameters<typeof scripted>[1] = {}) {
  const one = scripted(() => honor(valid()), { ...single, ...more });
  await one.client.access();
  return one;
}

describe('the mode', () => {
  test('is taken from validate, persisted, and known again after a restart', async () => {
    const { client, stored } = await honored();
    expect(client.mode).toBe('HONOR_SYSTEM');
    const again = scripted(offline, { ...single, stored });
    expect(again.client.mode).toBeNull();
    expect(await again.client.access()).toMatchObject({ ...open, valid: false, code: 'UNREACHABLE' });
    expect(again.client.mode).toBe('HONOR_SYSTEM');
  });

  test('is taken from check', async () => {
    const facts = { status: 'EXPIRED', type: 'TRIAL', tier: 'PERSONAL', maxVersion: null, features: null };
    const { client, serve } = scripted(() => ok({ ...facts, licensingMode: 'HONOR_SYSTEM' }), single);
    expect(await client.check()).toEqual({ ...facts, licensingMode: 'HONOR_SYSTEM' });
    serve(offline);
    expect(await client.access()).toMatchObject(open);
  });

  test('is taken from the claim of a token, also of one that has ended', async () => {
    const { client } = scripted(offline, single);
    const ended = token(tokenClaims({ mode: 'HONOR_SYSTEM', exp: startSeconds }));
    expect(await client.importOfflineToken(ended)).toMatchObject({
      ...open,
      valid: false,
      code: 'TOKEN_EXPIRED',
    });
    expect(await client.access()).toMatchObject(open);
  });

  test('is not taken from a token of another machine: somebody may have made it public', async () => {
    const { client } = scripted(offline, { ...single, machine: { id: 'machine-0002' } });
    const foreign = token(tokenClaims({ mode: 'HONOR_SYSTEM' }));
    expect(await client.importOfflineToken(foreign)).toMatchObject({
      allowed: false,
      enforced: true,
      code: 'WRONG_MACHINE',
    });
    expect(await client.access()).toMatchObject({ allowed: false, enforced: true });
    expect(client.mode).toBeNull();
  });

  test('that the vendor ended is not brought back by an older token, also after a restart', async () => {
    const one = scripted(offline, single);
    await one.client.importOfflineToken(token(tokenClaims({ mode: 'HONOR_SYSTEM', exp: startSeconds + 60 })));
    expect(await one.client.access()).toMatchObject(open);
    one.advance(60);
    one.serve(() => invalid('NOT_ACTIVATED', { licensingMode: 'STANDARD' }));
    expect(await one.client.access()).toMatchObject({ allowed: false, enforced: true });
    one.serve(offline);
    expect(await one.client.access({ force: true })).toMatchObject({
      code: 'TOKEN_EXPIRED',
      allowed: false,
      enforced: true,
    });
    const again = scripted(offline, { ...single, stored: one.stored });
    again.advance(60);
    expect(await again.client.access()).toMatchObject({ allowed: false, enforced: true });
    const newer = tokenClaims({ mode: 'HONOR_SYSTEM', iat: startSeconds + 61 });
    expect(await again.client.importOfflineToken(token(newer))).toMatchObject({ ...open, code: 'VALID' });
  });

  test('of which nothing is known counts as STANDARD, as does one of the future', async () => {
    const { client, serve } = scripted(offline, single);
    expect(await client.access()).toMatchObject({ allowed: false, enforced: true, mode: 'STANDARD' });
    serve(() => invalid('EXPIRED', { licensingMode: 'TRUST' }));
    expect(await client.access()).toMatchObject({ allowed: false, enforced: true, mode: 'STANDARD' });
    expect(client.mode).toBeNull();
  });

  test('can be changed back by the vendor', async () => {
    const { client, serve } = await honored();
    serve(() => invalid('EXPIRED', { licensingMode: 'STANDARD' }));
    expect(await client.access({ force: true })).toMatchObject({ allowed: false, enforced: true });
    expect(client.mode).toBe('STANDARD');
  });

  test('ends with its license key', async () => {
    const { client } = await honored();
    await client.setLicenseKey('APP-ZZZZ-ZZZZ-ZZZZ-ZZZZ');
    expect(client.mode).toBeNull();
  });
});

test('allowed is always true; calls are still made, and refusals and outages become events', async () => {
  const { client, serve, operations, of } = await honored();
  serve(() => honor(invalid('REVOKED', { license })));
  expect(await client.access({ force: true })).toMatchObject({ ...open, valid: false, code: 'REVOKED' });
  serve(offline);
  expect(await client.access({ force: true })).toMatchObject({ ...open, valid: false, code: 'UNREACHABLE' });
  expect(operations()).toEqual(['validate', 'validate', 'validate']);
  expect(of('access').map(({ code, allowed }) => [code, allowed])).toEqual([
    ['VALID', true],
    ['REVOKED', true],
    ['UNREACHABLE', true],
  ]);
});

test('recordUsage does not throw: what was not recorded is an event', async () => {
  const { client, serve, of } = await honored();
  serve(offline);
  const none = { recorded: false, usage: { current: 0, max: null } };
  expect(await client.recordUsage('export')).toEqual(none);
  serve(() => refuse(400, 'LICENSE_REVOKED'));
  expect(await client.recordUsage('export')).toEqual(none);
  expect(of('background-error')).toMatchObject([{ code: 'NETWORK' }, { code: 'LICENSE_REVOKED' }]);
});

test('holdSeat does not throw: the application works on without a seat', async () => {
  const { client, serve, of, operations, iso } = await honored();
  serve(() => refuse(400, 'SEAT_LIMIT_REACHED', { seatsTotal: 1 }));
  const seat = await client.holdSeat();
  expect(seat.activation).toEqual({ machineId, machineName: null, activatedAt: iso() });
  expect(of('seat-lost')).toEqual([{ reason: 'SEAT_LIMIT_REACHED' }]);
  serve(offline);
  await client.holdSeat();
  expect(of('background-error')).toMatchObject([{ code: 'NETWORK' }]);
  await seat.extend();
  expect(await seat.release()).toEqual({ seatsUsed: 0, seatsTotal: 0, seatsAvailable: 0 });
  expect(operations()).toEqual(['validate', 'checkout', 'checkout']);
});

test('in STANDARD both throw', async () => {
  const { client } = scripted(offline, single);
  await expect(client.recordUsage('export')).rejects.toMatchObject({ code: 'NETWORK' });
  await expect(client.holdSeat()).rejects.toMatchObject({ code: 'NETWORK' });
});
