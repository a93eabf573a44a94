// The audit log in the panel: actions in words, an entry with what changed field by field, and the verdict on the whole.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../support/app.ts';
import { member, rowsOf, textOf } from './staff.ts';

const LIST = '/admin/audit-log';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

it('an entry shows both sides of each field that changed, escaped', async () => {
  const { browser } = await member(app);
  const hostile = '<script>alert(1)</script>\u202e';
  const product = await app.product({ name: 'Editor' });
  await browser.submit(`/admin/products/${product.id}/edit`, { name: hostile, 'was.name': 'Editor' });
  const { text } = await browser.open(`${LIST}?targetId=${product.id}`);
  const [changed, made] = rowsOf(text);
  expect(changed?.[2]).toBe('Product updated');
  expect(made?.[2]).toBe('Product created');
  const [latest, first] = [...text.matchAll(/href="(\/admin\/audit-log\/aud_[^"?]+)"/g)].map(
    ([, href = '']) => href,
  );
  const entry = await browser.open(latest as string);
  expect(entry.text).not.toContain('<script>alert');
  const part = textOf(entry.text);
  expect(part).toContain('Field Before After');
  expect(part).toContain(`name Editor ${hostile}`);
  expect(part).toContain('PRODUCT_UPDATED');
  const creation = textOf((await browser.open(first as string)).text);
  expect(creation).toContain('Field After');
  expect(creation).not.toContain('Before');
});

it('the log is verified with a verdict, and a log that is not the one of an anchor is found', async () => {
  const { browser } = await member(app);
  const whole = await browser.submit(`${LIST}/verify`);
  expect(textOf(whole.text)).toMatch(
    /The log is intact: none of its \d+ entries was changed, removed or added\./,
  );
  expect(textOf(whole.text)).toContain('Verify audit entries');
  expect(whole.text, 'the sentence says it all').not.toContain('<dt>Ok');
  const forged = JSON.stringify({ seq: 1, hash: 'of another log' });
  const broken = await browser.submit(`${LIST}/verify`, { anchor: forged });
  expect(textOf(broken.text)).toMatch(/The log is broken at entry 1: /);
});
