// The manual in a browser: /help and a page for each topic, from the files that ship with the program.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createOwner } from '#platform/accounts/index.ts';
import { allTopics, filesOf, readPageFile, sections } from '#platform/help/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, openBrowser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const owner = { email: 'ops@x.test', password: 'correct horse' };
let app: TestApp;
let staff: Browser;
beforeAll(async () => {
  app = await startApp();
  await createOwner(app.ctx, { ...owner, name: 'Ops' });
  staff = openBrowser(app.send);
  await staff.submit('/admin/login', owner);
});
afterAll(() => app.close());

const guest = () => openBrowser(app.send);
const topicsFor = (audience: string) =>
  sections.filter((one) => one.audience === audience).flatMap(({ topics }) => topics);

/** Without the frame around every page. */
const linksOf = (html: string) =>
  [...html.slice(html.indexOf('<main')).matchAll(/href="([^"]+)"/g)].map(([, href]) => String(href));

test('the table of contents links every page, and reading it writes nothing', async () => {
  const { result, changes } = await app.changesBy(() => guest().open('/help'));
  expect([result.status, result.headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
  expect(linksOf(result.text)).toEqual(
    expect.arrayContaining(allTopics.map(({ topic }) => `/help/${topic}`)),
  );
  expect(changes).toEqual(nothing);
});

const anchorsOf = (html: string): string[] => [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`);

test.each(allTopics)(
  '/help/$topic has one title, no script, and links that lead on',
  async ({ topic, title }) => {
    const { status, text: html } = await staff.open(`/help/${topic}`);
    expect(status).toBe(200);
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).not.toMatch(/<script|<!--|\sstyle=/);
    const files = filesOf(topic).map((name) => `/help/${topic}/${name}`);
    const known = ['/help', ...allTopics.map((one) => `/help/${one.topic}`), ...files];
    const anchors = anchorsOf(html);
    for (const href of linksOf(html)) {
      const [page = '', anchor] = href.split('#');
      if (anchor === undefined || !known.includes(page)) continue;
      const there = anchorsOf((await staff.open(page)).text);
      anchors.push(...there.map((one) => `${page}${one}`));
    }
    const broken = linksOf(html).filter(
      (href) =>
        !href.startsWith('https://') &&
        !href.startsWith('/assets/') &&
        ![...known, ...anchors].includes(href),
    );
    expect(broken).toEqual([]);
  },
);

test('a file that comes with a page is read as it is', async () => {
  const { status, text, headers } = await guest().open('/help/examples/python/appctl_license.py');
  expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8']);
  expect(text).toBe(readPageFile('examples', 'python/appctl_license.py').toString('utf8'));
  expect((await guest().open('/help/monitoring/rules.yml')).status).not.toBe(200);
});

test.each(['/help/', '/help/no-such-page', '/help/glossary.md', '/help/..%2fassets', '/help/glossary/x'])(
  '%s is the page of a missing page',
  async (path) => {
    const { status, text } = await guest().open(path);
    expect(status).toBe(404);
    expect(text).toContain('<h1>Page not found</h1>');
  },
);

test.each(['/', '/admin/login', '/no-such-page'])('%s leads to the manual, and has an icon', async (path) => {
  const { text } = await guest().open(path);
  expect(text.slice(0, text.indexOf('<main'))).toContain('<a href="/help">Manual</a>');
  const icon = /<link rel="icon" type="image\/svg\+xml" href="([^"]+)">/.exec(text)?.[1] ?? '';
  const { status, headers } = await guest().open(icon);
  expect([status, headers['content-type']]).toEqual([200, 'image/svg+xml']);
});

test.each(topicsFor('everybody'))('everybody reads /help/$topic', async ({ topic }) => {
  const { result, changes } = await app.changesBy(() => guest().open(`/help/${topic}`));
  expect([result.status, changes]).toEqual([200, nothing]);
});

test.each(topicsFor('operators'))('/help/$topic asks to sign in, and leads back', async ({ topic }) => {
  const { status, headers, text } = await guest().open(`/help/${topic}`);
  expect([status, headers.location]).toEqual([303, `/admin/login?next=%2Fhelp%2F${topic}`]);
  expect(text).not.toContain('appctl');
});

test('the table of contents says which pages ask to sign in, to who did not', async () => {
  expect((await guest().open('/help')).text).toContain('You need to sign in to read these pages');
  expect((await staff.open('/help')).text).not.toContain('You need to sign in to read these pages');
});
