// The client SDK as a developer gets it: from a running server, by npm without a registry, in Node 20 and 24 and a browser.
import { execFile, execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { makeClient } from '../../bin/client-package.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { accessFaults, openChromium, overflow } from '../support/chromium.ts';
import { type DelegatedProduct, delegatedProduct } from '../support/online-key.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { nodes } from './nodes.ts';

const run = promisify(execFile);
const repository = join(import.meta.dirname, '../..');
const { version } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { version: string };
const versioned = `/client/appctl-client-${version}.tgz`;

const PAGE = `<!doctype html><title>Editor</title>
<script type="module">import * as client from '/appctl-client.js'; window.client = client;</script>`;

let app: TestApp;
let productId: string;
let folder: string;
let signer: DelegatedProduct;
beforeAll(async () => {
  app = await startApp({ clock: systemClock, baseUrl: 'https://licenses.example.com' });
  const product = await app.product({ name: 'Editor', slug: 'editor' });
  productId = product.id;
  signer = await delegatedProduct(app.ctx, product);
  folder = scratchFolder('appctl-install-');
}, 60_000);
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true });
  await app.close();
});

const fetchFrom = (path: string, init?: RequestInit) => fetch(app.url + path, init);

describe('what the server serves', () => {
  test('one archive, for ever under the name of its version', async () => {
    const answer = await fetchFrom(versioned);
    const bytes = Buffer.from(await answer.arrayBuffer());
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'application/gzip',
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"sha512-${createHash('sha512').update(bytes).digest('base64')}"`,
    });
    expect(answer.headers.get('set-cookie')).toBeNull();
    const current = await fetchFrom('/client/appctl-client.tgz');
    expect(current.headers.get('cache-control')).toBe('public, no-cache');
    expect(Buffer.from(await current.arrayBuffer()).equals(bytes)).toBe(true);
    const etag = answer.headers.get('etag') ?? '';
    expect((await fetchFrom(versioned, { headers: { 'If-None-Match': etag } })).status).toBe(304);
  });

  test('a page that says how to install it, also to who asks for a version that is not here', async () => {
    const page = await fetchFrom('/client');
    expect(await page.text()).toContain(`npm install https://licenses.example.com${versioned}`);
    const other = await fetchFrom('/client/appctl-client-0.0.1.tgz');
    expect(other.status).toBe(404);
    expect(await other.text()).toContain(`This server has version ${version}`);
  });
});

test('the archive is the same at every build, and laid out as npm lays it out', async () => {
  const made = async (name: string) => (await makeClient(repository, join(folder, name))).tarball;
  const [first, second] = [await made('first'), await made('second')];
  expect(first.equals(second)).toBe(true);
  writeFileSync(join(folder, 'made.tgz'), first);
  const listed = execFileSync('tar', ['tzf', join(folder, 'made.tgz')], { encoding: 'utf8' })
    .trim()
    .split('\n');
  expect(listed.every((name) => name.startsWith('package/'))).toBe(true);
  expect(listed).toEqual(expect.arrayContaining(['package/package.json', 'package/README.md']));
  expect(first.length).toBeLessThan(60_000);
});

const program = (source: string) => `${source}
const storage = fileStorage(process.argv[2]);
const [, , , baseUrl, apiKey, licenseKey, rootKey] = process.argv;
const client = createLicenseClient({
  baseUrl, apiKey, licenseKey, product: 'editor', rootKeys: [rootKey], storage,
  machine: { id: await createMachineId(storage) }, offline: { enabled: true }, signedResponses: 'require',
});
const { activated } = await client.activate();
const { allowed, source, offlineUntil } = await client.access();
await client.close();
console.log(JSON.stringify({ activated, allowed, source, isOffline: offlineUntil !== null }));
`;

