// Who else is at an item: the pages of it beat while somebody works there, and are told who does so too.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import * as tenants from '#platform/tenants/index.ts';
import { mintedLicense } from '../../contract/staff/minted.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Browser, tokenIn } from '../../support/browser.ts';
import { nothing } from '../../support/database-changes.ts';
import { member, textOf } from './staff.ts';

let app: TestApp;
let item: string;
let ann: Awaited<ReturnType<typeof member>>;
let ben: Awaited<ReturnType<typeof member>>;
beforeAll(async () => {
  app = await startApp();
  ann = await member(app);
  ben = await member(app, ['licensing:read', 'licensing:write']);
});
afterAll(() => app.close());
beforeEach(async () => {
  item = `/admin/licenses/${(await mintedLicense(app.ctx)).id}`;
});

const PART = { 'HX-Request': 'true', 'HX-Target': 'div#here' };
/** The token of a page, as the script of the panel reads it. */
const tokenOf = async (browser: Browser): Promise<string> =>
  tokenIn((await browser.open('/admin/profile/preferences')).text);

/** What a page of the panel does each half minute. */
async function beat({ browser }: { browser: Browser }, path: string, fields: Record<string, string> = {}) {
  const _csrf = await tokenOf(browser);
  const { status, text } = await browser.post(`${path}/here`, { _csrf, ...fields }, PART);
  return [status, textOf(text)];
}

/** Looks with the eyes of somebody else. */
async function viewAs(browser: Browser, id: string) {
  const { text } = await browser.open(`/admin/users/${id}/view-as`);
  return browser.post(`/admin/users/${id}/view-as`, { _csrf: tokenIn(text) });
}

it('tells each of two people of the other, says who edits, and forgets them within a minute', async () => {
  expect(await beat(ann, item)).toEqual([200, '']);
  expect(await beat(ben, item, { edits: 'true' })).toEqual([200, `${ann.email} is viewing this.`]);
  expect(await beat(ann, item)).toEqual([200, `${ben.email} is editing this.`]);
  app.clock.advance(30);
  // The page of the item is open beside its form.
  expect(await beat(ben, item)).toEqual([200, `${ann.email} is viewing this.`]);
  expect(await beat(ann, item)).toEqual([200, `${ben.email} is editing this.`]);
  app.clock.advance(59);
  expect(await beat(ann, item)).toEqual([200, `${ben.email} is viewing this.`]);
  app.clock.advance(1);
  expect(await beat(ann, item)).toEqual([200, '']);
});

it('is about one item, and leaves nothing in the database', async () => {
  await beat(ann, item);
  const other = `/admin/licenses/${(await mintedLicense(app.ctx)).id}`;
  const token = await tokenOf(ben.browser);
  const { result, changes } = await app.changesBy(() =>
    ben.browser.post(`${other}/here`, { _csrf: token }, PART),
  );
  expect([result.status, textOf(result.text), changes]).toEqual([200, '', nothing]);
});

it('names a few, and counts the others', async () => {
  const six = [];
  for (let i = 0; i < 6; i += 1) six.push(await member(app, ['licensing:read']));
  for (const one of six) await beat(one, item);
  const [, text] = await beat(ann, item);
  expect(String(text).match(/is viewing this\./g)).toHaveLength(5);
  expect(text).toContain('1 more person is here.');
});

describe('the pages', () => {
  it('of an item and of its form say where they beat, and nothing without a script', async () => {
    await beat(ben, item);
    for (const [path, hint] of [
      [item, `data-here="${item}/here">`],
      [`${item}/edit`, `data-here="${item}/here" data-edits>`],
    ] as const) {
      const { text } = await ann.browser.open(path);
      expect(text).toContain(hint);
      expect(text).not.toContain(ben.email);
    }
    const { status, headers } = await ann.browser.open(`${item}/here`);
    expect([status, headers.location]).toEqual([303, item]);
  });

  it('of who looks as somebody else beat nowhere, and announce nobody', async () => {
    const boss = await member(app);
    expect((await viewAs(boss.browser, ben.id)).status).toBe(303);
    expect((await boss.browser.open(item)).text).not.toContain('data-here');
    expect((await beat(boss, item))[0]).toBe(403);
    expect(await beat(ann, item)).toEqual([200, '']);
  });
});

describe('nobody learns anything', () => {
  it('without a session, the token or the right', async () => {
    await beat(ann, item);
    const stranger = await app.send(`${item}/here`, { method: 'POST', headers: PART });
    expect(stranger.status).toBe(401);
    expect((await ben.browser.post(`${item}/here`, {}, PART)).status).toBe(403);
    const outsider = await member(app, ['audit:read']);
    const [status, text] = await beat(outsider, item);
    expect(status).toBe(403);
    expect(text).not.toContain(ann.email);
    expect(await beat(ann, item)).toEqual([200, '']);
  });

  it('of another tenant, or of what there is not', async () => {
    const { id } = await tenants.create(app.ctx, { slug: 'presence', name: 'Presence' });
    const foreign = await member(app, ['licensing:read'], id);
    await beat(ann, item);
    expect((await beat(foreign, item))[0]).toBe(404);
    expect((await beat(ann, '/admin/licenses/lic_00000000000000000000000000'))[0]).toBe(404);
    expect(await beat(ann, item)).toEqual([200, '']);
  });

  it('of what the form does not know', async () => {
    // There is no form to show again: it leads to the item.
    expect(await beat(ann, item, { edits: '<script>' })).toEqual([204, '']);
    expect(await beat(ben, item)).toEqual([200, '']);
  });
});
