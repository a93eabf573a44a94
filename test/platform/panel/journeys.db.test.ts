// What staff does on the pages of resources without JavaScript: make, change, act, remove, many at once; and what
// attackers and nervous hands send instead.
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import * as products from '#licensing/catalog/products/index.ts';
import { revoke } from '#licensing/licenses/licenses/index.ts';
import * as accounts from '#platform/accounts/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { mintedLicense } from '../../contract/staff/minted.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { type Browser, tokenIn } from '../../support/browser.ts';
import { nothing } from '../../support/database-changes.ts';
import { LOOPBACK_PINS } from '../../support/webhooks.ts';
import { fieldsOf, headingOf, member, rowsOf, textOf } from './staff.ts';

let app: TestApp;
let browser: Browser;
let made = 0;
beforeAll(async () => {
  app = await startApp({ pins: LOOPBACK_PINS });
});
afterAll(() => app.close());
beforeEach(async () => {
  ({ browser } = await member(app));
});

const PRODUCTS = '/admin/products';
const named = () => ({ name: `Product ${made}`, slug: `panel-${made++}` });
/** Opens the page of a form and sends it with some fields changed. */
async function send(path: string, fields: Record<string, string>, as: Browser = browser) {
  const { text } = await as.open(path);
  return as.post(path, { ...fieldsOf(text), ...fields });
}
const made_ = async () => {
  const product = await products.create(app.ctx, named());
  return { ...product, path: `${PRODUCTS}/${product.id}` };
};

it('makes a thing from its form, once, however often it is sent', async () => {
  const { text } = await browser.open(`${PRODUCTS}/new`);
  const form = { ...fieldsOf(text), ...named() };
  const { result, changes } = await app.changesBy(() => browser.post(`${PRODUCTS}/new`, form));
  expect([result.status, result.headers.location]).toEqual([
    303,
    expect.stringMatching(/^\/admin\/products\/prd_\w{26}\?done=create$/),
  ]);
  expect(changes.rows.license_products).toBe('+1');
  const again = await app.changesBy(() => browser.post(`${PRODUCTS}/new`, form));
  expect([again.result.headers.location, again.changes]).toEqual([result.headers.location, nothing]);
  const page = await browser.open(result.headers.location ?? '');
  expect(headingOf(page.text)).toBe(form.name);
  expect(page.text).toContain('The product was created.');
});

it('keeps what was typed and says at the field what is wrong', async () => {
  const { result, changes } = await app.changesBy(() =>
    send(`${PRODUCTS}/new`, { name: 'Kept & <b>typed</b>', slug: 'Not A Slug', metadata: '{oops' }),
  );
  expect([result.status, changes]).toEqual([400, nothing]);
  expect(result.text).toContain('value="Kept &amp; &lt;b&gt;typed&lt;/b&gt;"');
  expect(result.text).toContain('href="#field-metadata"');
  expect(textOf(result.text)).toContain('Is not valid JSON');
  const slug = await send(`${PRODUCTS}/new`, { name: 'Kept', slug: 'Not A Slug' });
  expect([slug.status, slug.text.includes('href="#field-slug"')]).toEqual([400, true]);
});

it('a field that the form does not have changes nothing', async () => {
  const { id, path } = await made_();
  const { status } = await send(`${path}/edit`, { name: 'New name', tenantId: 'ten_other', id: 'prd_other' });
  expect(status).toBe(303);
  expect(await products.get(app.ctx, id)).toMatchObject({ id, name: 'New name', tenantId: app.ctx.tenantId });
});

it('sends only what was changed, and a second save shows both versions before it wins', async () => {
  const { id, path } = await made_();
  const first = fieldsOf((await browser.open(`${path}/edit`)).text);
  app.clock.advance(5);
  await send(`${path}/edit`, { name: 'Theirs', defaultMaxActivations: '7' });
  const stale = await browser.post(`${path}/edit`, { ...first, name: 'Mine' });
  expect(stale.status).toBe(409);
  expect(textOf(stale.text)).toContain('Someone else saved changes while you were editing');
  expect(await products.get(app.ctx, id)).toMatchObject({ name: 'Theirs' });
  app.clock.advance(5);
  const saved = await browser.post(`${path}/edit`, fieldsOf(stale.text));
  expect(saved.headers.location).toBe(`${path}?done=change`);
  // What was not touched here is as the other left it.
  expect(await products.get(app.ctx, id)).toMatchObject({ name: 'Mine', defaultMaxActivations: 7 });
  const { changes } = await app.changesBy(() => send(`${path}/edit`, {}));
  expect(changes).toEqual(nothing);
});

