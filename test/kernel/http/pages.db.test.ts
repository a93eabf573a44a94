// Pages as they are declared: who may open them, what their forms take, how they fail.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { AppError } from '#kernel/errors.ts';
import { text } from '#kernel/http/fields.ts';
import { goTo, page, refuseForm, show } from '#kernel/http/page.ts';
import { openTestContext, type TestContext } from '../../support/context.ts';
import { changesBy } from '../../support/database-changes.ts';
import type { HttpReply, Sent } from '../../support/http-client.ts';
import { type PageServer, servePages, TOKEN } from '../../support/page-server.ts';

const FORM = 'application/x-www-form-urlencoded';
const done: unknown[] = [];

const person = page({
  path: '/people/{id}',
  title: 'Person',
  audience: 'public',
  params: z.object({ id: z.string().regex(/^\d+$/) }),
  query: z.object({ tab: z.enum(['a', 'b']).default('a') }),
  fragments: { part: 'sample/part' },
  form: z.object({
    name: text({ min: 2, max: 10 }).meta({ title: 'Full name' }),
    nick: text({ max: 5 }).optional(),
    color: z.array(z.string()).max(2, { error: 'at most two' }),
    password: text({ min: 1, max: 50 }),
    pin: z.string().optional().meta({ secret: true }),
  }),
  formBytes: 2000,
  show: async (_ctx, { params, query }) =>
    show('sample/form', { id: params.id, tab: query.tab }, { values: { name: 'Ada' } }),
  async submit(_ctx, { params, form }) {
    if (form.name === 'taken') throw refuseForm('Choose another name.', { name: 'is taken' }, 409);
    if (form.name === 'broken') throw new Error('a defect');
    if (form.name === 'busy') throw new AppError('RATE_LIMITED', 429, 'Too busy');
    if (form.name === 'evil') return goTo('/.//evil.test');
    if (form.name === 'gone') throw new AppError('NOT_FOUND', 404, 'Gone');
    done.push(form);
    return goTo(`/people/${params.id}?tab=b`);
  },
});

const pages = [
  person,
  page({ path: '/mine', title: 'Mine', audience: 'customer', show: async () => show('sample/plain', {}) }),
  page({
    path: '/staff',
    title: 'Staff',
    audience: { staff: 'system:read' },
    form: z.object({ a: z.string().optional() }),
    show: async (ctx) => show('sample/plain', { who: ctx.actor.label }),
    submit: async () => {
      done.push('staff');
      return goTo('/staff');
    },
  }),
  page({
    path: '/kept',
    title: 'Kept',
    audience: 'public',
    show: async () =>
      show(
        'sample/plain',
        {},
        {
          head: {
            headers: { 'X-Sample': '1' },
            cookies: [
              { name: 'seen', value: 'ü;', maxAgeSeconds: 60 },
              { name: 'gone', value: null, path: '/kept', httpOnly: false, sameSite: 'strict', secure: true },
            ],
            cache: { by: 'public', maxAgeSeconds: 60, etag: '"v1"' },
          },
        },
      ),
  }),
  page({
    path: '/limited',
    title: 'Limited',
    audience: 'public',
    form: z.object({ email: z.string().optional() }),
    limit: {
      submit: [
        { bucket: 'sample-ip', max: 6, windowSeconds: 300, by: 'ip' },
        { bucket: 'sample-email', max: 2, windowSeconds: 60, by: 'email' },
        { bucket: 'sample-session', max: 4, windowSeconds: 60, by: 'session' },
      ],
    },
    show: async () => show('sample/plain', {}),
    submit: async () => {
      done.push('limited');
      return goTo('/limited');
    },
  }),
];

const templates = {
  'sample/form': `<form method="post"><%- include('partials/csrf') %><%- include('partials/error-summary') %>
<%- include('partials/field', {name: 'name', label: 'Name', hint: 'As on the card', required: true}) %>
<%- include('partials/field', {name: 'password', label: 'Password', type: 'password'}) %>
<%- include('partials/field', {name: 'pin', label: 'PIN'}) %>
<%- include('partials/field', {name: 'color', label: 'Color', type: 'select', options: [{value: 'r', label: 'Red'}, {value: 'g', label: 'Green'}]}) %>
</form><p><%= id %> <%= tab %></p>`,
  'sample/part': '<b><%= tab %></b>',
  'sample/plain': '<p>plain <%= locals.who %></p>',
};

let context: TestContext;
let server: PageServer;
beforeAll(async () => {
  context = await openTestContext();
  server = await servePages({ ctx: context.ctx, pages, templates });
});
afterAll(async () => {
  server.close();
  await context.close();
});
beforeEach(() => {
  done.length = 0;
});

