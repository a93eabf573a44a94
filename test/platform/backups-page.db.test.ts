// Backups as staff sees them: the page with its age and progress, the API, the download, and who may what.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { holdFile } from '#kernel/db/held-file.ts';
import { schedulerOf } from '#kernel/jobs/scheduler-in-force.ts';
import { newestBackup, noteBackup, verifyBy } from '#platform/backup/index.ts';
import { keepBackupNote, readBackupNote } from '#platform/installation/index.ts';
import { backUpHere } from '../../src/app/backup/scheduled.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { member, rowsOf, textOf } from './panel/staff.ts';

const PATH = '/admin/system/backups';
const API = 'backups';

let app: TestApp;
let folder: string;
beforeAll(async () => {
  app = await startApp();
  folder = join(app.instance.config.dataDir, 'backups');
  backUpHere(app.instance, { config: null, envFile: null, variables: {} });
});
afterAll(() => app.close());
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const shown = async (browser: Browser, path = PATH) => {
  const { status, text } = await browser.open(path);
  expect(status).toBe(200);
  return { html: text, text: textOf(text) };
};

const press = async (browser: Browser) => {
  const { html } = await shown(browser);
  return browser.post(PATH, { _csrf: tokenIn(html) });
};

const listOf = (html: string) => rowsOf(html.replaceAll('class="rows words"', 'class="rows"'));

/** Writes files of these names as somebody else would. */
function laid(...names: string[]): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(join(folder, name), 'bytes of a backup');
}

it('says that there is none, makes one, shows it, and shows its commands with its name', async () => {
  const { browser } = await member(app);
  expect((await shown(browser)).text).toContain('No backup yet.');
  const { status, headers } = await press(browser);
  expect([status, headers.location]).toEqual([303, PATH]);
  await expect.poll(() => existsSync(folder), { timeout: 60_000 }).toBe(true);
  await expect
    .poll(async () => (await shown(browser)).text, { timeout: 60_000 })
    .not.toContain('is being made');
  const { html, text } = await shown(browser);
  expect(text).toMatch(/Last verified backup OK (?:now|1 minute ago)/);
  const [[, , state, , file = ''] = []] = listOf(html);
  expect(file).toMatch(/^appctl-backup-.*Z\.tar\.zst$/);
  expect(state).toBe('Verified');
  const one = await shown(browser, `${PATH}/${file}`);
  expect(one.text).toContain(`appctl restore ${file} --data-dir ${app.instance.config.dataDir}`);
  expect(one.text).toContain('asks you to type appctl before');
}, 120_000);

it('verifies one at a time', async () => {
  laid('appctl-backup-20260105T030000Z.tar.zst');
  const owner = await app.adminToken('owner', { isInstanceWide: true });
  const ask = () =>
    app.admin('/backups/appctl-backup-20260105T030000Z.tar.zst/verify', owner, { method: 'POST' });
  let end = (): void => undefined;
  const over = new Promise<void>((resolve) => {
    end = resolve;
  });
  verifyBy(app.ctx, async () => {
    await over;
    return { tables: 1 };
  });
  const both = await Promise.all([ask(), ask()]);
  expect(both.map(({ status }) => status).toSorted()).toEqual([202, 409]);
  const refused = await ask();
  expect([refused.status, refused.body.error?.message]).toEqual([
    409,
    'A backup is being verified. Try again when that is done.',
  ]);
  end();
  await expect.poll(async () => (await ask()).status).toBe(202);
});

it('is told of backups that other servers of the database made, and keeps the newest', async () => {
  const { config, database } = app.instance;
  const isShared = database.dialect !== 'sqlite';
  // The one that was made above; a SQLite file has one server, which needs to tell nobody.
  expect((await readBackupNote(app.ctx))?.target.includes('/appctl-backup-') ?? false).toBe(isShared);
  const note = { createdAt: '2099-01-02T00:00:00.000Z', target: 's3://b/x', sizeBytes: 1, encrypted: true };
  await keepBackupNote(app.ctx, note);
  await keepBackupNote(app.ctx, { ...note, createdAt: '2099-01-01T00:00:00.000Z' });
  const newest = await newestBackup(config, app.ctx);
  expect(newest?.createdAt === note.createdAt).toBe(isShared);
  // A clock that was wrong must not hide what is made when it is right again.
  await keepBackupNote(app.ctx, { ...note, createdAt: '2026-01-01T00:00:00.000Z' });
  expect((await readBackupNote(app.ctx))?.createdAt === '2026-01-01T00:00:00.000Z').toBe(isShared);
  noteBackup(config, note);
  noteBackup(config, { ...note, createdAt: '2026-01-02T00:00:00.000Z' });
  expect((await newestBackup(config, app.ctx))?.createdAt).toBe('2026-01-02T00:00:00.000Z');
  await app.ctx.tx(({ db }) => db.knex('settings').where({ key: 'system.last_backup' }).delete());
}, 60_000);

it('shows how far a backup is that another process makes, and none of one that died', async () => {
  const { browser } = await member(app);
  const work = join(app.instance.config.dataDir, 'backup-work/0123');
  mkdirSync(work, { recursive: true });
  const progress = { startedAt: '2026-01-01T03:00:00.000Z', stage: 'packing', done: 30, total: 40 };
  writeFileSync(join(work, 'progress.json'), JSON.stringify(progress));
  const held = await holdFile(join(work, 'lock'));
  expect((await shown(browser)).text).toContain('A backup is being made: Packing, 75 percent.');
  const token = await app.adminToken('owner', { isInstanceWide: true });
  const { body } = await app.admin(`/${API}`, token, { method: 'GET' });
  expect(body.underWay).toEqual(progress);
  held?.release();
  expect((await shown(browser)).text).not.toContain('is being made');
  rmSync(work, { recursive: true });
});

