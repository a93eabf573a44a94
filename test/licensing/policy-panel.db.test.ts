// A policy is changed in the browser only after its form has said what becomes of the licenses under it.
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as policies from '#licensing/catalog/policies/index.ts';
import { fieldsOf, member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const DAY = 86_400;

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

/** A policy with ten days of grace, and a license under it that ended yesterday. */
async function governing() {
  const policy = await policies.create(app.ctx, {
    name: `Grace ${app.clock.epochMs()}`,
    gracePeriodSeconds: 10 * DAY,
  });
  const validUntil = new Date(app.clock.epochMs() + DAY * 1000).toISOString();
  await app.license({ policyId: policy.id, validUntil });
  app.clock.advance(2 * DAY);
  return { ...policy, path: `/admin/policies/${policy.id}/edit` };
}

it('says what a change does to licenses and machines, and saves it when it is sent again', async () => {
  const { id, path } = await governing();
  // The session ended with the days that went by.
  ({ browser } = await member(app));
  const form = fieldsOf((await browser.open(path)).text);
  const { result, changes } = await app.changesBy(() =>
    browser.post(path, { ...form, gracePeriodSeconds: '0' }),
  );
  expect([result.status, changes]).toEqual([200, nothing]);
  const said = textOf(result.text);
  expect(said).toContain('Licenses with this policy: 1. Validation answers that change: 1.');
  expect(said).toMatch(/1 from \w+ to EXPIRED/);
  const sure = fieldsOf(result.text);
  expect(sure.gracePeriodSeconds).toBe('0');
  // Changed once more, it says once more what that does.
  const other = await browser.post(path, { ...sure, gracePeriodSeconds: '60' });
  expect(textOf(other.text)).toContain('What this changes right away');
  const saved = await browser.post(path, sure);
  expect(saved.headers.location).toBe(`/admin/policies/${id}?done=change`);
  expect(await policies.get(app.ctx, id)).toMatchObject({ gracePeriodSeconds: 0 });
});

it('saves at once what changes no answer, and says what is wrong with a bad rule', async () => {
  const { id, path } = await governing();
  ({ browser } = await member(app));
  const form = fieldsOf((await browser.open(path)).text);
  const bad = await browser.post(path, { ...form, gracePeriodSeconds: 'long' });
  expect([bad.status, bad.text.includes('href="#field-gracePeriodSeconds"')]).toEqual([400, true]);
  const renamed = await browser.post(path, { ...form, name: 'Renamed <b>now</b>' });
  expect(renamed.headers.location).toBe(`/admin/policies/${id}?done=change`);
  expect(await policies.get(app.ctx, id)).toMatchObject({ name: 'Renamed <b>now</b>' });
});
