// A release in the panel without JavaScript: upload, signature, publication, rollout; and what is sent instead.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { generateSeed, signingKeyOf } from '#kernel/ed25519.ts';
import * as signingKeys from '#licensing/catalog/keys/index.ts';
import * as releases from '#licensing/releases/releases/index.ts';
import * as tenants from '#platform/tenants/index.ts';
import { fieldsOf, member, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { nothing } from '../support/database-changes.ts';
import { bundleOf, keyOf, published, signed, signedProduct } from './release-fixture.ts';

let app: TestApp;
let browser: Browser;
let n = 0;
beforeAll(async () => {
  app = await startApp();
  ({ browser } = await member(app));
});
afterAll(() => app.close());

const digestOf = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const pathOf = (id: string) => `/admin/releases/${id}`;

async function draft(version = '1.0.0') {
  n += 1;
  const product = await signedProduct(app.ctx, `panel-editor-${n}`);
  return { product, ...(await releases.create(app.ctx, { productId: product.id, version })) };
}

/** Sends a file as a browser does, behind the fields of its form. */
async function sendFile(
  path: string,
  [name, filename, bytes]: readonly [name: string, filename: string, bytes: Buffer | string] | [],
  fields: Record<string, string> = {},
  as = browser,
) {
  const { text } = await as.open(path);
  const at = /name="at" value="([^"]*)"/.exec(text)?.[1] ?? '';
  const all = Object.entries({ _csrf: tokenIn(text), at, ...fields });
  const parts = all.map(
    ([one, value]) => `--xx\r\nContent-Disposition: form-data; name="${one}"\r\n\r\n${value}\r\n`,
  );
  const file = `--xx\r\nContent-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: application/octet-stream\r\n\r\n`;
  const cookie = [...as.cookies].map(([one, value]) => `${one}=${value}`).join('; ');
  const sent = name === undefined ? [] : [file, bytes ?? '', '\r\n'];
  return app.send(path, {
    method: 'POST',
    body: Buffer.concat([...parts, ...sent, '--xx--\r\n'].map((part) => Buffer.from(part))),
    headers: { Cookie: cookie, 'Content-Type': 'multipart/form-data; boundary=xx' },
  });
}

/** What `release sign` writes beside a bundle. */
const signatureFile = (bytes: Buffer, said: Parameters<typeof signed>[1] = null) => {
  const { keyId, ...signature } = signed(bytes, said, { now: app.ctx.now() });
  return JSON.stringify({
    file: 'editor.zip',
    size: bytes.length,
    sha256: digestOf(bytes),
    algorithm: 'ed25519-sha256',
    keyId,
    publicKey: keyOf().publicKey.toString('base64'),
    signedAt: app.ctx.now(),
    comment: null,
    ...signature,
  });
};

it('leads a draft from its file to all machines, step by step', async () => {
  const { id, product } = await draft();
  const bytes = bundleOf('panel');
  expect((await browser.open(pathOf(id))).text).toContain('enctype="multipart/form-data"');
  const sha256 = digestOf(bytes);
  const up = await sendFile(`${pathOf(id)}/bundle`, ['bundle', 'C:\\My editor.zip', bytes], { sha256 });
  expect([up.status, up.headers.location]).toEqual([303, `${pathOf(id)}?done=bundle`]);
  const uploaded = await browser.open(pathOf(id));
  expect(uploaded.text).toContain(`<code data-sha256>${sha256}</code>`);
  expect(textOf(uploaded.text)).toContain(
    `appctl release sign './My editor.zip' --product ${product.slug} --version 1.0.0 --key KEYFILE`,
  );
  const said = { product: product.slug, version: '1.0.0', sequence: 7 };
  const file = ['signature', 'editor.zip.sig.json', signatureFile(bytes, said)] as const;
  const { result, changes } = await app.changesBy(() => sendFile(`${pathOf(id)}/signature-file`, file));
  expect([result.status, result.headers.location]).toEqual([303, `${pathOf(id)}?done=signature`]);
  expect(changes.rows.license_releases).toBe('~1');
  expect(await releases.get(app.ctx, id)).toMatchObject({ keyId: keyOf().keyId, sequence: 7 });
  // With all that the page asks, one of which has the name of what the form could carry for itself.
  const asked = fieldsOf((await browser.open(`${pathOf(id)}/publish`)).text);
  expect(asked).toMatchObject({ at: '', rolloutPercent: '' });
  expect((await browser.post(`${pathOf(id)}/publish`, asked)).status).toBe(303);
  expect((await releases.get(app.ctx, id)).state).toBe('PUBLISHED');
  const { text } = await browser.open(pathOf(id));
  expect(textOf(text)).toContain(
    `appctl release verify './My editor.zip' --pubkey ${keyOf().publicKey.toString('base64')} --sha256 ${sha256}`,
  );
});

