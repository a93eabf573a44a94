// Roles, staff and tokens in the panel: the matrix of permissions, roles as boxes, sessions, looking as somebody else.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import * as accounts from '#platform/accounts/index.ts';
import { labelOf, PERMISSIONS } from '#platform/permissions/index.ts';
import * as roles from '#platform/roles/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Browser, tokenIn } from '../../support/browser.ts';
import { fieldsOf, member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

/** Values of the boxes of a name, and which of them are ticked. */
function boxesOf(html: string, name: string): { all: string[]; ticked: string[] } {
  const boxes = [...html.matchAll(/<input type="checkbox" ([^>]*)>/g)].map(([, tag = '']) => tag);
  const own = boxes.filter((tag) => tag.includes(`name="${name}"`));
  const textIn = (tag: string) => /value="([^"]*)"/.exec(tag)?.[1] ?? '';
  return { all: own.map(textIn), ticked: own.filter((tag) => / checked/.test(tag)).map(textIn) };
}

/** Sends the form of a page with boxes ticked. */
async function tick(browser: Browser, path: string, name: string, values: readonly string[]) {
  const { text } = await browser.open(path);
  const sent = new URLSearchParams({ ...fieldsOf(text), _csrf: tokenIn(text) });
  for (const one of [name, `was.${name}`]) sent.delete(one);
  for (const one of boxesOf(text, name).ticked) sent.append(`was.${name}`, one);
  for (const one of values) sent.append(name, one);
  return browser.post(path, sent as unknown as Record<string, string>);
}

describe('roles', () => {
  it('have every permission once in a matrix of areas, and the boxes that are ticked are what it holds', async () => {
    const { browser } = await member(app);
    const { text } = await browser.open('/admin/roles/new');
    expect(boxesOf(text, 'permissions').all.sort()).toEqual([...PERMISSIONS].sort());
    for (const heading of ['View', 'Manage', 'Special'])
      expect(text).toContain(`<th scope="col">${heading}</th>`);
    expect(text).toContain(`aria-label="${labelOf('licensing:read')}"`);
    const role = await roles.create(app.ctx, {
      name: 'night',
      permissions: ['licensing:read', 'orders:refund'],
    });
    const path = `/admin/roles/${role.id}/edit`;
    expect(boxesOf((await browser.open(path)).text, 'permissions').ticked.sort()).toEqual([
      'licensing:read',
      'orders:refund',
    ]);
    const saved = await tick(browser, path, 'permissions', ['licensing:write']);
    expect(saved.status).toBe(303);
    expect((await roles.get(app.ctx, 'night')).permissions).toEqual(['licensing:write']);
  });

  it('grant nothing that the person lacks, and keep what was ticked', async () => {
    const { browser } = await member(app, ['users:read', 'roles:write']);
    const { status } = await browser.open('/admin/roles/new');
    expect(status).toBe(200);
    const role = await roles.create(app.ctx, { name: 'small', permissions: [] });
    const refused = await tick(browser, `/admin/roles/${role.id}/edit`, 'permissions', ['system:danger']);
    expect(refused.status).toBe(403);
    expect((await roles.get(app.ctx, 'small')).permissions).toEqual([]);
  });
});

describe('staff', () => {
  it('have roles as boxes, and admin tokens a choice of one', async () => {
    const { browser } = await member(app);
    const { text } = await browser.open('/admin/users/new');
    expect(boxesOf(text, 'roles').all).toEqual(expect.arrayContaining(['owner', 'viewer', 'licensing']));
    const token = await browser.open('/admin/tokens/new');
    expect(token.text).toMatch(/<select id="field-role"[\s\S]*?<option value="viewer">viewer<\/option>/);
  });

  it('show their sessions, and one of them is ended', async () => {
    const boss = await member(app);
    const other = await member(app, ['licensing:read']);
    const path = `/admin/users/${other.id}?tab=sessions`;
    const { text } = await boss.browser.open(path);
    const rows = rowsOf(text.replaceAll('class="rows words"', 'class="rows"'));
    expect(rows).toHaveLength(1);
    expect(rows[0]?.[2]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d UTC$/);
    const sessionId = /name="sessionId" value="([^"]*)"/.exec(text)?.[1] ?? '';
    const ended = await boss.browser.post(`/admin/users/${other.id}/end-sessions`, {
      _csrf: tokenIn(text),
      sessionId,
    });
    expect(ended.status).toBeLessThan(400);
    expect((await other.browser.open('/admin/profile')).headers.location).toContain('/admin/login');
    expect((await boss.browser.open(path)).text).toContain('is not signed in anywhere');
  });

  it('escape what a browser says of itself', async () => {
    const boss = await member(app);
    const other = await member(app, ['licensing:read']);
    await other.browser.submit(
      '/admin/login',
      { email: other.email, password: 'correct horse' },
      { 'User-Agent': '<script>alert(1)</script>' },
    );
    const { text } = await boss.browser.open(`/admin/users/${other.id}?tab=sessions`);
    expect(text).not.toContain('<script>alert');
  });
});

