// The settings in the panel: every one with its default and who changed it, search, change, reset, locks, who may.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { get } from '#platform/settings/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { startApp, type TestApp } from '../../support/app.ts';
import { fieldsOf, member, rowsOf, textOf } from './staff.ts';

const LIST = '/admin/settings';
const DAYS = 'licensing.trash_days';
const LOCKED = 'licensing.inbox_days';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ pins: { [LOCKED]: '12' } });
});
afterAll(() => app.close());

const rowOf = (html: string, key: string): string[] | undefined =>
  rowsOfAll(html).find(([first = '']) => first.startsWith(`${key} `));

/** Of every group. */
const rowsOfAll = (html: string): string[][] =>
  html
    .split('<section')
    .slice(1)
    .flatMap((part) => rowsOf(part.replaceAll('class="rows words"', 'class="rows"')));

describe('settings in the panel', () => {
  it('all of them are listed by group, and search, group and changes narrow them', async () => {
    const { browser } = await member(app);
    const { status, text } = await browser.open(LIST);
    expect(status).toBe(200);
    const all = rowsOfAll(text);
    expect(all.length).toBe(new Set(all.map(([first]) => first)).size);
    expect(rowOf(text, DAYS)?.slice(1)).toEqual(['30', '30', '']);
    expect(rowOf(text, 'require_admin_2fa')?.slice(1)).toEqual(['off', 'off', '']);
    expect(rowOf(text, LOCKED)?.slice(1)).toEqual([
      '12',
      '90',
      'Locked by APPCTL_SETTING_LICENSING__INBOX_DAYS',
    ]);

    const found = rowsOfAll((await browser.open(`${LIST}?q=TRASH`)).text);
    expect(found.map(([first]) => first?.split(' ')[0])).toEqual([DAYS]);
    const security = rowsOfAll((await browser.open(`${LIST}?group=security`)).text);
    expect(security.length).toBeGreaterThan(2);
    expect(security.length).toBeLessThan(all.length);
    const changed = rowsOfAll((await browser.open(`${LIST}?changed=true`)).text);
    expect(changed.map(([first]) => first?.split(' ')[0])).toContain(LOCKED);
    expect((await browser.open(`${LIST}?q=${encodeURIComponent('"><script>')}`)).text).toContain(
      'No settings match',
    );
  });

  it('one is changed with a reason, says by whom and when, and is reset', async () => {
    const { browser, email } = await member(app);
    const page = await browser.open(`${LIST}/${DAYS}`);
    expect(fieldsOf(page.text)).toMatchObject({ value: '30' });
    const saved = await browser.submit(`${LIST}/${DAYS}`, { value: '45', note: 'longer' });
    expect([saved.status, saved.headers.location]).toEqual([303, `${LIST}?done=saved`]);
    const { text } = await browser.open(`${LIST}?done=saved`);
    expect(text).toContain('The setting was saved.');
    const [, value, initial, change = ''] = rowOf(text, DAYS) ?? [];
    expect([value, initial]).toEqual(['45', '30']);
    expect(change).toMatch(new RegExp(`^${email}, \\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC$`));
    const log = await browser.open(`/admin/audit-log?targetType=settings&targetId=${DAYS}`);
    expect(rowsOf(log.text)[0]).toContain(`settings ${DAYS}`);

    const reset = await browser.submit(`${LIST}/${DAYS}`, { reset: 'true' });
    expect([reset.status, reset.headers.location]).toEqual([303, `${LIST}?done=reset`]);
    expect(get(app.ctx, DAYS)).toMatchObject({ value: 30, changed: false });
    expect(rowOf((await browser.open(LIST)).text, DAYS)?.[3]).toBe('');
  });

  it('switches, choices and lists have fields of their kind', async () => {
    const { browser } = await member(app);
    await browser.submit(`${LIST}/webhooks.allowed_private_cidrs`, {
      value: '10.0.0.0/8\r\n\r\n192.168.0.0/16',
    });
    expect(get(app.ctx, 'webhooks.allowed_private_cidrs').value).toEqual(['10.0.0.0/8', '192.168.0.0/16']);
    const lines = await browser.open(`${LIST}/webhooks.allowed_private_cidrs`);
    expect(lines.text).toContain('10.0.0.0/8\n192.168.0.0/16</textarea>');
    await browser.submit(`${LIST}/webhooks.allowed_private_cidrs`, { reset: 'true' });

    await browser.submit(`${LIST}/licensing.sign_responses`, { value: 'false' });
    expect(get(app.ctx, 'licensing.sign_responses').value).toBe(false);
    await browser.submit(`${LIST}/licensing.sign_responses`, { reset: 'true' });
    const choice = await browser.open(`${LIST}/licensing.request_log`);
    expect(choice.text).toContain('<option value="denials" selected>denials</option>');
  });

  it('what does not fit is refused beside the field, escaped, and stays typed', async () => {
    const { browser } = await member(app);
    const hostile = '<script>alert(1)</script>\u202e';
    const { status, text } = await browser.submit(`${LIST}/${DAYS}`, { value: hostile });
    expect(status).toBe(400);
    expect(text).not.toContain('<script>alert');
    expect(text).toContain('&lt;script&gt;alert(1)');
    const low = await browser.submit(`${LIST}/${DAYS}`, { value: '-1' });
    expect(textOf(low.text)).toMatch(/The value must be at least \d/);
    expect(low.text).toContain('href="#field-value"');
    expect(get(app.ctx, DAYS).value).toBe(30);
    expect((await browser.open(`${LIST}/no.such`)).status).toBe(404);
  });

  it('a locked one says what locks it and has no form; sent all the same, it is refused', async () => {
    const { browser } = await member(app);
    const { text } = await browser.open(`${LIST}/${LOCKED}`);
    expect(textOf(text)).toContain('Locked. APPCTL_SETTING_LICENSING__INBOX_DAYS sets this value.');
    expect(text).not.toContain('name="value"');
    const sent = await browser.submit(`${LIST}/${LOCKED}`, { value: '5' });
    expect(sent.status).toBe(409);
    expect(textOf(sent.text)).toContain(`This setting is locked by APPCTL_SETTING_LICENSING__INBOX_DAYS`);
  });

  it('who may only see them changes none, and who manages licenses changes theirs', async () => {
    const reader = await member(app, ['system:read']);
    const { status, text } = await reader.browser.open(LIST);
    expect([status, text.includes(`href="${LIST}/`)]).toEqual([200, false]);
    expect((await reader.browser.open(`${LIST}/${DAYS}`)).status).toBe(403);
    const seller = await member(app, ['system:read', 'licensing:write']);
    expect((await seller.browser.open(`${LIST}/${DAYS}`)).status).toBe(200);
    expect((await seller.browser.open(`${LIST}/require_admin_2fa`)).status).toBe(404);
    const other = await member(app, ['licensing:read']);
    expect((await other.browser.open(LIST)).status).toBe(403);
    const { id } = await tenants.create(app.ctx, { slug: 'other', name: 'Other' });
    const confined = await member(app, ['system:read', 'system:write'], id);
    expect((await confined.browser.open(LIST)).status).toBe(403);
  });
});
