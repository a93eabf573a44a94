// What pages load: found by a name that tells the content, kept for ever by browsers, replaced by operators.
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readAsset } from '#kernel/assets.ts';
import { createStaticFiles } from '#kernel/views/static-files.ts';
import { type EndpointServer, serveEndpoints } from '../../support/endpoint-server.ts';
import { scratchFolder } from '../../support/scratch-folder.ts';

const css = readAsset('templates/assets/page.css');
const address = createStaticFiles(undefined).addressOf('page.css');

let server: EndpointServer;
let folder: string;
beforeAll(async () => {
  server = await serveEndpoints([]);
  folder = scratchFolder('appctl-assets-');
  mkdirSync(join(folder, 'assets', 'shop'), { recursive: true });
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

/** Gets an address with its bytes as they were sent. */
async function get(path: string, headers: Record<string, string> = {}) {
  const { request } = await import('node:http');
  return new Promise<{ status: number; headers: Record<string, unknown>; bytes: Buffer }>(
    (resolve, reject) => {
      request(new URL(path, server.url), { headers }, (answer) => {
        const chunks: Buffer[] = [];
        answer.on('data', (chunk: Buffer) => chunks.push(chunk));
        answer.on('end', () =>
          resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(chunks) }),
        );
      })
        .on('error', reject)
        .end();
    },
  );
}

describe('a file that pages load', () => {
  it('may be kept for ever under the address that tells its content', async () => {
    expect(address).toMatch(/^\/assets\/page\.[0-9a-f]{16}\.css$/);
    const { status, headers, bytes } = await get(address);
    expect([status, bytes.equals(css)]).toEqual([200, true]);
    expect(headers).toMatchObject({
      'content-type': 'text/css; charset=utf-8',
      'cache-control': 'public, max-age=31536000, immutable',
      vary: 'Accept-Encoding',
      'x-content-type-options': 'nosniff',
      etag: `"${address.split('.')[1]}"`,
      'content-length': String(css.length),
    });
    expect(headers['content-encoding']).toBeUndefined();
  });

  it.each([
    ['br', 'br'],
    ['gzip, deflate, br', 'br'],
    ['gzip;q=1.0, br;q=0', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.000', undefined],
    ['identity', undefined],
  ])('comes as Accept-Encoding %j wants it', async (accept, encoding) => {
    const { headers, bytes } = await get(address, { 'Accept-Encoding': accept });
    expect(headers['content-encoding']).toBe(encoding);
    const plain =
      encoding === 'br' ? brotliDecompressSync(bytes) : encoding === 'gzip' ? gunzipSync(bytes) : bytes;
    expect(plain.equals(css)).toBe(true);
    if (encoding !== undefined) expect(bytes.length).toBeLessThan(css.length);
  });

  it('is 304 for who has it in that encoding, and in no other', async () => {
    const { headers } = await get(address, { 'Accept-Encoding': 'br' });
    const etag = String(headers.etag);
    const known = await get(address, { 'Accept-Encoding': 'br', 'If-None-Match': etag });
    expect([known.status, known.bytes.length, known.headers.etag]).toEqual([304, 0, etag]);
    expect((await get(address, { 'If-None-Match': etag })).status).toBe(200);
  });

  it('is asked for again each time under its plain name and under an older one', async () => {
    for (const path of ['/assets/page.css', '/assets/page.0123456789abcdef.css']) {
      const { status, headers, bytes } = await get(path);
      expect([status, bytes.equals(css), headers['cache-control']]).toEqual([200, true, 'public, no-cache']);
    }
  });

  it('answers HEAD without a body, and takes nothing', async () => {
    const head = await server.send(address, { method: 'HEAD' });
    expect([head.status, head.text, head.headers['content-length']]).toEqual([200, '', String(css.length)]);
    expect((await server.send(address, { method: 'POST', body: 'x' })).status).toBe(404);
  });

  it.each([
    '/assets/',
    '/assets/nothing.css',
    '/assets/../package.json',
    '/assets/..%2f..%2fpackage.json',
    '/assets/%2e%2e/layouts/page.ejs',
    '/assets/..\\package.json',
    '/assets//etc/passwd.css',
    '/assets/.hidden.css',
    '/assets/page.css/',
    '/assets/page.ejs',
    '/assets/page',
    '/assets/page.css%00',
    `/assets/${'a'.repeat(300)}.css`,
  ])('is not at %s', async (path) => {
    expect((await server.send(path)).status).toBe(404);
  });
});

describe('the operator', () => {
  it('replaces a file, whose address then is another one, and adds new ones', () => {
    writeFileSync(join(folder, 'assets', 'page.css'), 'body{color:red}');
    writeFileSync(join(folder, 'assets', 'shop', 'logo.png'), 'png');
    const files = createStaticFiles(folder);
    const own = files.addressOf('page.css');
    expect(own).not.toBe(address);
    const found = files.find(own.slice('/assets/'.length));
    expect(found?.isCurrent).toBe(true);
    // Smaller than what compressing makes of it.
    expect(found?.file.read(['br'])).toEqual({ bytes: Buffer.from('body{color:red}'), encoding: 'identity' });
    expect(files.addressOf('shop/logo.png')).toMatch(/^\/assets\/shop\/logo\.[0-9a-f]{16}\.png$/);
    expect(files.find('shop/logo.png')?.file.type).toBe('image/png');
  });

  it('is told of a name that leads to nothing', () => {
    const files = createStaticFiles(folder);
    expect(() => files.addressOf('nothing.css')).toThrow(
      'no file assets/nothing.css ships with this program',
    );
    expect(() => files.addressOf('../page.css')).toThrow('no file');
  });
});
