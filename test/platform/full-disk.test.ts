// Files that are sent while the disk has no room: what each surface answers (M24). What a disk does that fills on the way
// is played by the proof R16.
import { afterAll, beforeAll, expect, it } from 'vitest';
import { signedProduct } from '../licensing/release-fixture.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { tokenIn } from '../support/browser.ts';
import { member, textOf } from './panel/staff.ts';

/** A file system that never has a free byte. */
const FULL = '/proc/appctl';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ env: { APPCTL_BUNDLES_DIR: FULL, APPCTL_MEDIA_DIR: FULL } });
});
afterAll(() => app.close());

const file = { headers: { 'Content-Type': 'application/octet-stream' }, body: Buffer.alloc(1000) };

it('the admin API answers 507 with the cure', async () => {
  const owner = await app.adminToken('owner');
  const { slug } = await signedProduct(app.ctx, 'editor');
  const draft = await app.admin('/releases', owner, { body: { productId: slug, version: '1.0.0' } });
  const path = `/releases/${draft.body.release?.id}/bundle`;
  const { status, body } = await app.admin(path, owner, { method: 'PUT', ...file });
  expect([status, body.error]).toEqual([
    507,
    {
      code: 'SERVER_ERROR',
      message: 'The disk of the server is nearly full: nothing was stored',
      details: { reason: 'DISK_FULL', hint: expect.stringContaining('free up space') },
    },
  ]);
});

it('the shop tells its staff which folder has no room', async () => {
  const { secret } = await app.adminToken('owner', { isInstanceWide: true });
  const headers = { ...file.headers, Authorization: `Bearer ${secret}` };
  const { status, body } = await app.send('/api/store/media', { method: 'POST', ...file, headers });
  expect([status, body.error_code, body.details?.reason]).toEqual([507, 'INTERNAL_ERROR', 'DISK_FULL']);
  expect(body.error).toContain(`the disk of ${FULL} has 0 B left`);
});

it('a form shows a page that says so', async () => {
  const { browser } = await member(app);
  const _csrf = tokenIn((await browser.open('/store/media/upload')).text);
  const part = (head: string) => `--xx\r\nContent-Disposition: form-data; ${head}`;
  const { status, text } = await app.send('/store/media/upload', {
    method: 'POST',
    body: Buffer.from(
      `${part('name="_csrf"')}\r\n\r\n${_csrf}\r\n${part('name="pictures"; filename="a.png"')}\r\n\r\nx\r\n--xx--\r\n`,
    ),
    headers: {
      Cookie: [...browser.cookies].map(([name, value]) => `${name}=${value}`).join('; '),
      'Content-Type': 'multipart/form-data; boundary=xx',
    },
  });
  expect([status, textOf(text)]).toEqual([
    507,
    expect.stringContaining('The disk of the server is nearly full: nothing was stored'),
  ]);
});
