import { writeFileSync } from 'node:fs';
import { beforeAll, describe, expect, test } from 'vitest';
import { type ShownRelease, useReleaseLife } from './release-life.ts';

const life = useReleaseLife();
const { answer, failure, bundle, run } = life;
const shipped = (version: string, more = '') =>
  answer(`release ship app.zip --product editor --version ${version} --key a.key --backport${more}`);

describe('release create, upload and publish', () => {
  test('make a draft, fill it and publish it step by step', async () => {
    const draft = await answer('release create --product editor --version 1.0.0 --critical');
    expect(draft).toMatchObject({ state: 'DRAFT', bundleSha256: null, isCritical: true });
    expect(await failure(`release publish ${draft.id}`)).toMatchObject({
      exit: 5,
      details: { reason: 'NO_BUNDLE' },
    });
    expect(await answer(`release upload ${draft.id} app.zip`)).toMatchObject({ bundleSize: 16, keyId: null });
    expect(await failure(`release publish ${draft.id}`)).toMatchObject({
      exit: 6,
      details: { reason: 'UNSIGNED' },
    });
    expect(await answer(`release upload ${draft.id} app.zip --key a.key -n`)).toMatchObject({ dryRun: true });
    await answer(`release upload ${draft.id} app.zip --key a.key`);
    expect((await run('release sign app.zip --key a.key --force')).code).toBe(0);
    const bare = await run(`release upload ${draft.id} app.zip`);
    expect([bare.code, bare.stderr]).toEqual([0, expect.stringContaining('1.0.0 has no signed statement')]);
    await answer(`release upload ${draft.id} app.zip --key a.key`);
    const missing = await failure(`release publish ${draft.id}`);
    expect(missing).toMatchObject({ exit: 5, details: { reason: 'NO_ACTIVE_KEY' } });
    await answer('keys import a.key --product editor');
    expect(await answer(`release publish ${draft.id} -n`)).toMatchObject({
      state: 'PUBLISHED',
      dryRun: true,
    });
    const line = 'release publish --product editor --version 1.0.0 --rollout 10 --at 2030-01-01';
    expect(await failure(line)).toMatchObject({ exit: 6, details: { reason: 'STATEMENT_EXPIRES_SOON' } });
    expect(await answer(line.replace(/ --at.*/, ''))).toMatchObject({
      id: draft.id,
      state: 'PUBLISHED',
      rollout: { percent: 10 },
    });
    expect(await failure(`release publish ${draft.id}`)).toMatchObject({
      exit: 5,
      details: { reason: 'NOT_DRAFT' },
    });
    expect(await failure('release create --product editor --version 1.0.0')).toMatchObject({
      exit: 5,
      details: { reason: 'VERSION_EXISTS' },
    });
  });

  test('a release that the SDK would refuse for lack of a statement is published with a warning', async () => {
    await answer(`release sign ${bundle('bare.zip', 'a bare bundle')} --key a.key`);
    const { id } = await answer(
      'release create --product editor --version 0.9.0 --channel nightly --bundle bare.zip',
    );
    const { code, stderr } = await run(`release publish ${id} -n`);
    expect([code, stderr]).toEqual([0, expect.stringContaining('updates.requireStatement')]);
    await answer(`release delete ${id}`);
  });

  test('the signature file beside the bundle is taken', async () => {
    bundle('signed.zip', 'a signed bundle');
    const about = '--product editor --version 1.1.0 --channel beta';
    await answer(`release sign signed.zip --key a.key ${about}`);
    const draft = await answer(`release create ${about} --bundle signed.zip`);
    expect(draft).toMatchObject({
      state: 'DRAFT',
      bundleSize: 15,
      keyId: expect.stringMatching(/^[0-9a-f]{16}$/),
    });
    expect(await answer(`release publish ${draft.id}`)).toMatchObject({
      state: 'PUBLISHED',
      channel: 'beta',
    });
  });

  test('a signature file of other bytes ends with 6 before anything is sent', async () => {
    bundle('signed.zip', 'a changed bundle');
    const draft = await answer('release create --product editor --version 1.2.0');
    const refused = await failure(`release upload ${draft.id} signed.zip`);
    expect(refused).toMatchObject({ exit: 6, message: 'signed.zip is not the file that was signed' });
    const create = 'release create --product editor --version 1.9.9 --bundle signed.zip';
    expect((await failure(create)).exit).toBe(6);
    // The draft that was made for it is gone: the same command works when its mistake is mended.
    expect(await answer(`${create} --key a.key -n`)).toMatchObject({ version: '1.9.9', dryRun: true });
    writeFileSync(life.at('bad.sig'), 'no signature at all');
    expect((await failure(`release upload ${draft.id} app.zip --sig bad.sig`)).exit).toBe(6);
    expect((await failure(`release upload ${draft.id} app.zip --sig none.sig`)).exit).toBe(2);
    expect(await answer(`release show ${draft.id}`)).toMatchObject({ bundleSha256: null });
    expect(await answer<object>(`release delete ${draft.id} -n`)).toMatchObject({
      changed: false,
      dryRun: true,
    });
    expect(await answer<object>(`release delete ${draft.id}`)).toEqual({
      ok: true,
      action: 'deleted',
      id: draft.id,
      changed: true,
    });
    expect((await failure(`release show ${draft.id}`)).exit).toBe(3);
  });

  test.each([
    ['release create --product editor --version 2.0.0 --key a.key', '--key needs --bundle'],
    [
      'release create --product editor --version 2.0.0 --bundle app.zip --sequence 5',
      '--sequence needs --key',
    ],
    [
      'release create --product editor --version 2.0.0 --bundle app.zip --key a.key --sig x',
      'cannot be used together',
    ],
    ['release create --product editor', '--version is required'],
    ['release create --product editor --version 1.x', '--version'],
    ['release publish', 'ID is missing'],
    ['release publish rel_1 --version 1.0.0', '--version cannot be used with an ID'],
    ['release rollout rel_1', 'nothing to change'],
    ['release rollout rel_1 --percent 100.5', 'is not a percentage'],
    ['release rollout rel_1 --schedule 2027-01-01', 'not a step'],
    ['release rollout rel_1 --schedule 2027-01-01=5 --clear-schedule', 'cannot be used together'],
    ['release yank rel_1 --yes', '--reason is required'],
    ['release promote rel_1 --to everybody', 'one of'],
  ])('%s ends with 2', async (line, says) => {
    const failed = await failure(line);
    expect({ exit: failed.exit, text: `${failed.message} ${failed.hint}` }).toEqual({
      exit: 2,
      text: expect.stringContaining(says),
    });
  });

  test.each([
    'release show rel_none',
    'release publish --product editor --version 8.0.0',
    'release publish --product nope --version 8.0.0',
    'release list --product nope',
    'release stats rel_none',
    'release archive rel_none',
  ])('%s ends with 3', async (line) => {
    expect((await failure(line)).exit).toBe(3);
  });
});