it('a download needs the permission and the password, sends the bytes as they are, and is on record', async () => {
  const name = 'appctl-backup-20260105T030000Z.tar.zst.age';
  laid(name);
  const token = await app.adminToken('owner', { isInstanceWide: true });
  const url = `/${API}/${name}/download`;
  const reply = await app.admin(url, token, { method: 'GET' });
  expect([reply.status, reply.text]).toEqual([200, 'bytes of a backup']);
  expect(reply.headers['content-disposition']).toBe(`attachment; filename="${name}"`);
  const { knex } = app.instance.database.db;
  const rows = await knex('audit_log').where({ action: 'BACKUP_DOWNLOADED', target_id: name });
  expect(rows).toMatchObject([{ actor_id: token.id, target_type: 'backups' }]);
  const manager = await member(app, ['system:write']);
  const { text } = await shown(manager.browser, `${PATH}/${name}`);
  expect(text).not.toContain('Download');
  expect((await manager.browser.open(`${PATH}/${name}/download`)).status).toBe(403);
  const owner = await member(app);
  expect((await owner.browser.open(`${PATH}/${name}/download`)).text).toBe('bytes of a backup');
  app.clock.advance(1200);
  const again = await owner.browser.open(`${PATH}/${name}/download`);
  expect([again.status, again.headers.location]).toEqual([
    303,
    `/admin/sudo?next=${encodeURIComponent(`${PATH}/${name}`)}`,
  ]);
});

it('what is not a backup is not found, whatever its name leads to', async () => {
  laid('appctl-backup-20260105T030000Z.tar.zst');
  writeFileSync(join(folder, 'other.txt'), 'private');
  const token = await app.adminToken('owner', { isInstanceWide: true });
  const { browser } = await member(app);
  for (const name of [
    'other.txt',
    '../master.key',
    '..%2Fmaster.key',
    'appctl-backup-20260106T030000Z.tar.zst',
  ]) {
    const encoded = name.includes('%') ? name : encodeURIComponent(name);
    const { status, text } = await app.admin(`/${API}/${encoded}/download`, token, { method: 'GET' });
    expect([name, status]).toEqual([name, 404]);
    expect(text).not.toContain('private');
    expect((await browser.open(`${PATH}/${encoded}`)).status).toBe(404);
  }
});

it('who only looks has no button, and is refused; so is who sees one tenant', async () => {
  const { browser } = await member(app, ['system:read']);
  const { html } = await shown(browser);
  expect(html).not.toContain('Back up now');
  expect((await browser.post(PATH, { _csrf: tokenIn(html) })).status).toBe(403);
  const confined = await member(app, undefined, app.ctx.tenantId ?? '');
  expect((await confined.browser.open(PATH)).status).toBe(403);
  const token = await app.adminToken('viewer', { isInstanceWide: true });
  expect((await app.admin(`/${API}`, token, { method: 'POST' })).status).toBe(403);
  expect((await app.admin(`/${API}`, token, { method: 'GET' })).status).toBe(200);
});

it('says on the page why the last run failed, and that a folder cannot be read', async () => {
  const { browser } = await member(app);
  writeFileSync(folder, '');
  expect((await schedulerOf(app.ctx).run(app.ctx, 'backup', true)).status).toBe('failed');
  const { text } = await shown(browser);
  expect(text).toContain('The last run failed: the backup folder');
  expect(text).toContain('The backups cannot be listed: the backup folder');
  expect(text).toContain('set backup.dir to a folder');
}, 60_000);

it('an archive that changed since is shown as not verified', async () => {
  const { browser } = await member(app);
  const name = 'appctl-backup-20260105T030000Z.tar.zst';
  laid(name);
  const bytes = readFileSync(join(folder, name));
  const sidecar = {
    file: name,
    createdAt: '2026-01-05T03:00:00.000Z',
    sizeBytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
    version: '0.1.0',
    schemaVersion: '0001-first',
    database: 'sqlite',
    label: null,
    verifiedAt: '2026-01-05T03:00:01.000Z',
    encrypted: false,
    installation: 'ins_1',
    masterKeyId: 'abcdef01',
  };
  const say = (createdAt: string) =>
    writeFileSync(join(folder, `${name}.json`), JSON.stringify({ ...sidecar, createdAt }));
  const state = async () => listOf((await shown(browser)).html)[0]?.[2];
  // Its name may be that of a second soon after, when several are made in one.
  for (const createdAt of [
    '2026-01-05T02:59:58.700Z',
    '2026-01-05T03:00:00.000Z',
    '2026-01-05T03:00:00.999Z',
  ]) {
    say(createdAt);
    expect([createdAt, await state()]).toEqual([createdAt, 'Verified']);
  }
  for (const createdAt of [
    '2026-01-05T02:58:00.000Z',
    '2026-01-05T03:00:01.000Z',
    '2099-01-01T00:00:00.000Z',
  ]) {
    say(createdAt);
    expect([createdAt, await state()]).toEqual([createdAt, 'Not verified']);
    const one = await shown(browser, `${PATH}/${name}`);
    expect(one.text).toContain('Check it before you rely on it');
    expect(one.html).not.toContain('2099');
  }
  say(sidecar.createdAt);
  writeFileSync(join(folder, name), 'fewer');
  expect(listOf((await shown(browser)).html)[0]?.[2]).toBe('Not verified');
  expect((await shown(browser, `${PATH}/${name}`)).text).toContain('Check it before you rely on it');
});
