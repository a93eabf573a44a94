// The words of every mail, and what may stand in them (storefront-domain 14; reliability M28, A139).
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { listAssets, readAsset } from '#kernel/assets.ts';
import { gather } from '#kernel/gather.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { headerText, isMailAddress } from '../../src/platform/mail/address.ts';
import { render } from '../../src/platform/mail/render.ts';
import { fill, parseTemplate, placesOf } from '../../src/platform/mail/template.ts';
import { textOfHtml } from '../../src/platform/mail/text-of-html.ts';
import { startApp, type TestApp } from '../support/app.ts';

const { mails } = gather(capabilities);
const GENERAL = [
  'store_name',
  'store_url',
  'store_email',
  'brand_color',
  'logo_url',
  'year',
  'customer_name',
  'customer_email',
];

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

describe('every mail', () => {
  test('to staff is known by its key: exports of customers leave those out', () => {
    const ofStaff = mails.filter(({ isForStaff }) => isForStaff).map(({ key }) => key);
    expect(
      mails.map(({ key }) => key).filter((key) => key.startsWith('admin_') || key === 'email_test'),
    ).toEqual(ofStaff);
  });

  test('has words in all languages of the shop, or in English and German for staff, with its own placeholders', () => {
    const files = listAssets('templates/mail').filter((file) => file.endsWith('.md'));
    const all = listAssets('templates/languages').map((file) => file.slice(-7, -5));
    const known = mails.flatMap(({ key, isForStaff = false }) =>
      (isForStaff ? ['en', 'de'] : all).map((language) => `templates/mail/${key}.${language}.md`),
    );
    expect(known.filter((file) => !files.includes(file))).toEqual([]);
    expect(
      files.filter((file) => !mails.some(({ key }) => file.startsWith(`templates/mail/${key}.`))),
    ).toEqual([]);
    for (const { key, placeholders, sample } of mails) {
      expect(Object.keys(sample).sort()).toEqual([...placeholders].sort());
      for (const file of files.filter((one) => one.startsWith(`templates/mail/${key}.`))) {
        const names = placesOf(readAsset(file).toString('utf8'));
        const unknown = names.filter(
          (name) => !GENERAL.includes(name) && !(placeholders as string[]).includes(name),
        );
        expect([file, unknown]).toEqual([file, []]);
      }
    }
  });

  test('says its sample in HTML and as text, with no place left open', async () => {
    for (const { key, sample } of mails)
      for (const locale of ['en', 'de', 'fr', 'ja', 'ar']) {
        const to = { address: 'ann@mail.example', name: 'Ann' };
        const { subject, html, text } = await render(app.ctx, { template: key, locale, to, values: sample });
        expect([key, subject === '', placesOf(subject), placesOf(text)]).toEqual([key, false, [], []]);
        expect(placesOf(html)).toEqual([]);
        expect(html.startsWith('<!doctype html>')).toBe(true);
      }
  });
});

describe('a value', () => {
  test('is escaped in HTML, is not looked at again, and no name of a language finds anything', () => {
    const values = { total: '<b>{name}</b>', name: 'O\'Neil & "Co"' };
    expect(fill('{name}: {total}', values, true)).toBe(
      'O&#39;Neil &amp; &quot;Co&quot;: &lt;b&gt;{name}&lt;/b&gt;',
    );
    const odd = '{constructor} {__proto__} {toString} <%= 7*7 %> {{7*7}}';
    expect(fill(odd, values, true)).toBe(odd);
  });

  test('that code made as HTML stays HTML, and becomes text for those who read no HTML', () => {
    const items_html = '<table><tr><td>Lamp &amp; shade</td><td>2</td></tr></table>';
    expect(fill('{items_html}', { items_html }, true)).toBe(items_html);
    expect(textOfHtml(items_html)).toBe('Lamp & shade  2');
    expect(textOfHtml('<p>See <a href="https://shop.example/a">your order</a></p><p>Bye</p>')).toBe(
      'See your order (https://shop.example/a)\nBye',
    );
  });

  test('that is empty leaves its line out, and a button without an address too', async () => {
    const { paragraphs } = parseTemplate(
      'Subject: x\n\nHello {name},\n\nTotal: {total}\nDiscount: {discount}\n\n[Go]({url})',
    );
    expect(paragraphs.map(({ kind, lines }) => [kind, lines.length])).toEqual([
      ['text', 1],
      ['text', 2],
      ['button', 2],
    ]);
    const asked = {
      template: 'password_reset',
      locale: 'en',
      to: { address: 'ann@mail.example' },
      values: { reset_url: 'javascript:alert(1)', ip: '' },
    };
    const { html, text } = await render(app.ctx, asked);
    expect(html).not.toContain('javascript:');
    expect(text).not.toContain('Requested from');
  });

  test('words that lead to something are left out where nothing follows', async () => {
    const sample = mails.find(({ key }) => key === 'order_confirmation')?.sample ?? {};
    const asked = { template: 'order_confirmation', to: { address: 'ann@mail.example' } };
    const languages = listAssets('templates/languages').map((file) => file.slice(-7, -5));
    for (const locale of languages) {
      const full = await render(app.ctx, { ...asked, locale, values: sample });
      const lead = /\n([^\n]+[:：])\n\nAnn Miller/.exec(full.text)?.[1] ?? 'nothing';
      expect([locale, full.html.includes(lead)]).toEqual([locale, true]);
      const { html, text } = await render(app.ctx, {
        ...asked,
        locale,
        values: { ...sample, address_html: '' },
      });
      expect([locale, html.includes(lead), text.includes(lead)]).toEqual([locale, false, false]);
    }
  });

  test('cannot begin another header', () => {
    expect(headerText('Ann\r\nBcc: evil@x.co\0')).toBe('Ann Bcc: evil@x.co');
    expect(headerText('=?utf-8?q?Ann=0D=0ABcc:?=')).toBe('= ?utf-8?q?Ann=0D=0ABcc:?=');
    expect([...headerText('é'.repeat(500))]).toHaveLength(200);
  });
});

test('an address is one mailbox in ASCII', () => {
  for (const address of ['ann@mail.example', "o'neil+tag@a-b.example", `${'a'.repeat(64)}@x.example`])
    expect([address, isMailAddress(address)]).toEqual([address, true]);
  for (const address of [
    'ann',
    'ann@mail',
    'ann@-x.example',
    'a,b@x.example',
    '"a b"@x.example',
    'a@b.example, c@d.example',
    'Ann <a@b.example>',
    'a@b.example\n',
    'a(b)@x.example',
    'undisclosed:a@b.example;',
    'a@[127.0.0.1]',
    'ä@x.example',
    '.a@x.example',
    'a..b@x.example',
    `${'a'.repeat(65)}@x.example`,
    `a@${'x'.repeat(250)}.example`,
  ])
    expect([address, isMailAddress(address)]).toEqual([address, false]);
});
