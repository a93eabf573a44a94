import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Release } from '#licensing/releases/releases/index.ts';
import { FEED_FORMATS, type FeedFormat } from '../../src/cli/release/feed-formats.ts';
import { channelsWith, ofChannel, openReleases } from '../../src/cli/release/feed-selection.ts';
import { release as anyRelease } from '../licensing/release-choices.ts';
import { useReleaseLife } from './release-life.ts';

const NOW = '2026-05-01T00:00:00.000Z';
const signature = Buffer.alloc(64, 1).toString('base64');

/** A published release that anybody may have. */
const release = (more: Partial<Release> = {}): Release =>
  anyRelease(more.version ?? '1.0.0', {
    id: `rel_${more.version ?? '1.0.0'}`,
    bundleFilename: 'app.zip',
    bundleSize: 3,
    bundleSha256: '0'.repeat(64),
    signature,
    keyId: '0'.repeat(16),
    ...more,
  });

const feed = (format: FeedFormat, releases: Release[], baseUrl: string | null = 'https://cdn.x.test/e/') =>
  FEED_FORMATS[format].write({
    product: { name: 'Editor <3', slug: 'editor' },
    channel: 'stable',
    releases: openReleases(releases, NOW),
    baseUrl,
  });

describe('what a feed offers', () => {
  test.each<[string, Partial<Release>, boolean]>([
    ['a published release', {}, true],
    ['a draft', { state: 'DRAFT' }, false],
    ['a withdrawn one', { state: 'YANKED' }, false],
    ['an archived one', { state: 'ARCHIVED' }, false],
    ['one of this very moment', { publishedAt: NOW }, true],
    ['one of the next millisecond', { publishedAt: '2026-05-01T00:00:00.001Z' }, false],
    ['one for a part of the machines', { rollout: { bps: 9999, paused: false, schedule: [] } }, false],
    [
      'a critical one for a part of the machines',
      { isCritical: true, rollout: { bps: 0, paused: true, schedule: [] } },
      true,
    ],
    [
      'one whose schedule has ended',
      { rollout: { bps: 1, paused: false, schedule: [{ at: NOW, percent: 100 }] } },
      true,
    ],
    ['one for some licenses', { requiredEntitlements: ['pro'] }, false],
  ])('%s: %o', (_what, more, isOpen) => {
    expect(openReleases([release(more)], NOW)).toHaveLength(isOpen ? 1 : 0);
  });

  test('the newest version comes first, by semantic order', () => {
    const made = ['1.9.0', '1.10.0', '1.10.0-rc.2', '1.10.0-rc.10'].map((version) => release({ version }));
    expect(openReleases(made, NOW).map(({ version }) => version)).toEqual([
      '1.10.0',
      '1.10.0-rc.10',
      '1.10.0-rc.2',
      '1.9.0',
    ]);
  });

  test('a channel takes those before it', () => {
    const channels = ['nightly', 'alpha', 'beta', 'rc', 'stable'] as const;
    const made = openReleases(
      channels.map((channel) => release({ channel, version: `1.0.${channel.length}` })),
      NOW,
    );
    const of = (channel: Release['channel']) => ofChannel(made, channel).map((one) => one.channel);
    expect(of('stable')).toEqual(['stable']);
    expect(of('beta').toSorted()).toEqual(['beta', 'rc', 'stable']);
    expect(of('nightly')).toHaveLength(5);
    expect(channelsWith(made)).toEqual(['stable', 'rc', 'beta', 'alpha', 'nightly']);
    expect(channelsWith([])).toEqual(['stable']);
  });
});

