// Thresholds of abuse detection in the panel: what a change would flag by what was observed, and its saving.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { listRules } from '#licensing/insight/abuse/settings.ts';
import { member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const PATH = '/admin/abuse/rules';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

/** The fields of the form as they stand, with some changed. */
const fieldsIn = (html: string, changes: Record<string, string> = {}): Record<string, string> => ({
  ...Object.fromEntries(
    [...html.matchAll(/<input[^>]*name="([A-Z_]+\.\w+)"[^>]*>/g)].flatMap(([tag, name = '']) => {
      if (tag.includes('type="checkbox"')) return tag.includes(' checked') ? [[name, 'true']] : [];
      return [[name, /value="([^"]*)"/.exec(tag)?.[1] ?? '']];
    }),
  ),
  _csrf: tokenIn(html),
  ...changes,
});
const send = (html: string, changes: Record<string, string>, as = browser) =>
  as.post(PATH, fieldsIn(html, changes));
const saidOf = (html: string, rule: string): string =>
  textOf(html.split('<section>').find((one) => one.includes(`<code>${rule}</code>`)) ?? '');

/** Networks of a license that were seen a moment ago. */
async function seenFrom(licenseId: string, networks: number): Promise<void> {
  const at = app.ctx.now();
  await app.instance.database.transaction(async ({ knex }) =>
    knex('license_observations').insert(
      Array.from({ length: networks }, (_, n) => ({
        license_id: licenseId,
        day: at.slice(0, 10),
        kind: 'IP_NET',
        value: `network-${n}`,
        count: 1,
        first_at: at,
        last_at: at,
        noted_at: at.slice(0, 16),
      })),
    ),
  );
  app.clock.advance(1);
}

it('says how many licenses a threshold would have flagged, changes nothing before it is saved, and saves', async () => {
  for (const networks of [3, 7, 12]) await seenFrom((await app.license()).id, networks);
  const other = await app.otherTenant();
  await seenFrom((await app.license({}, other)).id, 50);
  expect((await browser.open('/admin/abuse')).text).toContain(`href="${PATH}"`);
  const { text } = await browser.open(PATH);
  expect(saidOf(text, 'IP_SPREAD')).toContain('In the last 24 hours, it flags 1 license.');
  expect(fieldsIn(text)).toMatchObject({ 'IP_SPREAD.enabled': 'true', 'IP_SPREAD.networks': '10' });

  const change = { 'IP_SPREAD.networks': '5' };
  const tried = await app.changesBy(() => send(text, { ...change, step: 'preview' }));
  expect([tried.result.status, tried.changes.rows]).toEqual([200, nothing.rows]);
  expect(saidOf(tried.result.text, 'IP_SPREAD')).toContain('it would have flagged 2 licenses instead of 1.');
  expect(fieldsIn(tried.result.text)).toMatchObject(change);

  const saved = await send(tried.result.text, { step: 'save', note: 'shared keys' });
  expect([saved.status, saved.headers.location]).toEqual([303, `${PATH}?done=save`]);
  const rule = (await listRules(app.ctx)).find((one) => one.rule === 'IP_SPREAD');
  expect(rule).toMatchObject({ enabled: true, params: { networks: 5 } });
  const after = await browser.open(`${PATH}?done=save`);
  expect(textOf(after.text)).toContain('The rules were saved.');
  expect(saidOf(after.text, 'IP_SPREAD')).toContain('it flags 2 licenses.');

  const { 'IP_SPREAD.enabled': _on, ...off } = fieldsIn(after.text, { step: 'save' });
  expect((await browser.post(PATH, off)).status).toBe(303);
  expect((await listRules(app.ctx)).find((one) => one.rule === 'IP_SPREAD')?.enabled).toBe(false);
});

it.each(['-1', 'many', '1000001', '<script>alert(1)</script>'])(
  'refuses %j as a threshold and keeps the form',
  async (value) => {
    const { text } = await browser.open(PATH);
    const { result, changes } = await app.changesBy(() =>
      send(text, { 'LIMIT_HAMMER.refusals': value.slice(0, 20), step: 'save' }),
    );
    expect([result.status, changes.rows, result.text.includes('<script>alert')]).toEqual([
      400,
      nothing.rows,
      false,
    ]);
    expect(textOf(result.text)).toContain('must be a whole number from 0 to 1,000,000');
  },
);

it('is changed by who may write licensing, and seen by who may read it', async () => {
  const { browser: reader } = await member(app, ['licensing:read']);
  const { text } = await reader.open(PATH);
  expect(text).not.toContain('value="save"');
  const { result, changes } = await app.changesBy(() =>
    send(text, { 'CHURN.pairs': '1', step: 'save' }, reader),
  );
  expect([result.status, changes.rows.license_abuse_rules]).toEqual([403, undefined]);
  const { browser: nobody } = await member(app, ['audit:read']);
  expect((await nobody.open(PATH)).status).toBe(403);
});
