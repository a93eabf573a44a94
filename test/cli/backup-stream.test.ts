// The stream of backups: a server ships what is committed, whoever commits it, and a restore to a moment has exactly that.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { runInside } from '../support/cli-inside.ts';
import { errorOf, program } from '../support/cli-process.ts';
import { type S3Server, startS3Server } from '../support/s3-server.ts';
import { scratchFolder } from '../support/scratch-folder.ts';
import { eventually, type ServerProcess, startServer } from '../support/server-process.ts';

let folder: string;
let server: ServerProcess | null;
beforeEach(async () => {
  folder = scratchFolder('appctl-stream-');
  server = null;
  await run(['setup', '--owner-email', 'a@x.test', '--generate-password']);
});
afterEach(async () => {
  await server?.stop('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

type Env = Record<string, string>;
const ON: Env = { APPCTL_BACKUP_STREAM: 'on' };
const run = (words: readonly string[], env: Env = {}) => runInside(words, { cwd: folder, env });
const serve = async (env: Env = ON): Promise<ServerProcess> =>
  (server = await startServer(['--no-store'], { cwd: folder, env }));
const at = (...path: string[]) => join(folder, 'data', ...path);

/** Another process than the server writes it. */
const product = async (slug: string, env: Env = {}): Promise<string> => {
  const made = await run(['product', 'create', '--name', slug, '--slug', slug, '--json'], env);
  expect(made.code).toBe(0);
  return new Date().toISOString();
};

/** Files in a part of the place. */
const placed = (part: string): string[] => {
  const path = at('backups/stream', part);
  return existsSync(path) ? readdirSync(path, { recursive: true, encoding: 'utf8' }).sort() : [];
};
const segments = (): string[] => placed('data').filter((name) => /-(end|part)$/.test(name));
const hasBase = () => eventually(() => placed('bases').length > 0);
/** Everything that was committed is in the place. */
const shipped = async (): Promise<void> => {
  const before = segments().length;
  await eventually(() => segments().length > before);
};

/** A moment with all of what was committed before it, and nothing of what comes now. */
const afterwards = async (): Promise<string> => {
  await shipped();
  await sleep(1200);
  return new Date().toISOString();
};

interface Restored {
  readonly code: number | null;
  readonly slugs: readonly string[];
  readonly error: { message: string; hint?: string; code: string };
}

let count = 0;
/** Restores into a new data directory, and says which products are there. */
const restored = async (moment: string, words: readonly string[] = [], env: Env = {}): Promise<Restored> => {
  count += 1;
  const there = { ...env, APPCTL_DATA_DIR: join(folder, `restored-${count}`) };
  const from = { APPCTL_BACKUP_DIR: at('backups'), ...there };
  const key = words.includes('--identity') ? [] : ['--master-key-file', at('master.key')];
  const done = await run(['restore', '--at', moment, ...key, ...words, '--json'], from);
  if (done.code !== 0) return { code: done.code, slugs: [], error: errorOf(done) as Restored['error'] };
  const { items } = JSON.parse((await run(['product', 'list', '--json'], there)).stdout);
  return {
    code: 0,
    slugs: (items as { slug: string }[]).map(({ slug }) => slug).sort(),
    error: { message: '', code: '' },
  };
};

describe('a moment', () => {
  test.each(['14:05', 'tomorrow', '-5m', '10x', '99999999d'])(
    '%s is none, and the hint names those that are',
    async (text) => {
      const refused = await run(['restore', `--at=${text}`, '--json']);
      expect([refused.code, errorOf(refused)]).toMatchObject([
        2,
        {
          message: `--at '${text}' is not a valid time`,
          hint: expect.stringMatching(/--at now, --at 10m .*--at "2027-01-31 14:05"/),
        },
      ]);
    },
  );

  test('and a backup are not restored together', async () => {
    for (const [words, message] of [
      [['nightly.tar.zst', '--at', 'now'], 'the backup nightly.tar.zst and --at cannot be used together'],
      [
        ['nightly.tar.zst', '--continue'],
        'the backup nightly.tar.zst and --continue cannot be used together',
      ],
      [[], 'name a backup, a moment with --at, or --continue to finish a restore that was interrupted'],
    ] as const) {
      const refused = await run(['restore', ...words, '--json']);
      expect([refused.code, errorOf(refused).message]).toEqual([2, message]);
    }
  });

  test('is restored with what was committed by then, through a crash and a restart', async () => {
    await serve();
    await hasBase();
    const before = new Date().toISOString();
    await product('first');
    const first = await afterwards();
    await product('second');
    const second = await afterwards();
    await server?.stop('SIGKILL');
    await serve();
    const third = await product('third');
    await shipped();
    await server?.stop();
    await serve();
    const fourth = await product('fourth');
    // What the start wrote may be shipped first.
    await afterwards();
    expect(placed('logs')).toHaveLength(1);
    expect((await restored(before)).slugs).toEqual([]);
    expect((await restored(first)).slugs).toEqual(['first']);
    expect((await restored(second)).slugs).toEqual(['first', 'second']);
    expect(third < fourth).toBe(true);
    expect((await restored('now')).slugs).toEqual(['first', 'fourth', 'second', 'third']);
  }, 90_000);

  test('misses nothing when the disk of the place was taken away for a while, and there is a folder of its name', async () => {
    const { stdout } = await serve();
    await hasBase();
    await product('first');
    await shipped();
    const [place, away] = [at('backups'), at('away')];
    renameSync(place, away);
    mkdirSync(place);
    await product('second');
    await eventually(() => stdout().includes('does not have stream/logs/'));
    expect(segments()).toEqual([]);
    rmSync(place, { recursive: true });
    renameSync(away, place);
    await product('third');
    const third = await afterwards();
    await server?.stop();
    expect(placed('logs')).toHaveLength(1);
    expect((await restored(third)).slugs).toEqual(['first', 'second', 'third']);
    // One that is gone for good is given up with the next start.
    rmSync(place, { recursive: true });
    await serve();
    await hasBase();
    await product('fourth');
    await afterwards();
    expect((await restored('now')).slugs).toEqual(['first', 'fourth', 'second', 'third']);
  }, 90_000);

  test('goes on in a new log when something was written that nobody followed', async () => {
    await serve();
    await hasBase();
    await product('first');
    await shipped();
    await server?.stop();
    await product('unseen');
    await serve();
    await eventually(() => placed('bases').length === 2);
    expect(placed('logs')).toHaveLength(2);
    await product('second');
    await shipped();
    expect((await restored('now')).slugs).toEqual(['first', 'second', 'unseen']);
    expect(server?.stderr() + (server?.stdout() ?? '')).toContain('begins anew');
  }, 60_000);

  test('replaces a database only when that is confirmed and no server runs', async () => {
    await serve();
    await hasBase();
    await product('first');
    await shipped();
    const moment = new Date().toISOString();
    const running = await run(['restore', '--at', moment, '--json']);
    expect([running.code, errorOf(running).message]).toEqual([
      5,
      expect.stringContaining('a server is running'),
    ]);
    expect(JSON.parse((await run(['restore', '--at', moment, '--dry-run', '--json'])).stdout).dryRun).toBe(
      true,
    );
    await server?.stop();
    const ahead = await run(['restore', '--at', '2199-01-31', '--confirm', 'appctl', '--json']);
    expect([ahead.code, errorOf(ahead)]).toMatchObject([
      2,
      {
        message: expect.stringMatching(/^--at is in the future: 2199-01-31 23:59:59 .* is of 20/),
        hint: expect.stringContaining('--at now'),
      },
    ]);
    await product('second');
    expect((await run(['restore', '--at', moment, '--json'])).code).toBe(10);
    const done = await run(['restore', '--at', moment, '--confirm', 'appctl', '--json']);
    expect([done.code, JSON.parse(done.stdout).previous]).toEqual([
      0,
      expect.stringContaining('pre-restore'),
    ]);
    const { items } = JSON.parse((await run(['product', 'list', '--json'])).stdout);
    expect(items).toHaveLength(1);
    // The restored database is another one than the log led to.
    await serve();
    await eventually(() => placed('logs').length === 2 && placed('bases').length === 2);
  }, 60_000);
});

test('an encrypted stream opens with the private key alone, which the server does not have', async () => {
  const made = await run(['backup', 'keygen', '--out', 'key', '--json']);
  const { publicKey } = JSON.parse(made.stdout);
  await serve({ ...ON, APPCTL_BACKUP_ENCRYPT_TO: publicKey });
  await hasBase();
  await product('first');
  await shipped();
  for (const name of segments())
    expect(readFileSync(at('backups/stream/data', name), 'latin1')).toMatch(/^age-encryption/);
  expect(await restored('now')).toMatchObject({ code: 4 });
  await run(['backup', 'keygen', '--out', 'other', '--json']);
  expect(await restored('now', ['--identity', join(folder, 'other')])).toMatchObject({ code: 4 });
  expect(await restored('now', ['--identity', join(folder, 'key')])).toMatchObject({
    code: 0,
    slugs: ['first'],
  });
}, 60_000);

describe('a stream that is not whole', () => {
  const followed = async (): Promise<void> => {
    await serve();
    await hasBase();
    for (const slug of ['first', 'second', 'third']) {
      await product(slug);
      await shipped();
    }
    await server?.stop();
  };

  test('is refused where a segment is missing, damaged or another one, and the target stays empty', async () => {
    await followed();
    const paths = segments().map((name) => at('backups/stream/data', name));
    const [middle = '', last = ''] = paths.slice(-2);
    const kept = readFileSync(middle);
    rmSync(middle);
    expect(await restored('now')).toMatchObject({
      code: 5,
      error: {
        message: expect.stringContaining('is missing'),
        hint: expect.stringContaining('restore --at'),
      },
    });
    for (const bytes of [
      kept.subarray(0, 40),
      Buffer.from('not a segment'),
      flipped(kept),
      readFileSync(last),
    ]) {
      writeFileSync(middle, bytes);
      expect(await restored('now')).toMatchObject({ code: 6 });
      expect(existsSync(join(folder, `restored-${count}`, 'appctl.db'))).toBe(false);
    }
    writeFileSync(middle, kept);
    expect(await restored('now')).toMatchObject({ code: 0 });
    // Without what was committed while it was made, the copy of the database is of no moment.
    const base = JSON.parse(readFileSync(at('backups/stream/bases', placed('bases')[0] as string), 'utf8'));
    writeFileSync(
      at('backups/stream/bases', placed('bases')[0] as string),
      JSON.stringify({ ...base, upTo: base.number + segments().length }),
    );
    expect(await restored('now')).toMatchObject({
      code: 5,
      error: { message: expect.stringContaining('no copy of the database') },
    });
  }, 90_000);

  test('is refused where the copy of the database is damaged, missing, or larger than it says', async () => {
    await followed();
    const [name = ''] = placed('data').filter((one) => one.includes('base-'));
    const path = at('backups/stream/data', name);
    const kept = readFileSync(path);
    for (const bytes of [kept.subarray(0, 4000), flipped(kept)]) {
      writeFileSync(path, bytes);
      expect(await restored('now')).toMatchObject({ code: 6 });
    }
    rmSync(path);
    expect(await restored('now')).toMatchObject({ code: 6 });
    writeFileSync(path, kept);
    const record = at('backups/stream/bases', placed('bases')[0] as string);
    const said = JSON.parse(readFileSync(record, 'utf8'));
    writeFileSync(record, JSON.stringify({ ...said, databaseBytes: 8192 }));
    expect(await restored('now')).toMatchObject({
      code: 6,
      error: { message: expect.stringContaining('larger than its record') },
    });
    writeFileSync(record, JSON.stringify({ ...said, begin: { ...said.begin, offset: 4152 } }));
    expect(await restored('now')).toMatchObject({ code: 6 });
  }, 90_000);

  test('of a newer program or of several installations says so; none at all is not found', async () => {
    expect(await restored('now')).toMatchObject({ code: 3 });
    await followed();
    expect(await restored('2026-01-01')).toMatchObject({
      code: 5,
      error: { message: expect.stringContaining('before the first state') },
    });
    expect(await restored('tomorrow')).toMatchObject({ code: 2 });
    const [name = ''] = placed('logs');
    const log = JSON.parse(readFileSync(at('backups/stream/logs', name), 'utf8'));
    const second = at('backups/stream/logs', name.replace(/-[0-9a-f]{8}/, '-00000000'));
    writeFileSync(
      second,
      JSON.stringify({ ...log, id: log.id.replace(/-.*/, '-00000000'), installation: 'ins_other' }),
    );
    expect(await restored('now')).toMatchObject({
      code: 5,
      error: { message: expect.stringContaining('2 installations') },
    });
    rmSync(second);
    for (const other of [{ installation: 'ins_other' }, { masterKeyId: 'abababab' }, { masterKeyId: null }]) {
      writeFileSync(at('backups/stream/logs', name), JSON.stringify({ ...log, ...other }));
      expect(await restored('now')).toMatchObject({
        code: 6,
        error: { message: expect.stringContaining('the stream names the') },
      });
      for (const file of ['installation', 'appctl.db', 'master.key'])
        expect([file, existsSync(join(folder, `restored-${count}`, file))]).toEqual([file, false]);
    }
    writeFileSync(at('backups/stream/logs', name), JSON.stringify({ ...log, v: 2 }));
    expect(await restored('now')).toMatchObject({
      code: 5,
      error: { message: expect.stringContaining('newer') },
    });
  }, 60_000);
});

/** In the middle, where the bytes are. */
const flipped = (bytes: Buffer): Buffer => {
  const copy = Buffer.from(bytes);
  const middle = copy.length >> 1;
  copy[middle] = (copy[middle] as number) ^ 0x10;
  return copy;
};

describe('a place that is away', () => {
  test('does not disturb the server, and gets everything once it is back', async () => {
    await serve();
    await hasBase();
    renameSync(at('backups'), at('away'));
    writeFileSync(at('backups'), 'not a folder');
    await product('first');
    await eventually(() =>
      (server?.stderr() ?? '').concat(server?.stdout() ?? '').includes('cannot be stored'),
    );
    expect((await fetch(`${server?.url}/api/health`)).status).toBe(200);
    rmSync(at('backups'));
    renameSync(at('away'), at('backups'));
    await eventually(() =>
      readdirSync(at('stream'), { recursive: true }).every((name) => !/-end$/.test(String(name))),
    );
    expect((await restored('now')).slugs).toEqual(['first']);
  }, 60_000);

  test('or full: the server goes on, and what waited is stored once there is room', async () => {
    mkdirSync(at('backups'));
    const script = `mount -t tmpfs -o size=32m none data/backups
( while kill -0 $$ && [ ! -e fill ]; do sleep 0.05; done
  head -c 64m /dev/zero > data/backups/ballast
  touch filled
  while kill -0 $$ && [ ! -e more ]; do sleep 0.05; done
  rm data/backups/ballast ) > /dev/null 2>&1 &
exec "$@"`;
    const command = ['unshare', '-rm', 'sh', '-c', script, 'sh', process.execPath, program];
    const full = await startServer(['--no-store'], { cwd: folder, env: ON, command });
    server = full;
    const told = (words: string) => eventually(() => (full.stderr() + full.stdout()).includes(words));
    await told('a restore to any moment');
    writeFileSync(join(folder, 'fill'), '');
    await eventually(() => existsSync(join(folder, 'filled')));
    await product('first');
    await told('has no space left');
    await product('second');
    expect((await fetch(`${full.url}/api/health`)).status).toBe(200);
    writeFileSync(join(folder, 'more'), '');
    await eventually(() => /is stored in .* again/.test(full.stderr() + full.stdout()));
    const place = `/proc/${full.child.pid}/root${at('backups')}`;
    expect((await restored('now', [], { APPCTL_BACKUP_DIR: place })).slugs).toEqual(['first', 'second']);
  }, 60_000);

  let s3: S3Server | null = null;
  afterEach(() => s3?.close());

  test('may be a bucket', async () => {
    s3 = await startS3Server();
    const env = {
      ...ON,
      APPCTL_BACKUP_DIR: `s3://bundles/kept?endpoint=${encodeURIComponent(s3.endpoint)}`,
      APPCTL_BACKUP_S3_ACCESS_KEY_ID: 'S3RVER',
      APPCTL_BACKUP_S3_SECRET_ACCESS_KEY: 'S3RVER',
    };
    await serve(env);
    await eventually(() =>
      (server?.stderr() ?? '').concat(server?.stdout() ?? '').includes('a restore to any moment'),
    );
    await product('first');
    await server?.stop();
    expect((await restored('now', [], env)).slugs).toEqual(['first']);
  }, 60_000);
});

test('Postgres has its own: the configuration says so', async () => {
  const env = { ...ON, APPCTL_DATABASE_URL: 'postgres://127.0.0.1:1/none' };
  const refused = await run(['config', 'check'], env);
  expect([refused.code, refused.stdout + refused.stderr]).toEqual([
    78,
    expect.stringContaining('backup.stream'),
  ]);
});
