// Questions of support at both desks: recorded requests, why, and what would be answered (cli.md sections 1.7 and 3.5).
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type BothDesks, openBothDesks } from '../support/both-desks.ts';

let desks: BothDesks;
let licenseId: string;
let requestId: string;
beforeAll(async () => {
  desks = await openBothDesks();
  const { app } = desks;
  const key = (await app.apiKey('FULL_ADMIN')).secret;
  const license = await app.license();
  licenseId = license.id;
  const body = { licenseKey: license.key, machineId: 'machine-0001' };
  const refused = await app.post('/api/v1/license/deactivate', body, key);
  requestId = String(refused.body.requestId);
});
afterAll(() => desks.close());

test('a request of a moment ago is listed and explained', () =>
  desks.same(async (desk) => {
    // The desk of a server asks it to write first; here its process is not asked by the test.
    if (!desk.isRemote) await desks.app.admin('/request-log', await desks.app.adminToken('owner'));
    const { items } = await desk.answer<{ items: { id: string }[] }>(`requests list --license ${licenseId}`);
    expect(items.map(({ id }) => id)).toEqual([requestId]);
    await desk.run(`requests list --license ${licenseId} --status 400 --since 1d`);
    await desk.run(`requests list --license ${licenseId} --code NOPE --plain`);
    expect(await desk.answer(`license why ${requestId}`)).toMatchObject({ id: requestId, refusal: null });
    await desk.run(`license why ${requestId}`);
    for (const id of ['req_none', '..', 'x'.repeat(300)])
      expect(await desk.failure(['license', 'why', id])).toMatchObject({ exit: 3, code: 'NOT_FOUND' });
    expect((await desk.failure('license why req_none')).hint).toBe(
      'appctl settings get licensing.request_log',
    );
    expect(await desk.failure(`license why ${licenseId}`)).toMatchObject({
      exit: 2,
      message: `${licenseId} is a license, not a request`,
      hint: `appctl requests list --license ${licenseId}`,
    });
  }));

test('simulate asks without storing anything', () =>
  desks.same(async (desk) => {
    const ask = `simulate ${licenseId} --action validate --machine machine-0001`;
    expect(await desk.answer(ask)).toMatchObject({ decision: { allowed: false, code: 'NOT_ACTIVATED' } });
    await desk.run(`${ask} --at 2027-01-01T00:00:00Z`);
    await desk.run([...ask.split(' '), '--set', 'license.maxActivations=5']);
    expect(await desk.failure([...ask.split(' '), '--set', 'license.maxActivations=x'])).toMatchObject({
      exit: 2,
      message: expect.stringContaining('--set'),
    });
    expect(await desk.failure('simulate lic_none --action validate')).toMatchObject({ exit: 3 });
    expect(await desk.failure(`simulate ${licenseId} --action renew`)).toMatchObject({
      exit: 2,
      message: expect.stringContaining('--valid-until'),
    });
  }));
