import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { encodePrivateKey } from '#signing/keys/key-encoding.ts';
import { keyOf, type ShownRelease, useReleaseLife } from './release-life.ts';

const life = useReleaseLife();
const { answer, failure, bundle, run } = life;

const ship = (file: string, version: string, more = '') =>
  `release ship ${file} --product editor --version ${version} --key a.key${more}`;
const versions = async (query = '') =>
  (await answer<{ items: ShownRelease[] }>(`release list --product editor${query}`)).items.map(
    ({ version, state }) => `${version} ${state}`,
  );

describe('release ship', () => {
  test('a dry run answers the plan, reads and signs, and leaves nothing behind', async () => {
    const plan = await answer(ship('app.zip', '1.0.0', ' -n'));
    expect(plan).toMatchObject({ state: 'PUBLISHED', keyRegistered: true, bundleSize: 16, dryRun: true });
    expect(await versions()).toEqual([]);
    expect((await answer<{ items: unknown[] }>('keys list')).items).toEqual([]);
    expect(existsSync(life.at('app.zip.sig.json'))).toBe(false);
  });

  test('makes, signs, uploads and publishes, and registers the first key', async () => {
    const release = await answer(ship('app.zip', '1.0.0'));
    expect(release).toMatchObject({
      product: 'editor',
      version: '1.0.0',
      channel: 'stable',
      state: 'PUBLISHED',
      bundleFilename: 'app.zip',
      bundleSize: 16,
      keyId: keyOf(1).keyId,
      keyRegistered: true,
      rollout: { percent: 100, effectivePercent: 100, paused: false },
    });
    expect(await answer(`release show ${release.id}`)).toMatchObject({ state: 'PUBLISHED' });
    const { statement } = JSON.parse(readFileSync(life.at('app.zip.sig.json'), 'utf8'));
    expect(statement).toMatch(/^release\//);
    expect(await answer<object>('release verify app.zip --pubkey store:editor')).toMatchObject({
      valid: true,
    });
  });

  test('again with the same bytes it does nothing and ends with 0; with others it ends with 5', async () => {
    const [before] = (await answer<{ items: ShownRelease[] }>('release list')).items;
    const again = await answer(ship('app.zip', '1.0.0'));
    expect(again).toEqual({ ...before, keyRegistered: false });
    // Whoever holds another key now may repeat the step of then as well.
    expect((await run(ship('app.zip', '1.0.0').replace('a.key', 'b.key'))).stderr).toContain('same bytes');
    const shared = await run(ship('app.zip', '1.0.0', ' --rollout 20%'));
    expect([shared.code, shared.stderr]).toEqual([0, expect.stringContaining('its rollout stays at 100%')]);
    expect(shared.stderr).toContain(`Next: appctl release rollout ${again.id} --percent 20`);
    bundle('other.zip', 'other bytes');
    expect(await failure(ship('other.zip', '1.0.0'))).toMatchObject({
      exit: 5,
      stdout: '',
      code: 'CONFLICT',
      details: { reason: 'VERSION_EXISTS', state: 'PUBLISHED' },
    });
  });

  test.each([
    ['another key', ship('app.zip', '1.1.0').replace('a.key', 'b.key'), 6, { reason: 'WRONG_KEY' }],
    ['a lower version', ship('app.zip', '0.9.0'), 5, { reason: 'VERSION_NOT_RISING', newest: '1.0.0' }],
    ['a prerelease on stable', ship('app.zip', '1.1.0-rc.1'), 2, { reason: 'CHANNEL_MISMATCH' }],
    ['no version', ship('app.zip', '1.1'), 2, {}],
    ['a version with a v', ship('app.zip', 'v1.1.0'), 2, {}],
    ['an absurd version', ship('app.zip', `1.0.0-${'1'.repeat(200)}`), 2, {}],
    ['a missing file', ship('missing.zip', '1.1.0'), 2, {}],
    ['a folder', ship('data', '1.1.0'), 2, {}],
    ['an unknown platform', ship('app.zip', '1.1.0', ' --platform beos'), 2, {}],
    ['an unknown product', ship('app.zip', '1.1.0').replace('editor', 'nope'), 3, {}],
    [
      'another digest',
      ship('app.zip', '1.1.0', ` --sha256 ${'0'.repeat(64)}`),
      6,
      { reason: 'HASH_MISMATCH' },
    ],
    ['no share', ship('app.zip', '1.1.0', ' --rollout 10.123%'), 2, {}],
    ['no time', ship('app.zip', '1.1.0', ' --at tomorrow'), 2, {}],
    ['a draft with a time', ship('app.zip', '1.1.0', ' --draft --at 2030-01-01'), 2, {}],
    ['an unsafe flag value', ship('app.zip', '1.1.0', ' --min-from __proto__'), 2, {}],
  ])('%s is refused, and no draft stays', async (_what, line, exit, details) => {
    const failed = await failure(line);
    expect({ exit: failed.exit, stdout: failed.stdout }).toEqual({ exit, stdout: '' });
    expect(failed.details).toMatchObject(details);
    expect(await versions()).toEqual(['1.0.0 PUBLISHED']);
  });

  test('an empty bundle is refused', async () => {
    bundle('empty.zip', '');
    expect(await failure(ship('empty.zip', '1.1.0'))).toMatchObject({
      exit: 2,
      message: 'empty.zip is empty',
    });
  });

  test('a wrong passphrase ends with 4 before the bundle is looked at', async () => {
    const notes = { comment: null, createdAt: '2026-01-02T03:04:05.000Z' };
    const closed = await encodePrivateKey(Buffer.alloc(32, 1), { value: 'right', tried: '' }, notes);
    writeFileSync(life.at('closed.key'), closed, { mode: 0o600 });
    writeFileSync(life.at('pass.txt'), 'wrong');
    const line = ship('missing.zip', '1.1.0', ' --passphrase-file pass.txt').replace('a.key', 'closed.key');
    expect(await failure(line)).toMatchObject({ exit: 4, details: { reason: 'WRONG_PASSPHRASE' } });
  });

  test('a version below the newest goes out with --backport, which tells how the newest stays in reach', async () => {
    const { items } = await answer<{ items: ShownRelease[] }>('release list --product editor');
    const newest = items[0] as ShownRelease;
    const { stdout, stderr } = await run(ship('app.zip', '0.9.1', ' --backport --json'));
    expect(JSON.parse(stdout)).toMatchObject({ version: '0.9.1', state: 'PUBLISHED' });
    const cure = `release promote ${newest.id} --to stable --key`;
    expect(stderr).toContain(`appctl ${cure} KEY`);
    expect(await answer(`${cure} a.key`)).toMatchObject({ version: newest.version, state: 'PUBLISHED' });
  });

  test('--draft stops before publishing; the next run takes the draft up with what it says', async () => {
    bundle('next.zip', 'the second bundle');
    const draft = await answer(ship('next.zip', '1.2.0', ' --draft --min-from 1.0.0'));
    expect(draft).toMatchObject({
      state: 'DRAFT',
      bundleSize: 17,
      minFromVersion: '1.0.0',
      publishedAt: null,
    });
    const line = ship('next.zip', '1.2.0', ' --changelog-file - --rollout 12.5%');
    const published = await answer(line, '- faster\n- <b>ünïcode</b>\n');
    expect(published).toMatchObject({
      id: draft.id,
      state: 'PUBLISHED',
      minFromVersion: null,
      changelog: '- faster\n- <b>ünïcode</b>',
      rollout: { percent: 12.5, effectivePercent: 12.5 },
    });
  });

  test('a draft that holds other bytes gets the new ones', async () => {
    const draft = await answer(ship('app.zip', '1.3.0', ' --draft'));
    const shipped = await answer(ship('next.zip', '1.3.0', ' --force'));
    expect([shipped.id, shipped.bundleSize]).toEqual([draft.id, 17]);
  });

  test('platform and processor take aliases, and tell releases of one version apart', async () => {
    const more =
      ' --platform win32 --arch amd64 --channel beta --at 2030-01-01 --statement-days 3000 --entitlement pro';
    const release = await answer(ship('app.zip', '1.3.0', more));
    expect(release).toMatchObject({
      platform: 'windows',
      arch: 'x64',
      channel: 'beta',
      publishedAt: '2030-01-01T00:00:00.000Z',
    });
    expect(await versions(' --platform windows --arch x86_64')).toEqual(['1.3.0 PUBLISHED']);
    expect((await run(ship('app.zip', '1.3.0', more))).stderr).toContain(
      '(windows x64) is already published',
    );
  });

  test('a release that was withdrawn is not shipped again', async () => {
    const [release] = (await answer<{ items: ShownRelease[] }>('release list --platform windows')).items;
    await answer(`release yank ${release?.id} --reason bad --yes`);
    expect(await failure(ship('app.zip', '1.3.0', ' --platform windows --arch x64'))).toMatchObject({
      exit: 5,
      details: { reason: 'VERSION_EXISTS', state: 'YANKED' },
    });
  });

  test('--tauri and --sparkle sign for other updaters too', async () => {
    await answer(ship('app.zip', '1.4.0', ' --tauri --sparkle --platform darwin'));
    const { extra } = JSON.parse(readFileSync(life.at('app.zip.sig.json'), 'utf8'));
    expect(Object.keys(extra)).toEqual(['tauri', 'sparkle']);
    const feed = 'release feed --product editor --base-url https://cdn.example.com/e --out feeds --format';
    await answer<object>(`${feed} tauri`);
    const tauri = JSON.parse(readFileSync(life.at('feeds/stable.json'), 'utf8'));
    expect(tauri.version).toBe('1.4.0');
    await answer<object>(`${feed} appcast`);
    const [, signature = ''] =
      /edSignature="([^"]+)"/.exec(readFileSync(life.at('feeds/stable.xml'), 'utf8')) ?? [];
    const key = keyOf(1);
    expect(signature).toBe(key.sign(readFileSync(life.at('app.zip'))).toString('base64'));
  });
});

