// The manual in a browser: /help and a page for each topic, from the files that ship with the program.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { allTopics } from '#platform/help/index.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { nothing } from '../support/database-changes.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

async function page(path: string): Promise<{ status: number; type: string | null; html: string }> {
  const answer = await fetch(new URL(path, app.url));
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    html: await answer.text(),
  };
}

const linksOf = (html: string) => [...html.matchAll(/href="([^"]+)"/g)].map(([, href]) => String(href));

test('the table of contents links every page, and reading it writes nothing', async () => {
  const { result, changes } = await app.changesBy(() => page('/help'));
  expect(result).toMatchObject({ status: 200, type: 'text/html; charset=utf-8' });
  expect(linksOf(result.html)).toEqual(
    expect.arrayContaining(allTopics.map(({ topic }) => `/help/${topic}`)),
  );
  expect(changes).toEqual(nothing);
});

test.each(allTopics)(
  '/help/$topic has one title, no script, and links that lead on',
  async ({ topic, title }) => {
    const { status, html } = await page(`/help/${topic}`);
    expect(status).toBe(200);
    expect(html.match(/<h1[ >]/g)).toHaveLength(1);
    expect(html).toContain(`<h1>${title}</h1>`);
    expect(html).not.toMatch(/<script|<!--|\sstyle=/);
    const known = ['/help', ...allTopics.map((one) => `/help/${one.topic}`)];
    const anchors = [...html.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `#${id}`);
    const broken = linksOf(html).filter(
      (href) =>
        !href.startsWith('https://') &&
        !href.startsWith('/assets/') &&
        ![...known, ...anchors].includes(href),
    );
    expect(broken).toEqual([]);
  },
);

test.each(['/help/', '/help/no-such-page', '/help/glossary.md', '/help/..%2fassets', '/help/glossary/x'])(
  '%s is the page of a missing page',
  async (path) => {
    const { status, html } = await page(path);
    expect(status).toBe(404);
    expect(html).toContain('<h1>Page not found</h1>');
  },
);