const post = (path: string, body: string | Uint8Array, headers: Record<string, string> = {}) =>
  server.send(path, { method: 'POST', body, headers: { 'Content-Type': FORM, ...headers } });
const fill = (fields: string) => post('/people/1', `_csrf=${TOKEN}&${fields}`);
const asActor = (actor: object): Sent => ({ headers: { 'X-Test-Actor': JSON.stringify(actor) } });
const heading = ({ text: html }: HttpReply) => /<h1>(.*?)<\/h1>/.exec(html)?.[1];

/** Sends something, and demands that nothing was done and no row changed. */
async function refused(send: () => Promise<HttpReply>): Promise<HttpReply> {
  const { result, changes } = await changesBy(context.database, send);
  expect(done).toEqual([]);
  expect(changes.rows).toEqual({});
  return result;
}

describe('a page', () => {
  it('reads its address, and is shown inside the layout', async () => {
    const reply = await server.send('/people/7?tab=b');
    expect(reply.status).toBe(200);
    expect(reply.text).toContain('<p>7 b</p>');
    expect(reply.text).toContain('<title>Person');
    expect(reply.text).toContain('value="Ada"');
    expect(reply.headers['cache-control']).toBe('no-store');
    expect(reply.headers['content-security-policy']).toContain("form-action 'self'");
    expect(reply.headers.vary).toBe('HX-Request');
  });

  it('is not there for parameters that do not fit, and 400 for a query that does not', async () => {
    expect((await server.send('/people/x')).status).toBe(404);
    const reply = await server.send('/people/1?tab=c');
    expect([reply.status, heading(reply)]).toEqual([400, 'This request is not valid']);
    expect((await server.send('/people/1?tab=a&tab=b')).status).toBe(400);
  });

  it('answers HEAD without a body, and 405 with what it takes', async () => {
    const head = await server.send('/people/7', { method: 'HEAD' });
    expect([head.status, head.text]).toEqual([200, '']);
    expect(Number(head.headers['content-length'])).toBeGreaterThan(100);
    const removed = await server.send('/people/7', { method: 'DELETE' });
    expect([removed.status, removed.headers.allow]).toEqual([405, 'GET, HEAD, POST']);
    const posted = await post('/mine', '');
    expect([posted.status, posted.headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('gives htmx the part that it asks for, and the whole page to a boosted link', async () => {
    const part = await server.send('/people/7?tab=b', {
      headers: { 'HX-Request': 'true', 'HX-Target': 'part' },
    });
    expect(part.text).toBe('<b>b</b>');
    const named = await server.send('/people/7', {
      headers: { 'HX-Request': 'true', 'HX-Target': 'div#part' },
    });
    expect(named.text).toBe('<b>a</b>');
    for (const headers of [
      { 'HX-Request': 'true', 'HX-Target': 'other' },
      { 'HX-Request': 'true', 'HX-Target': 'part', 'HX-Boosted': 'true' },
      { 'HX-Request': 'true', 'HX-Target': '__proto__' },
    ] as Record<string, string>[]) {
      expect((await server.send('/people/7', { headers })).text).toContain('<!doctype html>');
    }
  });

  it('carries headers, cookies and a cache rule, and is 304 for who knows it', async () => {
    const reply = await server.send('/kept');
    expect(reply.headers).toMatchObject({
      'x-sample': '1',
      'cache-control': 'public, max-age=60',
      etag: '"v1"',
      'set-cookie': [
        'seen=%C3%BC%3B; Max-Age=60; Path=/; HttpOnly; SameSite=Lax',
        'gone=; Max-Age=0; Path=/kept; Secure; SameSite=Strict',
      ],
    });
    const known = await server.send('/kept', { headers: { 'If-None-Match': 'W/"x", W/"v1"' } });
    expect([known.status, known.text]).toEqual([304, '']);
  });

  it('that nobody declared is a page of its own, in JSON for a program', async () => {
    const reply = await server.send('/nothing', { headers: { Accept: 'text/html,*/*' } });
    expect([reply.status, heading(reply)]).toEqual([404, 'Page not found']);
    const json = await server.send('/nothing', { headers: { Accept: 'application/json' } });
    expect([json.status, json.body.error]).toEqual([404, { code: 'NOT_FOUND', message: 'No such page' }]);
    const broken = await server.send('/people/%zz');
    expect([broken.status, heading(broken)]).toEqual([404, 'Page not found']);
    expect((await server.send('/api/%zz')).text).toContain('"success":false');
  });
});

describe('templates of an operator that do not work', () => {
  it.each([
    ['a view', { 'sample/plain': '<%= nothing.at.all %>' }, '<h1>Something went wrong</h1>\n<p>'],
    [
      'the layout',
      { 'sample/plain': 'x', 'layouts/page': '<% broken' },
      '<title>Something went wrong</title>',
    ],
  ])('in %s are a fault of the server, which goes on', async (_what, own, text) => {
    const other = await servePages({
      ctx: context.ctx,
      pages: [person, ...pages.slice(3, 4)],
      templates: own,
    });
    const reply = await other.send('/kept');
    expect([reply.status, reply.text.includes(text)]).toEqual([500, true]);
    expect((await other.send('/kept', { headers: { Accept: 'application/json' } })).body.error).toEqual({
      code: 'SERVER_ERROR',
      message: 'Unexpected error',
    });
    other.close();
  });
});

describe('the audience of a page', () => {
  it('signs in first, and comes back', async () => {
    const reply = await server.send('/mine?a=1');
    expect([reply.status, reply.headers.location]).toEqual([303, '/sign-in?next=%2Fmine%3Fa%3D1']);
    const part = await server.send('/mine', { headers: { 'HX-Request': 'true' } });
    expect([part.status, part.headers['hx-redirect']]).toEqual([401, '/sign-in?next=%2Fmine']);
    expect((await server.send('/mine', asActor({ kind: 'customer', id: 'cst_1' }))).status).toBe(200);
    expect(
      (await server.send('/mine', asActor({ kind: 'staff', id: 'adm_1', permissions: 'all' }))).status,
    ).toBe(303);
  });

  it('needs the permission: 403 in the same layout', async () => {
    const lacking = await server.send(
      '/staff',
      asActor({ kind: 'staff', id: 'adm_1', permissions: ['x:read'] }),
    );
    expect([lacking.status, heading(lacking)]).toEqual([403, 'You cannot open this page']);
    for (const permissions of [['system:read'], ['system:write'], 'all']) {
      const actor = { kind: 'staff', id: 'adm_1', label: 'Ada', permissions };
      const reply = await server.send('/staff', asActor(actor));
      expect(reply.text).toContain('plain Ada');
      expect(reply.headers['referrer-policy']).toBe('same-origin');
    }
  });

  it('is asked before the token, and the token before the permission', async () => {
    const staff = asActor({ kind: 'staff', id: 'adm_1', permissions: [] }).headers;
    const foreign = asActor({ kind: 'staff', id: 'adm_1', permissions: 'all' }).headers;
    expect((await refused(() => post('/staff', 'a=1'))).status).toBe(303);
    expect((await refused(() => post('/staff', 'a=1', foreign))).text).toContain('not from this page');
    expect((await refused(() => post('/staff', `_csrf=${TOKEN}`, staff))).text).toContain('system:read');
  });
});

describe('a form', () => {
  it('is done and leads to another page', async () => {
    const before = server.settled;
    const reply = await fill('name=Ada+L%C3%B6w&nick=&color=r&color=g&password=x&extra=1&__proto__=2');
    expect([reply.status, reply.headers.location]).toEqual([303, '/people/1?tab=b']);
    expect(done).toEqual([{ name: 'Ada Löw', color: ['r', 'g'], password: 'x' }]);
    expect(server.settled).toBe(before + 1);
  });

  it('takes its token from a header too, and tells a script where to go', async () => {
    const reply = await post('/people/1', 'name=Ada&password=x', {
      'X-CSRF-Token': TOKEN,
      'HX-Request': 'true',
    });
    expect([reply.status, reply.headers['hx-redirect']]).toEqual([204, '/people/1?tab=b']);
    expect(done).toEqual([{ name: 'Ada', color: [], password: 'x' }]);
  });

  it('that is wrong comes back with its values, without its secrets, and names every fault', async () => {
    const reply = await refused(() => fill('name=A%22%3Cb&password=&pin=1234&color=r&color=g&color=b'));
    expect(reply.status).toBe(400);
    expect(reply.text).toContain('name="name" type="text" value="A&#34;&lt;b" required');
    const other = await refused(() => fill('name=A&password=hunter2&pin=1234&color=g'));
    expect(other.status).toBe(400);
    expect(other.text).toContain('<a href="#field-name">Full name must have at least 2 characters</a>');
    expect(other.text).toContain('aria-describedby="field-name-hint field-name-error" aria-invalid="true"');
    expect(other.text).toContain('<option value="g" selected>');
    expect(other.text).not.toMatch(/hunter2|1234/);
  });

  it('that its use case refuses comes back with that status and text', async () => {
    const taken = await refused(() => fill('name=taken&password=x'));
    expect(taken.status).toBe(409);
    expect(taken.text).toContain('<li>Choose another name.</li>');
    expect(taken.text).toContain('>Is taken</p>');
    expect(taken.text).toContain('<a href="#field-name">Full name is taken</a>');
    const busy = await refused(() => fill('name=busy&password=x'));
    expect([busy.status, busy.text.includes('Too busy')]).toEqual([429, true]);
  });

  it('that breaks the program says nothing of the cause', async () => {
    const broken = await refused(() => fill('name=broken&password=x'));
    expect([broken.status, heading(broken)]).toEqual([500, 'Something went wrong']);
    expect(broken.text).toMatch(/req_\w+/);
    expect(broken.text).not.toContain('defect');
    expect((await refused(() => fill('name=gone&password=x'))).status).toBe(404);
    const astray = await refused(() => fill('name=evil&password=x'));
    expect([astray.status, astray.headers.location]).toEqual([500, undefined]);
  });

  it.each<[string, string | Uint8Array, Record<string, string>, number]>([
    ['without a token', 'name=Ada', {}, 403],
    ['with a foreign token', '_csrf=other&name=Ada', {}, 403],
    ['with its token in the address', 'name=Ada', {}, 403],
    ['without a body', '', {}, 403],
    ['as JSON', '{"name":"Ada"}', { 'Content-Type': 'application/json' }, 400],
    ['as text', `_csrf=${TOKEN}&name=Ada&password=x`, { 'Content-Type': 'text/plain' }, 400],
    ['in another charset', `_csrf=${TOKEN}`, { 'Content-Type': `${FORM}; charset=latin1` }, 400],
    ['compressed', `_csrf=${TOKEN}`, { 'Content-Encoding': 'gzip' }, 400],
    ['that calls itself a form of parts', `_csrf=${TOKEN}`, { 'Content-Type': 'multipart/form-data' }, 400],
    ['with a repeated field', `_csrf=${TOKEN}&name=Ada&name=Bob&password=x`, {}, 400],
    ['with U+0000', `_csrf=${TOKEN}&name=A%00a&password=x`, {}, 400],
    ['with half an escape', `_csrf=${TOKEN}&name=A%C3&password=x`, {}, 400],
    ['with an escape that is none', `_csrf=${TOKEN}&name=100%&password=x`, {}, 400],
    ['in bytes that are not UTF-8', Buffer.from(`_csrf=${TOKEN}&name=\xff\xfe`, 'latin1'), {}, 400],
    ['with too many fields', `_csrf=${TOKEN}${'&a'.repeat(500)}`, {}, 400],
    ['with a field of a long name', `_csrf=${TOKEN}&${'n'.repeat(101)}=1`, {}, 400],
    ['that is too large', `_csrf=${TOKEN}&name=${'A'.repeat(2000)}`, {}, 413],
  ])('%s is refused, and nothing is done', async (_what, body, headers, status) => {
    const path = _what.includes('address') ? `/people/1?tab=a&_csrf=${TOKEN}` : '/people/1';
    const reply = await refused(() => {
      const all = { 'Content-Type': FORM, ...headers };
      return server.send(path, { method: 'POST', body, headers: all });
    });
    expect(reply.status).toBe(status);
    expect(reply.text).toContain('<!doctype html>');
  });
});

describe('a form whose size nobody announced', () => {
  it('is 413 when it turns out to be too large', async () => {
    const chunks = ReadableStream.from([Buffer.from(`_csrf=${TOKEN}&name=`), Buffer.alloc(3000, 'A')]);
    const reply = await fetch(`${server.url}/people/1`, {
      method: 'POST',
      body: chunks,
      headers: { 'Content-Type': FORM },
      duplex: 'half',
    } as RequestInit);
    expect([reply.status, done]).toEqual([413, []]);
    expect(await reply.text()).toContain('This is too large');
  });
});

describe('limits of a page', () => {
  it('count addresses of mail and sessions beside those of clients', async () => {
    const send = (email: string, session: string) =>
      post('/limited', `_csrf=${TOKEN}&email=${email}`, { 'X-Test-Session': session });
    const statuses: number[] = [];
    for (const [email, session] of [
      ['a@x.test', '1'],
      ['A@X.test', '2'],
      ['a@x.test+', '3'],
      ['b@x.test', '3'],
      ['a%40x.test', '3'],
    ] as const) {
      statuses.push((await send(email, session)).status);
    }
    expect(statuses).toEqual([303, 303, 429, 303, 429]);
    const last = await send('c@x.test', '9');
    expect(last.status).toBe(303);
    const full = await send('d@x.test', '9');
    expect([full.status, heading(full)]).toEqual([429, 'Too many requests']);
    expect(full.text).toContain('Try again in');
    expect(full.headers).toMatchObject({ 'retry-after': '300', 'ratelimit-remaining': '0' });
    expect(done.length).toBe(4);
  });
});
