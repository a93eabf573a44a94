// Words of mails that staff edit as HTML: read, written and rendered (storefront-domain 14; reliability M28, A139).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { gather } from '#kernel/gather.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { templateHtml, templateOfHtml } from '../../src/platform/mail/html-template.ts';
import { render } from '../../src/platform/mail/render.ts';
import { shippedTemplate, type Values } from '../../src/platform/mail/template.ts';
import { cleanHtml } from '../../src/platform/rich-text/index.ts';
import { startApp, type TestApp } from '../support/app.ts';

const { mails } = gather(capabilities);

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const to = { address: 'ann@mail.example', name: 'Ann' };
const shown = async (html: string, values: Values, text: string | null = null) =>
  render(app.ctx, {
    ...{ template: 'email_test', locale: 'en', to, values },
    words: templateOfHtml('Hello {customer_name}', await cleanHtml(html), text),
  });
const bodyOf = (html: string): string =>
  /padding:24px 32px 16px">\n(.*?)\n<\/td>/s.exec(html)?.[1]?.replaceAll(/ style="[^"]*"/g, '') ?? '';

test('every shipped mail is the same after it went through the editor unchanged', async () => {
  for (const { key, sample } of mails)
    for (const locale of ['en', 'de']) {
      const shipped = shippedTemplate(key, locale, undefined);
      if (!shipped) throw new Error(key);
      const words = templateOfHtml(shipped.subject, await cleanHtml(templateHtml(shipped)), null);
      const asked = { template: key, locale, to, values: sample };
      const [before, after] = [await render(app.ctx, asked), await render(app.ctx, { ...asked, words })];
      const same = (html: string) => html.replaceAll(/<br ?\/?>/g, '<br>');
      expect([key, locale, { ...after, html: same(after.html) }]).toEqual([
        key,
        locale,
        { ...before, html: same(before.html) },
      ]);
    }
});

describe('words in HTML', () => {
  test('keep headings, buttons, lists and tables; a line whose places are empty is left out', async () => {
    const html =
      '<h1>Hi {customer_name}</h1><p>Discount: {discount}<br>Total: {total}</p><p><a href="{url}">Open</a></p>' +
      '<ul><li>{total}</li></ul>{items_html}<div><p>Inside</p></div>Loose <b>words</b>';
    const values = {
      discount: '',
      total: '<5>',
      url: 'https://x.example/a?b=1&c=2',
      items_html: '<p>1 × Mug</p>',
    };
    const { html: whole, text, subject } = await shown(html, values);
    expect(bodyOf(whole)).toBe(
      [
        '<h1>Hi Ann</h1>',
        '<p>Total: &lt;5&gt;</p>',
        '<p><a href="https://x.example/a?b=1&amp;c=2">Open</a></p>',
        '<div><ul><li>&lt;5&gt;</li></ul></div>',
        '<div><p>1 × Mug</p></div>',
        '<div><div><p>Inside</p></div></div>',
        '<p>Loose <b>words</b></p>',
      ].join('\n'),
    );
    expect(subject).toBe('Hello Ann');
    expect(text.split('\n\n').slice(0, -1)).toEqual([
      'Hi Ann',
      'Total: <5>',
      'Open:\nhttps://x.example/a?b=1&c=2',
      '<5>',
      '1 × Mug',
      'Inside',
      'Loose words',
    ]);
  });

  test('never become script, whatever staff type or a value says', async () => {
    const html =
      '<script>alert(1)</script><p onclick="x()">A <img src="x" onerror="y()"><a href="javascript:z()">l</a> ' +
      '<a href="{url}">more</a> {name} {constructor} {__proto__} &lt;%= 7*7 %&gt;</p><style>p{}</style>';
    const { html: whole } = await shown(html, { url: 'javascript:z()', name: '{total}<b>' });
    const body = bodyOf(whole);
    expect(body).not.toMatch(/script|onerror|onclick|<style/i);
    expect(body).toContain('<a>more</a> {total}&lt;b&gt; {constructor} {__proto__} &lt;%= 7*7 %&gt;');
  });

  test('have a text of their own, in which HTML of the program is told in words', async () => {
    const text = 'Dear {customer_name}\n\nDiscount: {discount}\n\n{items_html}\nTotal {total}';
    const values = { discount: '', total: '<5>', items_html: '<p>1 × Mug &amp; lid</p>' };
    const shownText = (await shown('<p>x</p>', values, text)).text;
    expect(shownText.startsWith('Dear Ann\n\n1 × Mug & lid\nTotal <5>\n\n-- \n')).toBe(true);
  });

  test('of a hundred thousand characters are read in a moment', async () => {
    for (const piece of ['<p>', '{a', '<br>', '</div>', '<a href="', '{items_html}']) {
      const began = performance.now();
      templateOfHtml('x', piece.repeat(Math.floor(100_000 / piece.length)), null);
      expect([piece, performance.now() - began < 5000]).toEqual([piece, true]);
    }
  });
});