it('a draft whose key is kept on the server is signed with that key, by the command as it is printed', async () => {
  const product = await app.product();
  const seed = generateSeed();
  const { publicKey, keyId } = signingKeyOf(seed);
  await signingKeys.register(app.ctx, product, { publicKey, seed, label: null });
  const { id } = await releases.create(app.ctx, { productId: product.slug, version: '1.0.0' });
  await sendFile(`${pathOf(id)}/bundle`, ['bundle', 'editor.zip', bundleOf('held')]);
  const { text } = await browser.open(pathOf(id));
  expect(textOf(text)).toContain('The private key is stored on this server.');
  expect(textOf(text)).toContain(
    `appctl release sign editor.zip --product ${product.slug} --version 1.0.0 --key store:${keyId}`,
  );
  expect(text).not.toContain('your machine');
});

it('moves a rollout by plain buttons, and refuses what another has changed meanwhile', async () => {
  const product = await signedProduct(app.ctx, 'panel-rollout');
  const { id } = await published(app.ctx, product, '2.0.0');
  const shown = async () => {
    const { text } = await browser.open(pathOf(id));
    return { text, _at: /name="_at" value="([^"]*)"/.exec(text)?.[1] ?? '', _csrf: tokenIn(text) };
  };
  const press = async (fields: Record<string, string>) => {
    const { _at, _csrf } = await shown();
    return browser.post(`${pathOf(id)}/rollout`, { _csrf, _at, ...fields });
  };
  for (const step of [5, 10, 25, 50, 100]) expect((await shown()).text).toContain(`value="${step}"`);
  expect((await press({ percent: '25' })).status).toBe(303);
  expect((await press({ paused: 'true' })).status).toBe(303);
  expect((await releases.get(app.ctx, id)).rollout).toMatchObject({ bps: 2500, paused: true });
  expect(textOf((await shown()).text)).toContain('Offered to 25 % of the machines. The rollout is paused.');
  expect((await press({ paused: 'false' })).status).toBe(303);
  const { _at } = await shown();
  app.clock.advance(1);
  await releases.rollout(app.ctx, id, { percent: 50 });
  const { status } = await press({ percent: '100', _at });
  expect([status, (await releases.get(app.ctx, id)).rollout.bps]).toEqual([412, 5000]);
  expect((await press({ percent: '101' })).status).toBe(400);
});