it('what is severe is done only to the thing whose name was typed', async () => {
  const { name, path } = await made_();
  for (const typedName of ['', 'something else']) {
    const { result, changes } = await app.changesBy(() => send(`${path}/remove`, { typedName }));
    expect([result.status, changes]).toEqual([400, nothing]);
  }
  const { headers } = await send(`${path}/remove`, { typedName: name });
  expect(headers.location).toBe(`${PRODUCTS}?done=remove`);
  expect((await browser.open(path)).status).toBe(404);
});

it('a secret is shown once and stands in no address', async () => {
  const { text, status, headers } = await send('/admin/webhooks/new', { url: 'https://pinned.test/hook' });
  expect([status, headers.location]).toEqual([200, undefined]);
  expect(textOf(text)).toContain('It is shown only once');
  expect(text).toMatch(/<code class="secret">whs_[\w+/=-]+<\/code>/);
});

it('every secret that a form answers is marked as one: keys, tokens, links of invitations', async () => {
  const marked = (html: string) => /<dt>([^<]*)<\/dt><dd><code class="secret">([^<]+)</.exec(html)?.slice(1);
  const key = await send('/admin/api-keys/new', { name: 'app', scope: 'READ_ONLY' });
  expect(marked(key.text)).toEqual(['API key', expect.stringMatching(/^alk_[\w-]{43}$/)]);
  const token = await send('/admin/tokens/new', { name: 'ci', role: 'viewer' });
  expect(marked(token.text)).toEqual(['Admin token', expect.stringMatching(/^\w+_[\w-]{43}$/)]);
  const user = await send('/admin/users/new', {
    name: 'Zoe',
    email: `zoe${made}@x.test`,
    roles: 'viewer',
    invite: 'true',
  });
  expect(marked(user.text)).toEqual([
    expect.stringMatching(/^Invitation link/),
    expect.stringContaining('/admin/invite/'),
  ]);
  for (const { text } of [key, token, user]) expect(textOf(text)).toContain('It is shown only once');
});

it('acts on an item, refuses what its state does not allow, and tells it in the history', async () => {
  const { id } = await mintedLicense(app.ctx);
  const path = `/admin/licenses/${id}`;
  expect((await browser.open(path)).text).not.toContain(`${path}/resume`);
  const { headers } = await send(`${path}/suspend`, { reason: 'chargeback' });
  expect(headers.location).toBe(`${path}?done=suspend`);
  const shown = await browser.open(`${path}?tab=history`);
  expect(textOf(shown.text)).toContain('SUSPENDED');
  expect(rowsOf(shown.text).map((row) => row[2])).toContain('License suspended');
  await send(`${path}/revoke`, { typedName: headingOf(shown.text) });
  const again = await send(`${path}/suspend`, { reason: 'again' });
  expect([again.status, textOf(again.text).includes('Check your entries')]).toEqual([409, true]);
});

it('offers a few actions as buttons and the rest in a menu, what is severe at its end', async () => {
  const { id } = await mintedLicense(app.ctx);
  const { text } = await browser.open(`/admin/licenses/${id}`);
  const [, buttons = '', menu = ''] =
    /<div class="buttons">([\s\S]*?)<details class="more">([\s\S]*?)<\/details>/.exec(text) ?? [];
  expect(textOf(buttons)).toBe('Edit Suspend Renew Change policy');
  expect(textOf(menu)).toBe('More Transfer Replace key Reveal key Delete Revoke');
  // One more would only be hidden.
  const { path } = await made_();
  expect((await browser.open(path)).text).not.toContain('class="more"');
});