describe('release sign --publish', () => {
  test('goes on as release ship', async () => {
    const line = 'release sign app.zip --key a.key --product editor --version 1.5.0 --publish --comment ours';
    expect(await answer(line)).toMatchObject({ version: '1.5.0', state: 'PUBLISHED', keyRegistered: false });
    expect(JSON.parse(readFileSync(life.at('app.zip.sig.json'), 'utf8'))).toMatchObject({ comment: 'ours' });
    rmSync(life.at('app.zip.sig.json'));
  });

  test.each([
    ['release sign app.zip --key a.key --publish', '--publish needs --product'],
    ['release sign app.zip --key a.key --publish --product editor', '--publish needs --version'],
    ['release sign app.zip other.zip --key a.key --publish --product editor --version 2.0.0', 'one file'],
    ['release sign app.zip --key a.key --publish --product editor --version 2.0.0 --format base64', 'appctl'],
    ['release sign app.zip --key a.key --server https://x.test', '--server needs --publish'],
  ])('%s ends with 2', async (line, says) => {
    const failed = await failure(line);
    expect([failed.exit, failed.message]).toEqual([2, expect.stringContaining(says)]);
  });
});

describe('after a rotation', () => {
  const next = (version: string, more = '') =>
    ship('app.zip', version, ` --force${more}`).replace('a.key', 'b.key');

  test('the NEXT key signs nothing yet, and the way on is named', async () => {
    await answer<object>('keys import b.key --product editor');
    expect(await failure(next('1.6.0'))).toMatchObject({
      exit: 6,
      hint: `sign it with the key ${keyOf(1).keyId}; ${keyOf(2).keyId} takes over when its rotation is due, or with appctl keys activate ${keyOf(2).keyId}`,
      details: { reason: 'WRONG_KEY', activeKeyId: keyOf(1).keyId },
    });
  });

  test('the first release of the new key warns unless --min-from says where it follows on', async () => {
    const activate = `keys activate ${keyOf(2).keyId} --yes`;
    expect(await failure(activate)).toMatchObject({
      exit: 5,
      hint: expect.stringContaining('--strand-old-clients'),
      details: { reason: 'NO_BRIDGING_RELEASE', stranded: ['any platform', 'darwin'] },
    });
    expect((await run(activate)).stderr).toContain('No published release bridges from key');
    expect((await run(activate.replace('--yes', '--strand-old-clients'))).stderr).toMatch(
      /confirmation needed: this will .*retire \w{16} for good; clients on any platform, darwin that know only \w{16} will get no more updates/,
    );
    await answer<object>(`${activate} --strand-old-clients`);
    const said = async (line: string) => (await run(line)).stderr;
    expect(await said(next('1.6.0', ' -n --min-from 1.5.0'))).not.toContain('warning');
    expect(await said(next('1.6.0'))).toContain('warning: 1.5.0 is signed by another key');
    expect(await said(next('1.7.0'))).not.toContain('warning');
    expect(await failure(ship('app.zip', '1.8.0'))).toMatchObject({
      exit: 6,
      details: { reason: 'WRONG_KEY' },
    });
  });
});