it('says at the field what is wrong with a file, and keeps nothing of it', async () => {
  const { id } = await draft();
  const bytes = bundleOf('panel refusals');
  const bundle = `${pathOf(id)}/bundle`;
  const signature = `${pathOf(id)}/signature-file`;
  const refused = async (sending: ReturnType<typeof sendFile>) => {
    const { result, changes } = await app.changesBy(() => sending);
    expect([result.status, changes]).toEqual([400, nothing]);
    return textOf(result.text);
  };
  expect(await refused(sendFile(bundle, []))).toContain('Choose the file to upload');
  const sha256 = '0'.repeat(64);
  expect(await refused(sendFile(bundle, ['bundle', 'a.zip', bytes], { sha256 }))).toContain(
    `Your browser computed SHA-256 ${sha256}, but ${digestOf(bytes)} arrived.`,
  );
  expect(await refused(sendFile(bundle, ['bundle', 'a.zip', '']))).toContain('The bundle is empty');
  expect(await refused(sendFile(signature, []))).toContain('Choose the .sig.json file');
  const odd = '<script>alert(1)</script>\u202e.json';
  const wrong = await refused(sendFile(signature, ['signature', odd, '{"signature":"x"}']));
  expect(wrong).toContain('was not written by appctl release sign');
  expect(wrong).not.toContain('\u202e');
  expect(await refused(sendFile(signature, ['signature', 'a.json', Buffer.from([0xff, 0xfe])]))).toContain(
    'is not a text file in UTF-8',
  );
  await sendFile(bundle, ['bundle', 'a.zip', bytes]);
  const other = signatureFile(bundleOf('another file'));
  expect(await refused(sendFile(signature, ['signature', 'a.json', other]))).toContain(
    `but the uploaded bundle has ${digestOf(bytes)}`,
  );
});

it('escapes what a release says of itself', async () => {
  const product = await signedProduct(app.ctx, 'panel-hostile');
  const made = await releases.create(app.ctx, {
    productId: product.id,
    version: '3.0.0',
    changelog: '<script>alert(1)</script>',
  });
  const filename = "<img src=x>'$(id).zip";
  await sendFile(`${pathOf(made.id)}/bundle`, ['bundle', filename, bundleOf('hostile')]);
  const { text } = await browser.open(pathOf(made.id));
  expect(text).not.toContain('<script>alert');
  expect(text).not.toContain('<img');
  expect(textOf(text)).toContain(`appctl release sign './<img src=x>'\\''$(id).zip'`);
});

it('is shown to whoever may read, changed by whoever may write, and unknown to another tenant', async () => {
  const { id } = await draft();
  const { browser: reader } = await member(app, ['licensing:read']);
  const seen = await reader.open(pathOf(id));
  expect([seen.status, seen.text.includes('multipart/form-data')]).toEqual([200, false]);
  const other = await tenants.create(app.ctx, { slug: 'ship-other', name: 'Other' });
  const { browser: foreign } = await member(app, undefined, other.id);
  for (const page of ['bundle', 'signature-file']) {
    const path = `${pathOf(id)}/${page}`;
    expect((await reader.open(path)).status).toBe(403);
    expect((await foreign.open(path)).status).toBe(404);
    const { text } = await foreign.open('/admin/releases');
    const sent = await foreign.post(path, { _csrf: tokenIn(text) });
    expect(sent.status).toBeGreaterThanOrEqual(400);
  }
  const sent = await sendFile(`${pathOf(id)}/bundle`, ['bundle', 'a.zip', bundleOf('x')], {}, reader);
  expect(sent.status).toBe(403);
  expect((await releases.get(app.ctx, id)).bundleSha256).toBeNull();
});

it('shows how often a release was looked for, offered and downloaded', async () => {
  const product = await signedProduct(app.ctx, 'panel-adoption');
  const { id } = await published(app.ctx, product, '1.1.0');
  const { text } = await browser.open(`${pathOf(id)}?tab=adoption`);
  expect(textOf(text)).toContain('No client has checked for an update');
  const counted = { release_id: id, from_version: '1.0.0', checks: 12, offers: 7, downloads: 5 };
  await app.instance.database.transaction(({ knex }) =>
    knex('license_release_stats').insert({ ...counted, day: app.ctx.now().slice(0, 10) }),
  );
  const counts = (await browser.open(`${pathOf(id)}?tab=adoption`)).text;
  expect(textOf(counts)).toContain('1.0.0 12 7 5');
  expect(counts).toContain('id="chart-adoption-t"');
  expect(counts).toContain(encodeURIComponent(`${app.ctx.now().slice(0, 10)},12,7,5\r\n`));
});