it('does one thing to many rows after saying what would become of each', async () => {
  const [one, other] = [await mintedLicense(app.ctx), await mintedLicense(app.ctx)];
  await revoke(app.ctx, { licenseId: other.id }, null);
  const { text: list } = await browser.open('/admin/licenses');
  const _csrf = tokenIn(list);
  const body = new URLSearchParams([
    ['_csrf', _csrf],
    ['action', 'suspend'],
    ['ids', one.id],
    ['ids', other.id],
  ]);
  const ask = (fields: URLSearchParams) =>
    app.changesBy(() =>
      app.send('/admin/licenses/bulk', {
        method: 'POST',
        body: fields.toString(),
        headers: {
          'Content-Type': 'application/x-www-form-urlencoded',
          Cookie: `cart_session=${browser.session()}`,
        },
      }),
    );
  const asked = await ask(body);
  expect([asked.result.status, asked.changes]).toEqual([200, nothing]);
  expect(textOf(asked.result.text)).toContain('1 will be changed, 1 will be refused');
  body.set('sure', 'true');
  const done = await ask(body);
  expect(textOf(done.result.text)).toContain('1 of 2 licenses were changed');
  const none = await ask(new URLSearchParams({ _csrf, action: 'suspend' }));
  expect([none.result.status, none.changes]).toEqual([400, nothing]);
});

it('who may only read sees no way to change, and cannot send one', async () => {
  const { path } = await made_();
  const { browser: reader } = await member(app, ['licensing:read']);
  const { text } = await reader.open(path);
  for (const way of ['/edit', '/remove', '/status']) expect(text).not.toContain(path + way);
  expect((await reader.open(PRODUCTS)).text).not.toContain(`${PRODUCTS}/new`);
  for (const way of [`${path}/edit`, `${path}/remove`, `${PRODUCTS}/new`, `${PRODUCTS}/bulk`]) {
    const { result, changes } = await app.changesBy(() =>
      reader.post(way, { _csrf: tokenIn(text), name: 'x', action: 'status' }),
    );
    expect([way, result.status, changes]).toEqual([way, 403, nothing]);
  }
});

it('what is of another tenant is unknown', async () => {
  const { path } = await made_();
  const other = await app.otherTenant();
  const { browser: stranger } = await member(app, undefined, other.tenantId);
  for (const way of [path, `${path}/edit`, `${path}/remove`, `${path}/status`])
    expect([way, (await stranger.open(way)).status]).toEqual([way, 404]);
  expect(rowsOf((await stranger.open(PRODUCTS)).text)).toEqual([]);
});

it('a form without the token of its visitor is refused', async () => {
  const { path } = await made_();
  const { result, changes } = await app.changesBy(() => browser.post(`${path}/edit`, { name: 'Stolen' }));
  expect([result.status, changes]).toEqual([403, nothing]);
});

it('what is dangerous asks for the password again', async () => {
  app.clock.advance(3600);
  const { status, headers } = await browser.open('/admin/api-keys/new');
  expect([status, headers.location]).toEqual([303, '/admin/sudo?next=%2Fadmin%2Fapi-keys%2Fnew']);
});

it('a form that is sent when its session has ended is kept over the sign-in', async () => {
  const { path, id } = await made_();
  const { email, browser: mine } = await member(app);
  const form = { ...fieldsOf((await mine.open(`${path}/edit`)).text), name: 'Kept <b>name</b>' };
  await mine.submit('/admin/logout');
  const { result, changes } = await app.changesBy(() => mine.post(`${path}/edit`, form));
  expect([result.status, changes]).toEqual([401, nothing]);
  expect(textOf(result.text)).toContain('Your entries are kept');
  const signIn: Record<string, string> = { ...fieldsOf(result.text), email };
  const address = `/admin/login?next=${encodeURIComponent(`${path}/edit`)}`;
  const wrong = await mine.post(address, { ...signIn, password: 'wrong horse' });
  expect(fieldsOf(wrong.text).kept).toBe(signIn.kept);
  const { headers } = await mine.post(address, { ...fieldsOf(wrong.text), email, password: 'correct horse' });
  expect(headers.location).toBe(`${path}/edit`);
  const again = await mine.open(`${path}/edit`);
  expect(fieldsOf(again.text).name).toBe('Kept <b>name</b>');
  expect((await mine.post(`${path}/edit`, fieldsOf(again.text))).status).toBe(303);
  expect(await products.get(app.ctx, id)).toMatchObject({ name: 'Kept <b>name</b>' });
  // Once: whoever opens it later begins with what is there.
  expect(textOf((await mine.open(`${path}/edit`)).text)).not.toContain('was kept');
});