describe('the forms of a feed', () => {
  test('tauri: the newest signed version, and the release that is made for a target before one for any', () => {
    const tauri = (text: string) => ({ extraSignatures: { tauri: text } });
    const { text, offered } = feed('tauri', [
      release({ version: '3.0.0' }),
      release({ id: 'any', version: '2.0.0', ...tauri('any') }),
      release({ id: 'mac', version: '2.0.0', platform: 'darwin', arch: 'universal', ...tauri('mac') }),
      release({ id: 'arm', version: '2.0.0', platform: 'darwin', arch: 'arm64', ...tauri('arm') }),
      release({ id: 'old', version: '1.0.0', platform: 'linux', ...tauri('old') }),
      release({ id: 'phone', version: '4.0.0', platform: 'ios', ...tauri('phone') }),
    ]);
    const { version, platforms } = JSON.parse(text);
    expect(version).toBe('2.0.0');
    expect(offered.map(({ id }) => id).toSorted()).toEqual(['any', 'arm', 'mac']);
    expect(platforms['darwin-aarch64']).toEqual({
      signature: 'arm',
      url: 'https://cdn.x.test/e/files/arm/app.zip',
    });
    expect(platforms['darwin-x86_64'].signature).toBe('mac');
    expect(platforms['windows-x86_64'].signature).toBe('any');
    expect(platforms['linux-armv7'].signature).toBe('any');
    expect(feed('tauri', [release()])).toEqual({ text: '', offered: [] });
  });

  test('appcast: signed releases that a reader can tell apart, every text escaped', () => {
    const { text, offered } = feed('appcast', [
      release({
        version: '2.0.0',
        changelog: 'a & b <script> "q" \u0000\u001b]\u{1f600}',
        bundleFilename: 'a "b" &é.dmg',
        isCritical: true,
        extraSignatures: { sparkle: signature },
      }),
      release({ id: 'w', platform: 'windows', arch: 'x64', extraSignatures: { sparkle: signature } }),
      release({ id: 'm', platform: 'darwin', arch: 'arm64', extraSignatures: { sparkle: signature } }),
      release({ id: 'unsigned', version: '1.5.0' }),
    ]);
    expect(offered.map(({ id }) => id)).toEqual(['rel_2.0.0', 'w']);
    expect(text).toContain('<title>Editor &lt;3 (stable)</title>');
    expect(text).toContain('>a &amp; b &lt;script&gt; &quot;q&quot; ]\u{1f600}<');
    expect(text).toContain(
      'url="https://cdn.x.test/e/files/rel_2.0.0/a%20%22b%22%20%26%C3%A9.dmg" length="3"',
    );
    expect(text).toContain('<pubDate>Thu, 01 Jan 2026 00:00:00 GMT</pubDate>');
    expect(text.match(/sparkle:os="windows-x64"/g)).toHaveLength(1);
    expect(text.match(/criticalUpdate/g)).toHaveLength(1);
  });

  test('json: addresses are relative without a base', () => {
    const document = JSON.parse(feed('json', [release()], null).text);
    expect(document).toMatchObject({ product: 'editor', channel: 'stable' });
    expect(document.releases).toEqual([
      expect.objectContaining({ version: '1.0.0', url: 'files/rel_1.0.0/app.zip', signature, size: 3 }),
    ]);
  });
});

describe('release feed', () => {
  const life = useReleaseLife();
  const { answer, failure } = life;
  const line = 'release feed --product editor --out public --format json --bundles';
  let id: string;

  beforeAll(async () => {
    id = (await answer('release ship app.zip --product editor --version 1.0.0 --key a.key')).id;
    await answer('release ship app.zip --product editor --version 1.1.0-rc.1 --channel rc --key a.key');
  });

  test('writes a file for each channel and the bundles, twice the same', async () => {
    const plan = await answer<{ files: string[] }>(`${line} -n`);
    expect(existsSync(life.at('public'))).toBe(false);
    const { files } = await answer<{ files: string[] }>(line);
    expect(plan.files).toEqual(files);
    expect(files).toContain('public/stable.json');
    expect(files).toContain(`public/files/${id}/app.zip`);
    expect(files).toHaveLength(4);
    const before = files.map((file) => readFileSync(life.at(file), 'utf8'));
    // What is damaged is written again.
    writeFileSync(life.at(`public/files/${id}/app.zip`), 'damaged');
    expect(await answer<{ files: string[] }>(line)).toEqual({ files });
    expect(files.map((file) => readFileSync(life.at(file), 'utf8'))).toEqual(before);
    expect(JSON.parse(before.at(-2) ?? '').releases).toHaveLength(1);
    expect(JSON.parse(before.at(-1) ?? '').releases).toHaveLength(2);
  });

  test('--channel writes one file', async () => {
    rmSync(life.at('public'), { recursive: true });
    const { files } = await answer<{ files: string[] }>(
      'release feed --product editor --out public --format json --channel rc',
    );
    expect(files).toEqual(['public/rc.json']);
  });

  test.each([
    ['release feed --product editor --out p --format tauri', 2, '--base-url is required'],
    ['release feed --product editor --out p --format tauri --base-url ftp://x.test', 2, 'not a web address'],
    ['release feed --product editor --out p --format tauri --base-url https://x.test', 5, 'Tauri'],
    ['release feed --product editor --out p --format appcast', 5, 'Sparkle'],
    ['release feed --product nope --out p --format json', 3, 'nope'],
    ['release feed --product editor --out p --format rss', 2, '--format'],
  ])('%s ends with %i', async (words, exit, says) => {
    const failed = await failure(words);
    expect([failed.exit, failed.message]).toEqual([exit, expect.stringContaining(says)]);
    expect(existsSync(life.at('p'))).toBe(false);
  });

  test('a stored bundle that is not what was published ends the command, and no feed is written', async () => {
    rmSync(life.at('public'), { recursive: true });
    const { bundleSha256 } = await answer(`release show ${id}`);
    const stored = life.at(`data/bundles/${bundleSha256?.slice(0, 2)}/${bundleSha256}`);
    writeFileSync(stored, 'other bytes');
    expect(await failure(line)).toMatchObject({ exit: 1, code: 'SERVER_ERROR' });
    expect(existsSync(life.at('public/stable.json'))).toBe(false);
  });
});