describe('looking as somebody else', () => {
  const begin = async (browser: Browser, id: string) => {
    const { text } = await browser.open('/admin/profile/preferences');
    return browser.post(`/admin/users/${id}/view-as`, { _csrf: tokenIn(text) });
  };

  it('shows what they see, read only, under a banner that ends it, on record for both', async () => {
    const boss = await member(app);
    const other = await member(app, ['licensing:read', 'licensing:write']);
    expect((await begin(boss.browser, other.id)).status).toBe(303);
    const { text } = await boss.browser.open('/admin/licenses');
    expect(textOf(text)).toContain(`You are viewing the panel as ${other.email}`);
    expect((await boss.browser.open('/admin/users')).status).toBe(403);
    const changed = await boss.browser.post('/admin/products/new', { _csrf: tokenIn(text), name: 'X' });
    expect(changed.status).toBe(403);
    const ended = await boss.browser.post('/admin/view-as/end', { _csrf: tokenIn(text) });
    expect([ended.status, ended.headers.location]).toEqual([303, `/admin/users/${other.id}`]);
    expect((await boss.browser.open('/admin/users')).text).not.toContain('You are viewing the panel as');
    const log = await boss.browser.open(`/admin/audit-log?targetId=${other.id}`);
    expect(textOf(log.text)).toContain('View as begun');
    expect(textOf(log.text)).toContain('View as ended');
  });

  it('is not for oneself, not for who may do more, and not without the permission', async () => {
    const boss = await member(app);
    expect((await begin(boss.browser, boss.id)).status).toBe(409);
    const weak = await member(app, ['users:read', 'users:write']);
    expect((await begin(weak.browser, boss.id)).status).toBe(403);
    const reader = await member(app, ['users:read']);
    expect((await begin(reader.browser, boss.id)).status).toBe(403);
    expect((await boss.browser.open(`/admin/users/${reader.id}`)).text).not.toContain(
      'You are viewing the panel as',
    );
    const closed = await member(app, ['licensing:read']);
    await accounts.disable(app.ctx, closed.id);
    expect((await begin(boss.browser, closed.id)).status).toBe(409);
    expect((await begin(boss.browser, 'usr_01M84KW8XH50802SZCBQ3FQM4E')).status).toBe(404);
  });
});

it('an account offers only what its state allows', async () => {
  const boss = await member(app);
  const { id } = await member(app, ['licensing:read']);
  const offered = async () => {
    const { text } = await boss.browser.open(`/admin/users/${id}`);
    return ['disable', 'enable', 'unlock', 'invite'].filter((one) =>
      text.includes(`/admin/users/${id}/${one}"`),
    );
  };
  expect(await offered()).toEqual(['disable']);
  await accounts.disable(app.ctx, id);
  expect(await offered()).toEqual(['enable']);
});

it('a tenant is suspended or resumed, whichever its state allows', async () => {
  const boss = await member(app);
  const { id } = await tenants.create(app.ctx, { slug: 'acme', name: 'Acme' });
  const offered = async () => {
    const { text } = await boss.browser.open(`/admin/tenants/${id}`);
    return ['suspend', 'resume'].filter((one) => text.includes(`/admin/tenants/${id}/${one}"`));
  };
  expect(await offered()).toEqual(['suspend']);
  await tenants.suspend(app.ctx, id);
  expect(await offered()).toEqual(['resume']);
});