it('a form that another site sends without a session is not kept', async () => {
  const { path } = await made_();
  await browser.submit('/admin/logout');
  const { status, text } = await browser.post(
    `${path}/edit`,
    { name: 'Planted' },
    { Origin: 'https://evil.test', 'Sec-Fetch-Site': 'cross-site' },
  );
  expect([status, text.includes('Planted')]).toEqual([303, false]);
});

it('a form that needs the password again is kept until it was given', async () => {
  const { text } = await browser.open('/admin/webhooks/new');
  app.clock.advance(3600);
  const sent = { ...fieldsOf(text), url: 'https://pinned.test/kept' };
  const { status, headers } = await browser.post('/admin/webhooks/new', sent);
  expect([status, headers.location]).toEqual([303, '/admin/sudo?next=%2Fadmin%2Fwebhooks%2Fnew']);
  await browser.submit('/admin/sudo?next=%2Fadmin%2Fwebhooks%2Fnew', { password: 'correct horse' });
  expect(fieldsOf((await browser.open('/admin/webhooks/new')).text).url).toBe('https://pinned.test/kept');
});

it('everybody chooses their own theme, density and keys', async () => {
  const path = '/admin/profile/preferences';
  expect((await browser.open(path)).text).toContain('<html lang="en">');
  const { result } = await app.changesBy(() =>
    send(path, { theme: 'DARK', density: 'COMPACT', singleKeys: 'true' }),
  );
  expect(result.headers.location).toBe(`${path}?done=saved`);
  const { text } = await browser.open(path);
  expect(text).toContain('data-theme="dark"');
  expect(text).toContain('<body class="panel compact">');
  const form = fieldsOf(text);
  await browser.post(path, { _csrf: form._csrf ?? '', theme: 'LIGHT', density: 'COMFORTABLE' });
  expect((await browser.open(path)).text).toContain('data-keys="off"');
  expect((await browser.post(path, { ...form, theme: 'PINK' })).status).toBe(400);
  const { browser: other } = await member(app);
  expect((await other.open(path)).text).toContain('<html lang="en">');
});

it('who loses the tenant that was chosen goes on in another one, and forms of the lost one are refused', async () => {
  const { id, browser: own } = await member(app);
  const other = await app.otherTenant();
  const { slug } = await tenants.get(app.ctx, other.tenantId);
  const { text } = await own.open(PRODUCTS);
  await own.post('/admin/tenant', { _csrf: tokenIn(text), tenant: slug });
  const tab = fieldsOf((await own.open(`${PRODUCTS}/new`)).text);
  await accounts.setScopes(app.ctx, id, { tenant: [app.ctx.tenantId] });
  expect((await own.post(`${PRODUCTS}/new`, { ...tab, name: 'Astray', slug: 'astray' })).status).toBe(403);
  expect((await own.open(PRODUCTS)).status).toBe(200);
  expect((await own.open('/admin/profile')).status).toBe(200);
});

it('who sees several tenants chooses the one that the panel is about', async () => {
  const { path, name } = await made_();
  const other = await app.otherTenant();
  const { slug } = await tenants.get(app.ctx, other.tenantId);
  const { headers } = await choose({ tenant: slug, next: PRODUCTS });
  expect(headers.location).toBe(PRODUCTS);
  expect(rowsOf((await browser.open(PRODUCTS)).text)).toEqual([]);
  expect((await browser.open(path)).status).toBe(404);
  await choose({ tenant: 'default' });
  expect((await browser.open(`${PRODUCTS}?q=${encodeURIComponent(name)}`)).text).toContain(name);
  expect((await choose({ tenant: 'nobody' })).status).toBe(404);
  expect((await choose({ tenant: slug, next: 'https://evil.test/' })).headers.location).toBe('/admin/');

  // A form of the tenant before, in another tab, would make its product in this one.
  const tab = fieldsOf((await browser.open(`${PRODUCTS}/new`)).text);
  await choose({ tenant: slug });
  const late = { ...tab, name: 'Astray', slug: 'astray' };
  expect((await browser.post(`${PRODUCTS}/new`, late)).status).toBe(403);
  expect(rowsOf((await browser.open(PRODUCTS)).text)).toEqual([]);

  /** The picker stands on every page. */
  async function choose(fields: Record<string, string>) {
    const { text } = await browser.open(PRODUCTS);
    return browser.post('/admin/tenant', { _csrf: tokenIn(text), ...fields });
  }
});
