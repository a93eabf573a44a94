// The system page: every check of `appctl doctor` with what it found, repairs on record, versions, queues, configuration.
import { chmodSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { largestTables } from '#kernel/db/condition.ts';
import { listTables } from '#kernel/db/schema.ts';
import * as tenants from '#platform/tenants/index.ts';
import { checks } from '../../src/app/capabilities.ts';
import { member, rowsOf, textOf } from '../platform/panel/staff.ts';
import { startApp, type TestApp } from '../support/app.ts';
import { type Browser, tokenIn } from '../support/browser.ts';
import { runJob } from '../support/jobs.ts';

const PATH = '/admin/system';

let app: TestApp;
beforeAll(async () => {
  app = await startApp({ metricsToken: 'scrape-me-please' });
});
afterAll(() => app.close());

const linesOf = (html: string): string[][] =>
  rowsOf(html.replaceAll(/class="rows words[^"]*"/g, 'class="rows"'));

const bytesIn = (text: string): number => {
  const [figure = '', unit = ''] = text.split(' ');
  return Number(figure.replaceAll(',', '')) * 1024 ** ['B', 'KiB', 'MiB', 'GiB'].indexOf(unit);
};

const lineOf = (html: string, id: string): string[] | undefined =>
  linesOf(html).find(([first = '']) => first.endsWith(` ${id}`));

/** While the folder of pictures is a file. */
async function lose(work: () => Promise<void>): Promise<void> {
  const media = join(app.instance.config.dataDir, 'media');
  writeFileSync(media, '');
  try {
    await work();
  } finally {
    rmSync(media);
  }
}

async function act(browser: Browser, check: string, what: 'run' | 'fix', path = PATH) {
  const { text } = await browser.open(path);
  return browser.post(path, { _csrf: tokenIn(text), check, act: what });
}

describe('the system page', () => {
  it('has a line for each check, and waits for a word with those that take long', async () => {
    const { browser } = await member(app);
    const { status, text } = await browser.open(PATH);
    expect(status).toBe(200);
    const ids = linesOf(text).map(([first = '']) => first.split(' ').at(-1));
    expect([...ids].sort()).toEqual(checks.map(({ id }) => id).sort());
    const states = linesOf(text).map(([, state]) => state);
    expect(states.lastIndexOf('Warning')).toBeLessThan(states.indexOf('OK'));
    expect(lineOf(text, 'db.migrations')?.slice(1, 3)).toEqual(['OK', 'every migration is applied']);
    expect(lineOf(text, 'admin.owner-exists')?.[1]).toBe('Warning');
    expect(lineOf(text, 'db.integrity')?.[1]).toBe('Not run yet');
    expect(textOf(text)).toContain(`Node.js ${process.version}`);
    expect(textOf(text)).toMatch(/Database (?:SQLite|PostgreSQL) [\d.]+.*?, [\d.]+ MiB/);
  });

  it('is what the first page counts, and leads to', async () => {
    const { browser } = await member(app);
    const warned = linesOf((await browser.open(`${PATH}?state=warn`)).text).map(([first]) => first);
    expect(warned.join()).toContain('keys.master-kept');
    const home = (await browser.open('/admin/')).text;
    // What is to be done before a launch is no trouble.
    const advice = textOf(home.slice(home.indexOf('<h2 id="advice">')));
    expect(advice).toMatch(/Before you launch \d+ recommendations: /);
    await lose(async () => {
      await browser.open(PATH);
      const troubled = (await browser.open('/admin/')).text;
      const attention = textOf(
        troubled.slice(troubled.indexOf('<h2 id="todo">'), troubled.indexOf('<h2 id="advice">')),
      );
      expect(attention).toContain('1 system check failed: picture storage');
    });
    const other = await member(app, ['licensing:read']);
    expect((await other.browser.open('/admin/')).text).not.toContain('/admin/system?state');
  });

  it('shows what the installation takes on disk, the largest tables first', async () => {
    const { browser } = await member(app);
    const { text } = await browser.open(PATH);
    const storage = text.slice(text.indexOf('<h2 id="storage">'), text.indexOf('<h2 id="configuration">'));
    expect(textOf(storage)).toMatch(/Database [\d.,]+ [KM]iB/);
    expect(textOf(storage)).toMatch(/Free on the disk [\d.,]+ [KMGT]iB/);
    expect(textOf(storage)).toContain('Purchase events on disk 0 waiting, 0 B');
    const rows = rowsOf(storage);
    expect(rows).toHaveLength(10);
    const names = await listTables(app.instance.database.db);
    expect(rows.every(([name = '']) => names.includes(name))).toBe(true);
    const sizes = rows.map(([, size = '']) => bytesIn(size));
    expect(sizes).toEqual(sizes.toSorted((one, other) => other - one));
    expect(sizes.every((size) => size > 0)).toBe(true);
    const { database } = app.instance;
    const large = await largestTables(database, names.length + 1, 1_000_000_000);
    expect(large.map(({ name }) => name).sort()).toEqual(names);
    const measures = large.map(({ rows, bytes }) => (database.dialect === 'sqlite' ? rows : bytes) ?? 0);
    expect(measures).toEqual(measures.toSorted((one, other) => other - one));
  });

  it('shows some of them by state and category', async () => {
    const { browser } = await member(app);
    const warned = linesOf((await browser.open(`${PATH}?state=warn`)).text);
    expect(warned.length).toBeGreaterThan(0);
    expect(new Set(warned.map(([, state]) => state))).toEqual(new Set(['Warning']));
    const ofDatabase = linesOf((await browser.open(`${PATH}?category=db`)).text);
    expect(ofDatabase.every(([first = '']) => /db\.[a-z-]+$/.test(first))).toBe(true);
    const hostile = await browser.open(`${PATH}?category=${encodeURIComponent('"><script>')}&state=nothing`);
    expect([hostile.status, hostile.text.includes('"><script>')]).toEqual([200, false]);
    expect(hostile.text).toContain('No checks match');
  });

  it('runs what takes long by itself, keeps what it found, and says how long ago that was', async () => {
    const { browser } = await member(app);
    await app.ctx.tx(({ db }) => db.knex('check_results').delete());
    expect(await runJob(app.ctx, 'system-checks')).toMatchObject({ fail: 0 });
    expect(lineOf((await browser.open(PATH)).text, 'db.integrity')?.[1]).toBe('OK now');
    await app.ctx.tx(({ db }) =>
      db
        .knex('check_results')
        .where({ check_id: 'releases.files-present' })
        .update({ status: 'fail', message: 'a bundle is missing' }),
    );
    app.clock.advance(480);
    const [, state, found] = lineOf((await browser.open(PATH)).text, 'releases.files-present') ?? [];
    expect([state, found]).toEqual(['Failed 8 minutes ago', expect.stringContaining('a bundle is missing')]);
    expect(textOf((await browser.open('/admin/')).text)).toContain('1 system check failed: the bundles of');
    // Hourly ones are due again, daily ones are not.
    app.clock.advance(3600);
    const again = await runJob(app.ctx, 'system-checks');
    const hourly = checks.filter(({ isLong }) => isLong === 'hourly').length;
    expect(Object.values(again).reduce((sum, one) => sum + one, 0)).toBe(hourly);
    expect(lineOf((await browser.open(PATH)).text, 'releases.files-present')?.[1]).toBe('OK now');
    expect(lineOf((await browser.open(PATH)).text, 'db.integrity')?.[1]).toBe('OK 1 hour ago');
    await app.ctx.tx(({ db }) => db.knex('check_results').delete());
  });

  it('runs what takes long when somebody asks, one or all', async () => {
    const { browser } = await member(app);
    const one = await act(browser, 'db.integrity', 'run');
    expect(lineOf(one.text, 'db.integrity')?.slice(1, 3)).toEqual(['OK', 'nothing is damaged']);
    expect(lineOf(one.text, 'license.invariants')?.[1]).toBe('Not run yet');
    expect(textOf(one.text)).toMatch(/db\.integrity: OK after \d+ ms\./);
    const all = await act(browser, 'all', 'run');
    expect(all.text).toContain(`${checks.length} checks ran.`);
    expect(all.text).not.toContain('Not run yet');
    const unknown = await act(browser, '<script>', 'run');
    expect([unknown.status, unknown.text.includes('check <script>')]).toEqual([422, false]);
  });

  it('repairs what can be repaired as doctor --fix does, on record', async () => {
    const { browser } = await member(app);
    const { dataDir } = app.instance.config;
    chmodSync(dataDir, 0o755);
    const { text } = await browser.open(PATH);
    const [, state, , buttons] = lineOf(text, 'env.file-permissions') ?? [];
    expect(state).not.toBe('OK');
    expect(buttons).toContain('Fix');
    const fixed = await act(browser, 'env.file-permissions', 'fix');
    expect(lineOf(fixed.text, 'env.file-permissions')?.[1]).toBe('Repaired');
    expect(statSync(dataDir).mode & 0o077).toBe(0);
    const log = await browser.open('/admin/audit-log?targetType=checks');
    expect(rowsOf(log.text)[0]).toContain('checks env.file-permissions');
  });

  it('shows the configuration with its sources and without its secrets', async () => {
    const { browser } = await member(app);
    const { text } = await browser.open(PATH);
    expect(textOf(text)).toContain('data_dir');
    expect(textOf(text)).toMatch(/metrics\.token \*\*\*\* APPCTL_METRICS_TOKEN/);
    expect(text).not.toContain('scrape-me-please');
  });

  it('is for the whole installation, and acts for who may change it', async () => {
    const reader = await member(app, ['system:read']);
    const { status, text } = await reader.browser.open(PATH);
    expect([status, text.includes('name="act"')]).toEqual([200, false]);
    expect((await act(reader.browser, 'db.wal', 'run')).status).toBe(403);
    const seller = await member(app, ['licensing:write']);
    expect((await seller.browser.open(PATH)).status).toBe(403);
    const { id } = await tenants.create(app.ctx, { slug: 'other', name: 'Other' });
    const confined = await member(app, ['system:read', 'system:write'], id);
    expect((await confined.browser.open(PATH)).status).toBe(403);
  });
});
