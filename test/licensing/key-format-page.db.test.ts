// A key format is tried while it is typed: sample keys and their bits of randomness, and nothing is stored.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { fieldsOf, member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import type { Browser } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';

const PATH = '/admin/key-formats/try';

let app: TestApp;
let browser: Browser;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const tried = (fields: Record<string, string>) => browser.open(`${PATH}?${new URLSearchParams(fields)}`);

it('shows keys as the format draws them with their bits, and begins a format with it', async () => {
  expect((await browser.open('/admin/key-formats')).text).toContain(`href="${PATH}"`);
  const format = { prefix: 'ACME', segments: '5', alphabet: 'HEX', checksum: 'LUHN' };
  const { result, changes } = await app.changesBy(() => tried(format));
  expect([result.status, changes.rows]).toEqual([200, nothing.rows]);
  expect(textOf(result.text)).toContain('76 bits of randomness');
  const samples = [...result.text.matchAll(/<li><code>([^<]*)<\/code>/g)].map(([, key]) => key);
  expect(samples).toHaveLength(5);
  for (const one of samples) expect(one).toMatch(/^ACME(-[0-9A-F]{4}){5}$/);
  const href = /href="(\/admin\/key-formats\/new\?[^"]*)"/.exec(result.text)?.[1] ?? '';
  const form = fieldsOf((await browser.open(href.replaceAll('&amp;', '&'))).text);
  expect(form).toMatchObject(format);
  const part = await browser.open(`${PATH}?prefix=AB`, { 'HX-Request': 'true', 'HX-Target': 'div#preview' });
  expect([part.text.includes('<form'), textOf(part.text).startsWith('80 bits')]).toEqual([false, true]);
});

it.each([
  [
    { segments: '4', alphabet: 'HEX', checksum: 'LUHN' },
    'segments gives 60 bits of randomness, at least 64 are needed',
  ],
  [{ prefix: '<script>' }, 'prefix must be 2 to 10 characters A-Z or 0-9'],
  [{ segments: 'many' }, 'segments '],
  [{ alphabet: 'KLINGON' }, 'alphabet '],
  [{ prefix: '' }, 'prefix '],
])('of %j it says what is wrong, and offers no keys', async (fields, says) => {
  const { status, text } = await tried(fields);
  expect([status, text.includes('<script>"'), text.includes('Use this format')]).toEqual([200, false, false]);
  expect(textOf(text)).toContain(says);
});

it('is for who may read licensing', async () => {
  const { browser: nobody } = await member(app, ['audit:read']);
  expect((await nobody.open(PATH)).status).toBe(403);
});