describe('in an empty folder', () => {
  beforeAll(async () => {
    // No registry: nothing else is needed.
    const args = [
      'install',
      '--registry',
      'http://127.0.0.1:9',
      '--cache',
      join(folder, 'cache'),
      app.url + versioned,
    ];
    writeFileSync(join(folder, 'package.json'), '{ "type": "module" }');
    await run('/usr/bin/npm', args, { cwd: folder, env: { PATH: process.env.PATH, HOME: folder } });
  }, 60_000);

  test('npm has installed what the server served', () => {
    const lock = JSON.parse(readFileSync(join(folder, 'package-lock.json'), 'utf8'));
    expect(lock.packages['node_modules/appctl-client']).toMatchObject({
      version,
      resolved: app.url + versioned,
    });
    expect(existsSync(join(folder, 'node_modules/appctl-client/README.md'))).toBe(true);
  });

  const names = '{ createLicenseClient, createMachineId, fileStorage }';
  const styles = {
    'app.js': `import ${names} from 'appctl-client/node';`,
    'app.cjs': `(async () => { const ${names} = await import('appctl-client/node');`,
  };
  const cases = nodes.flatMap((node) =>
    Object.entries(styles).map(([file, source]) => ({ ...node, file, source })),
  );

  test.each(cases)('$file runs in Node $version', async ({ path, file, source }) => {
    const { key } = await app.license({ productId });
    writeFileSync(join(folder, file), program(source) + (file.endsWith('.cjs') ? '})();' : ''));
    const { secret } = await app.apiKey('VALIDATE_ONLY');
    const rootKey = signer.root.publicKey.toString('base64');
    const args = [file, join(folder, `${key}/license.json`), app.url, secret, key, rootKey];
    const { stdout } = await run(path, args, { cwd: folder });
    expect(JSON.parse(stdout)).toEqual({ activated: true, allowed: true, source: 'server', isOffline: true });
  });

  test('a page in Chromium loads its module as it is', async () => {
    const module = readFileSync(join(folder, 'node_modules/appctl-client/index.js'));
    const site = createServer((request, response) => {
      const isModule = request.url === '/appctl-client.js';
      response.setHeader('Content-Type', isModule ? 'text/javascript' : 'text/html');
      response.end(isModule ? module : PAGE);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => site.once('listening', resolve));
    const origin = `http://127.0.0.1:${(site.address() as { port: number }).port}`;
    const { key } = await app.license({ productId });
    const { secret } = await app.apiKey('VALIDATE_ONLY', { allowedOrigins: [origin] });
    const chromium = await openChromium();
    try {
      for (const width of [360, 1280]) {
        const { page } = await chromium.look({ width });
        await page.goto(`${app.url}/client`);
        expect([await overflow(page), await accessFaults(page)]).toEqual([0, []]);
      }
      const { page } = await chromium.look();
      await page.goto(origin);
      const said = await page.evaluate(inPage, {
        baseUrl: app.url,
        apiKey: secret,
        licenseKey: key,
        rootKey: signer.root.publicKey.toString('base64'),
      });
      expect(said).toEqual({ activated: true, allowed: true, isOffline: true, isKept: true });
    } finally {
      await chromium.close();
      site.close();
    }
  }, 60_000);
});

interface Facts {
  baseUrl: string;
  apiKey: string;
  licenseKey: string;
  rootKey: string;
}

/** Runs in the browser. */
async function inPage({ rootKey, ...facts }: Facts) {
  const { createLicenseClient, createMachineId, localStorageStorage } = (
    globalThis as unknown as { client: typeof import('../../src/client/index.ts') }
  ).client;
  const storage = localStorageStorage();
  const id = await createMachineId(storage);
  const client = createLicenseClient({
    ...facts,
    product: 'editor',
    rootKeys: [rootKey],
    storage,
    machine: { id },
    offline: { enabled: true },
  });
  const { activated } = await client.activate();
  const { allowed, offlineUntil } = await client.access();
  const isKept = (await createMachineId(localStorageStorage())) === id;
  return { activated, allowed, isOffline: offlineUntil !== null, isKept };
}