describe('a release that is out', () => {
  let release: ShownRelease;
  beforeAll(async () => {
    release = await shipped('3.0.0', ' --channel rc');
  });

  test('yank asks, withdraws and says why; unyank takes it back', async () => {
    const refused = await failure(`release yank ${release.id} --reason broken`);
    expect(refused).toMatchObject({ exit: 10, code: 'CONFIRMATION_REQUIRED', details: { flag: '--yes' } });
    expect(await answer(`release yank ${release.id} --reason broken -n`)).toMatchObject({ state: 'YANKED' });
    expect(await answer(`release show ${release.id}`)).toMatchObject({ state: 'PUBLISHED' });
    expect(await answer(`release yank ${release.id} --reason broken --yes`)).toMatchObject({
      state: 'YANKED',
      yankedReason: 'broken',
    });
    const again = await run(`release yank ${release.id} --reason broken --yes`);
    expect(again.stderr).toMatch(/^\S+ 3\.0\.0.* was already withdrawn$/m);
    const share = await run(`release rollout ${release.id} --percent 40`);
    expect(share.stderr).toMatch(
      /which is withdrawn: it is offered to nobody until appctl release unyank rel_\w+/,
    );
    expect((await run(`release rollout ${release.id} --percent 100`)).code).toBe(0);
    expect((await failure(`release unyank ${release.id}`)).exit).toBe(10);
    const back = await answer(`release unyank ${release.id} --reason harmless --yes`);
    expect(back).toEqual({ ...release, keyRegistered: undefined });
  });

  test('promote signs the statement for the new channel', async () => {
    const without = await failure(`release promote ${release.id} --to stable`);
    expect(without).toMatchObject({ exit: 2, message: expect.stringContaining('--key is required') });
    const other = await failure(`release promote ${release.id} --to stable --key b.key`);
    expect(other).toMatchObject({ exit: 6 });
    expect(await answer(`release promote ${release.id} --to stable --key a.key`)).toMatchObject({
      channel: 'stable',
      bundleSha256: release.bundleSha256,
    });
  });

  test('upload puts the bytes of a release back, though the signature file is that of its old channel', async () => {
    const { bundleSha256 } = release;
    writeFileSync(life.at(`data/bundles/${bundleSha256?.slice(0, 2)}/${bundleSha256}`), 'damaged');
    expect(await answer(`release upload ${release.id} app.zip`)).toMatchObject({
      state: 'PUBLISHED',
      channel: 'stable',
    });
    expect((await failure(`release upload ${release.id} app.zip --sig app.zip.sig.json`)).exit).toBe(6);
  });

  test('renew makes the statement last longer, and nothing else', async () => {
    const renewed = await answer(`release renew ${release.id} --key a.key --statement-days 900`);
    expect(renewed).toMatchObject({ state: 'PUBLISHED', channel: 'stable' });
    expect((await run(`release show ${release.id}`)).stdout).toMatch(/statement until .*in 2 years/);
    expect((await failure(`release renew ${release.id} --key a.key --statement-days 10`)).exit).toBe(6);
  });

  test('rollout sets the share and the schedule, pauses and resumes', async () => {
    const line = `release rollout ${release.id}`;
    const scheduled = await answer(`${line} --percent 5% --schedule 2001-01-01=50 --schedule 2999-01-01=100`);
    expect(scheduled.rollout).toEqual({ percent: 5, effectivePercent: 50, paused: false });
    expect((await answer(`${line} --pause`)).rollout).toEqual({
      percent: 50,
      effectivePercent: 50,
      paused: true,
    });
    expect((await answer(`${line} --resume`)).rollout.paused).toBe(false);
    expect((await run(`release show ${release.id}`)).stdout).toContain('100% from 2999-01-01');
    expect((await answer(`${line} --clear-schedule`)).rollout.percent).toBe(50);
    const same = await run(`${line} --percent 50`);
    expect(same.stderr).toMatch(/^the rollout of .* was already so$/m);
    expect((await answer(`${line} --percent 0`)).rollout).toEqual({
      percent: 0,
      effectivePercent: 0,
      paused: false,
    });
  });

  test('archive stops offering it; a published release cannot be deleted', async () => {
    expect(await answer(`release archive ${release.id}`)).toMatchObject({ state: 'ARCHIVED' });
    expect(await failure(`release delete ${release.id}`)).toMatchObject({
      exit: 5,
      details: { reason: 'NOT_DRAFT' },
    });
  });

  test('--unpublish-file deletes the bytes; then it cannot come back', async () => {
    bundle('gone.zip', 'bytes of one release alone');
    const gone = await answer('release ship gone.zip --product editor --version 4.0.0 --key a.key');
    await answer(`release yank ${gone.id} --reason secret --unpublish-file --yes`);
    expect(await failure(`release unyank ${gone.id} --yes`)).toMatchObject({
      exit: 5,
      details: { reason: 'FILE_MISSING' },
    });
  });

  test('stats and lists have their forms for people and programs', async () => {
    expect(await answer<object>(`release stats ${release.id}`)).toEqual({
      id: release.id,
      checks: 0,
      offers: 0,
      downloads: 0,
      fromVersions: [],
      days: [],
    });
    expect((await run(`release stats ${release.id}`)).stdout).toContain('0 checks, 0 offers, 0 downloads');
    const table = (await run('release list --channel beta')).stdout;
    expect(table).toMatch(/editor +1\.1\.0 +beta +any +PUBLISHED +100% +15 B/);
    const page = await answer<{ items: ShownRelease[]; pagination: object }>(
      'release list --limit 1 --page 2',
    );
    expect([page.items.length, page.pagination]).toEqual([1, { page: 2, limit: 1, total: 4, totalPages: 4 }]);
  });
});
